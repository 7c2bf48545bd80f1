// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "load/tw_load_super.h"
#include "load/tw_load_tree.h"

/* Time limits, each longer than the ones that it includes. */
#define SUPER_MS	1000	/* to end the supervisor */
#define KILL_MS		1000	/* to kill its descendants */
#define KEEPER_MS	4000
#define START_MS	(TW_CHILD_READY_MS + KEEPER_MS)

static void tell(char *why, const char *who, const struct tw_child *child,
		 const char *did)
{
	char what[200];

	tw_child_tell(child, did, what, sizeof(what));
	/* An earlier message, of the child or of a copy, is more exact. */
	if (*what && !*why)
		snprintf(why, TW_LOAD_WHY, "its %s (pid %d) %s", who,
			 (int)child->pid, what);
}

/*
 * Waits until the supervisor has ended, or SIGTERM arrives, and then stops the
 * supervisor. Returns 0, or -errno if the supervisor failed.
 */
static int await_end(struct tw_child *child, char *why)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	while (!tw_child_reap(child)) {
		if (sigwaitinfo(&signals, NULL) != SIGTERM)
			continue;
		if (tw_child_stop(child, SIGTERM, SUPER_MS))
			tell(why, "supervisor", child, "did not end");
		return 0;
	}
	tell(why, "supervisor", child, "");
	return child->status ? -ECHILD : 0;
}

/* The function of the keeper process. */
static int keep(void *arg)
{
	const struct tw_load_super *super = arg;
	struct tw_load_shared *shared = super->load->shared;
	const struct tw_child_how how = {
		.name = "twoway-load", .place = TW_CHILD_OWN_GROUP,
		.death_signal = SIGTERM, .stop_signal = SIGTERM,
		.live = tw_load_supervise, .arg = arg,
	};
	char left[TW_LOAD_WHY];
	struct tw_child child;
	int err;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		return -errno;
	err = tw_child_start(&child, &how, TW_CHILD_READY_MS);
	if (err)
		tell(shared->why, "supervisor", &child,
		     "was not ready in time");
	else
		err = tw_child_ready();
	if (!err)
		err = await_end(&child, shared->why);
	if (tw_load_kill_tree(KILL_MS, left, sizeof(left))) {
		err = -EBUSY;
		memcpy(shared->why, left, sizeof(left));
	}
	shared->err = err;
	return err;
}

static int start_keeper(struct tw_load_super *super)
{
	struct tw_load *load = super->load;
	/*
	 * Signals to main's group must not end it. No session of its own: the
	 * kernel makes an autogroup of each session, and divides the time of
	 * the CPUs between autogroups.
	 */
	const struct tw_child_how how = {
		.name = "twoway-keeper", .place = TW_CHILD_OWN_GROUP,
		.death_signal = SIGTERM, .stop_signal = SIGTERM,
		.live = keep, .arg = super,
	};
	int err = tw_child_start(&load->keeper, &how, START_MS);

	if (err)
		tell(load->shared->why, "keeper", &load->keeper,
		     "was not ready in time");
	return err;
}

int tw_load_exec_run(struct tw_load *load, int step, int count, int copies,
		     tw_load_exec_fn exec)
{
	struct tw_load_super super = {
		.load = load, .step = step, .count = count, .copies = copies,
		.exec = exec,
	};
	int err;

	err = tw_load_exec_stop(load);
	if (err)
		return err;
	load->count = count;
	return count ? start_keeper(&super) : 0;
}

int tw_load_exec_prepare(struct tw_load *load, int most)
{
	load->prepared = most;
	return 0;
}

bool tw_load_exec_died(struct tw_load *load)
{
	if (load->keeper.pid && tw_child_reap(&load->keeper))
		load->dead = &load->keeper;
	return load->dead;
}

int tw_load_exec_stop(struct tw_load *load)
{
	int err = tw_child_stop(&load->keeper, SIGTERM, KEEPER_MS);

	if (err)
		tell(load->shared->why, "keeper", &load->keeper,
		     "did not end");
	else if (load->shared->err == -EBUSY)
		err = -EBUSY;
	/* After an unexpected end, main still reads the pid and the status. */
	if (!load->dead)
		memset(&load->keeper, 0, sizeof(load->keeper));
	return err;
}
