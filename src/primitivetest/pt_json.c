// SPDX-License-Identifier: GPL-2.0-or-later
/* Members of the JSON: in "thread", and in "primitives". */
#include <math.h>
#include <string.h>

#include "pt_report.h"
#include "tw_json.h"
#include "tw_jumps.h"

/* In the unit of the JSON, which has no number for none. */
static double time_of(double ps, bool any)
{
	return any ? tw_text_real(ps) : NAN;
}

#define TIME	.nullable = true, .format = "%.9f"

const struct tw_member pt_json_time[] = {
	{ "", TW_SELF(double), TW_REAL, "A time.", .format = "%.9f" },
	{ .name = NULL }
};

const void *pt_json_next(const void *of, int *i, const char **key)
{
	static double value;
	const struct pt_values *from = of;

	while (*i < from->c->columns && from->values_ps[*i] == PT_NO_VALUE)
		++*i;
	if (*i == from->c->columns)
		return NULL;
	*key = from->c->column[*i].metric->token;
	value = time_of((double)from->values_ps[*i], true);
	return &value;
}

struct column {
	double min, max, avg, stddev, rms, target;
	const char *metric, *label;
	uint64_t cycles;
};

static const void *column_of(const void *of)
{
	static struct column column;
	const struct pt_column *from =
		pt_columns[((const struct tw_spot *)of)->number];
	const struct tw_stats *stats = &from->stats;

	pt_report_json = true;
	column = (struct column) {
		.min = time_of((double)stats->min, stats->count),
		.max = time_of((double)stats->max, stats->count),
		.avg = time_of(tw_stats_mean(stats), stats->count),
		.stddev = time_of(tw_stats_deviation(stats), true),
		.rms = time_of(tw_stats_rms(stats, from->target_ps), true),
		.target = time_of((double)from->target_ps, from->target_ps),
		.metric = from->name, .label = from->metric->label,
		.cycles = stats->count,
	};
	return &column;
}

#define COLUMN(field, ...) \
	{ TW_NAMED(struct column, field), __VA_ARGS__ }

static const struct tw_member of_column[] = {
	COLUMN(min, TW_REAL, "A time; null: there is none.", TIME),
	COLUMN(max, TW_REAL, "A time; null: there is none.", TIME),
	COLUMN(avg, TW_REAL, "A time; null: there is none.", TIME),
	COLUMN(stddev, TW_REAL, "Standard deviation from the mean.",
	       "'minimum': 0", .format = "%.9f"),
	COLUMN(rms, TW_REAL, "Root of the mean square of the distances from the target, or, if there is none, from the mean.",
	       "'minimum': 0", .format = "%.9f"),
	COLUMN(target, TW_REAL, "A time; null: there is none.", TIME),
	COLUMN(metric, TW_STRING, "Its name.",
	       "'pattern': '^[a-z0-9]+(\\\\.[a-z0-9_]+)+$'"),
	COLUMN(label, TW_STRING, "In words."),
	COLUMN(cycles, TW_COUNT, "Values."),
	{ .name = NULL }
};

static const struct tw_member columns[] = {
	{ "column", TW_NOWHERE, TW_OBJECT, .spread = true, .get = column_of,
	  .of = of_column },
	{ .name = NULL }
};

const char tw_json_column[] = TW_JSON_COLUMN
	", 'if': { 'properties': { 'cycles': { 'const': 0 } } }, 'then': { 'properties': { 'min': { 'type': 'null' }, 'max': { 'type': 'null' }, 'avg': { 'type': 'null' } } }, 'else': { 'properties': { 'min': { 'type': 'number' }, 'max': { 'type': 'number' }, 'avg': { 'type': 'number' } } }";

const struct tw_member tw_json_added[] = { { .name = NULL } };

/* Of a row. */
struct told {
	const struct pt_case *c;
	const char *name, *test, *kind, *tasks, *cpus, *skipped;
	uint64_t trials, left_out, missed, throttled;
	int64_t number;
	struct pt_switches switches;
};

static const void *next_case(const void *of, int *i, const char **key)
{
	static struct told told;
	const struct pt_case *c = pt_cases[*i];

	if (*i == pt_case_count)
		return NULL;
	told = (struct told) {
		.c = c, .name = c->name, .test = c->choice.test->name,
		.kind = c->choice.kind ? c->choice.kind->name : NULL,
		.tasks = c->choice.process ? "process" : "thread",
		.cpus = c->choice.cross ? "cross" : "same",
		.skipped = *c->refused ? c->refused : NULL,
		.trials = c->column[0].stats.count,
		.left_out = c->jumps.left_out, .missed = c->missed,
		.throttled = c->throttled, .number = c->number,
	};
	if (!told.skipped)
		told.switches = pt_switches(c);
	return &told;
}

static const struct pt_case *case_of(const void *of)
{
	return ((const struct told *)of)->c;
}

static bool was_run(const void *of)
{
	return !((const struct told *)of)->skipped;
}

struct task {
	struct tw_side side;	/* first: see tw_side_members */
	const char *name;
};

static const void *next_task(const void *of, int *i, const char **key)
{
	static struct task told;
	const struct pt_task *task = &case_of(of)->task[*i];

	if (*i == case_of(of)->task_count)
		return NULL;
	told = (struct task) {
		{ task->begun, task->begun, task->left, task->used },
		task->name
	};
	return &told;
}

struct metric {
	const struct pt_case *c;
	int number;
	const char *column, *rate_of;
	double rate;
};

static const void *next_metric(const void *of, int *i, const char **key)
{
	static struct metric metric;
	const struct pt_column *column = &case_of(of)->column[*i];
	double rate;

	if (*i == case_of(of)->columns)
		return NULL;
	*key = column->metric->token;
	rate = pt_rate(column);
	metric = (struct metric) {
		case_of(of), *i, column->name,
		rate > 0 ? column->metric->rate : NULL, rate > 0 ? rate : NAN
	};
	return &metric;
}

static const void *next_first(const void *of, int *i, const char **key)
{
	static double value;
	const struct metric *from = of;
	int64_t ps;

	if (*i == (int)from->c->first_count)
		return NULL;
	ps = from->c->first_ps[*i][from->number];
	value = time_of((double)ps, ps != PT_NO_VALUE);
	return &value;
}

static const void *next_verdict(const void *of, int *i, const char **key)
{
	return *i < case_of(of)->verdicts ? &case_of(of)->verdict[*i] : NULL;
}

static const struct tw_member of_task[] = {
	{ TW_NAMED(struct task, name), TW_STRING, "As the kernel has it.",
	  "'pattern': '^prim-'" },
	{ .name = NULL }
};

static const struct tw_member of_metric[] = {
	{ TW_NAMED(struct metric, column), TW_STRING, "Its name in thread." },
	{ "first", TW_NOWHERE, TW_ARRAY, "Values of the warm-up.",
	  .next = next_first,
	  .of = TW_EACH(TW_SELF(double), TW_REAL, "A value; null: there is none.",
			TIME) },
	{ TW_NAMED(struct metric, rate), TW_REAL, "How often a second.",
	  .nullable = true, .format = "%.1f" },
	{ TW_NAMED(struct metric, rate_of), TW_STRING, "What.",
	  .nullable = true },
	{ .name = NULL }
};

static const struct tw_member of_verdict[] = {
	{ TW_NAMED(struct pt_verdict, failed), TW_BOOLEAN, "The result is wrong." },
	{ TW_NAMED(struct pt_verdict, text), TW_STRING, "The verdict." },
	{ .name = NULL }
};

static const struct tw_member switches[] = {
	{ "needed", TW_IN(struct told, switches.needed), TW_COUNT, "At least." },
	{ "had", TW_IN(struct told, switches.had), TW_COUNT, "As counted." },
	{ .name = NULL }
};

static const char *const tasks[] = { "thread", "process", NULL };
static const char *const places[] = { "same", "cross", NULL };

#define NAMES \
	{ TW_NAMED(struct told, name), TW_STRING, \
	  "TEST[.KIND][.TASKS.CPUS]" }, \
	{ TW_NAMED(struct told, test), TW_STRING, "Its test." }, \
	{ TW_NAMED(struct told, kind), TW_STRING, "Its kind.", \
	  .nullable = true }, \
	{ TW_NAMED(struct told, tasks), TW_STRING, "What they are.", \
	  .words = tasks }, \
	{ TW_NAMED(struct told, cpus), TW_STRING, "Where they ran.", \
	  .words = places }
#define RUN	.has = was_run

static const struct tw_member of_case[] = {
	NAMES,
	{ TW_NAMED(struct told, skipped), TW_ANY, "It was run.",
	  "'type': 'null'" },
	{ TW_NAMED(struct told, trials), TW_COUNT, "Measured.", RUN },
	{ TW_NAMED(struct told, left_out), TW_COUNT,
	  "In which the clock was set.", RUN },
	{ "warmup", TW_AT(tw_config.warmup), TW_COUNT, "Before them.", RUN },
	{ TW_NAMED(struct told, missed), TW_COUNT,
	  "Expiries without a trial.", RUN },
	{ TW_NAMED(struct told, throttled), TW_COUNT,
	  "Trials in which the kernel stopped real-time tasks.", RUN },
	{ "switches", TW_NOWHERE, TW_OBJECT, "Of all tasks.", RUN,
	  .of = switches },
	{ TW_NAMED(struct told, number), TW_INTEGER,
	  "What the test counts, see its verdict.", RUN },
	{ "processes", TW_NOWHERE, TW_ARRAY, "Its tasks; none: the run was ended before they began.",
	  RUN, .next = next_task, .of = of_task, .then = tw_side_members },
	{ "metrics", TW_NOWHERE, TW_MAP, "By name.",
	  "'minProperties': 1, " PT_NAMES, RUN, .next = next_metric,
	  .of = of_metric },
	{ "verdicts", TW_NOWHERE, TW_ARRAY, "What the test says.", RUN,
	  .next = next_verdict, .of = of_verdict },
	{ .name = NULL }
};

static const struct tw_member of_skipped[] = {
	NAMES,
	{ TW_NAMED(struct told, skipped), TW_STRING, "Why." },
	{ .name = NULL }
};

struct derived {
	const char *name, *unit, *formula;
	double value;
};

/* A time is in us, as its unit says, also with -N. */
static const void *next_derived(const void *of, int *i, const char **key)
{
	static struct derived derived;
	const struct pt_derived *from = &pt_derived[*i];

	if (*i == pt_derived_count)
		return NULL;
	derived = (struct derived) {
		from->name, from->unit, from->formula, from->value
	};
	if (!strcmp(from->unit, "ns")) {
		derived.unit = "us";
		derived.value /= TW_NS_PER_US;
	}
	return &derived;
}

static const char *const units[] = { "us", "%", "MB/s", "/s", NULL };

static const struct tw_member of_derived[] = {
	{ TW_NAMED(struct derived, name), TW_STRING, "Its name." },
	{ TW_NAMED(struct derived, value), TW_REAL, "In the unit.",
	  .format = "%.6f" },
	{ TW_NAMED(struct derived, unit), TW_STRING, "Of the value.",
	  .words = units },
	{ TW_NAMED(struct derived, formula), TW_STRING, "What it follows from." },
	{ .name = NULL }
};

static double cost_us(const void *of)
{
	return (double)pt_clock_ps * 1e-6;
}

static const struct tw_member members[] = {
	TW_CLOCK_SET_ROW,
	{ "clock_cost", TW_REAL_OF(cost_us), TW_REAL,
	  "A reading of the clock takes so many us.", "'minimum': 0",
	  .format = "%.6f" },
	{ "tests", TW_NOWHERE, TW_ARRAY, "The rows.", "'minItems': 1",
	  .next = next_case, .of = of_case, .or_of = of_skipped },
	{ "derived", TW_NOWHERE, TW_ARRAY, "Figures that follow from others.",
	  .next = next_derived, .of = of_derived },
	{ .name = NULL }
};

const struct tw_part pt_part_json = {
	.members = { [TW_OF_RUN] = members, [TW_OF_COLUMN] = columns },
};
