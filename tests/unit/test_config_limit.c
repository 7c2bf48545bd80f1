// SPDX-License-Identifier: GPL-2.0-or-later
/* What -b, --trace, --spike and --limit need of each other and of the rest. */
#include "parse.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define NO_BREAK	"there is no value to break at; give -b too"
#define NO_TIMER \
	"with --interval=0 there is no timer, so there is no such metric"
#define MORE \
	"give more loops, a longer duration, or a lower percentile"

static void test_alone(void **state)
{
	(void)state;
	refused("--break-on=send", "--break-on: " NO_BREAK);
	refused("--break-on=total", "--break-on: " NO_BREAK);
	refused("--tracemark", "--tracemark: " NO_BREAK);
	refused("--trace", "--trace: " NO_BREAK);
	refused("--trace=irq", "--trace: " NO_BREAK);
	refused("--trace-file=f",
		"--trace-file: there is no trace; give --trace too");
	refused("-b5 --tracemark --trace-file=f",
		"--trace-file: there is no trace; give --trace too");
	refused("--spike-nodes=5",
		"--spike-nodes: no spikes are kept; give --spike too");
}

static void test_together(void **state)
{
	static const char *const lines[] = {
		"-b5", "-b5 --break-on=send", "--break-on=send -b5",
		"-b5 --tracemark", "-b5 --trace", "--trace=irq -b5",
		"-b5 --trace --tracemark --trace-file=f", "--spike=5",
		"--spike-nodes=5 --spike=5", "--limit=missed:0", "--limit=throttled:0", "--worst",
		"-b5 --spike=5 --worst --limit=total:5",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(lines); i++)
		accepted(lines[i]);
}

static void test_fallbacks(void **state)
{
	(void)state;
	assert_string_equal(accepted("-b5 --trace").trace_file,
			    "twowaytest-trace.txt");
	assert_null(accepted("-b5").trace_file);
	assert_int_equal(accepted("--spike=5").spike_nodes, 1024);
	assert_int_equal(accepted("").spike_nodes, 0);
}

static void test_closed_loop(void **state)
{
	static const char *const lines[] = {
		"-i0 --limit=interval:5", "-i0 --limit=response:p50:5",
		"-i0 --limit=missed:0", "-i0 -b5", "-i0 -b5 --break-on=send",
		"-i0 --spike=5 --worst", "-i0 --spike=send:5",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(lines); i++)
		accepted(lines[i]);
	refused("-i0 --limit=wakeup:5", "--limit=wakeup:5: " NO_TIMER);
	refused("-i0 --limit=send:5 --limit=planned:p50:5",
		"--limit=planned:p50:5: " NO_TIMER);
	refused("-i0 -b5 --break-on=wakeup", "--break-on=wakeup: " NO_TIMER);
	refused("-b5 --break-on=planned -i0", "--break-on=planned: " NO_TIMER);
	refused("-i0 --spike=planned:5", "--spike=planned:5: " NO_TIMER);
}

/* The measured cycles of all steps, as far as they can be known before. */
static void test_percentiles(void **state)
{
	static const struct {
		const char *line;	/* without the limit */
		int64_t expected;
	} rows[] = {
		{ "-l99", 99 },
		{ "-l99 --warmup=50", 99 },
		{ "-l99 -i0", 99 },
		{ "-l33 --load=fft --steps=3", 99 },
		{ "-i100000 -D9", 85 },
		{ "-i100000 -D9 -l99", 85 },
		{ "-i100000 -D10 -l99", 95 },
		{ "-i100000 -D10", 95 },
		{ "-i0 -D10 -l99", 99 },
		{ "-i100000 -D3 --load=fft --steps=3", 84 },
		/* Hardly one expiry, and none. */
		{ "-i1000000 -D2", 1 },
		{ "-i10000000 -D9", 0 },
	};
	char line[120], want[300];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		snprintf(line, sizeof(line), "%s --limit=send:p90:5",
			 rows[i].line);
		snprintf(want, sizeof(want), "--limit=send:p90:5: this percentile needs at least 100 cycles, and no more than %lld are sure to come; " MORE,
			 (long long)rows[i].expected);
		refused(line, want);
		/* A maximum, or a lower percentile, is no matter. */
		snprintf(line, sizeof(line), "%s --limit=send:5 --limit=missed:0",
			 rows[i].line);
		accepted(line);
		snprintf(line, sizeof(line), "%s --limit=send:p50:5",
			 rows[i].line);
		if (rows[i].expected > 20)
			accepted(line);
	}
}

static void test_percentiles_supported(void **state)
{
	static const char *const lines[] = {
		"-l100", "-l50 --load=fft --steps=2", "-i100000 -D11",
		"-i100000 -D11 -l100", "-i0 -l100",
		/* Nobody knows how many: told at the end. */
		"", "-i0 -D1", "-i0",
	};
	char line[120];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(lines); i++) {
		snprintf(line, sizeof(line), "--limit=send:p90:5 %s",
			 lines[i]);
		if (!*lines[i])
			strcpy(line, "--limit=send:p90:5");
		accepted(line);
	}
	/* Of several, the first that is not. */
	refused("-l500 --limit=send:p90:5 --limit=send:p99:6 --limit=send:p99.9:7",
		"--limit=send:p99:6: this percentile needs at least 1000 cycles, and no more than 500 are sure to come; " MORE);
}

/* The trace has a file of its own, also where nobody has named it. */
static void test_files(void **state)
{
	(void)state;
	assert_string_equal(accepted("-b5 --trace").trace_file,
			    "twowaytest-trace.txt");
	assert_string_equal(accepted("-b5 --trace --trace-file=f").trace_file,
			    "f");
	refused("-b5 --trace --trace-file=-",
		"--trace-file=-: only --json can go to standard output; name a file");
	accepted("-b5 --json=twowaytest-trace.txt");
}

/* More than any machine has: refused before anything is allocated. */
static void test_memory(void **state)
{
	struct tw_config config = accepted("--spike=5");
	char error[TW_ERROR_MAX] = "";

	(void)state;
	config.spike_nodes = INT64_C(1) << 55;
	assert_int_equal(tw_config_check(&config, error), -EINVAL);
	assert_non_null(strstr(error, "--spike-nodes=36028797018963968: needs "));
	assert_non_null(strstr(error, " MiB of memory, and "));
	assert_non_null(strstr(error, " MiB are free; give fewer nodes or steps"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_fallbacks),
		cmocka_unit_test(test_closed_loop),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_percentiles_supported),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
