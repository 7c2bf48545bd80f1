/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the server's host says after a run, and how it is shown. */
#ifndef TW_PEER_H
#define TW_PEER_H

#include <stdio.h>

#include "host/tw_control.h"
#include "host/tw_serve.h"
#include "run/tw_session.h"

struct tw_peer {
	bool known;
	struct tw_far_host host;
	struct tw_far_servers servers;
};

/* The server: fills it from what has run here, and sends it. 0 or -errno. */
int tw_peer_send(const struct tw_session *session,
		 struct tw_service *serving);

/* The client: receives it. Returns as tw_control_await(). */
int tw_peer_receive(struct tw_peer *peer, struct tw_control *control,
		    char why[TW_REFUSAL_TEXT]);

/* The client: adds the server's counts of datagrams to those of the pairs. */
void tw_peer_add(const struct tw_peer *peer, struct tw_session *session);

/* The remark on the server's host; @name: as the user gave it. */
void tw_peer_print(FILE *file, const struct tw_peer *peer, const char *name,
		   const struct tw_asked *asked,
		   const struct tw_granted *granted);

/* Members "asked" and "granted". */
void tw_peer_json_terms(struct tw_json *json, const struct tw_asked *asked,
			const struct tw_granted *granted);

/* Members "host" and "servers". */
void tw_peer_json(struct tw_json *json, const struct tw_peer *peer);

#endif /* TW_PEER_H */
