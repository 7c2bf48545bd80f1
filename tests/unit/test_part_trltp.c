// SPDX-License-Identifier: GPL-2.0-or-later
/* --trltp: the options that it stands for; --trltp-log, to the letter. */
#include "report_ramp.h"
#include "result/tw_part_result.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define SPELT \
	"-m -p98 --policy=fifo -a -x -i1000 -l100000 -D0 --sleep=100 " \
	"--load=fft --steps=16 --warmup=1"

struct settings {
	size_t size;
	bool main_highest, silent;
	char bytes[1 << 20];	/* of all parts, but for --trltp's own */
};

static void get_settings(const char *line, struct settings *settings)
{
	const struct tw_part *const *part;

	accepted(line);
	memset(settings, 0, sizeof(*settings));
	settings->main_highest = tw_config->main_highest;
	settings->silent = parse_run.output.silent;
	((struct tw_config *)tw_part_config.settings)->main_highest = false;
	for (part = tw_program.parts; *part; part++) {
		if (!(*part)->settings || *part == &tw_part_trltp)
			continue;
		assert_true(settings->size + (*part)->size <=
			    sizeof(settings->bytes));
		memcpy(settings->bytes + settings->size, (*part)->settings,
		       (*part)->size);
		settings->size += (*part)->size;
	}
}

/* But for the rank of main and for the display, which have no option. */
static void assert_same(const char *line, const char *other)
{
	static struct settings settings, others;

	get_settings(line, &settings);
	get_settings(other, &others);
	if (memcmp(settings.bytes, others.bytes, settings.size))
		fail_msg("\"%s\" is not \"%s\"", line, other);
}

static void test_words(void **state)
{
	const struct tw_config config = accepted("--trltp");

	(void)state;
	assert_true(config.mlockall);
	assert_int_equal(config.priority, 98);
	assert_int_equal(config.policy, SCHED_FIFO);
	assert_int_equal(config.affinity, TW_PLAN);
	assert_string_equal(config.timer->name, "posix");
	assert_int_equal(config.interval_us, 1000);
	assert_int_equal(config.loops, 100000);
	assert_int_equal(config.duration_s, 0);
	assert_int_equal(config.sleep_us, 100);
	assert_int_equal(config.warmup, 1);
	assert_int_equal(parse_run.steps, 16);
	assert_same("--trltp", SPELT);
	refused("--trltp=1", "--trltp=1: takes no value; --help lists the options");
}

/* It stands for each of them, whatever stands before it. */
static void test_before(void **state)
{
	static const char *const words[] = {
		"-p7", "--policy=rr", "--timer=timerfd", "-i500",
		"-l5", "-D5", "--sleep=9", "--load=hackbench:3", "--load=fft:3",
		"--load=command:true", "--steps=2", "--warmup=7",
	};
	char line[80];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(words); i++) {
		snprintf(line, sizeof(line), "%s --trltp", words[i]);
		assert_same(line, SPELT);
	}
	assert_int_equal(accepted("-a0 --trltp").affinity, TW_PLAN);
}

/* What stands behind it counts, and so does what it says nothing of. */
static void test_behind(void **state)
{
	static const char *const words[] = {
		"-p50", "--policy=rr", "--timer=timerfd", "-i2000", "-l7",
		"-D60", "-l0 -D60", "--sleep=0", "--load=hackbench",
		"--steps=1 --load=fft:3", "--steps=1 --load=none", "--steps=4",
		"--warmup=9", "-h50", "-N --metrics=send", "--wait=busy",
		"--load-policy=other", "--worst -q",
	};
	char line[80], spelt[200];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(words); i++) {
		snprintf(line, sizeof(line), "--trltp %s", words[i]);
		snprintf(spelt, sizeof(spelt), SPELT " %s", words[i]);
		assert_same(line, spelt);
	}
	assert_int_equal(accepted("--trltp -p50").priority, 50);
	assert_int_equal(accepted("--trltp -l0 -D60").duration_s, 60);
	/* No -x was given that a closed loop would contradict. */
	assert_ptr_equal(accepted("--trltp -i0").timer, &tw_timer_none);
}

/* What only --trltp does. */
static void test_main(void **state)
{
	static struct settings settings;

	(void)state;
	get_settings("--trltp", &settings);
	assert_true(settings.main_highest);
	assert_true(settings.silent);
	get_settings(SPELT, &settings);
	assert_false(settings.main_highest);
	assert_false(settings.silent);
	get_settings("--trltp-log=f", &settings);
	assert_false(settings.main_highest);
	assert_false(settings.silent);
}

static void test_log_file(void **state)
{
	(void)state;
	accepted("--trltp");
	assert_null(*tw_part_trltp.result->path);
	accepted("--trltp-log=f --trltp --trltp-log=g");
	assert_string_equal(*tw_part_trltp.result->path, "g");
	refused("--trltp-log=", "--trltp-log=: a file name is needed");
	refused("--trltp-log=-",
		"--trltp-log=-: only --json can go to standard output; name a file");
	/* Its bins take memory only where there is a log. */
	new_run("--trltp");
	assert_int_equal(tw_part_trltp.room(&session.run), 0);
	assert_null(pair.tally->trltp[TW_SEND].counts);
	new_run("--trltp-log=f");
	assert_int_equal(tw_part_trltp.room(&session.run), TW_TRLTP_SIZE);
	assert_non_null(pair.tally->trltp[TW_SEND].counts);
}

#define METRIC(label, min, avg, max, std, count) \
	"\n" label " (Micro Sec)\nMinimum," min "\nAverage," avg \
	"\nMaximum," max "\nStandard Deviation," std "\nCount," count \
	"\nLower Bound,Count\n"

static const char log_of_two[] =
	"Workers,0\n"
	METRIC("POSIX Timer Interval Time",
	       "998.0", "1001.0", "1004.0", "4.5", "2") "990,1\n1000,1\n"
	METRIC("Send Time", "10.5", "11.2", "12.0", "1.1", "2") "10,2\n"
	METRIC("nanosleep Time",
	       "106.0", "111.0", "116.0", "17.1", "2") "100,1\n110,1\n"
	METRIC("Receive Time", "8.5", "9.2", "10.0", "1.1", "2")
	"0,1\n10,1\n"
	METRIC("Response Time", "128.0", "131.5", "135.0", "4.9", "2")
	"120,1\n130,1\n"
	METRIC("Total Jitter", "30.0", "34.5", "39.0", "6.4", "2") "30,2\n"
	"\nWorkers,1\n"
	METRIC("POSIX Timer Interval Time",
	       "1004.0", "1004.0", "1004.0", "0.0", "1") "1000,1\n"
	METRIC("Send Time", "10.5", "10.5", "10.5", "0.0", "1") "10,1\n"
	METRIC("nanosleep Time",
	       "116.0", "116.0", "116.0", "0.0", "1") "110,1\n"
	METRIC("Receive Time", "8.5", "8.5", "8.5", "0.0", "1")
	"below,1\n0,1\nabove,2\n"
	METRIC("Response Time", "135.0", "135.0", "135.0", "0.0", "1")
	"130,1\n"
	METRIC("Total Jitter", "39.0", "39.0", "39.0", "0.0", "1") "30,1\n";

static void write_log(FILE *file, const struct tw_run *run)
{
	assert_int_equal(tw_part_trltp.result->write(run, file), 0);
}

/* In us whatever -N says, and all its metrics whatever --metrics says. */
static void test_log(void **state)
{
	(void)state;
	new_ramp("-N --load=fft --steps=2 -l5 --metrics=wakeup --trltp-log=f");
	second.tally->trltp[TW_RECEIVE].below = 1;
	second.tally->trltp[TW_RECEIVE].above = 2;
	assert_string_equal(written(write_log), log_of_two);
	/* The sum of both is not in it. */
	finish_ramp();
	assert_string_equal(written(write_log), log_of_two);
	session.steps_done = 0;
	assert_string_equal(written(write_log), "");
}

/* Of several pairs, each has a log like that of one. */
static void test_log_of_pairs(void **state)
{
	const char *log, *second_pair;

	(void)state;
	new_finished_run("-t2 -d0 --trltp-log=f");
	measure_late(1, 1, 5000);
	log = written(write_log);
	assert_int_equal(strncmp(log, "Workers,0\nPair,0\n", 17), 0);
	second_pair = strstr(log, "\n\nWorkers,0\nPair,1\n");
	assert_non_null(second_pair);
	assert_null(strstr(second_pair + 2, "\n\nWorkers"));
	/* Only the second had a reply that was read 5 us later. */
	assert_true(strstr(log, ",15.0") > second_pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_main),
		cmocka_unit_test(test_log_file),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_log_of_pairs),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_ramp();
	return failed;
}
