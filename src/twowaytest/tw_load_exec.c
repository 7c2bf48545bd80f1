// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tw_load_super.h"
#include "tw_load_tree.h"

/* Each has to be done before the next one's time is up. */
#define SUPER_MS	1000	/* the supervisor's end */
#define KILL_MS		1000	/* that of what it left */
#define KEEPER_MS	4000
#define START_MS	(TW_CHILD_READY_MS + KEEPER_MS)

static void tell(char *why, const char *who, const struct tw_child *child,
		 const char *did)
{
	char what[200];

	tw_child_tell(child, did, what, sizeof(what));
	/* It, or its copy, may have told more. */
	if (*what && !*why)
		snprintf(why, TW_LOAD_WHY, "its %s (pid %d) %s", who,
			 (int)child->pid, what);
}

/* Until the supervisor has ended, or is to end: 0, or -errno if it failed. */
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

/* The keeper's life. */
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
	 * A group of its own outlives what is sent to main's. Not a session:
	 * the kernel's autogroups would share the CPUs out by another rule.
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
	/* The next one's step is another. */
	if (!load->dead)
		memset(&load->keeper, 0, sizeof(load->keeper));
	return err;
}
