// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options that earlier versions had, or that cyclictest has or had: they are
 * refused with what to use here.
 */

#include "tw_part.h"

/* The name of one that has only a letter is this letter. */
static void refuse(const struct tw_option *option, char *value)
{
	const char *name = option->name[1] ? option->name : "";
	char letter[8] = "";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c%s", option->letter,
			 *name ? ", " : "");
	tw_say_fatal("%s%s%s: %s; %s\n", letter, *name ? "--" : "", name,
		     option->choices ? "an option of cyclictest" :
		     "this option is gone", option->metavar);
}

static const char *const cyclictest[] = { NULL };

/* Without a text for the help, they are not in it: metavar says what to use. */
#define GONE(option, instead)						\
	{ 0, option, TW_TEXT, NULL, instead, .optional = true,		\
	  .parse = refuse }

#define CYCLICTEST(of, option, instead)					\
	{ of, option, TW_TEXT, NULL, instead, .optional = true,		\
	  .choices = cyclictest, .parse = refuse }

#define USE_TRACE	"use --trace or --tracemark, with --breaktrace"

static const struct tw_option options[] = {
	GONE("accept", "the other host must grant what is asked for: ask for less"),
	GONE("address", "one host uses 127.0.0.1, or --transport=unix"),
	GONE("break-on", "use --breaktrace=METRIC:US"),
	GONE("force", "use a longer --interval, or other --priority and --affinity"),
	GONE("interface", "one host uses lo; for another, give --connect an address of the network to be used"),
	GONE("max-pairs", "use the limits of the service manager; see systemd.resource-control(5)"),
	GONE("max-rate", "use the limits of the service manager; see systemd.resource-control(5)"),
	GONE("max-size", "--size is at most 65536 on each host"),
	GONE("max-time", "use RuntimeMaxSec= of the service manager; see systemd.service(5)"),
	GONE("port", "the kernel chooses a free one"),
	GONE("quickack", "the kernel acknowledges with the reply; use --transport=udp for none at all"),
	GONE("runs", "use timeout(1) or the service manager to end a server"),
	GONE("sessions", "start a server for each client, or use Accept=yes of systemd.socket(5)"),
	GONE("smi", "use turbostat(8) with --show SMI meanwhile"),
	GONE("timeline-every", "use --timeline=FILE:SECONDS"),
	CYCLICTEST('B', "preemptirqs", USE_TRACE),
	CYCLICTEST('C', "context", USE_TRACE),
	CYCLICTEST('e', "e", "use --latency=US"),
	CYCLICTEST('E', "event", USE_TRACE),
	CYCLICTEST('f', "ftrace", USE_TRACE),
	CYCLICTEST('F', "fifo", "use --timeline=FILE, where FILE may be a pipe"),
	CYCLICTEST('I', "irqsoff", USE_TRACE),
	CYCLICTEST('o', "oscope", "use --dump=FILE for every cycle, --spike=US for the long ones"),
	CYCLICTEST('O', "traceopt", USE_TRACE),
	CYCLICTEST('P', "preemptoff", USE_TRACE),
	CYCLICTEST('Q', "Q", "use --priospread"),
	CYCLICTEST('r', "relative", "expiries are absolute times; use --interval=0 for requests without a timer"),
	CYCLICTEST('R', "resolution", "use --check, which names the resolution of timers, or primitivetest(8), which measures clocks"),
	CYCLICTEST('s', "system", "use --timer=NAME"),
	CYCLICTEST('T', "tracer", USE_TRACE),
	CYCLICTEST('U', "numa", "use --affinity: memory is on the node of the client's CPU"),
	CYCLICTEST('w', "wakeup", USE_TRACE),
	CYCLICTEST('W', "wakeuprt", USE_TRACE),
	CYCLICTEST('X', "dbg_cyclictest", "use --json=FILE, which has all settings"),
	CYCLICTEST('y', "y", "use --policy=NAME"),
	CYCLICTEST('\0', "deepest-idle-state", "use --latency=US: a CPU then enters only idle states that it can leave within US"),
	CYCLICTEST('\0', "laptop", "use --default-system, which leaves the power management alone"),
	CYCLICTEST('\0', "notrace", "without --trace and --tracemark nothing is traced"),
	CYCLICTEST('\0', "secaligned", "use --aligned=US, whose first expiry is at no full second"),
	{ .name = NULL }
};

const struct tw_part tw_part_gone = {
	.options = options,
};
