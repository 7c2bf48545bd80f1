// SPDX-License-Identifier: GPL-2.0-or-later
/* Who else used the CPUs of clients and servers: in the text from 1 % on. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "tw_others.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_run.h"
#include "tw_string.h"
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
	before = tw_snapshot_map();
	after = before + 1;
	began_ns = ours_ns();
	begun = before && !tw_snapshot_read(before);
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

static void write_task(FILE *file, const struct tw_task *task)
{
	fprintf(file, "\n            { \"name\": ");
	tw_string_json(file, task->name);
	fprintf(file, ", \"id\": %d, \"kernel\": %s, \"policy\": \"%s\", \"priority\": %d, \"percent\": %.3f }",
		task->id, task->kernel ? "true" : "false",
		tw_policy_name(task->policy), task->priority,
		percent(task->ns));
}

static void json(FILE *file, const struct tw_run *run)
{
	int i, n;

	if (!known) {
		fprintf(file, "    \"others\": null,\n");
		return;
	}
	fprintf(file, "    \"others\": {\n      \"seconds\": %.6f,\n      \"complete\": %s,\n      \"cpus\": [",
		(double)(after->at_ns - before->at_ns) / TW_NS_PER_S,
		before->complete && after->complete ? "true" : "false");
	for (i = 0; i < count; i++) {
		const struct tw_others *of = &others[i];

		fprintf(file, "%s\n        { \"cpu\": %d, \"percent\": %.3f, \"unnamed_percent\": %.3f,\n          \"interrupts_percent\": %.3f, \"host_percent\": %.3f, \"tasks\": [",
			i ? "," : "", of->cpu, percent(of->ns),
			percent(of->unnamed_ns), percent(of->interrupts_ns),
			percent(of->host_ns));
		for (n = 0; n < TW_OTHERS_NAMED && of->task[n].ns; n++) {
			fprintf(file, "%s", n ? "," : "");
			write_task(file, &of->task[n]);
		}
		fprintf(file, "] }");
	}
	fprintf(file, "\n      ]\n    },\n");
}

const struct tw_part tw_part_others = {
	.begin = begin, .end = end, .remark = remark, .json = json,
};
