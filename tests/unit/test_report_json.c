// SPDX-License-Identifier: GPL-2.0-or-later
/* The members of the JSON result, to the letter. */
#include <errno.h>
#include <sched.h>

#include "json.h"
#include "report.h"

static void write_json(FILE *file, const struct tw_report *to_report)
{
	struct tw_report copy = *to_report;

	tw_report_json(file, &copy);
}

/* What the kernel would have told and counted. */
static void fill_in_processes(void)
{
	struct tw_side *server = &pair.side[TW_SERVER];
	struct tw_side *client = &pair.side[TW_CLIENT];

	session.main_settings.policy = SCHED_FIFO;
	session.main_settings.priority = 78;
	CPU_SET(0, &session.main_settings.cpus);
	CPU_SET(1, &session.main_settings.cpus);
	server->settings.policy = SCHED_FIFO;
	server->settings.priority = 79;
	server->settings.locked = true;
	CPU_SET(2, &server->settings.cpus);
	server->steady = (struct tw_usage) { 100, 1, 10, 2 };
	server->end = (struct tw_usage) { 105, 1, 30, 3 };
	server->child.stops = 3;
	client->settings.policy = SCHED_RR;
	client->settings.priority = 80;
	CPU_SET(3, &client->settings.cpus);
	CPU_SET(5, &client->settings.cpus);
	client->steady = (struct tw_usage) { 200, 0, 0, 0 };
	client->end = (struct tw_usage) { 200, 0, 7, 0 };
	pair.cost = (struct tw_cost) {
		.clock = { 19, 21.26, 105 }, .resolution_ns = 1,
		.sleep = { 1055, 1210.5, 9000 }, .cycle = { 230, 245, 800 },
	};
}

static const char threads[] =
	"  \"num_threads\": 2,\n"
	"  \"resolution_in_ns\": 0,\n"
	"  \"thread\": {\n"
	"    \"0\": {\n"
	"      \"metric\": \"total\",\n"
	"      \"label\": \"Total Jitter\",\n"
	"      \"pair\": 0,\n"
	"      \"histogram\": {\n"
	"        \"30\": 1,\n"
	"        \"39\": 1\n"
	"      },\n"
	"      \"overflows\": 0,\n"
	"      \"percentiles\": {\"50\": null, \"99.9\": null},\n"
	"      \"stddev\": 6.364,\n"
	"      \"target\": null,\n"
	"      \"cycles\": 2,\n"
	"      \"min\": 30,\n"
	"      \"max\": 39,\n"
	"      \"avg\": 34.50,\n"
	"      \"cpu\": -1,\n"
	"      \"node\": 0\n"
	"    },\n"
	"    \"1\": {\n"
	"      \"metric\": \"interval\",\n"
	"      \"label\": \"POSIX Timer Interval Time\",\n"
	"      \"pair\": 0,\n"
	"      \"histogram\": {\n"
	"        \"998\": 1,\n"
	"        \"1004\": 1\n"
	"      },\n"
	"      \"overflows\": 0,\n"
	"      \"percentiles\": {\"50\": null, \"99.9\": null},\n"
	"      \"stddev\": 4.472,\n"
	"      \"target\": 1000,\n"
	"      \"cycles\": 2,\n"
	"      \"min\": 998,\n"
	"      \"max\": 1004,\n"
	"      \"avg\": 1001.00,\n"
	"      \"cpu\": -1,\n"
	"      \"node\": 0\n"
	"    }\n"
	"  },\n";

static const char settings[] =
	"    \"argv\": [\"twowaytest\", \"a \\\"b\\\" \\ufffd\"],\n"
	"    \"settings\": {\n"
	"      \"interval_us\": 1000,\n"
	"      \"loops\": 2,\n"
	"      \"duration_s\": 60,\n"
	"      \"sleep_us\": 100,\n"
	"      \"size\": 8,\n"
	"      \"timer\": \"timerfd\",\n"
	"      \"transport\": \"tcp\",\n"
	"      \"port\": 4321,\n"
	"      \"wait\": \"epoll\",\n"
	"      \"clock\": \"realtime\",\n"
	"      \"policy\": \"rr\",\n"
	"      \"priority\": 80,\n"
	"      \"affinity\": \"plan\",\n"
	"      \"mlockall\": true,\n"
	"      \"latency_us\": null,\n"
	"      \"total\": \"documented\",\n"
	"      \"histogram_us\": 60,\n"
	"      \"steps\": 1,\n"
	"      \"break_us\": null,\n"
	"      \"break_on\": \"response\",\n"
	"      \"tracemark\": false,\n"
	"      \"trace\": null,\n"
	"      \"metrics\": [\"total\", \"interval\"]\n"
	"    },\n";

static const char processes[] =
	"    \"processes\": {\n"
	"      \"main\": {\n"
	"        \"cpus\": \"0-1\",\n"
	"        \"policy\": \"fifo\",\n"
	"        \"priority\": 78,\n"
	"        \"locked\": false,\n"
	"        \"at_end\": null\n"
	"      },\n"
	"      \"server\": {\n"
	"        \"minor_faults\": 5,\n"
	"        \"major_faults\": 0,\n"
	"        \"voluntary_switches\": 20,\n"
	"        \"involuntary_switches\": 1,\n"
	"        \"stopped\": 3,\n"
	"        \"cpus\": \"2\",\n"
	"        \"policy\": \"fifo\",\n"
	"        \"priority\": 79,\n"
	"        \"locked\": true,\n"
	"        \"at_end\": null\n"
	"      },\n"
	"      \"client\": {\n"
	"        \"minor_faults\": 0,\n"
	"        \"major_faults\": 0,\n"
	"        \"voluntary_switches\": 7,\n"
	"        \"involuntary_switches\": 0,\n"
	"        \"stopped\": 0,\n"
	"        \"cpus\": \"3,5\",\n"
	"        \"policy\": \"rr\",\n"
	"        \"priority\": 80,\n"
	"        \"locked\": false,\n"
	"        \"at_end\": null\n"
	"      }\n"
	"    },\n";

static const char cost[] =
	"    \"cost\": {\n"
	"      \"clock_read_ns\": {\"min\": 19, \"avg\": 21.3, \"max\": 105},\n"
	"      \"shortest_sleep_ns\": {\"min\": 1055, \"avg\": 1210.5, \"max\": 9000},\n"
	"      \"empty_cycle_ns\": {\"min\": 230, \"avg\": 245.0, \"max\": 800},\n"
	"      \"clock_resolution_ns\": 1\n"
	"    },\n"
	"    \"clock_drift\": null,\n";

static const char counts[] =
	"    \"warmup\": {\"cycles\": 2, \"missed\": 2},\n"
	"    \"cycles\": 2,\n"
	"    \"missed\": 2,\n"
	"    \"throttled\": 0,\n";

#define KEPT \
	"\"cycle\": 0, \"step\": 0, \"since_start_ns\": 0, \"time\": \"2026-01-01T05:30:00.002004+0530\", \"missed\": 0, \"throttled\": false, \"client_cpu\": 3, \"server_cpu\": 2, \"interval_ns\": 1004000, \"wakeup_ns\": 4000, \"send_ns\": 10500, \"sleep_ns\": 116000, \"receive_ns\": 8500, \"response_ns\": 135000, \"total_ns\": 39000"

static const char rest[] =
	"    \"strangers\": 0,\n"
	"    \"not_dumped\": 0,\n"
	"    \"worst\": {\n"
	"      \"total\": {" KEPT ", \"parts\": [{\"phase\": \"send\", \"ns\": 10500, \"mean_ns\": 11250.0, \"share\": -0.1667}, {\"phase\": \"sleep\", \"ns\": 16000, \"mean_ns\": 11000.0, \"share\": 1.1111}, {\"phase\": \"receive\", \"ns\": 8500, \"mean_ns\": 9250.0, \"share\": -0.1667}, {\"phase\": \"interval\", \"ns\": 4000, \"mean_ns\": 3000.0, \"share\": 0.2222}]},\n"
	"      \"interval\": {" KEPT ", \"parts\": [{\"phase\": \"interval\", \"ns\": 1004000, \"mean_ns\": 1001000.0, \"share\": 1.0000}]}\n"
	"    },\n"
	"    \"spikes\": null,\n"
	"    \"break\": null,\n"
	"    \"limits\": [],\n"
	"    \"interrupted\": false,\n"
	"    \"error\": null\n"
	"  }\n";

/* @text begins with @want; returns what follows. */
static const char *take(const char *text, const char *want)
{
	char *begin = strndup(text, strlen(want));

	assert_non_null(begin);
	assert_string_equal(begin, want);
	free(begin);
	return text + strlen(want);
}

/* @text begins with @first; what comes from @next on. */
static const char *beyond(const char *text, const char *first,
			  const char *next)
{
	text = strstr(take(text, first), next);
	assert_non_null(text);
	return text;
}

static void test_whole(void **state)
{
	char version[60];
	const char *text;

	(void)state;
	new_finished_run("-h60 -p80 --policy=rr -a -m -l2 -D1m --timer=timerfd --wait=epoll -c1 --metrics=total,interval --percentiles=50,99.9");
	fill_in_processes();
	argv_of_run[1] = (char *)"a \"b\" \xff";
	text = written(write_json);
	assert_members(text, "");
	text = take(text, threads);
	snprintf(version, sizeof(version), "  \"twoway\": {\n"
		 "    \"schema\": 1,\n    \"version\": \"%1.2f\",\n",
		 (double)VERSION);
	text = take(text, version);
	text = take(text, settings);
	text = take(text, processes);
	text = take(text, cost);
	text = beyond(text, "    \"throttling\": {\n", "    \"warmup\": ");
	text = take(text, counts);
	text = beyond(text, "    \"steps\": [\n", "    \"strangers\": ");
	text = take(text, rest);
	assert_string_equal(text, "");
}

static void contains(const char *text, const char *want)
{
	if (!text || !strstr(text, want))
		fail_msg("%s\nlacks\n%s", text ? text : "nothing", want);
}

/* -N changes the unit of the results, of nothing else. */
static void test_in_ns(void **state)
{
	const char *text;

	(void)state;
	new_finished_run("-N -h60 --metrics=interval");
	text = written(write_json);
	assert_members(text, "");
	contains(text, "\"resolution_in_ns\": 1,\n");
	contains(text, "        \"998\": 1,\n        \"1004\": 1\n");
	contains(text, "\"stddev\": 4472.136,\n      \"target\": 1000000,\n");
	contains(text, "\"min\": 998000,\n      \"max\": 1004000,\n");
	contains(text, "\"avg\": 1001000.00,\n");
	contains(text, "\"interval_us\": 1000,\n");
}

static void test_default_percentiles(void **state)
{
	int i;

	(void)state;
	new_run("--metrics=interval");
	for (i = 0; i < 1000; i++)
		tw_tally_add(pair.tally, &run_cycles[0]);
	contains(written(write_json),
		 "      \"percentiles\": {\"50\": 1004.000, \"90\": 1004.000, \"99\": 1004.000, \"99.9\": null, \"99.99\": null, \"99.999\": null},\n");
	new_run("-N --metrics=interval --percentiles=25");
	for (i = 0; i < 1000; i++)
		tw_tally_add(pair.tally, &run_cycles[0]);
	contains(written(write_json),
		 "      \"percentiles\": {\"25\": 1004000},\n");
}

/* Keys of one object must differ, as the percentiles do. */
static void test_percentile_keys(void **state)
{
	(void)state;
	new_run("--metrics=interval --percentiles=99.99999,99.999999");
	contains(written(write_json),
		 "{\"99.99999\": null, \"99.999999\": null}");
}

static void test_nothing_measured(void **state)
{
	const char *text;

	(void)state;
	new_run("-i0 --metrics=interval,total");
	text = written(write_json);
	assert_members(text, "");
	contains(text, "\"stddev\": null,\n      \"target\": null,\n      \"cycles\": 0,\n      \"min\": null,\n      \"max\": null,\n      \"avg\": null,\n");
	contains(text, "    \"worst\": {\n    },\n");
	contains(text, "\"timer\": \"none\",\n");
	/* Killed before it could count anything. */
	assert_null(strstr(text, "minor_faults"));
	/* No histogram asked for: none there, not an empty one. */
	assert_null(strstr(text, "\"histogram\":"));
	assert_null(strstr(text, "\"overflows\":"));
}

static void test_empty_histogram(void **state)
{
	(void)state;
	new_finished_run("-h5 --metrics=send");
	contains(written(write_json),
		 "      \"histogram\": {\n      },\n      \"overflows\": 2,\n");
}

static void test_disturbed(void **state)
{
	static struct tw_ring ring;
	const char *text;

	(void)state;
	new_finished_run("--latency=7 --total=trltp3 --metrics=total");
	session.latency_fd = 0;
	session.strangers = 11;
	session.interrupted = 15;
	session.failure.step = TW_STEP_RUN;
	session.failure.role = TW_CLIENT;
	session.failure.pid = 1234;
	session.failure.err = -ECONNRESET;
	ring.lost = 3;
	pair.ring = &ring;
	text = written(write_json);
	assert_members(text, "");
	contains(text, "      \"latency_us\": 7,\n");
	contains(text, "      \"total\": \"trltp3\",\n");
	contains(text, "    \"strangers\": 11,\n    \"not_dumped\": 3,\n");
	contains(text, "    \"interrupted\": true,\n");
	contains(text, "    \"error\": \"the client (pid 1234) stopped: Connection reset by peer\"\n");
}

static void test_one_cpu(void **state)
{
	(void)state;
	new_finished_run("--metrics=send");
	CPU_SET(0, &pair.side[TW_CLIENT].settings.cpus);
	contains(written(write_json), "      \"cpu\": 0,\n");
	/* It is still there at the end. */
	pair.side[TW_CLIENT].left = pair.side[TW_CLIENT].settings;
	contains(written(write_json), "      \"cpu\": 0,\n");
}

/* What was changed from the outside, or by the kernel, is told. */
static void test_changed(void **state)
{
	struct tw_side *client = &pair.side[TW_CLIENT];
	const char *text;

	(void)state;
	new_finished_run("--metrics=send");
	fill_in_processes();
	CPU_ZERO(&client->settings.cpus);
	CPU_SET(3, &client->settings.cpus);
	client->left = client->settings;
	CPU_SET(7, &client->left.cpus);
	session.main_left = session.main_settings;
	session.main_left.policy = SCHED_OTHER;
	session.main_left.priority = 0;
	text = written(write_json);
	contains(text, "        \"at_end\": {\"cpus\": \"3,7\", \"policy\": \"rr\", \"priority\": 80}\n");
	contains(text, "        \"at_end\": {\"cpus\": \"0-1\", \"policy\": \"other\", \"priority\": 0}\n");
	contains(text, "        \"at_end\": null\n");
	contains(text, "      \"cpu\": -1,\n");
	assert_string_equal(written(tw_report_remarks),
		"# Missed: 2\n"
		"# Stopped by a signal, and continued: client 0, server 3 times; that time is in the results\n"
		"# Changed while it ran: parent process, from CPU 0-1, policy fifo, priority 78 to CPU 0-1, policy other, priority 0\n"
		"# Changed while it ran: client, from CPU 3, policy rr, priority 80 to CPU 3,7, policy rr, priority 80\n");
	memset(&session.main_left, 0, sizeof(session.main_left));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_in_ns),
		cmocka_unit_test(test_default_percentiles),
		cmocka_unit_test(test_percentile_keys),
		cmocka_unit_test(test_nothing_measured),
		cmocka_unit_test(test_empty_histogram),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_changed),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
