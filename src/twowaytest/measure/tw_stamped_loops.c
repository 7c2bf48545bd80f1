// SPDX-License-Identifier: GPL-2.0-or-later
/* The loops with stamps: as the plain ones, with other replies. */
#include "measure/tw_server_loop.h"
#include "measure/tw_stamped.h"

static int receive(const struct tw_client *client, struct tw_cycle *cycle)
{
	__typeof__(client->stamps->client) *own = &client->stamps->client;
	char buf[TW_STAMPED_SIZE];
	struct tw_reply reply;
	ssize_t len;
	int err;

	len = tw_stamps_receive(client->fd, buf, sizeof(buf), client->stop,
				&own->in);
	cycle->t3_ns = client->clock->read_ns(client->clock);
	err = tw_client_check(client, len);
	if (!err)
		err = tw_wire_get_stamped(buf, len, cycle->seq, &reply,
					  &own->reply);
	if (err)
		return err;
	tw_client_take(cycle, &reply);
	/* What is behind t3 belongs to the slack. */
	tw_stamped_client(client, cycle);
	return 0;
}

int tw_stamped_client_run(const struct tw_client *client)
{
	int err = tw_stamps_begin(client->fd, &client->stamps->client.out.id);
	struct tw_client stamped = *client;

	if (!stamped.receive)
		stamped.receive = receive;
	return err ? err : tw_client_run(&stamped);
}

int tw_server_take_stamped(const struct tw_server *server,
			   struct tw_wait *wait, struct tw_reply *reply)
{
	ssize_t len;

	/* Before the wait, which full error queues would end. */
	tw_stamped_server(server, reply);
	wait->ops->wait(wait);
	len = tw_stamps_receive(server->fd, server->request, server->size,
				server->stop, &server->stamps->server.in);
	reply->t1_ns = server->clock->read_ns(server->clock);
	return tw_server_check(server, len, reply);
}

static void put(const struct tw_server *server, void *buf,
		const struct tw_reply *reply)
{
	tw_wire_put_stamped(buf, reply, &server->stamps->server.reply);
}

int tw_stamped_server_run(const struct tw_server *server)
{
	static const struct tw_server_kind stamped = {
		tw_server_take_stamped, put, TW_STAMPED_SIZE
	};
	int err = tw_stamps_begin(server->fd, &server->stamps->server.out.id);

	return err ? err : tw_server_loop(server, &stamped);
}
