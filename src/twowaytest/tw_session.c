// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "rt-utils.h"
#include "tw_session.h"
#include "tw_time.h"

#define SUM_TRIES	10	/* to find no cycle half counted */

int tw_session_fail(struct tw_session *session, enum tw_step step, int err)
{
	/* The first thing that failed is the cause of the others. */
	if (session->failure.step == TW_STEP_NONE) {
		session->failure.step = step;
		session->failure.role = TW_MAIN;
		session->failure.pid = getpid();
		session->failure.err = err;
	}
	return err;
}

static void fill_task(struct tw_task *task, const struct tw_config *config)
{
	int role;

	task->timer_ops = config->timer;
	task->wait_ops = config->wait;
	task->size = config->size;
	task->period_ns = config->interval_us * TW_NS_PER_US;
	task->sleep_ns = config->sleep_us * TW_NS_PER_US;
	task->warmup = config->warmup;
	task->loops = config->loops;
	task->policy = config->policy;
	task->lock_memory = config->mlockall;
	for (role = 0; role < TW_ROLES; role++) {
		task->priority[role] = tw_config_priority(config, role);
		task->pinned[role] = tw_config_cpus(config, role, 0,
						    &task->cpus[role]);
	}
}

static size_t round_up(size_t size)
{
	return (size + TW_CACHE_LINE - 1) / TW_CACHE_LINE * TW_CACHE_LINE;
}

/* The pair, its tally, and behind that what else is asked for. */
static struct tw_pair *map_pair(const struct tw_session *session,
				bool whole_cycles)
{
	const struct tw_config *config = session->config;
	const struct tw_task *task = &session->task;
	struct tw_metric_params params = tw_config_metric_params(config);
	size_t at_tally = round_up(sizeof(struct tw_pair));
	size_t at_trltp = at_tally +
			  round_up(tw_tally_size(config->histogram_us));
	size_t at_spikes = at_trltp + (config->trltp_log ? TW_TRLTP_SIZE : 0);
	size_t at_ring = at_spikes + round_up(config->spike_nodes *
					      sizeof(struct tw_kept));
	size_t size = at_ring + (whole_cycles ? sizeof(struct tw_ring) : 0);
	struct tw_pair *pair;
	char *memory;

	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	/* Before anything is written: pages go where they are first wanted. */
	if (task->pinned[TW_CLIENT])
		tw_system_place_memory(memory, size, &task->cpus[TW_CLIENT]);

	pair = (struct tw_pair *)memory;
	pair->task = *task;
	pair->shared_size = size;
	pair->tally = tw_tally_init(memory + at_tally, &params,
				    config->histogram_us);
	if (config->trltp_log)
		tw_tally_attach_trltp(pair->tally, memory + at_trltp);
	if (config->spike_us)
		tw_tally_attach_spikes(pair->tally, memory + at_spikes,
				       config->spike_nodes, config->spike_on,
				       config->spike_us * TW_NS_PER_US);
	tw_limit_prepare(config->limits, config->limit_count, pair->tally);
	pair->tally->clock = &pair->task.clock;
	pair->tally->step = session->step;
	pair->brk.limit_ns = config->break_us * TW_NS_PER_US;
	pair->brk.metric = config->break_on;
	memcpy(pair->brk.traces, session->trace_fds,
	       sizeof(pair->brk.traces));
	if (whole_cycles)
		pair->ring = (struct tw_ring *)(memory + at_ring);
	return pair;
}

/*
 * What is ignored stays so, as nohup and a shell that starts a job in the
 * background want it: a signal that is blocked would be queued all the same.
 */
static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) &&
	       action.sa_handler == SIG_IGN;
}

static int open_signals(struct tw_session *session)
{
	static const int heeded[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
	sigset_t signals;
	size_t i;

	sigemptyset(&signals);
	for (i = 0; i < ARRAY_SIZE(heeded); i++)
		if (!is_ignored(heeded[i]))
			sigaddset(&signals, heeded[i]);
	sigaddset(&signals, SIGCHLD);
	/* If it was ignored, the kernel would reap in our place. */
	signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_BLOCK, &signals, NULL))
		return -errno;
	session->signal_fd = signalfd(-1, &signals,
				      SFD_CLOEXEC | SFD_NONBLOCK);
	return session->signal_fd < 0 ? -errno : 0;
}

/* Main's own settings, tried at the client's priority as well: it is higher. */
static int settle_main(struct tw_session *session)
{
	const struct tw_task *task = &session->task;
	enum tw_step step = TW_STEP_SCHEDULE;
	int err;

	err = tw_system_schedule(task->policy, task->priority[TW_CLIENT]);
	if (!err)
		err = tw_side_settle(task, TW_MAIN, &session->main_settings,
				     &step);
	return err ? tw_session_fail(session, step, err) : 0;
}

/* Not fatal: the unprivileged, and kernels without it, are to measure too. */
static void limit_latency(struct tw_session *session)
{
	int fd;

	if (session->config->default_system)
		return;
	fd = tw_system_limit_latency((int32_t)session->config->latency_us);
	if (fd < 0)
		session->latency_err = fd;
	else
		session->latency_fd = fd;
}

static int open_clock(struct tw_session *session)
{
	int err = tw_clock_open(&session->task.clock, session->config->clock);

	if (err)
		return tw_session_fail(session, TW_STEP_CLOCK, err);
	return 0;
}

static int open_listener(struct tw_session *session)
{
	int fd = session->transport->listen((uint16_t)session->config->port);

	if (fd < 0)
		return tw_session_fail(session, TW_STEP_LISTEN, fd);
	session->listener = fd;
	session->port = tw_transport_port(fd);
	return 0;
}

/* Sets what the user wants set, and learns what the kernel will do. */
static int open_throttle(struct tw_session *session)
{
	const struct tw_config *config = session->config;
	struct utsname name;
	int err;

	if (config->rt_runtime_us != TW_KEEP) {
		err = tw_system_leave_deadline();
		if (!err)
			err = tw_runtime_open(&session->runtime,
					      config->rt_runtime_us);
		if (err)
			return tw_session_fail(session, TW_STEP_THROTTLE, err);
	}
	session->kernel_log = tw_throttle_listen("");
	uname(&name);
	tw_throttle_read(&session->throttle, "", name.release);
	if (config->force || session->throttle.stall_ns ||
	    !tw_config_hogs_all(config))
		return 0;
	return tw_session_fail(session, TW_STEP_THROTTLE, -EBUSY);
}

int tw_session_open(struct tw_session *session,
		    const struct tw_config *config, bool whole_cycles)
{
	static int (*const parts[])(struct tw_session *session) = {
		open_throttle, open_clock, settle_main, tw_session_open_traces,
		tw_session_open_load, open_listener,
	};
	size_t i;
	int err;

	memset(session, 0, sizeof(*session));
	session->config = config;
	session->whole_cycles = whole_cycles;
	session->transport = &tw_transport_tcp;
	session->listener = -1;
	session->latency_fd = -1;
	session->signal_fd = -1;
	session->runtime.guard.fd = -1;
	session->runtime.lock_fd = -1;
	for (i = 0; i < TW_TRACES; i++)
		session->trace_fds[i] = (struct tw_trace_fds) { -1, -1 };
	session->kernel_log = -1;
	session->link.client_fd = -1;
	session->link.server_fd = -1;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* a write tells */
	fill_task(&session->task, config);

	err = open_signals(session);
	if (err)
		tw_session_fail(session, TW_STEP_START, err);
	session->steps = calloc(config->steps, sizeof(*session->steps));
	if (!session->steps)
		err = tw_session_fail(session, TW_STEP_MEMORY, -ENOMEM);
	for (i = 0; !err && i < ARRAY_SIZE(parts); i++)
		err = parts[i](session);
	if (err)
		tw_session_close(session);
	else
		limit_latency(session);
	return err;
}

/*
 * Stalls of the length that the kernel stops real-time tasks for are its
 * doing where real-time tasks may have used their share up.
 */
static void expect_stalls(struct tw_session *session, int workers)
{
	struct tw_tally *tally = session->pair->tally;
	int64_t stall_ns = session->throttle.stall_ns;

	if (!stall_ns || !tw_config_may_throttle(session->config, workers))
		return;
	tally->stall_min_ns = stall_ns - stall_ns / 4;
	tally->stall_max_ns = stall_ns + stall_ns / 2;
}

void tw_session_drop(struct tw_pair **pair)
{
	if (*pair)
		munmap(*pair, (*pair)->shared_size);
	*pair = NULL;
}

static int begin_link(struct tw_session *session)
{
	int err = tw_transport_link(session->transport, session->listener,
				    &session->link, &session->strangers);

	session->pair->task.link = session->link;
	return err ? tw_session_fail(session, TW_STEP_CONNECT, err) : 0;
}

int tw_session_begin(struct tw_session *session, int step)
{
	struct tw_step_result *result = &session->steps[step];
	struct tw_pair *before = session->pair;
	int err;

	result->workers = tw_config_workers(session->config, step);
	session->step = step;
	session->pair = map_pair(session, session->whole_cycles);
	if (!session->pair) {
		err = -errno;
		session->pair = before;
		return tw_session_fail(session, TW_STEP_MEMORY, err);
	}
	result->pair = session->pair;
	expect_stalls(session, result->workers);
	err = tw_session_begin_load(session, step, result->workers);
	if (!err)
		err = begin_link(session);
	if (!err) {
		session->steps_done = step + 1;
		return 0;
	}
	/* The results are those of the steps before. */
	tw_session_drop(&result->pair);
	session->pair = before;
	return err;
}

/* No result is none that anybody may take for a good one. */
static int check_cycles(struct tw_session *session)
{
	if (!session->started || session->pair->tally->cycles)
		return 0;
	return tw_session_fail(session, TW_STEP_CYCLES, -ENODATA);
}

static void merge_steps(const struct tw_session *session,
			struct tw_pair *sum)
{
	const struct tw_pair *pair;
	int i, role;

	sum->cost = session->steps[0].pair->cost;
	for (i = 0; i < session->steps_done; i++) {
		pair = session->steps[i].pair;
		tw_tally_merge(sum->tally, pair->tally);
		/* The sides as they were last; they may not have started. */
		if (!CPU_COUNT(&pair->side[TW_CLIENT].settings.cpus))
			continue;
		for (role = 0; role < TW_ROLES; role++)
			tw_side_merge(&sum->side[role], &pair->side[role]);
	}
}

struct tw_pair *tw_session_sum(const struct tw_session *session)
{
	const struct tw_tally *live = session->pair->tally;
	struct tw_pair *sum = NULL;
	uint32_t version;
	int tries = SUM_TRIES;

	do {
		tw_session_drop(&sum);
		sum = map_pair(session, false);
		if (!sum)
			return NULL;
		version = tw_tally_version(live);
		merge_steps(session, sum);
	} while (!tw_tally_is_still(live, version) && --tries);
	return sum;
}

int tw_session_finish(struct tw_session *session)
{
	struct tw_pair *last = session->pair;

	tw_system_read(&session->main_left);
	session->throttling_heard = tw_throttle_heard(session->kernel_log);
	session->kernel_log = -1;
	/* Whoever reads the results may let us wait: load nobody meanwhile. */
	tw_session_end_load(session);
	tw_runtime_close(&session->runtime);
	session->has_drift = tw_clock_drift(&session->task.clock,
					    &session->drift_ns,
					    &session->drift_over_ns);
	tw_session_diagnose(session);
	if (session->steps_done < 2)
		return check_cycles(session);
	session->pair = tw_session_sum(session);
	if (!session->pair) {
		session->pair = last;
		return -errno;
	}
	session->merged = session->pair;
	return check_cycles(session);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void tw_session_close_link(struct tw_session *session)
{
	close_fd(&session->link.client_fd);
	close_fd(&session->link.server_fd);
}

void tw_session_close(struct tw_session *session)
{
	int i;

	tw_load_close(&session->load, NULL);
	close_fd(&session->latency_fd);
	close_fd(&session->listener);
	tw_session_close_link(session);
	for (i = 0; i < session->steps_done; i++)
		tw_session_drop(&session->steps[i].pair);
	tw_session_drop(&session->merged);
	session->pair = NULL;
	free(session->steps);
	session->steps = NULL;
	close_fd(&session->kernel_log);
	tw_runtime_close(&session->runtime);
	tw_session_close_traces(session);
	/* Its signals stay blocked: they come too late to end anything. */
	close_fd(&session->signal_fd);
}
