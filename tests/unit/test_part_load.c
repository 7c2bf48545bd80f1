// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The load in a run: what is counted as its work in a step, and how it is told
 * that it failed. The load is one of the test's, without processes, and takes
 * no time: the test's nanosleep() notes that the load was given time to settle.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "parse_load.h"
#include "base/tw_time.h"

/* In place of a kind of load. */
static struct {
	struct tw_load *load;
	struct tw_load_params params;
	int err;		/* of the function called next */
	const char *why;
	int prepared, step, count, stops, settles;
	bool dead;
	struct tw_child child;
	uint64_t done;
} world;

static FILE *text;

int nanosleep(const struct timespec *span, struct timespec *left)
{
	(void)left;
	assert_true(tw_ts_to_ns(span) >= 100 * TW_NS_PER_MS);
	world.settles++;
	return 0;
}

static int give(struct tw_load *load)
{
	world.load = load;
	snprintf(load->shared->why, sizeof(load->shared->why), "%s",
		 world.why ? world.why : "");
	return world.err;
}

static int prepare(struct tw_load *load, int most)
{
	world.params = load->params;
	world.prepared = most;
	load->prepared = most;
	return give(load);
}

static int run_workers(struct tw_load *load, int step, int count)
{
	world.step = step;
	world.count = count;
	return give(load);
}

static bool died(struct tw_load *load)
{
	if (world.dead)
		load->dead = &world.child;
	return world.dead;
}

static uint64_t work_done(const struct tw_load *load)
{
	(void)load;
	return world.done;
}

static int probe(struct tw_load *load)
{
	(void)load;
	return 0;
}

static int stop(struct tw_load *load)
{
	world.stops++;
	return give(load);
}

static const struct tw_load_ops ops = {
	.name = "sham", .one = "one", .many = "many", .work = "deeds",
	.usual = 3, .own = true, .probe = probe, .prepare = prepare,
	.run = run_workers, .done = work_done, .died = died, .stop = stop,
};

static int try_open(const char *line)
{
	struct tw_run *run = run_of(line);

	memset(&world, 0, sizeof(world));
	*(const struct tw_load_ops **)set_by("load") = &ops;
	run->output.text.flow.stream = text;
	return tw_part_load.open(run);
}

/* Without a ramp, of three; its failure can be set then. */
static void open_sham(void)
{
	assert_int_equal(try_open("--load=fft:3"), 0);
	assert_int_equal(tw_part_load.begin(&session.run), 0);
	assert_int_equal(world.settles, 1);
}

static void assert_error(int err, const char *message)
{
	assert_int_equal(session.run.err, err);
	assert_string_equal(session.run.error, message);
}

/* Closed once, whoever closes it. */
static void close_sham(void)
{
	const int stops = world.stops;

	world.err = 0;
	tw_part_load.finish(&session.run);
	tw_part_load.close(&session.run);
	assert_true(world.stops - stops <= 1);
	assert_int_equal(world.stops, 1);
}

static void test_not_opened(void **state)
{
	(void)state;
	world.err = 0;
	assert_int_equal(try_open("--load=fft:3"), 0);
	close_sham();

	/* It says why, or the kernel does. */
	run_of("--load=fft:3");
	*(const struct tw_load_ops **)set_by("load") = &ops;
	memset(&world, 0, sizeof(world));
	world.err = -ENOMEM;
	assert_int_equal(tw_part_load.open(&session.run), -ENOMEM);
	assert_error(-ENOMEM, "--load=sham: Cannot allocate memory");
	tw_part_load.close(&session.run);

	run_of("--load=fft:3");
	*(const struct tw_load_ops **)set_by("load") = &ops;
	world.err = -ECHILD;
	world.why = "it said so";
	assert_int_equal(tw_part_load.open(&session.run), -ECHILD);
	assert_error(-ECHILD, "--load=sham: it said so");
	tw_part_load.close(&session.run);
}

/* As many are prepared as the last step needs; without any, none settles. */
static void test_steps(void **state)
{
	int step;

	(void)state;
	assert_int_equal(try_open("-m -l1 --load=fft --steps=4"), 0);
	assert_int_equal(world.prepared, 3);
	assert_true(world.params.lock_memory);
	for (step = 0; step < 4; step++) {
		session.run.step = step;
		assert_int_equal(tw_part_load.begin(&session.run), 0);
		assert_int_equal(world.step, step);
		assert_int_equal(world.count, step);
		assert_int_equal(world.settles, step);
		tw_part_load.end(&session.run);
	}
	close_sham();
	assert_int_equal(session.run.err, 0);
}

static void test_does_not_begin(void **state)
{
	(void)state;
	assert_int_equal(try_open("--load=fft:3"), 0);
	world.err = -ECHILD;
	world.why = "ended with exit status 1";
	assert_int_equal(tw_part_load.begin(&session.run), -ECHILD);
	assert_error(-ECHILD, "--load=sham: ended with exit status 1");
	assert_int_equal(world.settles, 0);
	close_sham();
}

static void test_does_not_end(void **state)
{
	(void)state;
	open_sham();
	tw_part_load.end(&session.run);
	world.err = -EBUSY;
	world.why = "it stays";
	tw_part_load.finish(&session.run);
	assert_error(-EBUSY, "--load=sham: it stays");
	close_sham();

	/* Not the first failure: the cause is told. */
	open_sham();
	tw_fail(&session.run, -ENOSPC, "the first");
	world.err = -EBUSY;
	tw_part_load.finish(&session.run);
	assert_error(-ENOSPC, "the first");
	close_sham();
}

static void test_dies(void **state)
{
	(void)state;
	open_sham();
	/* SIGCHLD was another's. */
	assert_int_equal(tw_part_load.woken(&session.run), 0);
	assert_int_equal(session.run.err, 0);
	world.dead = true;
	world.child = (struct tw_child) { .pid = 77, .status = 1 << 8 };
	world.load->shared->err = -ENOEXEC;
	strcpy(world.load->shared->why, "out of breath");
	assert_int_equal(tw_part_load.woken(&session.run), -ENOEXEC);
	assert_error(-ENOEXEC, "--load=sham: out of breath");
	close_sham();

	/* It ended as if all were well: the rest would be without a load. */
	open_sham();
	world.dead = true;
	world.child = (struct tw_child) { .pid = 77, .status = 0 };
	assert_int_equal(tw_part_load.woken(&session.run), -ECHILD);
	assert_error(-ECHILD, "--load=sham: it ended too early");
	close_sham();

	open_sham();
	world.dead = true;
	world.child = (struct tw_child) { .pid = 77, .status = SIGKILL };
	assert_true(tw_part_load.woken(&session.run) < 0);
	assert_error(-ECHILD, "the load (pid 77) was killed by signal 9 (Killed)");
	close_sham();
}

static void check_work(uint64_t before, uint64_t after, uint64_t wrong_before,
		       uint64_t wrong_after, uint64_t want)
{
	const struct tw_work *work = tw_load_work(0);
	struct tw_load_slot *slot;

	assert_int_equal(try_open("--load=fft:3"), 0);
	slot = &world.load->shared->slots[1];
	world.done = before;
	slot->errors = wrong_before;
	world.load->shared->restarts = 5;
	assert_int_equal(tw_part_load.begin(&session.run), 0);
	world.done = after;
	slot->errors = wrong_after;
	tw_part_load.end(&session.run);
	assert_int_equal(work->done, want);
	assert_int_equal(work->errors, wrong_after - wrong_before);
	assert_int_equal(work->restarts, 0);
	if (wrong_after > wrong_before)
		assert_error(-EIO, "--load=sham: a worker's result was wrong: this kernel or machine does not keep the floating-point registers of a preempted task, or its memory fails");
	else
		assert_int_equal(session.run.err, 0);
	close_sham();
}

/* Of this step alone. */
static void test_work(void **state)
{
	(void)state;
	check_work(0, 100, 0, 0, 100);
	check_work(40, 100, 3, 3, 60);
	check_work(40, 100, 3, 4, 60);
	check_work(100, 40, 0, 0, 0);
	check_work(40, 40, 0, 0, 0);
}

/* Each step has results of its own. */
static void test_restarts(void **state)
{
	(void)state;
	assert_int_equal(try_open("-l1 --load=fft --steps=3"), 0);
	world.load->shared->restarts = 5;
	for (session.run.step = 0; session.run.step < 3; session.run.step++) {
		assert_int_equal(tw_part_load.begin(&session.run), 0);
		world.load->shared->restarts += 3 * session.run.step;
		world.done += 10;
		tw_part_load.end(&session.run);
	}
	assert_int_equal(tw_load_work(0)->restarts, 0);
	assert_int_equal(tw_load_work(1)->restarts, 3);
	assert_int_equal(tw_load_work(2)->restarts, 6);
	assert_int_equal(tw_load_work(0)->done, 10);
	assert_int_equal(tw_load_work(2)->done, 10);
	close_sham();
}

/* The duration is measured without a load, too. */
static void test_none(void **state)
{
	int64_t begin_ns, all_ns;

	(void)state;
	memset(&world, 0, sizeof(world));
	run_of("");
	assert_int_equal(tw_part_load.open(&session.run), 0);
	begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	assert_int_equal(tw_part_load.begin(&session.run), 0);
	assert_int_equal(tw_part_load.woken(&session.run), 0);
	tw_part_load.end(&session.run);
	all_ns = tw_now_ns(CLOCK_MONOTONIC) - begin_ns;
	assert_in_range(tw_load_work(0)->elapsed_ns, 1, all_ns);
	assert_int_equal(tw_load_work(0)->done, 0);
	assert_int_equal(world.settles, 0);
	tw_part_load.finish(&session.run);
	tw_part_load.close(&session.run);
	assert_int_equal(session.run.err, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_opened),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_does_not_begin),
		cmocka_unit_test(test_does_not_end),
		cmocka_unit_test(test_dies),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_restarts),
		cmocka_unit_test(test_none),
	};
	int failed;

	text = tmpfile();
	failed = text ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
	if (text)
		fclose(text);
	return failed;
}
