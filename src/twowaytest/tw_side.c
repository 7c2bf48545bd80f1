// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "tw_client.h"
#include "tw_server.h"
#include "tw_side.h"
#include "tw_time.h"
#include "tw_wire.h"

/* Its only use is that it interrupts. */
static void on_stop(int signal)
{
	(void)signal;
}

/* Main alone acts on what the terminal or init sends to all of us. */
static int take_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1,
				       SIGPIPE };
	struct sigaction action = { .sa_handler = SIG_IGN };
	sigset_t none;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (sigaction(ignored[i], &action, NULL))
			return -errno;
	action.sa_handler = on_stop;
	if (sigaction(TW_STOP_SIGNAL, &action, NULL))
		return -errno;
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) ? -errno : 0;
}

int tw_side_settle(const struct tw_task *task, enum tw_role role,
		   struct tw_settings *settings, enum tw_step *step)
{
	int err;

	/* First: beside what outranks main it would not get to that any more. */
	*step = TW_STEP_SCHEDULE;
	err = tw_system_schedule(task->policy, task->priority[role]);
	if (err)
		return err;
	/* Those that are not pinned too: they do not stay where main is. */
	*step = TW_STEP_PIN;
	err = tw_system_pin(&task->cpus[role]);
	if (err)
		return err;
	*step = TW_STEP_LOCK;
	err = task->lock_memory ? tw_system_lock_memory() : 0;
	if (err)
		return err;
	*step = TW_STEP_VERIFY;
	return tw_system_verify(settings, task->policy, task->priority[role],
				&task->cpus[role], task->lock_memory);
}

void tw_side_merge(struct tw_side *sum, const struct tw_side *side)
{
	bool changed = tw_system_changed(&sum->settings, &sum->left);
	struct tw_settings left = sum->left;
	int stops = sum->child.stops;

	*sum = *side;
	sum->child.stops += stops;
	if (changed && !tw_system_changed(&sum->settings, &sum->left))
		sum->left = left;
}

static void warm(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	tw_tally_warmup(pair->tally, cycle);
}

static void record(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	tw_tally_add(pair->tally, cycle);
}

static void record_whole(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	tw_tally_add(pair->tally, cycle);
	tw_ring_put(pair->ring, cycle);
}

/* The others' way ends with the cycle that it breaks at. */
static void record_or_break(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	if (tw_break_check(&pair->brk, pair->tally, &pair->task.clock, cycle))
		atomic_store(&pair->stop, 1);
	tw_tally_add(pair->tally, cycle);
	if (pair->ring)
		tw_ring_put(pair->ring, cycle);
}

static void client_steady(void *sink)
{
	struct tw_pair *pair = sink;

	tw_system_usage(&pair->side[TW_CLIENT].steady);
	pair->steady_ns = tw_now_ns(CLOCK_MONOTONIC);
	atomic_store_explicit(&pair->steady, 1, memory_order_release);
}

static void server_steady(void *sink)
{
	struct tw_pair *pair = sink;

	tw_system_usage(&pair->side[TW_SERVER].steady);
}

static int run_client(struct tw_pair *pair, void *request)
{
	const struct tw_client client = {
		.fd = pair->task.link.client_fd,
		.size = pair->task.size,
		.request = request,
		.clock = &pair->task.clock,
		.timer_ops = pair->task.timer_ops,
		.period_ns = pair->task.period_ns,
		.warmup = pair->task.warmup,
		.loops = pair->task.loops,
		.stop = &pair->stop,
		.sink = pair,
		.warm = warm,
		.record = pair->brk.limit_ns ? record_or_break :
			  pair->ring ? record_whole : record,
		.prompt = pair->brk.limit_ns,
		.steady = client_steady,
	};

	return tw_client_run(&client);
}

static int run_server(struct tw_pair *pair, void *request)
{
	const struct tw_server server = {
		.fd = pair->task.link.server_fd,
		.size = pair->task.size,
		.request = request,
		.clock = &pair->task.clock,
		.wait_ops = pair->task.wait_ops,
		.sleep_ns = pair->task.sleep_ns,
		.warmup = pair->task.warmup,
		.stop = &pair->stop,
		.sink = pair,
		.steady = server_steady,
	};

	return tw_server_run(&server);
}

/* What a side is started with. */
struct self {
	struct tw_pair *pair;
	enum tw_role role;
};

static int get_ready(struct tw_pair *pair, enum tw_role role, void *request,
		     enum tw_step *step)
{
	bool client = role == TW_CLIENT;
	int err;

	*step = TW_STEP_START;
	err = take_signals();
	if (err)
		return err;
	err = tw_side_settle(&pair->task, role, &pair->side[role].settings,
			     step);
	if (err)
		return err;
	/* The tally is the client's alone: here two writers would collide. */
	tw_system_prefault(pair, client ? pair->shared_size : sizeof(*pair));
	tw_system_prefault(request, pair->task.size);
	if (client)
		tw_cost_measure(&pair->cost, &pair->task.clock,
				&pair->tally->params);
	return tw_child_ready();
}

static int live(void *arg)
{
	static char request[TW_REQUEST_MAX];
	const struct self *self = arg;
	struct tw_pair *pair = self->pair;
	struct tw_side *side = &pair->side[self->role];
	enum tw_step step;
	int err;

	err = get_ready(pair, self->role, request, &step);
	if (!err) {
		step = TW_STEP_RUN;
		err = self->role == TW_CLIENT ? run_client(pair, request) :
						run_server(pair, request);
	}
	tw_system_usage(&side->end);
	tw_system_read(&side->left);
	if (err) {
		side->failed = step;
		side->err = err;
	}
	return err;
}

int tw_side_start(struct tw_pair *pair, enum tw_role role)
{
	struct self self = { pair, role };
	const struct tw_link *link = &pair->task.link;
	bool client = role == TW_CLIENT;
	const struct tw_trace_fds *traces = pair->brk.traces;
	struct tw_child_how how = {
		.name = client ? "twoway-client" : "twoway-server",
		.death_signal = SIGKILL,
		.keep = { client ? link->client_fd : link->server_fd },
		.live = live, .arg = &self,
	};
	int i;

	/* Only the client marks and stops them. */
	for (i = 0; client && i < TW_TRACES; i++) {
		how.keep[1 + 2 * i] = traces[i].mark;
		how.keep[2 + 2 * i] = traces[i].stop;
	}
	return tw_child_start(&pair->side[role].child, &how,
			      TW_CHILD_READY_MS);
}
