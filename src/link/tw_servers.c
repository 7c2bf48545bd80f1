// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --servers=one: one process answers the requests of all clients. It is the
 * server of pair 0; the other pairs have a copy of its struct tw_process.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tw_memory.h"
#include "tw_part.h"
#include "tw_servers.h"
#include "tw_link.h"
#include "tw_wire.h"

#define ANSWERS		4096	/* that are kept; divides an unsigned long */

static const char *const kinds[] = { "each", "one", NULL };
static const char *kind = "each";
static const char *const orders[] = { "priority", "arrival", NULL };
static const char *order;		/* NULL: not given */
static bool by_arrival;
static int64_t priority;	/* 0: one less than the first client's */
static bool one;

/* Index: pair. */
static struct pollfd clients[TW_PAIRS_MAX];	/* the server's ends */
static int client_fds[TW_PAIRS_MAX];	/* the clients' ends */
static int left;			/* clients that have not ended */
static int epoll_fd;

/* The last answers: written by the server, read by all clients. */
static struct answers {
	atomic_ulong count;	/* may wrap */
	struct answer {
		int64_t t2_ns;
		int64_t pair;
	} ring[ANSWERS];
} *answers;

/* Memory of a pair. */
struct room {
	int64_t pair;
	uint64_t inversions;
};

/* A higher client may have come meanwhile, so it asks before each answer. */
static int next_by_priority(void)
{
	int i = 0;

	if (poll(clients, tw_run_pairs, -1) < 0)
		return -1;
	while (!clients[i].revents)
		i++;
	return i;
}

/*
 * The kernel lists who is ready in the order of arrival. With edges, because
 * otherwise a client that was answered would stay in the list, and its next
 * request come before those that arrived earlier.
 */
static int open_by_arrival(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int i;

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	for (i = 0; i < tw_run_pairs; i++) {
		event.data.u32 = i;
		if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, clients[i].fd, &event))
			return -errno;
	}
	return 0;
}

static int next_by_arrival(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_fd, &event, 1, -1) < 0 ? -1 :
	       (int)event.data.u32;
}

static const struct tw_option options[] = {
	{ 0, "order", TW_WORD, &order, .choices = orders,
	  .with = "--servers=one",
	  .help = "of --servers=one: priority (default), arrival" },
	{ 0, "server-priority", TW_NUMBER, &priority, "PRIO", 2, 99,
	  .with = "--servers=one",
	  .help = "with --servers=one, default 1 below the client's" },
	{ 0, "servers", TW_WORD, &kind, .choices = kinds,
	  .without = "--connect",
	  .help = "each (default): a server for each client; one: for all" },
	{ .name = NULL }
};

/* Answers the next request, or looks why there is none. */
static int answer_next(const struct tw_loop *loop)
{
	static struct tw_reply replies[TW_PAIRS_MAX];
	struct tw_loop of_pair = *loop;
	unsigned long at = answers->count;
	int err, pair = by_arrival ? next_by_arrival() : next_by_priority();

	if (pair < 0)
		return tw_wire_failed(loop->stop);
	of_pair.fd = clients[pair].fd;
	of_pair.pair = pair;
	of_pair.wait = &tw_wait_read;	/* there is a request */
	err = tw_server_answer(&of_pair, of_pair.fd, &replies[pair]);
	if (err == -ECONNRESET) {
		close(clients[pair].fd);
		clients[pair].fd = -1;
		return --left ? 0 : -ECANCELED;
	}
	answers->ring[at % ANSWERS] = (struct answer) {
		(int64_t)le64toh(replies[pair].t2_ns), pair
	};
	atomic_store_explicit(&answers->count, at + 1, memory_order_release);
	return err;
}

/* The loop of the server. */
static int serve(const struct tw_loop *loop)
{
	int i, err = by_arrival ? open_by_arrival() : 0;

	/* An open copy would hide that a client has ended. */
	for (i = 1; i < tw_run_pairs; i++)
		close(client_fds[i]);
	memset(answers, 0, sizeof(*answers));
	while (!err)
		err = answer_next(loop);
	return err == -ECANCELED ? 0 : err;
}

/* Main sets it, which reads it back as it does for the others. */
static void set_priority(struct tw_process *server)
{
	struct sched_param param = { .sched_priority = (int)priority };

	if (!priority)
		return;
	if (tw_policy_set(server->pid, tw_config.policy, &param) ||
	    tw_policy_get(server->pid, &param) < 0)
		tw_say_fatal("--server-priority=%d: the server cannot get it: %m\n",
			     (int)priority);
	server->priority = param.sched_priority;
}

static int start_server(struct tw_run *run)
{
	int i, err;

	for (i = 0; i < tw_run_pairs; i++) {
		tw_pair_connect(run, i);
		clients[i].fd = run->pairs[i]->fd[TW_SERVER];
		clients[i].events = POLLIN;
		client_fds[i] = run->pairs[i]->fd[TW_CLIENT];
	}
	left = tw_run_pairs;
	/* It counts the datagrams of all pairs, if there are any. */
	if (tw_pair_room(run, 0, &tw_part_transport))
		for (i = 0; i < tw_run_pairs; i++)
			madvise(run->pairs[i], run->pair_size, MADV_DOFORK);
	err = tw_pair_start_process(run, 0, TW_SERVER);
	for (i = 0; i < tw_run_pairs; i++)
		madvise(run->pairs[i], run->pair_size, MADV_DONTFORK);
	if (err)
		return err;
	set_priority(&run->pairs[0]->process[TW_SERVER]);
	for (i = 1; i < tw_run_pairs; i++) {
		close(clients[i].fd);
		run->pairs[i]->fd[TW_SERVER] = -1;
		run->pairs[i]->process[TW_SERVER] =
			run->pairs[0]->process[TW_SERVER];
	}
	return 0;
}

static void start_pair(struct tw_run *run, int number)
{
	if (number || !start_server(run))
		tw_pair_start_process(run, number, TW_CLIENT);
}

static void check(struct tw_run *run)
{
	one = !strcmp(kind, "one");
	if (!one)
		return;
	if (priority && !tw_config.priority)
		tw_say_fatal("--server-priority=%d: allowed only with --priority\n",
			     (int)priority);
	order = order ? order : orders[0];
	by_arrival = order == orders[1];
	answers = tw_memory_shared(sizeof(*answers));
	run->start_pair = start_pair;
	run->serve = serve;
}

static size_t room(const struct tw_run *run)
{
	return one ? sizeof(struct room) : 0;
}

static void attach(void *memory, int pair)
{
	((struct room *)memory)->pair = pair;
}

/* Counts, from the last answer back to the first after t0; none has t2 0. */
static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	unsigned long at = atomic_load_explicit(&answers->count,
						memory_order_acquire);
	struct room *to = memory;
	int64_t until_ns = cycle->t1_ns;
	int i;

	/* If it was cut short, the server was still to answer the others. */
	if (cycle->cut_ns)
		until_ns = cycle->t0_ns ? cycle->cut_ns : 0;
	for (i = 0; i < ANSWERS; i++) {
		const struct answer *answer = &answers->ring[--at % ANSWERS];

		if (answer->t2_ns <= cycle->t0_ns)
			break;
		to->inversions += answer->pair > to->pair &&
				  answer->t2_ns < until_ns;
	}
	return false;
}

uint64_t tw_servers_inversions(const struct tw_run *run, int pair)
{
	const struct room *of = tw_pair_room(run, pair, &tw_part_servers);

	return of ? of->inversions : 0;
}

/* One server has one count of page faults and switches. */
static void end(struct tw_run *run)
{
	int i;

	for (i = 1; one && i < tw_run_pairs; i++)
		run->pairs[i]->usage[TW_SERVER] =
			run->pairs[0]->usage[TW_SERVER];
}

static void text(FILE *file, const struct tw_run *run)
{
	int i;

	if (!one)
		return;
	fprintf(file, "# Inversions:");
	for (i = 0; i < tw_run_pairs; i++)
		fprintf(file, " %" PRIu64, tw_servers_inversions(run, i));
	fprintf(file, "\n");
}

static const void *next_pair(const void *of, int *i, const char **key)
{
	static uint64_t inversions;

	if (!one || *i >= tw_run_pairs)
		return NULL;
	inversions = tw_servers_inversions(of, *i);
	return &inversions;
}

static const struct tw_member members[] = {
	{ "inversions", TW_NOWHERE, TW_ARRAY, "Of each pair; empty: each client has a server.",
	  .next = next_pair,
	  .of = TW_EACH(TW_SELF(uint64_t), TW_COUNT, TW_INVERSIONS) },
	{ .name = NULL }
};

const struct tw_part tw_part_servers = {
	.options = options, .group = TW_PAIRS, .check = check, .end = end,
	.room = room, .attach = attach, .record = record, .text = text,
	.members[TW_OF_RUN] = members,
};
