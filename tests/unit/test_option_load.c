// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of the load, and the reference set-up. */
#include <sched.h>
#include <stdlib.h>

#include "parse_load.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static void test_kinds(void **state)
{
	static const struct {
		const char *line;
		const struct tw_load_ops *load;
		int count;
		bool given;
	} good[] = {
		{ "", NULL, 0, false },
		{ "--load=none", NULL, 0, false },
		{ "--load=fft", &tw_load_fft, 1, false },
		{ "--load=fft:1", &tw_load_fft, 1, true },
		{ "--load=fft:7", &tw_load_fft, 7, true },
		{ "--load=fft:1024", &tw_load_fft, 1024, true },
		{ "--load=fft:010", &tw_load_fft, 10, true },
		{ "--load=fft:0000000100", &tw_load_fft, 100, true },
		{ "--load=hackbench", &tw_load_hackbench, 10, false },
		{ "--load=hackbench:3", &tw_load_hackbench, 3, true },
		{ "--load=command:x", &tw_load_command, 1, false },
		{ "--load=fft:5 --load=none", NULL, 0, false },
		{ "--load=fft:5 --load=fft", &tw_load_fft, 1, false },
		{ "--load=command:x --load=fft:2", &tw_load_fft, 2, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++) {
		const struct tw_run *run = run_of(good[i].line);
		char ramp[100];

		assert_ptr_equal(tw_load_kind(), good[i].load);
		assert_int_equal(tw_load_workers(run, 0), good[i].count);
		if (!good[i].load)
			continue;
		/* A ramp sets the number itself. */
		snprintf(ramp, sizeof(ramp), "%s --steps=2 -l1",
			 good[i].line);
		assert_int_equal(parse(ramp).err,
				 good[i].given ? -EINVAL : 0);
	}
}

/* The command is all that follows the first colon, whatever it holds. */
static void test_commands(void **state)
{
	static const char *const commands[] = {
		"x", "a b  c", "a:b:c", "5", "echo '\"; exit", "", " ",
	};
	char word[100];
	const char *words[] = { word, NULL };
	size_t i;

	(void)state;
	tw_session_init(&session);
	for (i = 0; i < COUNT(commands); i++) {
		snprintf(word, sizeof(word), "--load=command:%s",
			 commands[i]);
		assert_int_equal(parse_words(words).err, 0);
		session.run = parse_run;
		assert_ptr_equal(tw_load_kind(), &tw_load_command);
		assert_string_equal(tw_load_settings(&session.run).command,
				    commands[i]);
	}
	/* That there is none is said when the load is probed. */
	assert_null(settings_of("--load=command").command);
	assert_null(settings_of("--load=command:x --load=fft").command);
}

static void test_kinds_refused(void **state)
{
	static const char *const unknown[] = {
		"", "x", "FFT", "ff", "fftt", "5", " fft", "no",
		"a_name_that_is_longer_than_any_kind_of_load",
	};
	static const char *const bad[] = {
		"", "0", "1025", "-1", "+1", "x", "1x", "0x1", "1:2", "1.5",
		" 1", "4294967297", "99999999999999999999999",
	};
	char word[200], want[400];
	const char *words[] = { word, NULL };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(unknown); i++) {
		snprintf(word, sizeof(word), "--load=%s", unknown[i]);
		snprintf(want, sizeof(want), "--load=%.31s: allowed is one of none, fft, hackbench, command",
			 unknown[i]);
		assert_string_equal(parse_words(words).error, want);
		strcat(word, ":3");
		assert_string_equal(parse_words(words).error, want);
	}
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(word, sizeof(word), "--load=fft:%s", bad[i]);
		snprintf(want, sizeof(want), "%s: allowed is fft:N, with N from 1 to 1024 workers",
			 word);
		assert_string_equal(parse_words(words).error, want);
		snprintf(word, sizeof(word), "--load=hackbench:%s", bad[i]);
		snprintf(want, sizeof(want), "%s: allowed is hackbench:N, with N from 1 to 1024 groups",
			 word);
		assert_string_equal(parse_words(words).error, want);
	}
	refused("--load=none:1", "--load=none:1: none has no argument");
	refused("--load=none:", "--load=none:: none has no argument");
	refused("--load", "--load: a value is needed: KIND[:ARG]");
}

static void test_arguments(void **state)
{
	static const char *const words[] = {
		"--load=hackbench", "--load-args=-l 5 -T", NULL
	};

	(void)state;
	tw_session_init(&session);
	assert_int_equal(parse_words(words).err, 0);
	session.run = parse_run;
	assert_string_equal(tw_load_settings(&session.run).arguments,
			    "-l 5 -T");
	assert_null(settings_of("--load=hackbench").arguments);
}

static void test_policies(void **state)
{
	static const struct { const char *line; int policy, priority; } want[] = {
		{ "--load=fft", SCHED_OTHER, 0 },
		{ "--load=fft -p80", SCHED_RR, 1 },
		{ "-p80 --load=fft --load-priority=5", SCHED_RR, 5 },
		{ "--load=fft --policy=fifo -p9", SCHED_RR, 1 },
		{ "-p80 --load=fft --load-policy=other", SCHED_OTHER, 0 },
		{ "-p80 --load=fft --load-policy=fifo", SCHED_FIFO, 1 },
		{ "-p80 --load=hackbench", SCHED_OTHER, 0 },
		{ "-p80 --load=command:x", SCHED_OTHER, 0 },
		{ "-p80 --load=command:x --load-policy=rr --load-priority=7",
		  SCHED_RR, 7 },
		{ "--load=fft --load-policy=batch", SCHED_BATCH, 0 },
		{ "--load=fft --load-policy=idle", SCHED_IDLE, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(want); i++) {
		const struct tw_load_params params = settings_of(want[i].line);

		assert_int_equal(params.policy, want[i].policy);
		assert_int_equal(params.priority, want[i].priority);
	}
	refused("--load=fft --load-policy=x",
		"--load-policy=x: allowed is one of other, normal, batch, idle, fifo, rr");
}

static void test_numbers(void **state)
{
	static const char *const bad[] = { "", "0", "x", "-1", "1.5", "+2" };
	char line[100], want[200];
	size_t i;

	(void)state;
	assert_int_equal(run_of("--load=fft -l1")->steps, 1);
	assert_int_equal(run_of("--load=fft -l1 --steps=1")->steps, 1);
	assert_int_equal(run_of("--load=fft -l1 --steps=1024")->steps, 1024);
	assert_int_equal(settings_of("--load=fft -p99 --load-priority=96")
			 .priority, 96);
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(line, sizeof(line), "--steps=%s", bad[i]);
		snprintf(want, sizeof(want), "%s: allowed is a whole number from 1 to 1024",
			 line);
		refused(line, want);
		snprintf(line, sizeof(line), "--load-priority=%s", bad[i]);
		snprintf(want, sizeof(want), "%s: allowed is a whole number from 1 to 99",
			 line);
		refused(line, want);
	}
	refused("--steps=1025",
		"--steps=1025: allowed is a whole number from 1 to 1024");
	refused("--load-priority=100",
		"--load-priority=100: allowed is a whole number from 1 to 99");
}

static int64_t runtime(const char *line)
{
	accepted(line);
	return *(const int64_t *)set_by("rt-runtime");
}

static void test_runtime(void **state)
{
	static const char *const bad[] = {
		"", "-2", "x", "1000001", "-1 ", "--1", "-01",
	};
	char word[50], want[200];
	const char *words[] = { word, NULL };
	size_t i;

	(void)state;
	assert_int_equal(runtime("--rt-runtime=-1"), -1);
	assert_int_equal(runtime("--rt-runtime -1"), -1);
	assert_int_equal(runtime("--rt-runtime=0"), 0);
	assert_int_equal(runtime("--rt-runtime=1000000"), 1000000);
	assert_int_equal(runtime("--rt-runtime=-1 --rt-runtime=5"), 5);
	/* A number of its own, and not that of the line before. */
	assert_true(runtime("") < -1);
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(word, sizeof(word), "--rt-runtime=%s", bad[i]);
		snprintf(want, sizeof(want), "%s: allowed is a whole number from 0 to 1000000, or -1 for no limit",
			 word);
		assert_string_equal(parse_words(words).error, want);
	}
}

static void assert_reference(const char *line)
{
	const struct tw_load_params params = settings_of(line);
	const struct tw_config *config = session.config;

	assert_true(config->mlockall);
	assert_int_equal(config->priority, 98);
	assert_int_equal(config->policy, SCHED_FIFO);
	assert_int_equal(config->affinity, TW_PLAN);
	assert_string_equal(config->timer->name, "posix");
	assert_int_equal(config->interval_us, 1000);
	assert_int_equal(config->loops, 100000);
	assert_int_equal(config->duration_s, 0);
	assert_int_equal(config->sleep_us, 100);
	assert_ptr_equal(tw_load_kind(), &tw_load_fft);
	assert_int_equal(params.policy, SCHED_RR);
	assert_int_equal(params.priority, 1);
	assert_int_equal(parse_run.steps, 16);
	assert_int_equal(config->warmup, 1);
	assert_true(*(const bool *)set_by("trltp"));
	assert_false(config->force);
	assert_true(*(const int64_t *)set_by("rt-runtime") < -1);
}

/* What stands before it is overridden; nothing else is touched. */
static void test_trltp(void **state)
{
	(void)state;
	assert_reference("--trltp");
	assert_reference("-i500 -l5 -D5 -p7 --policy=rr --sleep=9 --timer=timerfd --warmup=7 --load=hackbench:3 --steps=2 --trltp");
	assert_reference("-h50 --json=f --trltp -x");
	assert_int_equal(parse_run.window_us, 50);
	assert_string_equal(*(const char *const *)set_by("json"), "f");
	refused("--trltp=1", "--trltp=1: takes no value; --help lists the options");
}

/* What stands behind it counts. */
static void test_trltp_overridden(void **state)
{
	struct tw_config config;

	(void)state;
	config = accepted("--trltp -p50 --policy=rr -l7 -i2000 --sleep=0 --steps=4 --warmup=9 --timer=timerfd");
	assert_int_equal(config.priority, 50);
	assert_int_equal(config.policy, SCHED_RR);
	assert_int_equal(config.loops, 7);
	assert_int_equal(config.interval_us, 2000);
	assert_int_equal(config.sleep_us, 0);
	assert_int_equal(parse_run.steps, 4);
	assert_int_equal(config.warmup, 9);
	assert_string_equal(config.timer->name, "timerfd");
	assert_ptr_equal(accepted("--trltp -i0").timer, &tw_timer_none);
	assert_ptr_equal(accepted("-x --trltp -i0").timer, &tw_timer_none);
	assert_int_equal(accepted("--trltp -l0 -D60").duration_s, 60);
	assert_int_equal(tw_load_workers(run_of("--trltp --steps=1 --load=fft:3"),
					 0), 3);
	run_of("--trltp --load=hackbench");
	assert_ptr_equal(tw_load_kind(), &tw_load_hackbench);
	run_of("--trltp --steps=1 --load=none");
	assert_null(tw_load_kind());
	assert_int_equal(settings_of("--trltp --load-policy=other").priority,
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_kinds_refused),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_runtime),
		cmocka_unit_test(test_trltp),
		cmocka_unit_test(test_trltp_overridden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
