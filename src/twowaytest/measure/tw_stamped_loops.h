/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loops of client and server with the kernel's timestamps. */
#ifndef TW_STAMPED_LOOPS_H
#define TW_STAMPED_LOOPS_H

#include "measure/tw_client.h"
#include "measure/tw_server.h"
#include "measure/tw_stamped.h"

/* As tw_client_run(), tw_server_run() and tw_server_take(). */
int tw_stamped_client_run(const struct tw_client *client);
int tw_stamped_server_run(const struct tw_server *server);
int tw_server_take_stamped(const struct tw_server *server,
			   struct tw_wait *wait, struct tw_reply *reply);

#endif /* TW_STAMPED_LOOPS_H */
