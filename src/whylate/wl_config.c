// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "tw_config.h"
#include "tw_on_break.h"
#include "tw_say.h"
#include "tw_tracefs.h"
#include "wl.h"

/* The ring of a CPU; of all, where there are many. */
#define RING_KB		4096
#define RING_KB_PER_MS	4	/* that may be late */
#define RINGS_KB	65536

struct wl_config wl_config = { .to_ns = INT64_MAX };

static const char *task;

const char *wl_what(void)
{
	return wl_config.cycles ? "cycle" : "wake-up";
}

/* Not those of tw_tracefs.c, which need -b and name no tasks but ours. */
static void parse_events(const struct tw_option *option, char *value)
{
	tw_tracefs_options[0].parse(option, value);
}

static const struct tw_option options[] = {
	{ 'p', "pid", TW_NUMBER, &wl_config.pid, "PID", 1, 4194304,
	  .help = "the thread PID, which runs; with --from all threads "
		  "of the process PID" },
	{ 0, "read", TW_FILE, &wl_config.read, .with = "--task",
	  .without = "--pid",
	  .help = "a trace that was saved: ftrace's text, or what "
		  "trace-cmd report prints" },
	{ 0, "task", TW_TEXT, &task, "NAME", .with = "--read",
	  .help = "the tasks of this name in it, or the one that has "
		  "this PID" },
	{ 0, "from", TW_TEXT, &wl_config.from, "PLACE", .with = "--to",
	  .help = "in place of wake-ups, cycles from PLACE, a function "
		  "as ./program:function, or ./program:0xOFFSET; with "
		  "--read the second from which on it is looked into, "
		  "without -b as one cycle" },
	{ 0, "to", TW_TEXT, &wl_config.to, "PLACE", .with = "--from",
	  .help = "to the begin of this function, or this second" },
	{ 'D', "duration", TW_TIME, &tw_settings.duration_s,
	  .without = "--read",
	  .help = "end after TIME seconds; m, h or d after the number: "
		  "minutes, hours or days" },
	{ 'b', "breaktrace", TW_NUMBER, &wl_config.limit_us, "US", 1, 1000000000,
	  .group = TW_TOO_LONG,
	  .help = "a wake-up, or a cycle, of more than US is late; then "
		  "the exit status is 2" },
	{ 0, "breaks", TW_NUMBER, &wl_config.most, NULL, 1, 1000000000,
	  .with = "--breaktrace", .group = TW_TOO_LONG,
	  .help = "end at the Nth that is late" },
	{ 0, "on-break", TW_TEXT, &tw_on_break.command, "COMMAND",
	  .parse = tw_on_break_parse, .with = "--breaktrace", .group = TW_TOO_LONG,
	  .help = "run COMMAND at such a one, for at most 10 s; "
		  "TWOWAYTEST_BREAK_* in its environment describe it, and "
		  "its standard input has the cause and the trace" },
	{ 0, "trace", TW_LIST, &tw_tracefs_events, "EVENTS", .optional = true,
	  .parse = parse_events, .without = "--read", .group = TW_TOO_LONG,
	  .help = "the events of the kernel that are traced; +EVENTS: in "
		  "addition to the usual ones; stack, also before EVENTS: "
		  "with the kernel stack of the culprit" },
	{ 0, "trace-file", TW_FILE, &tw_tracefs_file, .without = "--read",
	  .group = TW_TOO_LONG,
	  .help = "save the trace of the longest; with --trace, the "
		  "default is whylate-trace.txt" },
	{ 0, "ring", TW_NUMBER, &tw_tracefs_ring_kb, "KIB", 8, 1048576,
	  .without = "--read", .group = TW_TOO_LONG,
	  .help = "size of the kernel's buffer for each CPU in KiB; "
		  "default: at least 0.1 s fits, as a rule" },
	{ 'q', "quiet", TW_FLAG, &tw_settings.quiet, .group = TW_OUTPUT,
	  .help = "print at the end only, of the causes that of the "
		  "longest" },
	{ .name = NULL }
};

static int64_t seconds_ns(const char *option, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!*text || *end || !(seconds >= 0 && seconds < 1e9))
		tw_say_fatal("--%s=%s: allowed with --read is a time of the trace in seconds\n",
			     option, text);
	return llround(seconds * 1e6) * TW_NS_PER_US;
}

static void check_read(void)
{
	wl_config.pid = 0;
	if (!tw_option_whole(task, 1, 4194304, &wl_config.pid))
		wl_config.task = task;
	if (!wl_config.from)
		return;
	wl_config.from_ns = seconds_ns("from", wl_config.from);
	wl_config.to_ns = seconds_ns("to", wl_config.to);
	if (wl_config.to_ns <= wl_config.from_ns)
		tw_say_fatal("--to=%s: allowed is a time after --from=%s\n",
			     wl_config.to, wl_config.from);
	if (!wl_config.limit_us && !wl_config.pid)
		tw_say_fatal("--task=%s: without -b, allowed is a PID\n", task);
}

static void check_watch(void)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)wl_config.pid);
	if (wl_config.pid && access(path, F_OK))
		tw_say_fatal("--pid=%d: there is no such thread\n",
			     (int)wl_config.pid);
	wl_config.realtime_only = tw_option_words;
	if (wl_config.from) {
		wl_probe_check("from", wl_config.from);
		wl_probe_check("to", wl_config.to);
	}
	if (!tw_tracefs_ring_kb) {
		tw_tracefs_ring_kb = RING_KB + RING_KB_PER_MS *
			wl_config.limit_us * TW_NS_PER_US / TW_NS_PER_MS;
		if (tw_tracefs_ring_kb > RINGS_KB / get_nprocs_conf())
			tw_tracefs_ring_kb = RINGS_KB / get_nprocs_conf();
	}
	tw_tracefs_check(wl_config.limit_us);
	if (!tw_tracefs_events)
		tw_tracefs_options[0].parse(tw_tracefs_options, NULL);
}

static void check(struct tw_run *run)
{
	if (!wl_config.read + !wl_config.pid + !tw_option_words != 2)
		tw_say_fatal("needed is one of: -p PID, -- PROGRAM, --read=FILE --task=NAME\n");
	if (!wl_config.limit_us && !(wl_config.read && wl_config.from))
		tw_say_fatal("needed is -b US: from when on it is late\n");
	wl_config.cycles = wl_config.from && !(wl_config.read &&
					       wl_config.limit_us);
	if (wl_config.read)
		check_read();
	else
		check_watch();
}

const struct tw_part wl_part_config = {
	.options = options, .check = check,
};
