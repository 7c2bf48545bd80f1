// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/tw_traced.h"
#include "measure/tw_wire.h"

static struct tw_traced_request *place_of(struct tw_traced *traced,
					  uint64_t seq)
{
	return &traced->requests[seq % TW_TRACED];
}

void tw_traced_attach(struct tw_pair *pair, struct tw_traced *traced,
		      int mark_fd)
{
	traced->mark_fd = mark_fd;
	pair->limit->traced = traced;
	pair->server_keep = mark_fd;
	pair->task.serve = tw_traced_serve;
	pair->take = tw_traced_take;
}

int tw_traced_take(const struct tw_server *server, struct tw_wait *wait,
		   struct tw_reply *reply)
{
	const struct tw_pair *pair = server->sink;
	struct tw_traced *traced = pair->limit->traced;
	/* At first, that of a request 0, which there is not. */
	struct tw_traced_request *request = place_of(traced, reply->seq);
	int err;

	request->sent_ns = server->clock->read_ns(server->clock);
	request->t2_ns = reply->t2_ns;
	err = tw_limited_take(server, wait, reply);
	if (err <= 0)
		return err;
	request = place_of(traced, reply->seq);
	*request = (struct tw_traced_request) {
		.seq = reply->seq, .t1_ns = reply->t1_ns,
	};
	return err;
}

int tw_traced_serve(struct tw_pair *pair, void *request)
{
	struct tw_traced *traced = pair->limit->traced;
	char mark[64];
	int len = snprintf(mark, sizeof(mark), TW_TRACED_MARK "\n",
			   pair->number);

	/* Here, so that its first requests find it in memory. */
	memset(traced->requests, 0, sizeof(traced->requests));
	/* If it fails, the trace shows numbers that are taken for our own. */
	traced->marked = write(traced->mark_fd, mark, (size_t)len) == len;
	return tw_side_serve(pair, request);
}

const struct tw_traced_request *
tw_traced_find(const struct tw_traced *traced, uint64_t seq)
{
	const struct tw_traced_request *request =
		&traced->requests[seq % TW_TRACED];

	return seq && request->seq == seq ? request : NULL;
}
