// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * primitivetest: main starts one case after another, and waits for its end. The
 * files that it shares with twowaytest, of which main() is one, know all of its
 * tasks as the one pair 0: as the client those on the first CPU, as the server
 * those on the second.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pt_parts.h"
#include "pt_report.h"
#include "pt_select.h"
#include "pt_task.h"
#include "rt-error.h"
#include "tw_text.h"

#define TICK_S		2
#define LATER_S		5	/* than the starter, we end a case */

void *pt_throttle_room;
static bool wrong;	/* a result, which ends no run but fails it */
static bool gave_up;	/* the starter was killed by us */

/* Of the parts whose memory a pair has, throttling is used as it is. */
void *tw_pair_room(const struct tw_run *run, int pair,
		   const struct tw_part *part)
{
	return part == &tw_part_throttle ? pt_throttle_room : NULL;
}

static struct histogram *rows_of(const struct tw_run *run, int column,
				 int64_t *base_us)
{
	*base_us = 0;
	return &pt_column(column)->rows;
}

static void prepare(struct tw_run *run)
{
	size_t size = tw_part_throttle.room(run);
	struct tw_pair *pair = calloc(1, sizeof(*pair));

	if (size)
		pt_throttle_room = mmap(NULL, size, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!pair || pt_throttle_room == MAP_FAILED)
		fatal("no memory\n");
	if (size)
		tw_part_throttle.attach(pt_throttle_room, 0);
	pair->process[TW_CLIENT].cpus = pt_config.same_cpus;
	pair->process[TW_SERVER].cpus = pt_config.cpus & PT_ON_CROSS &&
		pt_config.two_cpus ? pt_config.other_cpus : pt_config.same_cpus;
	run->pairs[0] = pair;
	tw_rows_of = rows_of;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Above all tasks, as it may have one CPU with them; it sleeps. */
	tw_config.main_priority = pt_config_priority(PT_ABOVE);
	tw_process_configure(TW_MAIN, 0);
}

static void take_signals(struct tw_run *run, struct pt_case *c)
{
	struct signalfd_siginfo info;

	while (read(run->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1)
			tw_text_status(stderr, run);
		else if (info.ssi_signo != SIGCHLD &&
			 info.ssi_signo != SIGALRM)
			run->interrupted = (int)info.ssi_signo;
	}
	if (run->interrupted || run->failed)
		c->stop = 1;
}

/* How far the case has come. */
static uint64_t progress(const struct pt_case *c)
{
	return c->done + c->go + c->over + c->task_count;
}

/*
 * Until the starter has ended. It knows itself when that is to be; if it cannot
 * do it, because somebody has stopped it, we do, some seconds later.
 */
static void watch(struct tw_run *run, struct pt_case *c)
{
	struct pollfd signals = { .fd = run->signal_fd, .events = POLLIN };
	int limit_s = LATER_S + pt_case_limit_ms(c) / 1000, idle_s = 0, i;
	uint64_t before = 0;

	while (!tw_process_ended(&c->starter)) {
		poll(&signals, 1, TICK_S * 1000);
		take_signals(run, c);
		idle_s = progress(c) == before ? idle_s + TICK_S : 0;
		before = progress(c);
		if (idle_s > limit_s && !gave_up) {
			gave_up = true;
			kill(c->starter.pid, SIGKILL);
		}
		for (i = 0; tw_parts[i]; i++)
			if (tw_parts[i]->woken && !run->failed)
				tw_parts[i]->woken(run);
		if (run->failed)
			c->stop = 1;
	}
}

/* What a task could not do, or that it was killed; only that is told. */
static void tell_failure(const struct pt_case *c)
{
	int i;

	if (!gave_up && tw_process_failed(&c->starter, true))
		return;
	if (c->culprit && tw_process_failed(&c->culprit->process, true))
		return;
	for (i = 0; i <= c->task_count && i < PT_TASKS; i++)
		if (c->task[i].failed) {
			warn("%s: task %s: %s: %s\n", c->name, c->task[i].name,
			     c->task[i].failed, strerror(-c->task[i].err));
			return;
		}
	if (c->hung)
		warn("%s: trial %llu, those of the warm-up included, took longer than %d ms, and was ended; see what else uses CPU time on its CPUs (--check)\n",
		     c->name, (unsigned long long)c->hung,
		     pt_case_limit_ms(c));
	else
		warn("%s: its tasks were not ready in time; see what else uses CPU time on their CPUs (--check)\n",
		     c->name);
}

/* Whose CPU time it was, for who else used the CPUs. */
static void account(struct tw_run *run, const struct pt_case *c)
{
	struct tw_pair *pair = run->pairs[0];
	int i;

	for (i = 0; i < c->task_count; i++) {
		bool same = CPU_EQUAL(&c->task[i].cpus, &pt_config.same_cpus);

		pair->usage[same ? TW_CLIENT : TW_SERVER].cpu_us +=
			c->task[i].used.cpu_us;
	}
}

/* What the case is judged by, when its tasks have ended. */
static void judge(struct tw_run *run, const struct pt_case *c)
{
	int i;

	for (i = 0; i < c->verdicts; i++)
		if (c->verdict[i].failed) {
			warn("%s: %s\n", c->name, c->verdict[i].text);
			wrong = true;
		}
	if (pt_switches_lack(c)) {
		warn("%s: its tasks did not switch as often as their trials need; see \"# Not switched\"\n",
		     c->name);
		wrong = true;
	}
	for (i = 0; i < c->columns; i++)
		run->measured |= c->column[i].stats.count > 0;
	run->broken |= c->broke.kept.number;
}

static void run_case(struct tw_run *run, struct pt_result *result)
{
	struct pt_case *c = pt_case_map(result->choice);
	int err;

	if (!c)
		fatal("no memory for the results: %m; give fewer trials (-l), or fewer rows to -h\n");
	fflush(stdout);
	err = pt_starter_start(c);
	if (err)
		fatal("cannot start a process: %s\n", strerror(-err));
	watch(run, c);
	if (*c->refused) {
		snprintf(result->skipped, sizeof(result->skipped), "%s",
			 c->refused);
		if (result->choice->named) {
			warn("--test: %s: %s\n", c->name, c->refused);
			run->failed = true;
		}
		pt_case_unmap(c);
		return;
	}
	account(run, c);
	if (c->starter.status) {
		tell_failure(c);
		run->failed = true;
	} else {
		judge(run, c);
	}
	pt_case_settle(c);
	result->c = c;
}

static void run_all(struct tw_run *run)
{
	bool live = !tw_config.quiet && isatty(STDOUT_FILENO);
	char name[PT_NAME];
	int i;

	for (i = 0; i < pt_selection.count && !run->failed &&
	     !run->interrupted && !run->broken; i++) {
		struct pt_result *result = &pt_results[pt_result_count++];
		const char *lacks;

		result->choice = &pt_selection.choice[i];
		pt_choice_name(result->choice, name);
		lacks = pt_lacks(result->choice);
		snprintf(result->skipped, sizeof(result->skipped), "%s",
			 lacks ? lacks : "");
		if (live)
			printf("\r\033[K%d of %d: %s", i + 1,
			       pt_selection.count, name);
		if (!lacks)
			run_case(run, result);
	}
	run->failed |= wrong;
	if (live)
		printf("\r\033[K");
}

void tw_run_measure(struct tw_run *run)
{
	int i;

	prepare(run);
	if (!tw_config.priority)
		printf("# Not real-time: no -p; these are times of ordinary tasks (as a rule: -m -p 98)\n");
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->begin)
			tw_parts[i]->begin(run);
	run_all(run);
	while (i--)
		if (tw_parts[i]->end)
			tw_parts[i]->end(run);
	tw_config.main_priority = 0;
	tw_process_configure(TW_MAIN, 0);
	pt_derive_all();
	if (!run->measured && !run->failed)
		warn("nothing was measured: the run ended before the first trial, or in the warm-up; give more trials or time, or a smaller --warmup\n");
	run->failed |= !run->measured;
}
