// SPDX-License-Identifier: GPL-2.0-or-later
/* --spike, --spike-nodes and --worst: what they take, and what they refuse. */
#include "report.h"
#include "result/tw_part_result.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* What a run by @line keeps. */
static const struct tw_spikes *spikes_of(const char *line)
{
	new_run(line);
	return &pair.tally->spikes;
}

static void test_spike(void **state)
{
	static const char *const bad[] = {
		"", ":", ":5", "send", "send:", "send:0", "send:-5",
		"send:1000000001", "send:5:6", "Send:5", "sen:5", "missed:5",
		"5:send", "0", "1000000001",
	};
	const struct tw_spikes *spikes;
	char line[60];
	size_t i;
	int id;

	(void)state;
	assert_int_equal(spikes_of("")->limit_ns, 0);
	assert_int_equal(spikes_of("")->room, 0);
	assert_int_equal(spikes_of("--spike=9")->metric, TW_RESPONSE);
	for (id = 0; id < TW_METRICS; id++) {
		snprintf(line, sizeof(line), "--spike=%s:%d",
			 tw_metrics[id].token, id + 1);
		spikes = spikes_of(line);
		assert_int_equal(spikes->metric, id);
		assert_int_equal(spikes->limit_ns, (id + 1) * 1000);
	}
	assert_int_equal(spikes_of("--spike=1000000000")->limit_ns,
			 INT64_C(1000000000000));
	/* What stands behind counts, as a whole. */
	spikes = spikes_of("--spike=send:9 --spike=7");
	assert_int_equal(spikes->metric, TW_RESPONSE);
	assert_int_equal(spikes->limit_ns, 7000);
	for (i = 0; i < COUNT(bad); i++) {
		const char *const words[] = { line, NULL };

		snprintf(line, sizeof(line), "--spike=%s", bad[i]);
		assert_int_equal(parse_words(words).err, -EINVAL);
	}
	refused("--spike=sen:5", "--spike=sen: allowed is one of interval, send, sleep, receive, response, total, wakeup, planned, network");
	refused("--spike=latency:5", "--spike=latency: there is no metric of this name; what cyclictest calls latency is wakeup here");
	refused("--metrics=send,latency", "--metrics=latency: there is no metric of this name; what cyclictest calls latency is wakeup here");
	refused("--break-on=latency -b5", "--break-on=latency: there is no metric of this name; what cyclictest calls latency is wakeup here");
	refused("--spike=send:0", "--spike=0: allowed is a whole number from 1 to 1000000000");
}

static void test_spike_nodes(void **state)
{
	static const char *const bad[] = { "0", "-1", "x", "", "10000001" };
	char line[60], want[120];
	size_t i;

	(void)state;
	assert_int_equal(spikes_of("--spike=9")->room, 1024);
	assert_int_equal(spikes_of("--spike=9 --spike-nodes=1")->room, 1);
	assert_int_equal(spikes_of("--spike-nodes=77 --spike=9")->room, 77);
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(line, sizeof(line), "--spike-nodes=%s", bad[i]);
		snprintf(want, sizeof(want), "%s: allowed is a whole number from 1 to 10000000",
			 line);
		refused(line, want);
	}
	/* Also where it says what would be so anyway. */
	refused("--spike-nodes=5",
		"--spike-nodes: no spikes are kept; give --spike too");
	refused("--worst --spike-nodes=1024",
		"--spike-nodes: no spikes are kept; give --spike too");
}

/* The pages of what is not asked for would be the client's to fault in. */
static void test_room(void **state)
{
	(void)state;
	new_run("--worst");
	assert_int_equal(tw_part_kept.room(&session.run), 0);
	new_run("--spike=5 --spike-nodes=3");
	assert_int_equal(tw_part_kept.room(&session.run),
			 3 * sizeof(struct tw_kept));
}

static void test_closed_loop(void **state)
{
	(void)state;
	accepted("-i0 --spike=5 --worst");
	accepted("-i0 --spike=send:5");
	refused("-i0 --spike=planned:5", "--spike=planned:5: with --interval=0 there is no timer, so there is no such metric");
	refused("--spike=wakeup:17 -i0", "--spike=wakeup:17: with --interval=0 there is no timer, so there is no such metric");
	accepted("-i0 --worst");
}

/* More than any machine has: refused before anything is allocated. */
static void test_memory(void **state)
{
	int64_t *nodes;

	(void)state;
	accepted("--spike=5 --spike-nodes=9");
	nodes = (int64_t *)set_by("spike-nodes");
	assert_int_equal(*nodes, 9);
	*nodes = INT64_C(1) << 55;
	assert_int_equal(tw_part_kept.check(&parse_run), -EINVAL);
	assert_non_null(strstr(parse_run.error, "--spike-nodes=36028797018963968: needs "));
	assert_non_null(strstr(parse_run.error, " MiB of memory, and "));
	assert_non_null(strstr(parse_run.error, " MiB are free; give fewer nodes or steps"));
}

/* Each step has its own, and so has the sum of all. */
static void test_memory_of_steps(void **state)
{
	uint64_t free = tw_system_available_memory();
	int64_t *nodes;

	(void)state;
	/* Two fifths of it: enough for two, but not for three. */
	accepted("--spike=5 -l5 --load=fft --steps=2");
	nodes = (int64_t *)set_by("spike-nodes");
	*nodes = (int64_t)(free / 5 * 2 / sizeof(struct tw_kept));
	assert_int_equal(tw_part_kept.check(&parse_run), -EINVAL);
	accepted("--spike=5 -l5");
	*nodes = (int64_t)(free / 5 * 2 / sizeof(struct tw_kept));
	assert_int_equal(tw_part_kept.check(&parse_run), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spike),
		cmocka_unit_test(test_spike_nodes),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_closed_loop),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_memory_of_steps),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
