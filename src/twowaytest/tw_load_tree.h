/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of other people's programs, and of all that they have started. */
#ifndef TW_LOAD_TREE_H
#define TW_LOAD_TREE_H

#include <stddef.h>

/*
 * Kills and reaps all children of the calling process, and theirs, however
 * deep: it is a subreaper, so an orphan comes to it. 0; or -EBUSY after
 * @limit_ms, and in @why which of them is left, and what keeps it.
 */
int tw_load_kill_tree(int limit_ms, char *why, size_t size);

#endif /* TW_LOAD_TREE_H */
