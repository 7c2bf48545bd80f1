// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON of several pairs: each of them, and all together. */
#include "json.h"
#include "three.h"
#include "result/tw_part_result.h"
#include "run/tw_session.h"

static void json_threads(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_columns shown = tw_session_columns(run);

	tw_percentiles_json(json, &shown);
}

static const char *json_of(void (*write)(struct tw_json *json,
					 const struct tw_run *run))
{
	const char *text = written_json(write);

	assert_members(text);
	return text;
}

static void lacks(const char *text, const char *what)
{
	if (strstr(text, what))
		fail_msg("%s\nhas\n%s", text, what);
}

#define THREAD(index, metric, label, pair, std, cycles, min, max, avg) \
	"      \"" #index "\": {\n" \
	"        \"metric\": \"" metric "\",\n" \
	"        \"label\": \"" label "\",\n" \
	"        \"pair\": " #pair ",\n" \
	"        \"percentiles\": {\"50\": null},\n" \
	"        \"stddev\": " std ",\n" \
	"        \"target\": null,\n" \
	"        \"cycles\": " #cycles ",\n" \
	"        \"min\": " #min ",\n" \
	"        \"max\": " #max ",\n" \
	"        \"avg\": " avg ",\n" \
	"        \"cpu\": -1,\n" \
	"        \"node\": 0\n" \
	"      }"
#define SEND(index, pair) \
	THREAD(index, "send", "Send Time", pair, "1.061", 2, 10, 12, "11.25")

/* "k * metrics + position", as the status lines. */
static void test_threads(void **state)
{
	(void)state;
	new_three("-t3 -d0 --percentiles=50 --metrics=send,total");
	assert_string_equal(json_of(json_threads),
		"    \"thread\": {\n"
		SEND(0, 0) ",\n"
		THREAD(1, "total", "Total Jitter", 0, "6.364", 2, 30, 39, "34.50") ",\n"
		SEND(2, 1) ",\n"
		THREAD(3, "total", "Total Jitter", 1, "19.799", 2, 31, 59, "45.00") ",\n"
		THREAD(4, "send", "Send Time", 2, "0.000", 1, 12, 12, "12.00") ",\n"
		THREAD(5, "total", "Total Jitter", 2, "0.000", 1, 35, 35, "35.00") "\n"
		"    }\n");
}

/* What all pairs have together: every cycle counts the same. */
static const char all_total[] =
	"    \"all\": {\n"
	"      \"total\": {\n"
	"        \"percentiles\": {\"50\": null},\n"
	"        \"stddev\": 11.841,\n"
	"        \"target\": null,\n"
	"        \"cycles\": 5,\n"
	"        \"min\": 30,\n"
	"        \"max\": 59,\n"
	"        \"avg\": 38.80\n"
	"      }\n"
	"    }\n";

static void test_all(void **state)
{
	const char *text;

	(void)state;
	new_three("-t3 -d0 --percentiles=50 --metrics=total");
	text = strstr(json_of(tw_part_all.json), "    \"all\": {\n");
	assert_non_null(text);
	assert_string_equal(text, all_total);
}

/* No deviation about a target that is not the same for all. */
static void test_targets(void **state)
{
	(void)state;
	new_three("-t3 -d0 --percentiles=50 --metrics=interval,sleep");
	contains(json_of(tw_part_all.json),
		 "      \"interval\": {\n"
		 "        \"percentiles\": {\"50\": null},\n"
		 "        \"stddev\": 3.317,\n"
		 "        \"target\": 1000,\n"
		 "        \"cycles\": 5,\n"
		 "        \"min\": 998,\n"
		 "        \"max\": 1004,\n"
		 "        \"avg\": 1000.40\n"
		 "      },\n");
	new_three("-t3 --percentiles=50 --metrics=interval,sleep");
	contains(json_of(tw_part_all.json),
		 "      \"interval\": {\n"
		 "        \"percentiles\": {\"50\": null},\n"
		 "        \"stddev\": null,\n"
		 "        \"target\": null,\n"
		 "        \"cycles\": 5,\n"
		 "        \"min\": 998,\n"
		 "        \"max\": 1004,\n"
		 "        \"avg\": 1000.40\n"
		 "      },\n"
		 "      \"sleep\": {\n"
		 "        \"percentiles\": {\"50\": null},\n"
		 "        \"stddev\": 12.450,\n"
		 "        \"target\": 100,\n");
}

/* Enough cycles in all, though not in each. */
static void test_all_percentiles(void **state)
{
	int i;

	(void)state;
	new_three("-t3 -d0 --percentiles=50 --metrics=send");
	for (i = 0; i < 5; i++) {
		measure_late(0, 1, 0);
		measure_late(1, 1, 0);
		measure_late(2, 1, 0);
	}
	lacks(json_of(json_threads), "{\"50\": 12");
	contains(json_of(tw_part_all.json),
		 "      \"send\": {\n"
		 "        \"percentiles\": {\"50\": 12.000},\n");
}

/* Nothing measured: no value is a number. */
static void test_no_cycles(void **state)
{
	const char *text;

	(void)state;
	new_run("-t3 --percentiles=50 --metrics=send");
	text = json_of(tw_part_all.json);
	contains(text, "      \"send\": {\n"
		       "        \"percentiles\": {\"50\": null},\n"
		       "        \"stddev\": null,\n"
		       "        \"target\": null,\n"
		       "        \"cycles\": 0,\n"
		       "        \"min\": null,\n");
	contains(text, "        \"worst\": {}\n");
}

#define SIDE(name, priority) \
	"          \"" name "\": {\n" \
	"            \"stopped\": 0,\n" \
	"            \"retransmitted\": null,\n" \
	"            \"cpus\": \"\",\n" \
	"            \"policy\": \"fifo\",\n" \
	"            \"priority\": " #priority ",\n" \
	"            \"locked\": false,\n" \
	"            \"at_end\": null\n" \
	"          }"
#define WORST(pair, cycle, rest) \
	"        \"worst\": {\n" \
	"          \"receive\": {\"pair\": " #pair ", \"cycle\": " #cycle ", " \
	rest "}\n        }\n"
#define FIRST(receive, response, total) \
	"\"step\": 0, \"since_start_ns\": 0, \"time\": \"2026-01-01T05:30:00.002004+0530\", \"missed\": 0, \"throttled\": false, \"client_cpu\": 3, \"server_cpu\": 2, \"interval_ns\": 1004000, \"wakeup_ns\": 4000, \"send_ns\": 10500, \"sleep_ns\": 116000, \"receive_ns\": " #receive ", \"response_ns\": " #response ", \"total_ns\": " #total

/* The part of the JSON that begins with @from, up to the end of @what. */
static void has_in_order(const char *text, const char *const what[])
{
	for (; *what; what++) {
		contains(text, *what);
		text = strstr(text, *what) + strlen(*what);
	}
}

static void test_pairs(void **state)
{
	static const char *const want[] = {
		"    \"pairs\": [\n      {\n"
		"        \"pair\": 0,\n        \"interval_us\": 1000,\n"
		"        \"processes\": {\n"
		SIDE("server", 79) ",\n" SIDE("client", 80) "\n        },\n"
		"        \"cycles\": 2,\n        \"missed\": 2,\n",
		"      },\n      {\n"
		"        \"pair\": 1,\n        \"interval_us\": 1500,\n"
		"        \"processes\": {\n"
		SIDE("server", 77) ",\n" SIDE("client", 78) "\n        },\n"
		"        \"cycles\": 2,\n        \"missed\": 2,\n",
		WORST(1, 0, FIRST(28500, 155000, 551000)),
		"        \"pair\": 2,\n        \"interval_us\": 2000,\n",
		"        \"cycles\": 1,\n",
		"    ],\n    \"all\": {\n      \"receive\": {\n",
		NULL
	};
	struct tw_side *side;
	unsigned int k;
	int role;

	(void)state;
	new_three("-t3 -p80 --priospread --percentiles=50 --metrics=receive");
	for (k = 0; k < 3; k++)
		for (role = TW_SERVER; role <= TW_CLIENT; role++) {
			side = &run_pair(k)->side[role];
			side->settings.policy = SCHED_FIFO;
			side->settings.priority =
				tw_config_priority(&config, role, k);
		}
	has_in_order(json_of(tw_part_all.json), want);
}

/* One pair is in both as well. */
static void test_one_pair(void **state)
{
	static const char *const want[] = {
		"    \"pairs\": [\n", "        \"pair\": 0,\n", "    \"all\": {\n",
		"      \"send\": {\n", "        \"cycles\": 2,\n", NULL
	};

	(void)state;
	new_finished_run("--metrics=send");
	has_in_order(json_of(tw_part_all.json), want);
	lacks(json_of(tw_part_all.json), "\"pair\": 1");
}

/* Sums over all pairs; the processes are those of the first. */
static void test_session(void **state)
{
	(void)state;
	new_three("-t3");
	run_pair(0)->tally->throttled = 1;
	run_pair(2)->tally->throttled = 4;
	contains(json_of(tw_part_session_json.json),
		 "    \"warmup\": {\"cycles\": 6, \"missed\": 6},\n"
		 "    \"cycles\": 5,\n"
		 "    \"missed\": 6,\n"
		 "    \"throttled\": 5,\n");
}

static void test_settings(void **state)
{
	static const struct { const char *line, *want; } rows[] = {
		{ "", "    \"pairs\": 1,\n"
		      "    \"intervals_us\": [1000],\n"
		      "    \"aligned_us\": null,\n"
		      "    \"priorities\": \"equal\"\n" },
		{ "-t3 -p80 --priospread -A",
		  "    \"pairs\": 3,\n"
		  "    \"intervals_us\": [1000, 1500, 2000],\n"
		  "    \"aligned_us\": 0,\n"
		  "    \"priorities\": \"spread\"\n" },
		{ "-t3 -i500,700 -A25",
		  "    \"pairs\": 3,\n"
		  "    \"intervals_us\": [500, 700, 700],\n"
		  "    \"aligned_us\": 25,\n"
		  "    \"priorities\": \"equal\"\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		new_run(rows[i].line);
		assert_string_equal(json_of(tw_part_pairs.json_settings),
				    rows[i].want);
	}
}

static void test_limits(void **state)
{
	(void)state;
	new_three("-t3 -d0 --limit=total:58 --limit=total@0,2:39 --limit=missed@2:2");
	assert_string_equal(json_of(tw_part_limit.json),
		"    \"limits\": [\n"
		"      {\"limit\": \"total:58\", \"metric\": \"total\", \"percentile\": null, \"most_ns\": 58000, \"value_ns\": 59000, \"pair\": 1, \"verdict\": \"exceeded\"},\n"
		"      {\"limit\": \"total@0,2:39\", \"metric\": \"total\", \"percentile\": null, \"most_ns\": 39000, \"value_ns\": 39000, \"pair\": 0, \"verdict\": \"met\"},\n"
		"      {\"limit\": \"missed@2:2\", \"metric\": \"missed\", \"percentile\": null, \"most\": 2, \"value\": 2, \"pair\": 2, \"verdict\": \"met\"}\n"
		"    ]\n");
}

/* The worst of all pairs, and the spikes of each. */
static void test_kept(void **state)
{
	static const char *const want[] = {
		"    \"worst\": {\n      \"receive\": {\"pair\": 1, \"cycle\": 0, "
		FIRST(28500, 155000, 59000) ", \"parts\": [",
		"      \"seen\": 2,\n",
		"        {\"pair\": 1, \"cycle\": 0, "
		FIRST(28500, 155000, 59000) "},\n",
		"        {\"pair\": 2, \"cycle\": 0, ", NULL
	};

	(void)state;
	new_three("-t3 -d0 --spike=receive:11 --metrics=receive");
	has_in_order(json_of(tw_part_kept.json), want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_all_percentiles),
		cmocka_unit_test(test_no_cycles),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_one_pair),
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_kept),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
