// SPDX-License-Identifier: GPL-2.0-or-later
/* How the kernel was built, booted and set. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tw_array.h"
#include "tw_check.h"
#include "tw_cpus.h"
#include "tw_mark.h"
#include "tw_read.h"

#define SYSCTL		"/proc/sys/kernel/"
#define CLOCK_DIR	"/sys/devices/system/clocksource/clocksource0/"
#define MODES		"/sys/kernel/debug/sched/preempt"

/* In names, the kernel takes a dash for an underscore. */
static bool same_name(const char *word, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((word[i] == '-' ? '_' : word[i]) != name[i])
			return false;
	return true;
}

bool tw_facts_boot(char *value, size_t size, const char *name)
{
	char line[TW_READ_LINE], *rest = line, *word;
	size_t len = strlen(name);
	bool found = false;

	if (!tw_read_text(line, sizeof(line), "/proc/cmdline"))
		return false;
	/* What follows "--" is for init. */
	while ((word = strsep(&rest, " ")) && strcmp(word, "--"))
		if (strlen(word) > len && same_name(word, name, len) &&
		    word[len] == '=') {
			snprintf(value, size, "%s", word + len + 1);
			found = true;
		}
	return found;
}

static void read_boot(struct tw_value *value)
{
	char text[TW_READ_LINE];

	if (tw_facts_boot(text, sizeof(text), value->from))
		tw_check_text(value, text);
}

static bool is_preempt_rt(void)
{
	char version[1024];
	int64_t number;

	if (tw_read_number(&number, "/sys/kernel/realtime") && number == 1)
		return true;
	return tw_read_text(version, sizeof(version), "/proc/version") &&
	       (strstr(version, " PREEMPT_RT") ||
		strstr(version, " PREEMPT RT"));
}

static void read_preemption(struct tw_value *value)
{
	char version[1024];

	if (is_preempt_rt())
		tw_check_text(value, "PREEMPT_RT");
	else if (tw_read_text(version, sizeof(version), "/proc/version") &&
		 *version)
		/* The name of each begins with that of the next. */
		tw_check_text(value, strstr(version, " PREEMPT_DYNAMIC") ?
			      "PREEMPT_DYNAMIC" : strstr(version, " PREEMPT") ?
			      "PREEMPT" : "PREEMPT_NONE or PREEMPT_VOLUNTARY");
}

static bool is_no_rt(const struct tw_value *value)
{
	return strcmp(value->text, "PREEMPT_RT") != 0;
}

static void read_realtime(struct tw_value *value)
{
	int64_t number;

	/* Only kernels that are have the file. */
	tw_check_number(value, tw_read_number(&number, value->from) &&
			       number == 1);
}

/* "always [madvise] never": the word in these brackets. */
static bool read_chosen(char *word, size_t size, const char *path,
			const char *brackets)
{
	char line[256], *from, *to;

	if (!tw_read_text(line, sizeof(line), path))
		return false;
	from = strchr(line, brackets[0]);
	to = from ? strchr(from, brackets[1]) : NULL;
	if (to)
		snprintf(word, size, "%.*s", (int)(to - from - 1), from + 1);
	return to;
}

static void read_mode(struct tw_value *value)
{
	char mode[32];

	if (read_chosen(mode, sizeof(mode), value->from, "()") ||
	    tw_facts_boot(mode, sizeof(mode), "preempt"))
		tw_check_text(value, mode);
}

/* PREEMPT_RT lets a real-time task preempt at once in every mode. */
static bool is_slow_mode(const struct tw_value *value)
{
	return strcmp(value->text, "full") &&
	       !(is_preempt_rt() && value->of->priority);
}

/* Those that a program reads without a system call. */
static bool is_slow_clock(const struct tw_value *value)
{
	static const char *const fast[] = {
		"tsc", "arch_sys_counter", "kvm-clock",
		"hyperv_clocksource_tsc_page", "xen", "timebase", "tod",
		"riscv_clocksource", "Constant",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fast); i++)
		if (!strcmp(value->text, fast[i]))
			return false;
	return true;
}

static void read_huge_pages(struct tw_value *value)
{
	char mode[32];

	if (read_chosen(mode, sizeof(mode), value->from, "[]"))
		tw_check_text(value, mode);
}

static bool is_always(const struct tw_value *value)
{
	return !strcmp(value->text, "always");
}

bool tw_facts_is_set(const struct tw_value *value)
{
	return value->number;
}

static bool is_slack(const struct tw_value *value)
{
	return !value->of->priority && value->number > 1;
}

static bool is_watched(const struct tw_value *value)
{
	cpu_set_t watched;

	if (!tw_cpus_read(&watched, SYSCTL "watchdog_cpumask"))
		return value->number;
	CPU_AND(&watched, &watched, &value->of->cpus);
	return value->number && CPU_COUNT(&watched);
}

/* Valid until the next call. */
static const char *in_tracefs(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", tw_mark_tracefs(), name);
	return path;
}

static void read_tracing(struct tw_value *value)
{
	int64_t number;

	if (tw_read_number(&number, in_tracefs("tracing_on")))
		tw_check_number(value, number);
}

static void read_tracer(struct tw_value *value)
{
	char tracer[64];

	if (tw_read_text(tracer, sizeof(tracer), in_tracefs("current_tracer")) &&
	    *tracer)
		tw_check_text(value, tracer);
}

/* Tracing is on by default, with nothing to trace. */
static bool is_tracing(const struct tw_value *value)
{
	char tracer[64] = "nop", events[8] = "0";

	tw_read_text(tracer, sizeof(tracer), in_tracefs("current_tracer"));
	tw_read_text(events, sizeof(events), in_tracefs("events/enable"));
	return value->number && (strcmp(tracer, "nop") || *events != '0');
}

bool tw_facts_is_any(const struct tw_value *value)
{
	return *value->text;
}

const struct tw_fact tw_facts_kernel[] = {
	{ "release", TW_FACT_TEXT, "Of the kernel.",
	  .from = SYSCTL "osrelease" },
	{ "preemption", TW_FACT_TEXT, "The kernel's preemption model, such as PREEMPT_RT or PREEMPT_DYNAMIC.",
	  NULL, read_preemption, is_no_rt,
	  "much of the kernel cannot be preempted, or runs before real-time tasks: its work for others delays them",
	  "boot a kernel built with CONFIG_PREEMPT_RT" },
	{ "preempt_mode", TW_FACT_TEXT, "The mode that a PREEMPT_DYNAMIC kernel is in: full, lazy, voluntary or none.",
	  MODES, read_mode, is_slow_mode,
	  "in this mode, a task that becomes ready waits until the running one leaves the kernel, or until the next tick",
	  "echo full >" MODES ", or boot with preempt=full; with PREEMPT_RT, give -p" },
	{ "realtime", TW_FACT_FLAG, "Whether it says that it is a real-time kernel.",
	  .from = "/sys/kernel/realtime", .read = read_realtime },
	{ "boot_command_line", TW_FACT_TEXT, "All of the kernel's boot command line, up to 4095 bytes; a question mark stands for what is not printable ASCII.",
	  .from = "/proc/cmdline" },
	{ "boot_isolcpus", TW_FACT_TEXT, "isolcpus= of it.",
	  .from = "isolcpus", .read = read_boot },
	{ "boot_nohz_full", TW_FACT_TEXT, "nohz_full= of it.",
	  .from = "nohz_full", .read = read_boot },
	{ "boot_rcu_nocbs", TW_FACT_TEXT, "rcu_nocbs= of it.",
	  .from = "rcu_nocbs", .read = read_boot },
	{ "boot_idle", TW_FACT_TEXT, "idle= of it.",
	  .from = "idle", .read = read_boot },
	{ "boot_mitigations", TW_FACT_TEXT, "mitigations= of it.",
	  .from = "mitigations", .read = read_boot },
	{ "clocksource", TW_FACT_TEXT, "Of the kernel's clocks.",
	  CLOCK_DIR "current_clocksource",
	  NULL, is_slow_clock,
	  "reading this clock needs a system call and a slow device: each timestamp takes 1 us or more",
	  "dmesg | grep -i clocksource tells why the kernel does not trust a faster one; if it is wrong, boot with tsc=reliable" },
	{ "clocksources", TW_FACT_TEXT, "Those that it could use, separated by spaces.",
	  .from = CLOCK_DIR "available_clocksource" },
	{ "timer_slack_ns", TW_FACT_NUMBER, "How much later ordinary tasks' sleeps may end, in ns.",
	  "/proc/self/timerslack_ns",
	  NULL, is_slack,
	  "sleeps of tasks that are not real-time may end later by this time, so that timers expire together",
	  "give a real-time priority (-p 98)" },
	{ "huge_pages", TW_FACT_TEXT, "Transparent huge pages: always, madvise or never.",
	  "/sys/kernel/mm/transparent_hugepage/enabled", read_huge_pages,
	  is_always,
	  "khugepaged replaces pages of running programs, which wait for it; page faults may wait until memory is compacted",
	  "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled" },
	{ "numa_balancing", TW_FACT_FLAG, "Whether the kernel moves memory between nodes by itself.",
	  SYSCTL "numa_balancing", NULL, tw_facts_is_set,
	  "the kernel regularly unmaps pages of running programs to see which node uses them: page faults follow",
	  "sysctl kernel.numa_balancing=0" },
	{ "watchdog", TW_FACT_FLAG, "Whether the kernel watches for lockups.",
	  SYSCTL "watchdog", NULL, is_watched,
	  "every few seconds, the lockup detectors run on each CPU before any real-time task, or interrupt it",
	  "sysctl kernel.watchdog=0 (nowatchdog at boot)" },
	{ "nmi_watchdog", TW_FACT_FLAG, "Whether it does so by non-maskable interrupts, too.",
	  .from = SYSCTL "nmi_watchdog" },
	{ "watchdog_cpus", TW_FACT_CPUS, "CPUs that it watches.",
	  .from = SYSCTL "watchdog_cpumask" },
	{ "tracing", TW_FACT_FLAG, "Whether the kernel's tracing is on.",
	  NULL, read_tracing, is_tracing,
	  "each event and each traced function takes a fraction of a us",
	  "echo 0 >~/tracing_on" },
	{ "tracer", TW_FACT_TEXT, "The tracer that is set.",
	  .read = read_tracer },
	{ .name = NULL }
};
