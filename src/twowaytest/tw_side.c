// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tw_client.h"
#include "tw_server.h"
#include "tw_side.h"
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

	/* Those that are not pinned too: they do not stay where main is. */
	*step = TW_STEP_PIN;
	err = tw_system_pin(&task->cpus[role]);
	if (err)
		return err;
	*step = TW_STEP_LOCK;
	err = task->lock_memory ? tw_system_lock_memory() : 0;
	if (err)
		return err;
	*step = TW_STEP_SCHEDULE;
	err = tw_system_schedule(task->policy, task->priority[role]);
	if (err)
		return err;
	*step = TW_STEP_VERIFY;
	return tw_system_verify(settings, task->policy, task->priority[role],
				&task->cpus[role], task->lock_memory);
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

static int live(struct tw_pair *pair, enum tw_role role, pid_t parent,
		int ready_fd, enum tw_step *step)
{
	static char request[TW_REQUEST_MAX];
	const struct tw_link *link = &pair->task.link;
	bool client = role == TW_CLIENT;
	const struct tw_trace_fds *traces = pair->brk.traces;
	/* The server needs the first two only. */
	const int keep[] = {
		ready_fd, client ? link->client_fd : link->server_fd,
		traces[TW_TRACE_USER].mark, traces[TW_TRACE_USER].stop,
		traces[TW_TRACE_OWN].mark, traces[TW_TRACE_OWN].stop,
	};
	int err;

	*step = TW_STEP_START;
	tw_system_close_others(keep, client ? 6 : 2);
	err = tw_system_die_with(parent);
	if (!err)
		err = take_signals();
	if (err)
		return err;
	prctl(PR_SET_NAME, client ? "twoway-client" : "twoway-server");
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
	if (write(ready_fd, "", 1) != 1)
		return -errno;
	close(ready_fd);

	*step = TW_STEP_RUN;
	return client ? run_client(pair, request) : run_server(pair, request);
}

_Noreturn void tw_side_main(struct tw_pair *pair, enum tw_role role,
			    pid_t parent, int ready_fd)
{
	struct tw_side *side = &pair->side[role];
	enum tw_step step;
	int err;

	err = live(pair, role, parent, ready_fd, &step);
	tw_system_usage(&side->end);
	if (err) {
		side->failed = step;
		side->err = err;
	}
	/* Not exit(): what stdio holds is main's to write. */
	_exit(err ? EXIT_FAILURE : EXIT_SUCCESS);
}
