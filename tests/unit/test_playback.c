// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace played back: who runs where, event by event. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "cause/tw_playback.h"
#include "unit.h"

#define SIDE	100
#define PEER	200
#define OTHER	300

static struct tw_playback play;

static struct tw_event event(enum tw_event_kind kind, int cpu, int pid)
{
	struct tw_event event;

	memset(&event, 0, sizeof(event));
	event.kind = kind;
	event.cpu = cpu;
	event.pid = pid;
	event.other_pid = -1;
	strcpy(event.comm, "its-name");
	return event;
}

static struct tw_event to(struct tw_event event, int pid, int cpu, int prio)
{
	event.other_pid = pid;
	event.other_cpu = cpu;
	event.other_prio = prio;
	strcpy(event.other_comm, "next");
	return event;
}

static struct tw_event away(int cpu, int pid, bool runnable, int next)
{
	struct tw_event got = to(event(TW_EVENT_SWITCH, cpu, pid), next, -1,
				 33);

	got.runnable = runnable;
	got.prio = 44;
	return got;
}

static void start(struct tw_event *events, size_t count)
{
	assert_int_equal(tw_playback_open(&play, SIDE, PEER, events, count),
			 0);
}

static int tear_down(void **state)
{
	(void)state;
	tw_playback_close(&play);
	assert_null(play.cpus);
	return 0;
}

static void apply(struct tw_event event)
{
	tw_playback_apply(&play, &event);
}

static void assert_task(const struct tw_task_seen *task,
			enum tw_task_state state, int cpu, int prio)
{
	assert_int_equal(task->state, state);
	assert_int_equal(task->cpu, cpu);
	assert_int_equal(task->prio, prio);
}

static void test_nothing_seen(void **state)
{
	(void)state;
	start(NULL, 0);
	assert_task(&play.side, TW_TASK_UNKNOWN, -1, -1);
	assert_task(&play.peer, TW_TASK_UNKNOWN, -1, -1);
	assert_int_equal(play.cpus[0].pid, -1);
	assert_int_equal(play.cpus[CPU_SETSIZE - 1].pid, -1);
}

/* Where they must have been before the first event that names them. */
static void check_foreseen(struct tw_event first, enum tw_task_state state,
			   int cpu, int prio)
{
	struct tw_event events[] = {
		event(TW_EVENT_ENTER, 5, OTHER), first,
		/* Later ones tell nothing of the time before. */
		away(7, SIDE, true, OTHER), away(8, OTHER, true, SIDE),
	};

	start(events, 4);
	assert_task(&play.side, state, cpu, prio);
	assert_task(&play.peer, TW_TASK_UNKNOWN, -1, -1);
	assert_int_equal(play.cpus[5].pid, OTHER);
	tw_playback_close(&play);
}

static void test_foreseen(void **state)
{
	(void)state;
	check_foreseen(event(TW_EVENT_ENTER, 3, SIDE), TW_TASK_RUNNING, 3, -1);
	check_foreseen(away(3, SIDE, false, OTHER), TW_TASK_RUNNING, 3, 44);
	check_foreseen(away(3, OTHER, true, SIDE), TW_TASK_RUNNABLE, 3, 33);
	check_foreseen(to(event(TW_EVENT_WAKING, 3, OTHER), SIDE, 6, 55),
		       TW_TASK_BLOCKED, 6, 55);
	/* It may be moved while it waits for anything: that tells nothing. */
	check_foreseen(to(event(TW_EVENT_MIGRATE, 3, OTHER), SIDE, 6, 55),
		       TW_TASK_RUNNING, 7, 44);
	start(NULL, 0);
}

static void test_cpus_foreseen(void **state)
{
	struct tw_event events[] = {
		away(3, OTHER, true, SIDE), away(3, SIDE, true, PEER),
		event(TW_EVENT_ENTER, 4, PEER),
	};

	(void)state;
	start(events, 3);
	assert_int_equal(play.cpus[3].pid, OTHER);
	assert_int_equal(play.cpus[3].prio, 44);
	assert_string_equal(play.cpus[3].comm, "its-name");
	assert_int_equal(play.cpus[4].pid, PEER);
	assert_int_equal(play.cpus[4].prio, -1);
}

static void test_life_of_a_task(void **state)
{
	struct tw_event got;

	(void)state;
	start(NULL, 0);
	apply(to(event(TW_EVENT_WAKING, 1, OTHER), SIDE, 2, 55));
	assert_task(&play.side, TW_TASK_RUNNABLE, 2, 55);
	apply(to(event(TW_EVENT_MIGRATE, 1, OTHER), SIDE, 3, 55));
	assert_task(&play.side, TW_TASK_RUNNABLE, 3, 55);
	apply(away(3, OTHER, true, SIDE));
	assert_task(&play.side, TW_TASK_RUNNING, 3, 33);
	/* It is about to block, and woken before it has. */
	apply(to(event(TW_EVENT_WAKING, 1, OTHER), SIDE, 3, 33));
	assert_task(&play.side, TW_TASK_RUNNING, 3, 33);
	apply(away(3, SIDE, true, OTHER));
	assert_task(&play.side, TW_TASK_RUNNABLE, 3, 44);
	apply(event(TW_EVENT_ENTER, 4, SIDE));
	assert_task(&play.side, TW_TASK_RUNNING, 4, 44);
	got = away(4, SIDE, false, PEER);
	got.locked = true;
	apply(got);
	assert_task(&play.side, TW_TASK_BLOCKED, 4, 44);
	assert_true(play.side.locked);
	assert_task(&play.peer, TW_TASK_RUNNING, 4, 33);
	assert_false(play.peer.locked);
}

/* Woken by another CPU on its way to sleep: it is ready when it has gone. */
static void test_settle(void **state)
{
	struct tw_event woken = to(event(TW_EVENT_WAKING, 1, OTHER), SIDE, 3,
				   33);
	struct tw_event events[] = {
		away(3, SIDE, false, OTHER),	/* to sleep */
		woken,
		away(3, OTHER, true, SIDE),
		woken,				/* on its way: again */
		away(3, SIDE, false, OTHER),
		away(3, OTHER, true, SIDE),
		woken,				/* not slept at all */
		away(3, SIDE, false, OTHER),
		woken,
		away(3, OTHER, true, SIDE),
		away(3, SIDE, false, OTHER),	/* who woke it was not seen */
		away(3, OTHER, true, SIDE),
		woken,				/* it is not seen again */
		away(3, SIDE, false, OTHER),
	};
	const size_t count = sizeof(events) / sizeof(events[0]);
	size_t i;

	(void)state;
	start(events, count);
	for (i = 0; i < count; i++)
		if (events[i].kind == TW_EVENT_SWITCH &&
		    events[i].pid == SIDE)
			assert_int_equal(events[i].recalled, i == 4);
}

/* There may be no peer; the idle task always goes on. */
static void test_settle_peer(void **state)
{
	int peers[] = { PEER, 0 }, i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct tw_event events[] = {
			to(event(TW_EVENT_WAKING, 1, OTHER), peers[i], 3, 33),
			away(3, peers[i], false, OTHER),
			away(3, OTHER, true, peers[i]),
		};

		assert_int_equal(tw_playback_open(&play, SIDE, peers[i], events,
						  3), 0);
		assert_int_equal(events[1].recalled, !i);
		tw_playback_close(&play);
	}
}

/* Of a side that does not exist, the idle task's events tell nothing. */
static void test_no_peer(void **state)
{
	struct tw_event events[] = { away(1, 0, true, 0) };

	(void)state;
	assert_int_equal(tw_playback_open(&play, SIDE, 0, events, 1), 0);
	apply(events[0]);
	assert_task(&play.peer, TW_TASK_UNKNOWN, -1, -1);
}

static void enter(int cpu, int pid, const char *name)
{
	struct tw_event got = event(TW_EVENT_ENTER, cpu, pid);

	snprintf(got.name, sizeof(got.name), "%s", name);
	apply(got);
}

static void test_interrupts(void **state)
{
	const struct tw_cpu_seen *cpu;

	(void)state;
	start(NULL, 0);
	cpu = &play.cpus[3];
	enter(3, OTHER, "one");
	enter(3, OTHER, "two");
	assert_int_equal(cpu->depth, 2);
	assert_string_equal(cpu->interrupts[0], "one");
	assert_string_equal(cpu->interrupts[1], "two");
	apply(event(TW_EVENT_LEAVE, 3, OTHER));
	assert_int_equal(cpu->depth, 1);
	apply(event(TW_EVENT_LEAVE, 3, OTHER));
	/* One that had begun before the trace. */
	apply(event(TW_EVENT_LEAVE, 3, OTHER));
	assert_int_equal(cpu->depth, 0);
	assert_int_equal(play.cpus[2].depth, 0);

	/* Nobody is switched away from amid one: its end was lost. */
	enter(3, OTHER, "one");
	apply(away(3, OTHER, true, SIDE));
	assert_int_equal(cpu->depth, 0);
	assert_int_equal(cpu->pid, SIDE);
	assert_int_equal(cpu->prio, 33);
	assert_string_equal(cpu->comm, "next");
	/* Nor where who comes had been there all the time. */
	enter(3, SIDE, "one");
	apply(away(3, OTHER, true, SIDE));
	assert_int_equal(cpu->depth, 0);
	/* Nor is another one there without a switch. */
	enter(3, SIDE, "one");
	enter(3, OTHER, "two");
	assert_int_equal(cpu->depth, 1);
	assert_string_equal(cpu->interrupts[0], "two");
	assert_int_equal(cpu->prio, -1);
	assert_string_equal(cpu->comm, "its-name");
}

/* No deeper than there is room: the next CPU's is not written to. */
static void test_nested(void **state)
{
	const struct tw_cpu_seen *cpu;
	int i;

	(void)state;
	start(NULL, 0);
	cpu = &play.cpus[3];
	for (i = 0; i < TW_NESTED + 2; i++)
		enter(3, OTHER, i < TW_NESTED ? "fits" : "one too many");
	assert_int_equal(cpu->depth, TW_NESTED);
	for (i = 0; i < TW_NESTED; i++)
		assert_string_equal(cpu->interrupts[i], "fits");
	assert_int_equal(play.cpus[4].pid, -1);
	assert_int_equal(play.cpus[4].depth, 0);
}

#define PLAYED(test)	cmocka_unit_test_teardown(test, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(test_nothing_seen),
		PLAYED(test_foreseen),
		PLAYED(test_cpus_foreseen),
		PLAYED(test_life_of_a_task),
		PLAYED(test_settle),
		PLAYED(test_settle_peer),
		PLAYED(test_no_peer),
		PLAYED(test_interrupts),
		PLAYED(test_nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
