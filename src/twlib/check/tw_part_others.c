// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells who else used the run's CPUs; see tw_others.h. */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/tw_json.h"
#include "base/tw_system.h"
#include "base/tw_time.h"
#include "check/tw_environ.h"
#include "check/tw_others.h"
#include "frame/tw_run.h"

/* From here on it is told, in percent of a CPU. */
#define TOLD		1.0
/* The run's own timers and packets are among it. */
#define TOLD_INTERRUPTS	20.0
#define LINES		4	/* the JSON has all CPUs */

static struct {
	/* NULL: there is none. */
	struct {
		struct tw_others_state before, after;
		struct tw_others others;
	} *memory;
	bool begun;
	bool known;
	/* Children that have ended: before the run, before the step. */
	int64_t run_ns, step_ns;
	int64_t sides_ns;
} set;
static const __typeof__(set) initial;

static int64_t tv_to_ns(const struct timeval *tv)
{
	return tv->tv_sec * TW_NS_PER_S + tv->tv_usec * TW_NS_PER_US;
}

static int64_t children_ns(void)
{
	struct rusage used = { .ru_maxrss = 0 };

	getrusage(RUSAGE_CHILDREN, &used);
	return tv_to_ns(&used.ru_utime) + tv_to_ns(&used.ru_stime);
}

/* Behind all other parts: loads run already. What fails is not known. */
static int begin(struct tw_run *run)
{
	if (!run->step) {
		set.memory = tw_system_map_own(sizeof(*set.memory));
		set.begun = set.memory &&
			    !tw_others_before(&set.memory->before, "");
		set.run_ns = children_ns();
	}
	set.step_ns = children_ns();
	return 0;
}

/* Before all other parts: client and server have ended, and no load. */
static void end(struct tw_run *run)
{
	struct tw_environ_params params;

	set.sides_ns += children_ns() - set.step_ns;
	if (!set.begun || !run->started)
		return;
	tw_others_free(&set.memory->after);
	set.known = !tw_others_after(&set.memory->after, "");
	if (!set.known)
		return;
	run->program->environ_params(run, &params);
	tw_others_compare(&set.memory->others, &(struct tw_others_run) {
		.before = &set.memory->before, .after = &set.memory->after,
		.cpus = tw_environ_used(&params), .sides_ns = set.sides_ns,
		.children_ns = children_ns() - set.run_ns, .self = getpid(),
	});
}

static void close_others(struct tw_run *run)
{
	(void)run;
	if (set.memory) {
		tw_others_free(&set.memory->before);
		tw_others_free(&set.memory->after);
		munmap(set.memory, sizeof(*set.memory));
	}
	set = initial;
}

static double percent(int64_t ns)
{
	return tw_others_percent(&set.memory->others, ns);
}

/* What is left out here is less than is shown. */
static bool is_shown(int64_t ns)
{
	return percent(ns) >= TOLD / 10;
}

static void print_tasks(FILE *file, const struct tw_others_cpu *cpu)
{
	int64_t more_ns = cpu->ns - cpu->unnamed_ns;
	const char *before = "", *used = " used";
	int i;

	for (i = 0; i < TW_OTHERS_NAMED && is_shown(cpu->task[i].ns); i++) {
		fprintf(file, "%s%s-%d%s %.1f %%", before, cpu->task[i].name,
			cpu->task[i].id, used, percent(cpu->task[i].ns));
		more_ns -= cpu->task[i].ns;
		before = ", ";
		used = "";
	}
	if (is_shown(cpu->unnamed_ns)) {
		fprintf(file, "%stasks that ended, moved or are hidden%s %.1f %%",
			before, used, percent(cpu->unnamed_ns));
		before = ", ";
		used = "";
	}
	if (is_shown(more_ns))
		fprintf(file, "%sfurther tasks%s %.1f %%", before, used,
			percent(more_ns));
}

static bool is_told(const struct tw_others_cpu *cpu)
{
	return percent(cpu->ns) >= TOLD;
}

static bool is_told_interrupts(const struct tw_others_cpu *cpu)
{
	return percent(cpu->interrupts_ns) >= TOLD_INTERRUPTS;
}

static void print_cpu(FILE *file, const struct tw_others_cpu *cpu)
{
	if (is_told(cpu)) {
		fprintf(file, "# Others: ");
		print_tasks(file, cpu);
		fprintf(file, " of CPU %d\n", cpu->cpu);
	}
	if (is_told_interrupts(cpu))
		fprintf(file, "# Interrupts: threads such as %s-%d used %.1f %% of CPU %d, partly for this run itself\n",
			cpu->interrupts.name, cpu->interrupts.id,
			percent(cpu->interrupts_ns), cpu->cpu);
}

static void remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_others *others;
	int i, told = 0;

	(void)run;
	if (!set.known)
		return;
	others = &set.memory->others;
	for (i = 0; i < others->count; i++) {
		if (!is_told(&others->cpu[i]) &&
		    !is_told_interrupts(&others->cpu[i]))
			continue;
		if (told++ < LINES)
			print_cpu(file, &others->cpu[i]);
	}
	if (told > LINES)
		fprintf(file, "# Others: on %d more CPUs, see --json\n",
			told - LINES);
}

static void json_task(struct tw_json *json, const struct tw_others_task *task)
{
	tw_json_begin_line(json, NULL, '{');
	tw_json_text(json, "name", task->name);
	tw_json_int(json, "id", task->id);
	tw_json_bool(json, "kernel", task->kernel);
	tw_json_real(json, "percent", percent(task->ns), 3);
	tw_json_end(json);
}

static void json_cpu(struct tw_json *json, const struct tw_others_cpu *cpu)
{
	int i;

	tw_json_begin(json, NULL, '{');
	tw_json_int(json, "cpu", cpu->cpu);
	tw_json_real(json, "percent", percent(cpu->ns), 3);
	tw_json_real(json, "unnamed_percent", percent(cpu->unnamed_ns), 3);
	tw_json_real(json, "interrupts_percent", percent(cpu->interrupts_ns),
		     3);
	tw_json_begin(json, "tasks", '[');
	for (i = 0; i < TW_OTHERS_NAMED; i++)
		if (cpu->task[i].ns)
			json_task(json, &cpu->task[i]);
	tw_json_end(json);
	tw_json_end(json);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_others *others;
	int i;

	if (!set.known || run->partial) {
		tw_json_null(json, "others");
		return;
	}
	others = &set.memory->others;
	tw_json_begin(json, "others", '{');
	tw_json_real(json, "seconds", (double)others->elapsed_ns / 1e9, 6);
	tw_json_bool(json, "complete", others->complete);
	tw_json_begin(json, "cpus", '[');
	for (i = 0; i < others->count; i++)
		json_cpu(json, &others->cpu[i]);
	tw_json_end(json);
	tw_json_end(json);
}

const struct tw_part tw_part_others = {
	.name = "others", TW_SETTINGS(set, initial), .begin = begin,
	.end = end, .close = close_others, .remarks = remarks, .json = json,
};
