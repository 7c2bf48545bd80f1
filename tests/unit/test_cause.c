// SPDX-License-Identifier: GPL-2.0-or-later
/* Two hosts that have traced themselves: whose doing it was, and the report. */
#include "base/tw_json.h"
#include "json.h"
#include "trace.h"
#include "cause/tw_cause.h"
#include "measure/tw_oneway.h"

static struct tw_cause_view near, far;
static struct tw_cause cause;

static void set_view(struct tw_cause_view *view, const char *host,
		     enum tw_role side)
{
	memset(view, 0, sizeof(*view));
	view->traced = true;
	strcpy(view->host, host);
	strcpy(view->analysis.host, host);
	view->own_ns = 30000;
	view->analysis.side = side;
	view->analysis.running_ns = -1;
	view->analysis.phase = TW_NETWORK;
	view->analysis.names = tw_analysis_names(TW_NETWORK, side);
	view->analysis.part = "a part";
	view->analysis.value_ns = 40000;
	view->analysis.whole_ns = 364000;
	view->analysis.mean_ns = 100000;
	strcpy(view->analysis.sentence, side == TW_CLIENT ?
	       "network +264 us: client ran" : "network +264 us: server ran");
}

static int set_up(void **state)
{
	(void)state;
	set_view(&near, "near", TW_CLIENT);
	set_view(&far, "far", TW_SERVER);
	cause = (struct tw_cause) {
		.phase = TW_NETWORK, .excess_ns = 264000, .has_mean = true,
		.client = &near, .server = &far,
	};
	return 0;
}

static void test_decide(void **state)
{
	static const struct {
		enum tw_metric_id phase;
		double excess_ns;
		int64_t client_ns, server_ns;
		enum tw_cause_where where;
	} rows[] = {
		{ TW_WAKEUP, 500, -1, -1, TW_WHERE_CLIENT },
		{ TW_WAKEUP, 500, 0, 900, TW_WHERE_CLIENT },
		{ TW_SLEEP, 500, 900, -1, TW_WHERE_SERVER },
		{ TW_NETWORK, 500, 20, 400, TW_WHERE_SERVER },
		{ TW_NETWORK, 500, 400, 20, TW_WHERE_CLIENT },
		{ TW_NETWORK, 500, 300, 301, TW_WHERE_SERVER },
		{ TW_NETWORK, 500, 301, 300, TW_WHERE_CLIENT },
		{ TW_NETWORK, 500, 20, 250, TW_WHERE_SERVER },
		{ TW_NETWORK, 500, 20, 249, TW_WHERE_BETWEEN },
		{ TW_NETWORK, 500, 249, 20, TW_WHERE_BETWEEN },
		{ TW_NETWORK, 500, 249, 249, TW_WHERE_BETWEEN },
		{ TW_NETWORK, 500, 0, 0, TW_WHERE_BETWEEN },
		{ TW_NETWORK, -1, 0, 0, TW_WHERE_BETWEEN },
		/* Who has not traced may have had it. */
		{ TW_NETWORK, 500, 20, -1, TW_WHERE_UNKNOWN },
		{ TW_NETWORK, 500, -1, 20, TW_WHERE_UNKNOWN },
		{ TW_NETWORK, 500, -1, -1, TW_WHERE_UNKNOWN },
		{ TW_NETWORK, 500, 400, -1, TW_WHERE_CLIENT },
		{ TW_NETWORK, 500, -1, 400, TW_WHERE_SERVER },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tw_cause_decide(rows[i].phase,
						 rows[i].excess_ns,
						 rows[i].client_ns,
						 rows[i].server_ns),
				 rows[i].where);
}

static void check_text(const char *expected)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	tw_cause_print(file, &cause);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, expected);
	free(text);
}

#define LINE(host, side) \
	"# Time line of network on host " host ", a part: 40.0 us, " \
	"the whole on average 100.0\n" \
	"#      at us     for us  CPU  " side "             who had the CPU\n"
#define NEAR_LINE	LINE("near", "client")
#define FAR_LINE	LINE("far", "server")

static void test_print(void **state)
{
	(void)state;
	cause.where = TW_WHERE_CLIENT;
	check_text("# Cause: client host near: network +264 us: client ran\n"
		   NEAR_LINE FAR_LINE);
	cause.where = TW_WHERE_SERVER;
	check_text("# Cause: server host far: network +264 us: server ran\n"
		   FAR_LINE NEAR_LINE);
	cause.where = TW_WHERE_BETWEEN;
	check_text("# Cause: between the hosts: network +264 us: client host near had the message for 30.0 us, server host far had the message for 30.0 us\n"
		   NEAR_LINE FAR_LINE);
}

static void test_print_lacks(void **state)
{
	(void)state;
	strcpy(far.lacks, "the server's host does not trace: why");
	far.own_ns = -1;
	cause.where = TW_WHERE_UNKNOWN;
	check_text("# Cause: unknown where: network +264 us: client host near had the message for 30.0 us, server host far does not know, as the server's host does not trace: why\n"
		   NEAR_LINE);
	cause.phase = TW_SLEEP;
	cause.where = TW_WHERE_SERVER;
	check_text("# Cause: server host far: sleep +264 us: unknown, as the server's host does not trace: why\n");
	cause.phase = TW_WAKEUP;
	cause.where = TW_WHERE_CLIENT;
	near.traced = false;
	check_text("# Cause: client host near: wakeup +264 us: unknown, as the trace could not be read\n");
	near.traced = true;
	near.analysis.lacks = "it is empty";
	check_text("# Cause: client host near: wakeup +264 us: unknown, as it is empty\n");
}

/* What is said of the trace is not of all of it. */
static void test_print_cut(void **state)
{
	(void)state;
	cause.where = TW_WHERE_SERVER;
	far.cut = 1;
	check_text("# Cause: server host far: network +264 us: server ran\n"
		   FAR_LINE NEAR_LINE
		   "# Left out: the first 1 KiB of the trace of server host far, which was too long\n");
	far.cut = 5 * 1024 + 1;
	strcpy(far.lacks, "it has no such event");
	check_text("# Cause: server host far: network +264 us: unknown, as it has no such event\n"
		   NEAR_LINE
		   "# Left out: the first 6 KiB of the trace of server host far, which was too long\n");
}

/* Of a sleep or a wake-up, only one host has a view. */
static void test_print_one(void **state)
{
	(void)state;
	cause.phase = TW_SLEEP;
	cause.where = TW_WHERE_SERVER;
	far.analysis.phase = TW_SLEEP;
	far.analysis.names = tw_analysis_names(TW_SLEEP, TW_SERVER);
	far.analysis.part = NULL;
	check_text("# Cause: server host far: network +264 us: server ran\n"
		   "# Time line of sleep on host far: 40.0 us, on average 100.0\n"
		   "#      at us     for us  CPU  server             who had the CPU\n");
}

/* @host, @other: whose analyses there are; NULL: none. */
static void check_json(const char *where, const char *host,
		       const char *other)
{
	char *text, expected[128], *rest;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct tw_json json;

	assert_non_null(file);
	tw_json_open(&json, file, 2);
	tw_cause_json(&json, &cause);
	tw_json_close(&json);
	assert_int_equal(fclose(file), 0);
	assert_members(text);
	snprintf(expected, sizeof(expected), "\"where\": %s,", where);
	assert_non_null(strstr(text, expected));
	snprintf(expected, sizeof(expected), far.traced ?
		 "\"server_cut_bytes\": %zu," :
		 "\"server_cut_bytes\": null,", far.cut);
	assert_non_null(strstr(text, expected));
	rest = strstr(text, "\"other_analysis\":");
	assert_non_null(rest);
	snprintf(expected, sizeof(expected), "\"host\": \"%s\"", other);
	assert_non_null(strstr(rest, other ? expected :
			       "analysis\": null"));
	*rest = '\0';
	snprintf(expected, sizeof(expected), "\"host\": \"%s\"", host);
	assert_non_null(strstr(text, host ? expected :
			       "\"analysis\": null"));
	free(text);
}

static void set_line(struct tw_analysis *analysis, int count, int64_t from_ns)
{
	int i;

	analysis->count = count;
	for (i = 0; i < count; i++) {
		analysis->spans[i] = (struct tw_span) {
			.at_ns = from_ns + i * 10000, .for_ns = 10000,
			.blame = TW_RUNS, .cpu = i, .pid = 1, .prio = 9,
		};
		sprintf(analysis->spans[i].who, "task-%d", i);
	}
}

#define ROW(at, cpu, side, task) \
	"# " at "       10.0    " cpu "  " side "  runs               " \
	"task-" task ", priority 90\n"

/* In the order of time, if that is known of both. */
static void test_print_both(void **state)
{
	(void)state;
	set_line(&near.analysis, 3, 0);
	set_line(&far.analysis, 2, 0);
	cause.where = TW_WHERE_SERVER;
	cause.placed = true;
	cause.server_at_ns = 5500;
	cause.within_ns = 24100;
	check_text("# Cause: server host far: network +264 us: server ran\n"
		   "# Time line of both hosts from t0 on, in which the server's times are right to +-24.1 us\n"
		   "#      at us     for us  CPU  side    state              who had the CPU\n"
		   ROW("       0.0", "0", "client", "0")
		   ROW("       5.5", "0", "server", "0")
		   ROW("      10.0", "1", "client", "1")
		   ROW("      15.5", "1", "server", "1")
		   ROW("      20.0", "2", "client", "2"));
	strcpy(far.lacks, "x");
	cause.where = TW_WHERE_CLIENT;
	near.analysis.count = 0;
	check_text("# Cause: client host near: network +264 us: client ran\n"
		   NEAR_LINE);
}

/* The server's clock is 1 s ahead, and what it shows begins before t1. */
static void test_place(void **state)
{
	static struct tw_oneway oneway;
	const struct tw_cycle cycle = {
		.t0_ns = 1000, .t1_ns = TW_NS_PER_S + 1500,
		.t2_ns = TW_NS_PER_S + 1600, .t3_ns = 2400,
	};

	(void)state;
	memset(&oneway, 0, sizeof(oneway));
	far.after_t1_ns = -200;
	tw_cause_place(&cause, &cycle, NULL);
	assert_false(cause.placed);
	tw_oneway_init(&oneway, TW_ONEWAY_BOUND);
	tw_cause_place(&cause, &cycle, &oneway);
	assert_false(cause.placed);
	oneway.result.known = true;
	oneway.result.phase = TW_ONEWAY_COUNTS;
	oneway.result.counted = 5;
	oneway.result.first_seq = 1;
	oneway.result.uncertainty_ns = 333;
	oneway.result.has_offset = true;
	oneway.result.offset_ns = TW_NS_PER_S;
	tw_cause_place(&cause, &cycle, &oneway);
	assert_true(cause.placed);
	assert_int_equal(cause.within_ns, 333);
	assert_int_equal(cause.server_at_ns, 300);
	/* No estimate lets a request be read before it was sent. */
	oneway.result.offset_ns = TW_NS_PER_S + 900;
	tw_cause_place(&cause, &cycle, &oneway);
	assert_int_equal(cause.server_at_ns, -200);
	oneway.result.offset_ns = TW_NS_PER_S - 900;
	tw_cause_place(&cause, &cycle, &oneway);
	assert_int_equal(cause.server_at_ns, 1100);
	far.traced = false;
	tw_cause_place(&cause, &cycle, &oneway);
	assert_false(cause.placed);
}

static void test_json(void **state)
{
	(void)state;
	cause.where = TW_WHERE_CLIENT;
	check_json("\"client\"", "near", "far");
	cause.where = TW_WHERE_SERVER;
	check_json("\"server\"", "far", "near");
	cause.where = TW_WHERE_BETWEEN;
	check_json("\"between\"", NULL, "far");
	cause.where = TW_WHERE_UNKNOWN;
	check_json("null", NULL, "far");
	cause.phase = TW_SLEEP;
	cause.where = TW_WHERE_SERVER;
	far.cut = 77;
	check_json("\"server\"", "far", NULL);
	far.traced = false;
	check_json("\"server\"", NULL, NULL);
}

/* With two clocks, send and receive are one phase. */
static void test_phase(void **state)
{
	static const struct {
		enum tw_metric_id on;
		double wakeup_us, send_us, sleep_us, receive_us;
		enum tw_metric_id phase;
	} rows[] = {
		{ TW_RESPONSE, 0, 60, 50, 0, TW_NETWORK },
		{ TW_RESPONSE, 0, 20, 50, 20, TW_SLEEP },
		{ TW_RESPONSE, 0, 30, 50, 30, TW_NETWORK },
		{ TW_RESPONSE, 90, 0, 50, 0, TW_SLEEP },
		{ TW_PLANNED, 90, 0, 50, 0, TW_WAKEUP },
		{ TW_WAKEUP, 90, 400, 0, 0, TW_WAKEUP },
		{ TW_SLEEP, 0, 400, 10, 0, TW_SLEEP },
		{ TW_NETWORK, 0, 10, 400, 0, TW_NETWORK },
	};
	struct tw_metric_params params = trace_params;
	size_t i;

	(void)state;
	params.two_clocks = true;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tw_break brk = usual_break();
		struct tw_cycle *cycle = &brk.kept.cycle;

		brk.metric = rows[i].on;
		brk.means_ns[TW_NETWORK] = 40000;
		cycle->t0_ns += at_us(rows[i].wakeup_us) - BASE_NS;
		cycle->t1_ns = cycle->t0_ns + 20000 + at_us(rows[i].send_us) -
			       BASE_NS;
		cycle->t2_ns = cycle->t1_ns + 105000 +
			       at_us(rows[i].sleep_us) - BASE_NS;
		cycle->t3_ns = cycle->t2_ns + 20000 +
			       at_us(rows[i].receive_us) - BASE_NS;
		assert_int_equal(tw_analysis_phase(&brk, &params),
				 rows[i].phase);
	}
}

/* What the client sees of the network: its own time, and that of others. */
static void test_client(void **state)
{
	struct tw_metric_params params = trace_params;
	struct tw_break brk = late_break(TW_RECEIVE, 2100);

	(void)state;
	params.two_clocks = true;
	brk.metric = TW_RESPONSE;
	brk.means_ns[TW_NETWORK] = 40000;
	tw_analyse(&analysis, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   WAKING("001100", "2", IDLE, CLIENT, "3")
		   SWITCH("001200", "3", IDLE, "R", HOG)
		   SWITCH("002000", "3", HOG, "R+", CLIENT), &brk, &params,
		   trace_pids, false, TW_BYPASS_LIMIT);
	assert_identities();
	assert_string_equal(time_line(),
			    "4 runs, CPU 3: twoway-client-100\n"
			    "3 interrupted, CPU 3: softirq NET_RX\n"
			    "2 runs, CPU 3: twoway-client-100\n"
			    "81 awaits the other, CPU 3: the idle task\n"
			    "100 runnable, CPU 3: the idle task\n"
			    "800 runnable, CPU 3: hog-300\n"
			    "100 runs, CPU 3: twoway-client-100\n");
	assert_int_equal(tw_analysis_time_of(&analysis, TW_AWAITS), 81000);
	assert_int_equal(tw_analysis_time_of(&analysis, TW_RUNNABLE), 900000);
	assert_int_equal(analysis.whole_ns, 985000);
	assert_string_equal(analysis.sentence, "network +945 us: client runnable on CPU 3 for 900.0 us while hog-300 (800.0 us), the idle task (100.0 us) ran with preemption off, from t0 to t3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decide),
		cmocka_unit_test_setup(test_print, set_up),
		cmocka_unit_test_setup(test_print_lacks, set_up),
		cmocka_unit_test_setup(test_print_cut, set_up),
		cmocka_unit_test_setup(test_print_one, set_up),
		cmocka_unit_test_setup(test_print_both, set_up),
		cmocka_unit_test_setup(test_place, set_up),
		cmocka_unit_test_setup(test_json, set_up),
		cmocka_unit_test(test_phase),
		cmocka_unit_test(test_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
