// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of the kernel's trace, as x86 and aarch64 kernels write them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause/tw_event.h"
#include "unit.h"

#define US	INT64_C(1000)

/* On the heap and no longer than it is: a read beyond it shows. */
static bool parse(const char *text, size_t len, struct tw_event *event)
{
	char *line = malloc(len + 1);
	bool is_event;

	assert_non_null(line);
	memcpy(line, text, len);
	line[len] = '\0';
	memset(event, 0x5a, sizeof(*event));
	is_event = tw_event_parse(line, event);
	free(line);
	return is_event;
}

static struct tw_event parsed(const char *line)
{
	struct tw_event event;

	if (!parse(line, strlen(line), &event))
		fail_msg("no event: %s", line);
	return event;
}

static const struct {
	const char *line;
	struct tw_event event;
} lines[] = {
	/* x86, 6.18 */
	{ "          <idle>-0       [002] d..2. 14331.910921: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=twoway-server next_pid=20686 next_prio=10\n",
	  { TW_EVENT_SWITCH, 14331910921 * US, 2, 0, "<idle>", 20686,
	    "twoway-server", 120, 10, true, false, 0, .name = "" } },
	{ "   twoway-client-20687   [001] d..2. 14331.000007: sched_switch: prev_comm=twoway-client prev_pid=20687 prev_prio=9 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n",
	  { TW_EVENT_SWITCH, 14331000007 * US, 1, 20687, "twoway-client", 0,
	    "swapper/1", 9, 120, false, false, 0, .name = "" } },
	/* preempted */
	{ "     kworker/1:2-123     [001] d..3.     0.000001: sched_switch: prev_comm=kworker/1:2 prev_pid=123 prev_prio=120 prev_state=R+ ==> next_comm=a next_pid=9 next_prio=0\n",
	  { TW_EVENT_SWITCH, 1 * US, 1, 123, "kworker/1:2", 9, "a", 120, 0,
	    true, false, 0, .name = "" } },
	/* aarch64, 5.10: four columns of flags */
	{ "            bash-77      [000] dn.2   100.000000: sched_switch: prev_comm=bash prev_pid=77 prev_prio=120 prev_state=D ==> next_comm=migration/0 next_pid=15 next_prio=0\n",
	  { TW_EVENT_SWITCH, 100000000 * US, 0, 77, "bash", 15,
	    "migration/0", 120, 0, false, true, 0, .name = "" } },
	{ "          <idle>-0       [001] d.h2.   100.000200: sched_waking: comm=twoway-client pid=20687 prio=9 target_cpu=001\n",
	  { TW_EVENT_WAKING, 100000200 * US, 1, 0, "<idle>", 20687,
	    "twoway-client", 0, 9, false, false, 1, .name = "" } },
	{ "  ksoftirqd/0-14      [127] d.s4.   100.000200: sched_waking: comm=x pid=2 prio=120 target_cpu=1023\n",
	  { TW_EVENT_WAKING, 100000200 * US, 127, 14, "ksoftirqd/0", 2, "x",
	    0, 120, false, false, 1023, .name = "" } },
	{ "            make-4242    [000] d..3.   100.000201: sched_migrate_task: comm=cc1 pid=4243 prio=120 orig_cpu=0 dest_cpu=3\n",
	  { TW_EVENT_MIGRATE, 100000201 * US, 0, 4242, "make", 4243, "cc1",
	    0, 120, false, false, 3, .name = "" } },
	{ "          <idle>-0       [000] d.h1.   100.000300: irq_handler_entry: irq=36 name=eth0-rx-0\n",
	  { TW_EVENT_ENTER, 100000300 * US, 0, 0, "<idle>", .name =
	    "interrupt 36 (eth0-rx-0)" } },
	{ "          <idle>-0       [000] d.h1.   100.000301: irq_handler_exit: irq=36 ret=handled\n",
	  { TW_EVENT_LEAVE, 100000301 * US, 0, 0, "<idle>", .name =
	    "interrupt 36" } },
	{ "          <idle>-0       [000] d.h.   100.000300: irq_handler_entry: irq=11 name=arch_timer\n",
	  { TW_EVENT_ENTER, 100000300 * US, 0, 0, "<idle>", .name =
	    "interrupt 11 (arch_timer)" } },
	{ "          <idle>-0       [000] ..s1.   100.000302: softirq_entry: vec=3 [action=NET_RX]\n",
	  { TW_EVENT_ENTER, 100000302 * US, 0, 0, "<idle>", .name =
	    "softirq NET_RX" } },
	{ "          <idle>-0       [000] ..s1.   100.000303: softirq_exit: vec=3 [action=NET_RX]\n",
	  { TW_EVENT_LEAVE, 100000303 * US, 0, 0, "<idle>", .name =
	    "softirq NET_RX" } },
	{ "          <idle>-0       [000] d.h1.   100.000304: local_timer_entry: vector=236\n",
	  { TW_EVENT_ENTER, 100000304 * US, 0, 0, "<idle>", .name =
	    "local_timer interrupt" } },
	{ "          <idle>-0       [000] d.h1.   100.000305: call_function_single_exit: vector=251\n",
	  { TW_EVENT_LEAVE, 100000305 * US, 0, 0, "<idle>", .name =
	    "call_function_single interrupt" } },
	/* aarch64 */
	{ "          <idle>-0       [000] d.h1.   100.000306: ipi_entry: (Rescheduling interrupts)\n",
	  { TW_EVENT_ENTER, 100000306 * US, 0, 0, "<idle>", .name =
	    "ipi interrupt" } },
	{ "          <idle>-0       [000] d.h1.   100.000307: ipi_exit: (Rescheduling interrupts)\n",
	  { TW_EVENT_LEAVE, 100000307 * US, 0, 0, "<idle>", .name =
	    "ipi interrupt" } },
	{ "   twoway-client-20687   [001] b..1.   100.000400: net_dev_queue: dev=lo skbaddr=00000000d4f5f3a5 len=130\n",
	  { TW_EVENT_NET, 100000400 * US, 1, 20687, "twoway-client",
	    .name = "" } },
	{ "   twoway-client-20687   [001] ..s1.   100.000401: netif_receive_skb: dev=lo skbaddr=00000000d4f5f3a5 len=116\n",
	  { TW_EVENT_NET, 100000401 * US, 1, 20687, "twoway-client",
	    .name = "" } },
	/* What says nothing of who has a CPU, but for who is there. */
	{ "   twoway-client-20687   [001] ...1.   100.000500: tracing_mark_write: twowaytest: cycle 5: total 61 us > 60 us: irq_handler_entry: irq=1\n",
	  { TW_EVENT_OTHER, 100000500 * US, 1, 20687, "twoway-client",
	    .name = "" } },
	{ "          <idle>-0       [001] d.h2.   100.000501: hrtimer_expire_entry: hrtimer=00000000c14bf2a5 function=posix_timer_fn now=100000500000\n",
	  { TW_EVENT_OTHER, 100000501 * US, 1, 0, "<idle>", .name = "" } },
	{ "          <idle>-0       [001] d.h2.   100.000501: softirq_raise: vec=1 [action=TIMER]\n",
	  { TW_EVENT_OTHER, 100000501 * US, 1, 0, "<idle>", .name = "" } },
	/* No name is noted: the switch tells it. */
	{ "           <...>-77      [000] d..2.   100.000501: sched_switch: prev_comm=my task prev_pid=77 prev_prio=9 prev_state=S ==> next_comm=a next_pid=6 next_prio=5\n",
	  { TW_EVENT_SWITCH, 100000501 * US, 0, 77, "my task", 6, "a", 9, 5,
	    false, false, 0, .name = "" } },
	/* What looks like a CPU, close to it. */
	{ "x [-5 [003] d..2. 100.000501: softirq_entry: vec=7 [action=SCHED]\n",
	  { TW_EVENT_ENTER, 100000501 * US, 3, 5, "x [", .name =
	    "softirq SCHED" } },
	/* The task's group, where that is printed too. */
	{ "            java-4242    (   4240) [000] d..2.   100.000502: softirq_entry: vec=7 [action=SCHED]\n",
	  { TW_EVENT_ENTER, 100000502 * US, 0, 4242, "java", .name =
	    "softirq SCHED" } },
	{ "          <idle>-0       (-------) [000] d..2.   100.000503: softirq_entry: vec=9 [action=RCU]\n",
	  { TW_EVENT_ENTER, 100000503 * US, 0, 0, "<idle>", .name =
	    "softirq RCU" } },
};

static void test_resched(void **state)
{
	static const struct {
		const char *flags;
		bool resched;
	} all[] = {
		{ "d.h1.", false }, { "dNh1.", true }, { "dnh1.", true },
		{ "dph1.", true }, { "dBh1.", true }, { "dbh1.", true },
		{ "dLh1.", false }, { "dlh1.", false }, { "N.h1.", false },
		{ "dNh1", true }, { "dN.L1.", true }, { "N", false },
	};
	char line[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(line, sizeof(line), "  <idle>-0  [000] %s  100.000304: local_timer_entry: vector=236\n",
			 all[i].flags);
		if (parsed(line).resched != all[i].resched)
			fail_msg("%s", all[i].flags);
	}
}

static void test_kinds(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct tw_event *want = &lines[i].event;
		struct tw_event got = parsed(lines[i].line);

		if (got.kind != want->kind)
			fail_msg("kind %d: %s", got.kind, lines[i].line);
		assert_int_equal(got.time_ns, want->time_ns);
		assert_int_equal(got.cpu, want->cpu);
		assert_int_equal(got.pid, want->pid);
		assert_string_equal(got.comm, want->comm);
		assert_int_equal(got.other_pid, want->other_pid);
		assert_string_equal(got.other_comm, want->other_comm);
		assert_int_equal(got.prio, want->prio);
		assert_int_equal(got.other_prio, want->other_prio);
		assert_int_equal(got.runnable, want->runnable);
		assert_int_equal(got.locked, want->locked);
		assert_int_equal(got.other_cpu, want->other_cpu);
		if (want->kind == TW_EVENT_ENTER ||
		    want->kind == TW_EVENT_LEAVE)
			assert_string_equal(got.name, want->name);
	}
}

/* A task may call itself what it likes. */
static const char *const names[] = {
	"a", "a b", "a-b", "-", "a-1", "-1", "a [1]", "[1]", "a [001]",
	"a [1] b-2", "a pid=5", " pid=5", "x prev_pid=1", "x next_pid=1",
	"comm=", "x prio=3", "_cpu=9", "a: b", "1.000000: x", "(x)", "(-------)",
	"# x", "fifteen letters", "%s%n", "\xc3\xa4",
};

static void test_names(void **state)
{
	struct tw_event event;
	char line[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = names[i];

		snprintf(line, sizeof(line), "%16s-42      [007] d..2.     1.000002: sched_switch: prev_comm=%s prev_pid=42 prev_prio=98 prev_state=D ==> next_comm=%s next_pid=43 next_prio=97\n",
			 name, name, name);
		event = parsed(line);
		if (event.kind != TW_EVENT_SWITCH)
			fail_msg("no switch: %s", line);
		assert_string_equal(event.comm, name + strspn(name, " "));
		assert_string_equal(event.other_comm, name);
		assert_int_equal(event.cpu, 7);
		assert_int_equal(event.pid, 42);
		assert_int_equal(event.other_pid, 43);
		assert_int_equal(event.prio, 98);
		assert_int_equal(event.other_prio, 97);
		assert_int_equal(event.time_ns, 1000002 * US);
		assert_false(event.runnable);

		snprintf(line, sizeof(line), "%16s-42      [007] d..2.     1.000002: sched_waking: comm=%s pid=43 prio=97 target_cpu=005\n",
			 name, name);
		event = parsed(line);
		if (event.kind != TW_EVENT_WAKING)
			fail_msg("no waking: %s", line);
		assert_string_equal(event.other_comm, name);
		assert_int_equal(event.other_pid, 43);
		assert_int_equal(event.other_cpu, 5);
	}
}

static void test_no_event(void **state)
{
	static const char *const others[] = {
		"", "\n", " ", "#\n", "# tracer: nop\n",
		"# entries-in-buffer/entries-written: 12/12   #P:2\n",
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n",
		"#              | |         |   |||||     |         |\n",
		"# 100.000000: twowaytest: cycle 1: t0: [000] x\n",
		"# a-1   [000] d..2.     1.000000: x: y\n",
		"CPU:1 [LOST 12 EVENTS]\n", "CPU:1 [LOST EVENTS]\n",
		"CPU:1 [12]\n", " => do_syscall_64\n", " => x-1 [000]\n",
		/* The latency format says nothing that is of use here. */
		"  <idle>-0         0d.h2.    1us+: sched_waking: comm=x pid=1 prio=9 target_cpu=000\n",
		/* Other clocks than those of time. */
		"a-1     [000] d..2.       12345: sched_waking: comm=x pid=1 prio=9 target_cpu=000\n",
		"a-1     [000]     1.000000: sched_waking: comm=x pid=1 prio=9 target_cpu=000\n",
		"a       [000] d..2.     1.000000: x: y\n",
		"a-b     [000] d..2.     1.000000: x: y\n",
		"-1      [000] d..2.     1.000000: x: y\n",
		"a-1     [   ] d..2.     1.000000: x: y\n",
		"a-1     [-01] d..2.     1.000000: x: y\n",
		"a-1     [000] d..2.    -1.000000: x: y\n",
		"a-1     [000] d..2.     1.-00001: x: y\n",
		"a-1     [000] d..2.     1.000000\n",
		"a-1     [000] d..2.     1.\n", "a-1 [000]", "a-1 [000", "a-1 [",
		/* A time that no int64_t holds in ns. */
		"a-1 [000] d..2. 9223372037.000000: x: y\n",
		"a-1 [000] d..2. 99999999999999999999.000000: x: y\n",
	};
	struct tw_event event;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (parse(others[i], strlen(others[i]), &event))
			fail_msg("an event: %s", others[i]);
}

/* Of an event that lacks what it should tell, only who was there is kept. */
static void test_incomplete(void **state)
{
	static const char *const bodies[] = {
		"sched_switch", "sched_switch:", "sched_switch: \n",
		"sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S\n",
		"sched_switch: prev_comm=a ==> next_comm=b next_pid=2 next_prio=3\n",
		"sched_switch: prev_comm=a prev_pid=1 prev_prio=x prev_state=S ==> next_comm=b next_pid=2 next_prio=3\n",
		"sched_switch: prev_comm=a prev_pid=1 prev_prio=1 prev_state=S ==> next_comm=b next_pid=\n",
		"sched_waking:", "sched_waking: comm=x\n",
		"sched_waking: comm=x pid=1\n", "sched_waking: comm=x pid=1 prio=2",
		"sched_waking: pid=1 prio=2 target_cpu=3\n",
		"sched_migrate_task: comm=x pid=1 prio=2\n",
		"irq_handler_entry:", "irq_handler_entry: 36\n",
		"softirq_entry: vec=3\n", "local_timer_entry\n", "_entry\n",
		"_exit:\n", "x\n", ":\n", "",
	};
	char line[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct tw_event event;

		snprintf(line, sizeof(line), "a-1 [002] d..2. 1.000000: %s",
			 bodies[i]);
		event = parsed(line);
		if (event.kind != TW_EVENT_OTHER)
			fail_msg("kind %d: %s", event.kind, line);
		assert_int_equal(event.pid, 1);
		assert_int_equal(event.cpu, 2);
	}
}

static void test_huge(void **state)
{
	static char line[5000];
	struct tw_event event;

	(void)state;
	event = parsed("a-1 [000] d..2. 9223372035.999999: x: y\n");
	assert_int_equal(event.time_ns, 9223372035999999 * US);
	/* Whatever such numbers come to: they are read, no further. */
	parsed("a-99999999999999999999 [000] d..2. 1.000000: sched_waking: comm=x pid=99999999999999999999 prio=-99999999999999999999 target_cpu=99999999999999999999\n");
	parse("a-1 [99999999999999999999] d..2. 1.000000: x: y\n", 49, &event);
	parsed("a-1 [000] d..2. 1.000000: irq_handler_entry: irq=99999999999999999999 name=x\n");

	memset(line, 'x', sizeof(line) - 1);
	memcpy(line, "a-1 [000] d..2. 1.000000: irq_handler_entry: irq=5 name=",
	       56);
	event = parsed(line);
	assert_int_equal(event.kind, TW_EVENT_ENTER);
	assert_int_equal(strlen(event.name), sizeof(event.name) - 1);
	memset(line, 'x', 60);
	assert_false(parse(line, sizeof(line) - 1, &event));
}

/* Cut anywhere, and with any byte changed, a line is read within itself. */
static void test_damaged(void **state)
{
	uint64_t seed = 2;
	char line[512];
	size_t i, len, at;
	int round;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct tw_event event;

		len = strlen(lines[i].line);
		for (at = 0; at <= len; at++)
			parse(lines[i].line, at, &event);
		for (round = 0; round < 500; round++) {
			memcpy(line, lines[i].line, len + 1);
			at = unit_between(&seed, 0, len - 1);
			line[at] = (char)unit_between(&seed, 1, 255);
			if (!parse(line, len, &event))
				continue;
			assert_true(event.time_ns >= 0);
			assert_in_range(event.kind, TW_EVENT_OTHER,
					TW_EVENT_NET);
			assert_non_null(memchr(event.comm, 0, TW_COMM));
			assert_non_null(memchr(event.other_comm, 0, TW_COMM));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_resched),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_event),
		cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
