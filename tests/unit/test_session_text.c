// SPDX-License-Identifier: GPL-2.0-or-later
/* What the session adds to the text and to the JSON, to the letter. */
#include <sched.h>

#include "report.h"

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
	server->retransmitted = 2;
	client->retransmitted = -1;
	client->settings.policy = SCHED_RR;
	client->settings.priority = 80;
	CPU_SET(3, &client->settings.cpus);
	CPU_SET(5, &client->settings.cpus);
	client->steady = (struct tw_usage) { 200, 0, 0, 0 };
	client->end = (struct tw_usage) { 200, 0, 7, 0 };
}

static const char members[] =
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
	"        \"retransmitted\": 2,\n"
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
	"        \"retransmitted\": null,\n"
	"        \"cpus\": \"3,5\",\n"
	"        \"policy\": \"rr\",\n"
	"        \"priority\": 80,\n"
	"        \"locked\": false,\n"
	"        \"at_end\": null\n"
	"      }\n"
	"    },\n"
	"    \"warmup\": {\"cycles\": 2, \"missed\": 2},\n"
	"    \"cycles\": 2,\n"
	"    \"missed\": 2,\n"
	"    \"throttled\": 0,\n"
	"    \"strangers\": 11,\n"
	"    \"clock_drift\": null\n";


static void test_json(void **state)
{
	(void)state;
	new_finished_run("-p80 --policy=rr");
	fill_in_processes();
	session.strangers = 11;
	assert_string_equal(written_json(tw_part_session_json.json), members);
}

static const char settings[] =
	"    \"interval_us\": 1000,\n"
	"    \"loops\": 2,\n"
	"    \"duration_s\": 60,\n"
	"    \"sleep_us\": 100,\n"
	"    \"size\": 8,\n"
	"    \"timer\": \"timerfd\",\n"
	"    \"transport\": \"tcp\",\n"
	"    \"port\": 4321,\n"
	"    \"wait\": \"epoll\",\n"
	"    \"clock\": \"realtime\",\n"
	"    \"clocks\": \"one\",\n"
	"    \"policy\": \"rr\",\n"
	"    \"priority\": 80,\n"
	"    \"affinity\": \"plan\",\n"
	"    \"mlockall\": true,\n"
	"    \"total\": \"documented\",\n"
	"    \"metrics\": [\"total\", \"interval\"]\n";

static void test_settings(void **state)
{
	(void)state;
	new_run("-h60 -p80 --policy=rr -a -m -l2 -D1m --timer=timerfd --wait=epoll -c1 --metrics=total,interval");
	assert_string_equal(written_json(tw_part_session_json.json_settings),
			    settings);
	new_run("-i0");
	contains(written_json(tw_part_session_json.json_settings),
		 "    \"timer\": \"none\",\n");
	new_run("--total=trltp3");
	contains(written_json(tw_part_session_json.json_settings),
		 "    \"total\": \"trltp3\",\n");
}

/* Killed before it could count anything. */
static void test_killed(void **state)
{
	(void)state;
	new_run("");
	assert_null(strstr(written_json(tw_part_session_json.json),
			   "minor_faults"));
}

#define STOPPED \
	"# Stopped by a signal, and continued: client 1, server 0 times; that time is in the results\n"

static void test_remarks(void **state)
{
	(void)state;
	new_run("");
	assert_string_equal(written(tw_part_session.remarks), "");
	new_finished_run("");
	assert_string_equal(written(tw_part_session.remarks), "# Missed: 2\n");
	pair.side[TW_SERVER].retransmitted = 7;
	assert_string_equal(written(tw_part_session.remarks),
			    "# Missed: 2\n"
			    "# Retransmitted: client 0, server 7 segments\n");
	pair.side[TW_SERVER].retransmitted = 0;
	pair.side[TW_CLIENT].retransmitted = 1;
	assert_string_equal(written(tw_part_session.remarks),
			    "# Missed: 2\n"
			    "# Retransmitted: client 1, server 0 segments\n");
	pair.side[TW_CLIENT].retransmitted = -1;
	session.strangers = 3;
	pair.side[TW_CLIENT].child.stops = 1;
	assert_string_equal(written(tw_part_session.remarks),
			    "# Missed: 2\n" STOPPED
			    "# Unexpected connections refused: 3\n");
	session.has_drift = true;
	session.drift_ns = 3000;
	session.drift_over_ns = 1500000000;
	assert_string_equal(written(tw_part_session.remarks),
			    "# Missed: 2\n" STOPPED
			    "# Clock monotonic: +2.000 ppm against the kernel's, +3.000 us in 1.5 s\n"
			    "# Unexpected connections refused: 3\n");
	contains(written_json(tw_part_session_json.json),
		 "    \"clock_drift\": {\"ppm\": 2.0000, \"ns\": 3000, \"over_ns\": 1500000000}\n");
	/* The histogram has a line of its own for the first. */
	new_finished_run("-h5");
	assert_string_equal(written(tw_part_session.remarks), "");
}

/* The CPU that the client was pinned to all the time. */
static void test_one_cpu(void **state)
{
	struct tw_side *client = &pair.side[TW_CLIENT];

	(void)state;
	new_finished_run("--metrics=send");
	CPU_SET(0, &client->settings.cpus);
	assert_int_equal(tw_session_columns(&session.run).column->cpu, 0);
	/* It is still there at the end. */
	client->left = client->settings;
	assert_int_equal(tw_session_columns(&session.run).column->cpu, 0);
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
	text = written_json(tw_part_session_json.json);
	contains(text, "        \"at_end\": {\"cpus\": \"3,7\", \"policy\": \"rr\", \"priority\": 80}\n");
	contains(text, "        \"at_end\": {\"cpus\": \"0-1\", \"policy\": \"other\", \"priority\": 0}\n");
	contains(text, "        \"at_end\": null\n");
	assert_int_equal(session.run.program->columns(&session.run).column->cpu,
			 -1);
	assert_string_equal(written(tw_part_session.remarks),
		"# Missed: 2\n"
		"# Stopped by a signal, and continued: client 0, server 3 times; that time is in the results\n"
		"# Retransmitted: client 0, server 2 segments\n"
			    "# Changed while it ran: parent process, from CPU 0-1, policy fifo, priority 78 to CPU 0-1, policy other, priority 0\n"
		"# Changed while it ran: client, from CPU 3, policy rr, priority 80 to CPU 3,7, policy rr, priority 80\n");
	memset(&session.main_left, 0, sizeof(session.main_left));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_remarks),
		cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_changed),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
