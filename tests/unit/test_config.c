// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line as a whole: its words, their order, defaults, --help. */
#include <ctype.h>
#include <sched.h>
#include <stdlib.h>

#include "parse.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define STRAY	": unexpected argument; all input is given by options, see --help"
#define UNKNOWN \
	": unknown option; --help lists the options"

static void test_defaults(void **state)
{
	static const char *const zeros[] = {
		"latency", "histogram", "breaktrace", "spike",
	};
	static const char *const files[] = {
		"dump", "histfile", "json", "load", "load-args", "trace-file",
		"trltp-log",
	};
	const struct tw_config config = accepted("");
	size_t i;
	int role;

	(void)state;
	assert_int_equal(config.interval_us, 1000);
	assert_int_equal(config.sleep_us, 100);
	assert_int_equal(config.size, 8);
	assert_int_equal(config.warmup, 2);
	assert_int_equal(config.loops, 0);
	assert_int_equal(config.duration_s, 0);
	assert_int_equal(config.port, 0);
	assert_int_equal(config.priority, 0);
	assert_int_equal(config.policy, SCHED_OTHER);
	assert_int_equal(config.affinity, TW_UNPINNED);
	for (role = 0; role < TW_ROLES; role++)
		assert_int_equal(CPU_COUNT(&config.role_set[role]), 0);
	for (i = 0; i < COUNT(zeros); i++)
		assert_int_equal(number_of(zeros[i]), 0);
	for (i = 0; i < COUNT(files); i++)
		assert_null(text_of(files[i]));
	assert_int_equal(parse_run.window_us, 0);
	assert_int_equal(parse_run.steps, 1);
	assert_int_equal(number_of("rt-runtime"), -2);
	assert_int_equal(*(enum tw_metric_id *)set_by("break-on"),
			 TW_RESPONSE);
	assert_false(flag_of("force"));
	assert_false(flag_of("worst"));
	assert_false(flag_of("trltp"));
	assert_false(flag_of("tracemark"));
}

static void test_last_one_counts(void **state)
{
	(void)state;
	assert_int_equal(accepted("-i 500 --interval=700").interval_us, 700);
	accepted("-h 5 -H 6");
	assert_int_equal(parse_run.window_us, 6);
	accepted("--json=a --json=b");
	assert_string_equal(text_of("json"), "b");
	assert_string_equal(accepted("--wait=busy --wait=poll").wait->name,
			    "poll");
}

static void test_order_does_not_matter(void **state)
{
	(void)state;
	assert_int_equal(accepted("-i50 --sleep=40").sleep_us, 40);
	assert_int_equal(accepted("--sleep=40 -i50").sleep_us, 40);
	assert_int_equal(accepted("-p80 --policy=rr").policy, SCHED_RR);
	assert_int_equal(accepted("--policy=rr -p80").policy, SCHED_RR);
	accepted("--histfile=f -h5");
	assert_string_equal(text_of("histfile"), "f");
}

static void test_forms(void **state)
{
	static const char *const same[] = {
		"-l5", "-l 5", "--loops=5", "--loops 5", "-qml5", "-qml 5",
		"--loop=5", "--loo 5", "-l 5 --",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(same); i++)
		assert_int_equal(accepted(same[i]).loops, 5);
	accepted("--verb");
	assert_true(flag_of("verbose"));
	assert_true(accepted("--mlock").mlockall);
	accepted("-qmu");
	assert_true(flag_of("unbuffered"));
}

/* Some callers pass a letter, a space and a value as one word. */
static void test_letter_space_value(void **state)
{
	static const char *const words[] = { "-qmu", "-h 3500", NULL };
	const struct parsed parsed = parse_words(words);

	(void)state;
	assert_string_equal(parsed.error, "");
	assert_int_equal(parse_run.window_us, 3500);
}

static void test_unknown(void **state)
{
	static const char *const words[] = {
		"--nonsense", "--nonsense=5", "--interval_", "--Interval=5",
		"---",
	};
	static const char *const ambiguous[] = {
		"--hist=5", "--p=5", "--m", "--s", "--lo=5", "--=5", "--break=5",
	};
	char want[200];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(words); i++) {
		snprintf(want, sizeof(want), "%s" UNKNOWN, words[i]);
		refused(words[i], want);
	}
	for (i = 0; i < COUNT(ambiguous); i++) {
		snprintf(want, sizeof(want), "%s: ambiguous option; --help lists the options",
			 ambiguous[i]);
		refused(ambiguous[i], want);
	}
}

/* What cyclictest has, and this program has not. */
static void test_hints(void **state)
{
	static const struct { const char *line, *want; } rows[] = {
		{ "-n", "-n: unknown option; nanosleep is the default, see --timer" },
		{ "--secaligned", "--secaligned: unknown option; give --aligned, which begins as soon as all pairs are ready" },
		{ "-F f", "-F: unknown option; give --json=FILE, or send SIGUSR1 for the status lines" },
		{ "-o 5", "-o: unknown option; give --dump=FILE for every cycle" },
		{ "-r", "-r: unknown option; all timers are absolute; leave this option out" },
		{ "-R", "-R: unknown option; -v prints the cost and the resolution of the clock" },
		{ "-s", "-s: unknown option; give --timer=nanosleep, posix or timerfd" },
		{ "-y fifo", "-y: unknown option; give --policy=NAME" },
		{ "-qyfifo", "-y: unknown option; give --policy=NAME" },
		{ "--laptop", "--laptop: unknown option; give --default-system" },
		{ "--smil", "--smil: unknown option; --help lists the options" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		refused(rows[i].line, rows[i].want);
}

static void test_unknown_letters(void **state)
{
	static const char known[] = "abcDhHilmNpqMuvx" "AdFnorRsSty";
	char word[] = "-?", want[100];
	int c;

	(void)state;
	for (c = '!'; c <= '~'; c++) {
		if (strchr(known, c) || c == '-')
			continue;
		word[1] = (char)c;
		snprintf(want, sizeof(want),
			 "-%c: unknown option; --help lists the options", c);
		refused(word, want);
	}
	refused("-qZ", "-Z: unknown option; --help lists the options");
	refused("-q5", "-5: unknown option; --help lists the options");
}

static void test_missing_value(void **state)
{
	static const struct { const char *line, *want; } rows[] = {
		{ "-i", "--interval: a value is needed: US" },
		{ "--interval", "--interval: a value is needed: US" },
		{ "-qi", "--interval: a value is needed: US" },
		{ "-b", "--breaktrace: a value is needed: US" },
		{ "-qb", "--breaktrace: a value is needed: US" },
		{ "-D", "--duration: a value is needed: TIME" },
		{ "--dump", "--dump: a value is needed: FILE" },
		{ "--mainaffinity", "--mainaffinity: a value is needed: CPUSET" },
		{ "--metrics", "--metrics: a value is needed: LIST" },
		/* As getopt has it, the next word is the value. */
		{ "-i -q", "--interval=-q: allowed is a whole number from 0 to 1000000000" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		refused(rows[i].line, rows[i].want);
}

static void test_stray_words(void **state)
{
	const char *const empty[] = { "", NULL };

	(void)state;
	refused("5", "5" STRAY);
	refused("-q 5", "5" STRAY);
	refused("5 -q", "5" STRAY);
	refused("-q -", "-" STRAY);
	refused("-- -q", "-q" STRAY);
	refused("-x posix", "posix" STRAY);
	assert_string_equal(parse_words(empty).error, STRAY);
	/* What comes first is told first. */
	refused("5 --port=x", "--port=x: allowed is a whole number from 0 to 65535");
}

/* -a alone takes a next word that looks like a set, and no other. */
static void test_affinity_next_word(void **state)
{
	cpu_set_t cpus;
	char line[60], want[200];
	int cpu;

	(void)state;
	CPU_ZERO(&cpus);
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	for (cpu = 0; !CPU_ISSET(cpu, &cpus); cpu++)
		;
	snprintf(line, sizeof(line), "-a %d -q", cpu);
	assert_int_equal(accepted(line).affinity, TW_SET);
	assert_true(flag_of("quiet"));
	snprintf(line, sizeof(line), "-qa %d", cpu);
	assert_int_equal(accepted(line).affinity, TW_SET);
	snprintf(line, sizeof(line), "-a%d %d", cpu, cpu);
	snprintf(want, sizeof(want), "%d" STRAY, cpu);
	refused(line, want);

	assert_int_equal(accepted("-a -q").affinity, TW_PLAN);
	assert_int_equal(accepted("-a --").affinity, TW_PLAN);
	assert_int_equal(accepted("-a +0").affinity, TW_SET);
	refused("-a x", "x" STRAY);
	refused("-a -- 0", "0" STRAY);
	/* Taken for a set, and as such refused. */
	assert_int_equal(parse("-a 5x").err, -EINVAL);
	assert_int_equal(strncmp(parse("-a 5x").error, "--affinity=5x: ", 15),
			 0);
	assert_int_equal(strncmp(parse("-a !x").error, "--affinity=!x: ", 15),
			 0);
}

/* Whatever else is on the line, as long as each word is right. */
static void test_help_and_version_come_first(void **state)
{
	(void)state;
	accepted("--help");
	assert_true(parse_run.help && !parse_run.version);
	accepted("--version");
	assert_true(parse_run.version && !parse_run.help);
	accepted("-i5 --sleep=100 --help");
	assert_true(parse_run.help);
	accepted("--histfile=f --version");
	assert_true(parse_run.version);
	refused("--help 5", "5" STRAY);
	refused("--help --port=x",
		"--port=x: allowed is a whole number from 0 to 65535");
}

/* getopt keeps state of its own: one line must not tell on the next. */
static void test_parse_again(void **state)
{
	(void)state;
	refused("-qZvm", "-Z: unknown option; --help lists the options");
	assert_int_equal(accepted("-l 5").loops, 5);
	assert_false(flag_of("verbose"));
}

static char *help(void)
{
	static char text[32768];
	FILE *file = fmemopen(text, sizeof(text), "w");

	assert_non_null(file);
	accepted("");
	tw_run_help(&parse_run, file);
	assert_int_equal(fclose(file), 0);
	assert_true(strlen(text) < sizeof(text) - 1);
	return text;
}

static void test_help_options(void **state)
{
	static const char *const options[] = {
		"--accept", "--address=ADDR",
		"-a, --affinity[=CPUSET]",
		"-A, --aligned[=US]", "--allow=LIST",
		"--break-on=METRIC",
		"-b, --breaktrace=US", "--busy-poll=US", "--check",
		"--client-affinity=CPUSET", "-c, --clock=NAME",
		"--connect=HOST",
		"--default-system", "-d, --distance=US", "--dscp=N",
		"--dump=FILE", "-D, --duration=TIME", "--force", "--help",
		"--histfile=FILE", "-H, --histofall=US", "-h, --histogram=US",
		"--interface=NAME", "-i, --interval=US", "--json=FILE",
		"--latency=US", "--limit=LIMIT", "--load=KIND[:ARG]",
		"--load-affinity=CPUSET", "--load-args=STRING",
		"--load-policy=NAME", "--load-priority=PRIO", "-l, --loops=N",
		"--mainaffinity=CPUSET", "--max-pairs=N", "--max-rate=N",
		"--max-size=BYTES", "--max-time=TIME", "--metrics=LIST",
		"-m, --mlockall",
		"-N, --nsecs", "--oneway=MODE", "--orb[=N]",
		"--order=KIND", "--peer=NAME",
		"--percentiles[=LIST]", "--policy=NAME", "--port=N",
		"-x, --posix_timers", "-p, --priority=PRIO", "--priospread",
		"--quickack", "-q, --quiet", "--ramp=NAME",
		"-M, --refresh_on_max", "--rsh[=COMMAND]", "--rt-runtime=US",
		"--runs=N", "--server[=ADDR]", "--server-affinity=CPUSET",
		"--server-priority=PRIO",
		"--servers=NAME", "--sessions=N", "--size=BYTES", "--sleep=US", "--smi",
		"-S, --smp",
		"--sock-priority=N", "--spike=[METRIC:]US", "--spike-nodes=N",
		"--stamps=NAME", "--steps=N", "--sync-limit=US",
		"-t, --threads[=N]", "--timeline=FILE",
		"--timeline-every=TIME", "--timeout=US",
		"--timer=KIND", "--total=NAME", "--trace[=EVENTS]",
		"--trace-file=FILE", "--tracemark", "--transport=KIND",
		"--trltp", "--trltp-log=FILE", "-u, --unbuffered",
		"-v, --verbose", "--version", "--wait=KIND", "--warmup=N",
		"--worst",
	};
	char *rest = help(), *line;
	size_t found = 0;

	(void)state;
	while ((line = strsep(&rest, "\n"))) {
		size_t indent = strspn(line, " ");

		if (line[indent] != '-' || indent > 6)
			continue;
		assert_true(found < COUNT(options));
		line += indent;
		line[strlen(options[found])] = '\0';
		assert_string_equal(line, options[found]);
		found++;
	}
	assert_int_equal(found, COUNT(options));
}

static void test_help_lines(void **state)
{
	char *rest = help(), *line;

	(void)state;
	assert_int_equal(strncmp(rest, "usage: twowaytest [options]\n", 28),
			 0);
	while ((line = strsep(&rest, "\n"))) {
		size_t len = strlen(line);

		assert_true(len < 80);
		assert_false(len && isspace((unsigned char)line[len - 1]));
		/* A letter, a long name, or text in its column. */
		assert_true(*line != ' ' || strspn(line, " ") == 2 ||
			    strspn(line, " ") == 6 ||
			    strspn(line, " ") == 27);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_last_one_counts),
		cmocka_unit_test(test_order_does_not_matter),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_letter_space_value),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_hints),
		cmocka_unit_test(test_unknown_letters),
		cmocka_unit_test(test_missing_value),
		cmocka_unit_test(test_stray_words),
		cmocka_unit_test(test_affinity_next_word),
		cmocka_unit_test(test_help_and_version_come_first),
		cmocka_unit_test(test_parse_again),
		cmocka_unit_test(test_help_options),
		cmocka_unit_test(test_help_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
