// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tw_session.h"
#include "tw_time.h"

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

static void fill_task(struct tw_task *task, const struct tw_config *config,
		      unsigned int pair)
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
		task->priority[role] = tw_place_priority(role,
							 config->priority);
		task->pinned[role] = tw_config_cpus(config, role, pair,
						    &task->cpus[role]);
	}
}

static size_t round_up(size_t size)
{
	return (size + TW_CACHE_LINE - 1) / TW_CACHE_LINE * TW_CACHE_LINE;
}

/* The pair, its tally, and behind that the ring if there is one. */
static struct tw_pair *map_pair(const struct tw_config *config,
				const struct tw_task *task, bool whole_cycles)
{
	struct tw_metric_params params = tw_config_metric_params(config);
	size_t at_tally = round_up(sizeof(struct tw_pair));
	size_t at_ring = at_tally +
			 round_up(tw_tally_size(config->histogram_us));
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
	if (whole_cycles)
		pair->ring = (struct tw_ring *)(memory + at_ring);
	return pair;
}

static int open_signals(struct tw_session *session)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGCHLD);
	/* If it was ignored, the kernel would reap in our place. */
	signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_BLOCK, &signals, &session->old_signals))
		return -errno;
	session->signal_fd = signalfd(-1, &signals,
				      SFD_CLOEXEC | SFD_NONBLOCK);
	return session->signal_fd < 0 ? -errno : 0;
}

/* Main's own settings, tried at the client's priority as well: it is higher. */
static int settle_main(struct tw_session *session, const struct tw_task *task)
{
	enum tw_step step = TW_STEP_SCHEDULE;
	int err;

	err = tw_system_schedule(task->policy, task->priority[TW_CLIENT]);
	if (!err)
		err = tw_side_settle(task, TW_MAIN, &session->main_settings,
				     &step);
	return err ? tw_session_fail(session, step, err) : 0;
}

/* Not fatal: an unprivileged user, or a kernel without it, is to measure too. */
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

static int open_link(struct tw_session *session)
{
	const struct tw_transport_ops *ops = session->transport;
	int fd, err;

	fd = ops->listen((uint16_t)session->config->port);
	if (fd < 0)
		return tw_session_fail(session, TW_STEP_LISTEN, fd);
	session->listener = fd;
	session->port = tw_transport_port(fd);
	err = tw_transport_link(ops, fd, &session->link, &session->strangers);
	session->pair->task.link = session->link;
	return err ? tw_session_fail(session, TW_STEP_CONNECT, err) : 0;
}

int tw_session_open(struct tw_session *session,
		    const struct tw_config *config, bool whole_cycles)
{
	struct tw_task task = { .size = 0 };
	int err;

	memset(session, 0, sizeof(*session));
	session->config = config;
	session->transport = &tw_transport_tcp;
	session->listener = -1;
	session->latency_fd = -1;
	session->signal_fd = -1;
	session->link.client_fd = -1;
	session->link.server_fd = -1;
	signal(SIGPIPE, SIG_IGN);

	err = open_signals(session);
	if (err) {
		tw_session_fail(session, TW_STEP_START, err);
		goto out;
	}
	err = tw_clock_open(&task.clock, config->clock);
	if (err) {
		tw_session_fail(session, TW_STEP_CLOCK, err);
		goto out;
	}
	tw_clock_cost(&task.clock, &session->clock_min_ns,
		      &session->clock_avg_ns);

	fill_task(&task, config, 0);
	err = settle_main(session, &task);
	if (err)
		goto out;
	session->pair = map_pair(config, &task, whole_cycles);
	if (!session->pair) {
		err = tw_session_fail(session, TW_STEP_MEMORY, -errno);
		goto out;
	}
	err = open_link(session);
	if (err)
		goto out;
	limit_latency(session);
	return 0;

out:
	tw_session_close(session);
	return err;
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
	struct tw_pair *pair = session->pair;

	close_fd(&session->latency_fd);
	close_fd(&session->listener);
	tw_session_close_link(session);
	if (pair) {
		munmap(pair, pair->shared_size);
		session->pair = NULL;
	}
	close_fd(&session->signal_fd);
	sigprocmask(SIG_SETMASK, &session->old_signals, NULL);
}
