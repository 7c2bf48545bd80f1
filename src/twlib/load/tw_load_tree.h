/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends other programs and all processes that they started. */
#ifndef TW_LOAD_TREE_H
#define TW_LOAD_TREE_H

#include <stddef.h>

/*
 * Kills and reaps all descendants of the calling process, which is a subreaper
 * and so gets all orphans. Returns 0; or -EBUSY after @limit_ms, and in @why
 * the process that is left and the reason.
 */
int tw_load_kill_tree(int limit_ms, char *why, size_t size);

#endif /* TW_LOAD_TREE_H */
