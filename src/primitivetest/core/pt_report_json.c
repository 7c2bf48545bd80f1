// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_cpus.h"
#include "base/tw_json.h"
#include "core/pt_report_json.h"
#include "core/pt_task.h"

static double in_us(int64_t ps)
{
	return (double)ps / PT_PS_PER_NS / (double)TW_NS_PER_US;
}

void pt_report_json_kept(struct tw_json *json, const struct pt_case *c,
			 const struct pt_kept *kept)
{
	int i;

	tw_json_begin(json, "values", '{');
	for (i = 0; i < c->metric_count; i++)
		tw_json_real_if(json, c->metric[i]->token,
				kept->value_ps[i] != PT_NO_VALUE,
				in_us(kept->value_ps[i]), 3);
	tw_json_end(json);
}

static void json_task(struct tw_json *json, const struct pt_task *task)
{
	char list[256];

	tw_json_begin_line(json, NULL, '{');
	tw_json_text(json, "name", task->name);
	tw_json_int(json, "pid", task->pid);
	tw_json_text(json, "cpus", tw_cpus_format(&task->settings.cpus, list,
						  sizeof(list)));
	tw_json_text(json, "policy",
		     tw_system_policy_name(task->settings.policy));
	tw_json_int(json, "priority", task->settings.priority);
	tw_json_bool(json, "locked", task->settings.locked);
	tw_json_bool(json, "changed",
		     tw_system_changed(&task->settings, &task->left));
	tw_json_int(json, "minor_faults", task->used.minor_faults);
	tw_json_int(json, "major_faults", task->used.major_faults);
	tw_json_int(json, "voluntary_switches", task->used.voluntary);
	tw_json_int(json, "involuntary_switches", task->used.involuntary);
	tw_json_end(json);
}

/* The root of the mean square: the notes' "RMS". */
static double rms_us(const struct tw_stats *stats)
{
	return stats->count ? sqrt(stats->m2_ns2 / (double)stats->count) /
			      PT_PS_PER_NS / (double)TW_NS_PER_US : 0;
}

static void json_metrics(struct tw_json *json, const struct pt_case *c)
{
	uint64_t n;
	double rate;
	int i;

	tw_json_begin(json, "metrics", '{');
	for (i = 0; i < c->metric_count; i++) {
		tw_json_begin_line(json, c->metric[i]->token, '{');
		tw_json_text(json, "column", c->token[i]);
		tw_json_real(json, "rms",
			     rms_us(&c->series->row[i].stats), 6);
		tw_json_begin_line(json, "first", '[');
		for (n = 0; n < c->first_count; n++)
			tw_json_real_if(json, NULL,
					c->first_ps[n][i] != PT_NO_VALUE,
					in_us(c->first_ps[n][i]), 3);
		tw_json_end(json);
		rate = pt_report_rate(c, i);
		tw_json_real_if(json, "rate", rate > 0, rate, 1);
		tw_json_text(json, "rate_of", c->metric[i]->rate);
		tw_json_end(json);
	}
	tw_json_end(json);
}

static void json_verdicts(struct tw_json *json, const struct pt_case *c)
{
	int i;

	tw_json_begin(json, "verdicts", '[');
	for (i = 0; i < c->verdicts; i++) {
		tw_json_begin_line(json, NULL, '{');
		tw_json_bool(json, "failed", c->verdict[i].failed);
		tw_json_text(json, "text", c->verdict[i].text);
		tw_json_end(json);
	}
	tw_json_end(json);
}

static void json_case(struct tw_json *json, const struct pt_case *c)
{
	int i;

	tw_json_text(json, "kind",
		     c->choice.kind ? c->choice.kind->name : NULL);
	tw_json_text(json, "tasks", c->choice.process ? "process" : "thread");
	tw_json_text(json, "cpus", c->choice.cross ? "cross" : "same");
	tw_json_uint(json, "trials", c->metric_count ?
		     c->series->row[0].stats.count : 0);
	tw_json_uint(json, "warmup", c->config->warmup);
	tw_json_uint(json, "missed", c->missed);
	tw_json_uint(json, "throttled", c->throttled);
	tw_json_begin_line(json, "switches", '{');
	tw_json_int(json, "needed", pt_switches_needed(c));
	tw_json_int(json, "had", pt_switches(c));
	tw_json_end(json);
	tw_json_int_if(json, "number", c->number, c->number);
	tw_json_begin(json, "processes", '[');
	for (i = 0; i < c->task_count; i++)
		json_task(json, &c->task[i]);
	tw_json_end(json);
	json_metrics(json, c);
	json_verdicts(json, c);
}

static void json_result(struct tw_json *json, const struct pt_result *result)
{
	char name[PT_NAME];

	pt_choice_name(result->choice, name);
	tw_json_begin(json, NULL, '{');
	tw_json_text(json, "name", name);
	tw_json_text(json, "test", result->choice->test->name);
	tw_json_text(json, "skipped",
		     *result->skipped ? result->skipped : NULL);
	if (result->c)
		json_case(json, result->c);
	tw_json_end(json);
}

/* Times are in us, as everywhere in JSON. */
static void json_derived(void *to, const struct pt_derived *derived)
{
	struct tw_json *json = to;

	tw_json_begin_line(json, NULL, '{');
	tw_json_text(json, "name", derived->name);
	tw_json_real(json, "value", derived->unit ? derived->value :
		     derived->value / (double)TW_NS_PER_US, 6);
	tw_json_text(json, "unit", derived->unit ? derived->unit : "us");
	tw_json_text(json, "formula", derived->formula);
	tw_json_end(json);
}

void pt_report_json(struct tw_json *json, const struct tw_run *run)
{
	const struct pt_session *session = pt_session(run);
	const struct pt_sums sums = { session, json_derived, json };
	int i;

	tw_json_real(json, "clock_cost", in_us(session->clock_ps), 6);
	tw_json_begin(json, "tests", '[');
	for (i = 0; i < session->count; i++)
		json_result(json, &session->result[i]);
	tw_json_end(json);
	tw_json_begin(json, "derived", '[');
	pt_report_derived(&sums);
	tw_json_end(json);
}

/* The names of the bits that are set, of two. */
static void json_names(struct tw_json *json, const char *key,
		       const char *const names[2], int bits)
{
	int i;

	tw_json_begin_line(json, key, '[');
	for (i = 0; i < 2; i++)
		if (bits & 1 << i)
			tw_json_text(json, NULL, names[i]);
	tw_json_end(json);
}

void pt_report_json_settings(struct tw_json *json, const struct tw_run *run)
{
	static const char *const orders[] = { "higher", "lower", "equal" };
	static const char *const task_names[] = { "thread", "process" };
	static const char *const cpu_names[] = { "same", "cross" };
	static const struct {
		const char *name;
		enum pt_own own;
	} owns[] = {
		{ "size", PT_OWN_SIZE }, { "period_us", PT_OWN_PERIOD },
		{ "copies", PT_OWN_COPIES },
	};
	const struct pt_config *config = pt_config;
	char list[64];
	int i;

	(void)run;
	tw_json_text(json, "test", config->tests);
	tw_json_int(json, "loops", config->loops);
	tw_json_int(json, "duration_s", config->duration_s);
	tw_json_int(json, "warmup", config->warmup);
	tw_json_int(json, "interval_us", config->interval_us);
	tw_json_text(json, "clock", config->clock);
	tw_json_text(json, "policy", tw_system_policy_name(config->policy));
	tw_json_int(json, "priority", config->priority);
	tw_json_bool(json, "mlockall", config->mlockall);
	json_names(json, "tasks", task_names, config->tasks);
	json_names(json, "cpus", cpu_names, config->cpus);
	tw_json_text(json, "same_cpu", tw_cpus_format(&config->same_cpus,
						      list, sizeof(list)));
	tw_json_text(json, "other_cpu", !config->two_cpus ? NULL :
		     tw_cpus_format(&config->other_cpus, list, sizeof(list)));
	tw_json_int_if(json, "break_us", config->break_us, config->break_us);
	for (i = 0; i < (int)ARRAY_SIZE(owns); i++)
		tw_json_int_if(json, owns[i].name, config->own[owns[i].own],
			       config->own[owns[i].own]);
	tw_json_text(json, "order", orders[config->order]);
	tw_json_int(json, "work", config->work);
	tw_json_int(json, "hold_us", config->hold_us);
	tw_json_int(json, "hog_us", config->hog_us);
	tw_json_int(json, "bin_ns", config->bin_ns);
}
