// SPDX-License-Identifier: GPL-2.0-or-later
/* Who else used the CPUs of clients and servers: in the text from 1 % on. */
#include <string.h>
#include <sys/resource.h>

#include "tw_memory.h"
#include "tw_others.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_time.h"

#define SHOWN		1.0	/* percent */
#define LINES		4	/* CPUs; the JSON has all */

static struct tw_snapshot *before, *after;
static bool begun, known;
static int64_t began_ns;	/* CPU time of ours then */
static struct tw_others others[CPU_SETSIZE];
static int count;

static int64_t used_ns(int who)
{
	struct rusage used = { .ru_maxrss = 0 };

	getrusage(who, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * TW_NS_PER_S +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * TW_NS_PER_US;
}

static int64_t ours_ns(void)
{
	return used_ns(RUSAGE_SELF) + used_ns(RUSAGE_CHILDREN);
}

/* Before all other parts: nothing of ours has begun. */
static void begin(struct tw_run *run)
{
	if (run->step)
		return;
	before = tw_memory_own(2 * sizeof(*before));
	after = before + 1;
	began_ns = ours_ns();
	begun = !tw_snapshot_read(before);
}

/* Adds what a process is known to have used of the only CPU that it had. */
static void add_side(cpu_set_t *cpus, int64_t own_ns[], int64_t *rest_ns,
		     const struct tw_pair *pair, enum tw_role role)
{
	const struct tw_process *process = &pair->process[role];
	int cpu = tw_place_single(&process->cpus);

	CPU_OR(cpus, cpus, &process->cpus);
	if (cpu < 0 || pair->usage[role].cpu_us <= 0)
		return;
	own_ns[cpu] += pair->usage[role].cpu_us * TW_NS_PER_US;
	*rest_ns -= pair->usage[role].cpu_us * TW_NS_PER_US;
}

/* After all other parts: whatever is ours has ended. The last step counts. */
static void end(struct tw_run *run)
{
	static int64_t own_ns[CPU_SETSIZE];
	int64_t rest_ns = ours_ns() - began_ns;
	cpu_set_t cpus;
	int i;

	known = begun && !tw_snapshot_read(after);
	if (!known)
		return;
	CPU_ZERO(&cpus);
	memset(own_ns, 0, sizeof(own_ns));
	for (i = 0; i < tw_config.pairs; i++) {
		add_side(&cpus, own_ns, &rest_ns, run->pairs[i], TW_SERVER);
		add_side(&cpus, own_ns, &rest_ns, run->pairs[i], TW_CLIENT);
	}
	for (i = 0, count = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &cpus) || !before->cpu[i].known ||
		    !after->cpu[i].known)
			continue;
		others[count].cpu = i;
		tw_others_compare(&others[count++], before, after, own_ns[i],
				  rest_ns);
	}
}

static double percent(int64_t ns)
{
	return 100.0 * (double)ns / (double)(after->at_ns - before->at_ns);
}

static void print_others(FILE *file, const struct tw_others *of)
{
	const char *comma = ":";
	int i;

	fprintf(file, "# Others used %.1f %% of CPU %d", percent(of->ns),
		of->cpu);
	for (i = 0; i < TW_OTHERS_NAMED; i++) {
		const struct tw_task *task = &of->task[i];

		if (percent(task->ns) < SHOWN / 10)
			break;
		fprintf(file, "%s %s-%d", comma, task->name, task->id);
		if (task->priority)
			fprintf(file, " (%s %d)", tw_policy_name(task->policy),
				task->priority);
		fprintf(file, " %.1f %%", percent(task->ns));
		comma = ",";
	}
	if (percent(of->unnamed_ns) >= SHOWN / 10)
		fprintf(file, "%s tasks that cannot be named %.1f %% (they ended, changed the CPU, or run in another container)",
			comma, percent(of->unnamed_ns));
	fputc('\n', file);
}

/* A virtual machine's CPUs: one line. */
static void print_host(FILE *file)
{
	int i, cpus = 0;

	for (i = 0; i < count; i++) {
		if (percent(others[i].host_ns) < SHOWN || cpus++ >= LINES)
			continue;
		fprintf(file, "%s %.1f %% of CPU %d",
			cpus > 1 ? "," : "# The host took",
			percent(others[i].host_ns), others[i].cpu);
	}
	if (cpus > LINES)
		fprintf(file, ", and of %d more CPUs", cpus - LINES);
	if (cpus)
		fputc('\n', file);
}

static void remark(FILE *file, const struct tw_run *run)
{
	int i, cpus = 0;

	for (i = 0; i < count; i++)
		if (percent(others[i].ns) >= SHOWN && cpus++ < LINES)
			print_others(file, &others[i]);
	if (cpus > LINES)
		fprintf(file, "# Others used %d more CPUs, see --json\n",
			cpus - LINES);
	print_host(file);
}

/* What the JSON says of all, of a CPU, and of a task. */
static struct {
	double seconds;
	bool complete;
} whole;

struct told_cpu {
	const struct tw_others *of;
	double percent, unnamed_percent, interrupts_percent, host_percent;
};

struct told_task {
	const struct tw_task *of;
	const char *policy;
	double percent;
};

static const void *whole_of(const void *of)
{
	if (!known)
		return NULL;
	whole.seconds = (double)(after->at_ns - before->at_ns) / TW_NS_PER_S;
	whole.complete = before->complete && after->complete;
	return &whole;
}

static const void *next_cpu(const void *of, int *i, const char **key)
{
	static struct told_cpu told;
	const struct tw_others *cpu = &others[*i];

	if (*i == count)
		return NULL;
	told = (struct told_cpu) {
		cpu, percent(cpu->ns), percent(cpu->unnamed_ns),
		percent(cpu->interrupts_ns), percent(cpu->host_ns)
	};
	return &told;
}

static const void *next_task(const void *of, int *i, const char **key)
{
	static struct told_task told;
	const struct told_cpu *cpu = of;
	const struct tw_task *task = &cpu->of->task[*i];

	if (*i == TW_OTHERS_NAMED || !task->ns)
		return NULL;
	told = (struct told_task) {
		task, tw_policy_name(task->policy), percent(task->ns)
	};
	return &told;
}

static const char *policy_word(int i)
{
	return i && !tw_policy_names[i - 1] ? NULL :
	       i ? tw_policy_names[i - 1] : "unknown";
}

#define PERCENT	"'minimum': 0, 'maximum': 100"

#define TASK	TW_VIA(struct told_task, of)

static const struct tw_member of_task[] = {
	{ TW_NAMED(struct tw_task, name), TW_STRING,
	  "Of the thread, cut if it is long.", TASK },
	{ TW_NAMED(struct tw_task, id), TW_INTEGER, "Of the thread.",
	  "'minimum': 1", TASK },
	{ TW_NAMED(struct tw_task, kernel), TW_BOOLEAN,
	  "It is a thread of the kernel.", TASK },
	{ TW_NAMED(struct told_task, policy), TW_STRING,
	  "Its scheduling policy.", .word = policy_word },
	{ TW_NAMED(struct tw_task, priority), TW_COUNT, "0: not real-time.",
	  "'maximum': 99", TASK },
	{ TW_NAMED(struct told_task, percent), TW_REAL,
	  "What it used, at most what was left of the CPU.", PERCENT },
	{ .name = NULL }
};

static const struct tw_member of_cpu[] = {
	{ TW_NAMED(struct tw_others, cpu), TW_COUNT, "Its number.",
	  TW_VIA(struct told_cpu, of) },
	{ TW_NAMED(struct told_cpu, percent), TW_REAL, "What others used of it, without interrupts_percent and host_percent.",
	  PERCENT },
	{ TW_NAMED(struct told_cpu, unnamed_percent), TW_REAL, "Of this, what tasks used that ended, moved to another CPU, or are in another PID namespace; as far as it cannot have been the run's own.",
	  PERCENT },
	{ TW_NAMED(struct told_cpu, interrupts_percent), TW_REAL, "What threads of the kernel used for interrupts (ksoftirqd, ktimers, irq/...), for the run's own timers and packets, too.",
	  PERCENT },
	{ TW_NAMED(struct told_cpu, host_percent), TW_REAL,
	  "What the host took from this virtual CPU.", PERCENT },
	{ "tasks", TW_NOWHERE, TW_ARRAY, "The greatest others that were there last, the greatest first.",
	  "'maxItems': 3", .next = next_task, .of = of_task },
	{ .name = NULL }
};

static const struct tw_member all[] = {
	{ "seconds", TW_AT(whole.seconds), TW_REAL,
	  "The time that percent are of.", "'minimum': 0", .format = "%.6f" },
	{ "complete", TW_AT(whole.complete), TW_BOOLEAN, "All tasks were read; false: they were too many, or it took too long, and unnamed_percent is 0." },
	{ "cpus", TW_NOWHERE, TW_ARRAY, "Each CPU.", "'maxItems': 1024",
	  .next = next_cpu, .of = of_cpu },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "others", TW_NOWHERE, TW_OBJECT, "Who else used the CPUs of what is measured, from before the run to after it; null: not known. Others are all tasks but the program's own processes and loads.",
	  .nullable = true, .get = whole_of, .of = all },
	{ .name = NULL }
};

const struct tw_part tw_part_others = {
	.begin = begin, .end = end, .remark = remark,
	.members[TW_OF_RUN] = members,
};
