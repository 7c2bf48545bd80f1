// SPDX-License-Identifier: GPL-2.0-or-later
/* Members of the JSON: in "thread", and in "primitives". */
#include <math.h>
#include <string.h>

#include "pt_report.h"
#include "tw_json.h"
#include "tw_jumps.h"

/* In ps; the JSON has no number for none. */
static double time_of(double value, bool any)
{
	return any ? value : NAN;
}

static double ns_of(int64_t ps)
{
	return time_of((double)ps / PT_PS_PER_NS, ps != PT_NO_VALUE);
}

const struct tw_member pt_json_time[] = {
	{ "", TW_SELF(double), TW_REAL, "In ns.", .format = "%.15g" },
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
	value = ns_of(from->values_ps[*i]);
	return &value;
}

/* In ns, or in the unit of the JSON. */
static struct tw_told_stats stats_of(const struct pt_column *column, bool ns)
{
	const struct tw_stats *of = &column->stats;
	double ps = PT_PS_PER_NS;

	ps *= ns || tw_config.nsecs ? 1 : TW_NS_PER_US;
	return (struct tw_told_stats) {
		time_of((double)of->min / ps, of->count),
		time_of((double)of->max / ps, of->count),
		time_of(tw_stats_mean(of) / ps, of->count),
		tw_stats_deviation(of) / ps,
		tw_stats_rms(of, column->target_ps) / ps,
		time_of((double)column->target_ps / ps, column->target_ps),
		of->count
	};
}

struct column {
	const struct pt_column *of;
	struct tw_told_stats stats;
};

static const void *column_of(const void *of)
{
	static struct column column;

	pt_report_json = true;
	column.of = pt_columns[((const struct tw_spot *)of)->number];
	column.stats = stats_of(column.of, false);
	return &column;
}

static const char *label_of(const void *of)
{
	return ((const struct column *)of)->of->metric->label;
}

static const struct tw_member of_column[] = {
	TW_STATS_IN(struct column, stats),
	{ "metric", TW_IN(struct pt_column, name), TW_STRING, "Its name.",
	  "'pattern': '^[a-z0-9]+(\\\\.[a-z0-9_]+)+$'",
	  TW_VIA(struct column, of) },
	{ "label", TW_TEXT_OF(label_of), TW_STRING, "In words." },
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

static const void *next_case(const void *of, int *i, const char **key)
{
	return *i < pt_case_count ? pt_cases[*i] : NULL;
}

static const char *const tasks[] = { "thread", "process", NULL };
static const char *const places[] = { "same", "cross", NULL };

static const char *tasks_of(const void *of)
{
	return tasks[((const struct pt_case *)of)->choice.process];
}

static const char *place_of(const void *of)
{
	return places[((const struct pt_case *)of)->choice.cross];
}

static const char *skipped_of(const void *of)
{
	const struct pt_case *c = of;

	return *c->refused ? c->refused : NULL;
}

static const void *switches_of(const void *of)
{
	static struct pt_switches switches;

	switches = pt_switches(of);
	return &switches;
}

static const void *side_of(const void *of)
{
	static struct tw_side side;
	const struct pt_task *task = of;

	side = (struct tw_side) {
		task->begun, task->begun, task->left, task->used
	};
	return &side;
}

static const struct tw_member of_task[] = {
	{ TW_NAMED(struct pt_task, name), TW_STRING, "As the kernel has it.",
	  "'pattern': '^prim-'" },
	{ "side", TW_NOWHERE, TW_OBJECT, .spread = true, .get = side_of,
	  .of = tw_side_members },
	{ .name = NULL }
};

static const struct tw_member of_verdict[] = {
	{ TW_NAMED(struct pt_verdict, failed), TW_BOOLEAN, "The result is wrong." },
	{ TW_NAMED(struct pt_verdict, text), TW_STRING, "The verdict." },
	{ .name = NULL }
};

static const struct tw_member switches[] = {
	{ TW_NAMED(struct pt_switches, needed), TW_COUNT, "At least." },
	{ TW_NAMED(struct pt_switches, had), TW_COUNT, "As counted." },
	{ .name = NULL }
};

#define CASE(field)	TW_IN(struct pt_case, field)
#define NAMES \
	{ "name", CASE(name), TW_STRING, "TEST[.KIND][.TASKS.CPUS]" }, \
	{ "test", TW_IN(struct pt_test, name), TW_STRING, "Its test.", \
	  TW_VIA(struct pt_case, choice.test) }, \
	{ "kind", TW_IN(struct pt_kind, name), TW_STRING, "Its kind.", \
	  TW_VIA(struct pt_case, choice.kind), .nullable = true }, \
	{ "tasks", TW_TEXT_OF(tasks_of), TW_STRING, "What they are.", \
	  .words = tasks }, \
	{ "cpus", TW_TEXT_OF(place_of), TW_STRING, "Where they ran.", \
	  .words = places }
/* If it was not skipped. */
#define RUN \
	.only_at = offsetof(struct pt_case, refused), .only_size = 1, \
	.unless = true

static const struct tw_member of_case[] = {
	NAMES,
	{ "skipped", TW_TEXT_OF(skipped_of), TW_ANY, "It was run.",
	  "'type': 'null'" },
	{ "trials", CASE(column[0].stats.count), TW_COUNT, "Measured.", RUN },
	{ "left_out", CASE(jumps.left_out), TW_COUNT,
	  "In which the clock was set.", RUN },
	{ "warmup", TW_AT(tw_config.warmup), TW_COUNT, "Before them.", RUN },
	{ "missed", CASE(missed), TW_COUNT, "Expiries without a trial.", RUN },
	{ "throttled", CASE(throttled), TW_COUNT,
	  "Trials in which the kernel stopped real-time tasks.", RUN },
	{ "switches", TW_NOWHERE, TW_OBJECT, "Of all tasks.", RUN,
	  .get = switches_of, .of = switches },
	{ "number", CASE(number), TW_INTEGER,
	  "What the test counts, see its verdict.", RUN },
	{ "processes", TW_LIST_IN(struct pt_case, task, task_count), TW_ARRAY,
	  "Its tasks; none: the run was ended before they began.", RUN,
	  .of = of_task },
	{ "verdicts", TW_LIST_IN(struct pt_case, verdict, verdicts), TW_ARRAY,
	  "What the test says.", RUN, .of = of_verdict },
	{ .name = NULL }
};

static const struct tw_member of_skipped[] = {
	NAMES,
	{ "skipped", TW_TEXT_OF(skipped_of), TW_STRING, "Why." },
	{ .name = NULL }
};

/* Of a trial, and of the one before it. */
static const char *const times[PT_TIMES] = {
	"t0", "t1", "t2", "t3", "t4",
	"prev_t0", "prev_t1", "prev_t2", "prev_t3", "prev_t4"
};

static const void *next_time(const void *of, int *i, const char **key)
{
	return *i < PT_TIMES ? &times[*i] : NULL;
}

static const void *next_span(const void *of, int *i, const char **key)
{
	static struct tw_told_span told;
	const struct pt_metric *metric;
	const uint8_t *span;
	bool two, several;

	if (*i == pt_column_count)
		return NULL;
	*key = pt_columns[*i]->name;
	metric = pt_columns[*i]->metric;
	span = metric->span;
	two = span[2] != span[3];
	several = metric->per > 1;
	told = (struct tw_told_span) {
		times[span[0]], times[span[1]],
		two ? times[span[2]] : NULL, two ? times[span[3]] : NULL,
		several ? ns_of(pt_clock_ps) : 0, NULL,
		several ? metric->per : 0
	};
	return &told;
}

struct series {
	const struct pt_column *of;
	struct tw_told_stats stats;
	double rate;
	const char *rate_of;
};

static const void *next_series(const void *of, int *i, const char **key)
{
	static struct series told;
	const struct pt_column *column = pt_columns[*i];
	double rate;

	if (*i == pt_column_count)
		return NULL;
	rate = pt_rate(column);
	told = (struct series) {
		column, stats_of(column, true), time_of(rate, rate > 0),
		rate > 0 ? column->metric->rate : NULL
	};
	return &told;
}

static const char *test_of(const void *of)
{
	return ((const struct series *)of)->of->in->name;
}

static const void *next_first(const void *of, int *i, const char **key)
{
	static double value;
	const struct pt_column *column = ((const struct series *)of)->of;

	if (*i == (int)column->in->first_count)
		return NULL;
	value = ns_of(column->in->first_ps[*i][column - column->in->column]);
	return &value;
}

static const struct tw_member of_series[] = {
	{ "test", TW_TEXT_OF(test_of), TW_STRING, "Name of its row." },
	{ "span", TW_IN(struct pt_column, name), TW_STRING,
	  "Its name in spans, and in thread.", TW_VIA(struct series, of) },
	TW_STATS_IN(struct series, stats),
	{ "first", TW_NOWHERE, TW_ARRAY, "Values of the warm-up.",
	  .next = next_first,
	  .of = TW_EACH(TW_SELF(double), TW_REAL, "A value; null: there is none.",
			.nullable = true, .format = "%.15g") },
	{ TW_NAMED(struct series, rate), TW_REAL, "How often a second.",
	  .nullable = true, .format = "%.1f" },
	{ TW_NAMED(struct series, rate_of), TW_STRING, "What.",
	  .nullable = true },
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
	TW_JSON_SPANS(next_time, next_span, next_series, of_series,
		      .also = PT_NAMES),
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
