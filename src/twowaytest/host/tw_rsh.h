/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts the program on the other host by a command such as ssh, whose standard
 * input and output become the control connection. Called by main.
 */
#ifndef TW_RSH_H
#define TW_RSH_H

#include "base/tw_child.h"

struct tw_rsh {
	struct tw_child child;
	int in_fd, out_fd;	/* non-blocking; the caller closes them */
};

/*
 * Runs "@command @program --server=stdio @option" in a shell; its standard error stays
 * ours. Returns 0 or -errno.
 */
int tw_rsh_start(struct tw_rsh *rsh, const char *command, const char *program,
		 const char *option);

/*
 * After both descriptors were closed: waits for @limit_ms until it ends, then
 * kills it. Returns its wait status; -1: killed.
 */
int tw_rsh_end(struct tw_rsh *rsh, int limit_ms);

#endif /* TW_RSH_H */
