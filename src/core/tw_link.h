/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The connection of client and server. Called by main, before the fork. */
#ifndef TW_LINK_H
#define TW_LINK_H

/*
 * Connects two TCP sockets over 127.0.0.1, without Nagle's delay. The caller
 * closes both, also after an error. Returns 0 or -errno; -EPERM if somebody
 * else was faster to connect.
 */
int tw_link_tcp(int *client_fd, int *server_fd);

#endif /* TW_LINK_H */
