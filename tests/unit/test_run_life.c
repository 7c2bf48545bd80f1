// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a program: what main calls of its parts, and in what order. */
#include <signal.h>

#include "life.h"
#include "base/tw_system.h"

#define CHECKED		"a.check b.check c.check "
#define OPENED		CHECKED "a.open b.open c.open "
#define BEGUN		"a.begin b.begin c.begin "
#define TICKED		"run a.tick b.tick c.tick "
#define STEP		BEGUN TICKED "a.woken b.woken c.woken p.run " ENDED
#define ENDED		"c.end b.end a.end "
#define FINISHED	"a.finish b.finish c.finish "
#define PRINTED		"a.text b.text c.text "
#define CLOSED		"c.close b.close a.close"

static void test_order(void **state)
{
	(void)state;
	assert_int_equal(life_main(&life_program, "life -q"), 0);
	assert_string_equal(life.log, OPENED STEP FINISHED "b.exceeded "
			    PRINTED CLOSED);
	assert_string_equal(life.out, "a\nb\nc\n");
	assert_string_equal(life.err_text, "");
}

static int two_steps(struct tw_run *run)
{
	run->steps = 2;
	return 0;
}

static const struct tw_part part_steps = { .check = two_steps };
static const struct tw_part *const ramp_parts[] = {
	&tw_part_output, &tw_part_display,
	&part_steps, &part_a, &part_b, &part_c, NULL
};
static const struct tw_program ramp = {
	.name = "life", .object = "lives", .parts = ramp_parts,
	.hint = life_hint, .run = life_step, .columns = life_columns,
};

static void test_steps(void **state)
{
	(void)state;
	assert_int_equal(life_main(&ramp, "life -q"), 0);
	assert_string_equal(life.log, OPENED STEP STEP FINISHED "b.exceeded "
			    PRINTED CLOSED);
	assert_int_equal(life_run.step, 1);
}

/* What fails, in the second of two steps; what is called then; the status. */
static void test_failures(void **state)
{
	static const struct {
		const char *fails;
		int at_step;
		const char *log;
	} rows[] = {
		{ "b.check", 0, "a.check b.check" },
		{ "b.open", 0, CHECKED "a.open b.open " CLOSED },
		/* Before any result: none is printed. */
		{ "b.begin", 0, OPENED "a.begin b.begin a.end " FINISHED
				CLOSED },
		{ "a.begin", 0, OPENED "a.begin " FINISHED CLOSED },
		{ "b.begin", 1, OPENED STEP "a.begin b.begin a.end " FINISHED
				PRINTED CLOSED },
		{ "b.tick", 0, OPENED BEGUN "run a.tick b.tick " ENDED FINISHED
			       PRINTED CLOSED },
		{ "a.woken", 0, OPENED BEGUN TICKED "a.woken " ENDED FINISHED
				PRINTED CLOSED },
		{ "b.woken", 1, OPENED STEP BEGUN TICKED "a.woken b.woken "
				ENDED FINISHED PRINTED CLOSED },
		{ "p.run", 0, OPENED STEP FINISHED PRINTED CLOSED },
	};
	char want[100];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		life_begin(state);
		life.fails = rows[i].fails;
		life.at_step = rows[i].at_step;
		life.exceeded = true;
		assert_int_equal(life_main(&ramp, "life -q"), EXIT_FAILURE);
		assert_string_equal(life.log, rows[i].log);
		snprintf(want, sizeof(want), "life: %s failed\n",
			 rows[i].fails);
		assert_string_equal(life.err_text, want);
	}
}

/* The first is told: the others are likely to follow from it. */
static void test_first_failure(void **state)
{
	(void)state;
	memset(&life_run, 0, sizeof(life_run));
	assert_int_equal(tw_fail(&life_run, -EIO, "%s %d", "disk", 3), -EIO);
	assert_int_equal(tw_fail(&life_run, -ENOMEM, "memory"), -ENOMEM);
	assert_int_equal(life_run.err, -EIO);
	assert_string_equal(life_run.error, "disk 3");
}

static void test_over(void **state)
{
	(void)state;
	life.over = true;
	assert_int_equal(life_main(&ramp, "life -q"), 0);
	assert_string_equal(life.log, OPENED STEP FINISHED "b.exceeded "
			    PRINTED CLOSED);
}

/* By a signal: what there is, is printed and judged. */
static void test_interrupted(void **state)
{
	(void)state;
	life.signal = SIGINT;
	assert_int_equal(life_main(&ramp, "life -q"), 0);
	assert_string_equal(life.log, OPENED STEP FINISHED "b.exceeded "
			    PRINTED CLOSED);
}

static void test_exceeded(void **state)
{
	(void)state;
	life.exceeded = true;
	assert_int_equal(life_main(&life_program, "life -q"),
			 TW_EXIT_EXCEEDED);
	assert_string_equal(life.out, "a\nb\nc\n");
	assert_string_equal(life.err_text, "");
}

static void test_instead(void **state)
{
	(void)state;
	life.only = true;
	for (life.instead = 0; life.instead < 3; life.instead++) {
		*life.log = '\0';
		assert_int_equal(life_main(&life_program, "life"),
				 life.instead);
		assert_string_equal(life.log, CHECKED "c.instead c.text");
		assert_string_equal(life.out, "c\n");
	}
}

static void test_help(void **state)
{
	(void)state;
	assert_int_equal(life_main(&life_program, "life --help"), 0);
	assert_string_equal(life.log, "");
	assert_int_equal(strncmp(life.out, "usage: life\n\n", 13), 0);
	assert_int_equal(life_main(&life_program, "life --version -z"), 0);
	assert_string_equal(life.log, "");
	assert_int_equal(strncmp(life.out, "life V ", 7), 0);
	/* Not before the whole line is known to be right. */
	assert_int_equal(life_main(&life_program, "life --help -y"),
			 EXIT_FAILURE);
	assert_string_equal(life.out, "");
	assert_string_equal(life.err_text,
			    "life: -y: unknown option; --help lists the options\n");
}

/* As the user gave it, in JSON and wherever else it is told. */
static void test_command_line(void **state)
{
	(void)state;
	assert_int_equal(life_main(&life_program, "life -q -t 5"), 0);
	assert_int_equal(life_run.argc, 4);
}

/* Without results there is nothing to wake up for. */
static void test_ticks(void **state)
{
	(void)state;
	memset(&life_run, 0, sizeof(life_run));
	tw_run_tick_at(&life_run, 100);
	assert_int_equal(life_run.tick_ms, 100);
	tw_run_tick_at(&life_run, 200);
	assert_int_equal(life_run.tick_ms, 100);
	tw_run_tick_at(&life_run, 25);
	assert_int_equal(life_run.tick_ms, 25);
}

static void check_rooms(size_t a, size_t b, size_t c, size_t want)
{
	life.rooms[0] = a;
	life.rooms[1] = b;
	life.rooms[2] = c;
	assert_true(tw_run_room(&life_run) == want);
}

static int merges;

static void merge(struct tw_pair *sum, const struct tw_pair *pair)
{
	assert_ptr_equal(sum, &merges);
	assert_ptr_equal(pair, &life_run);
	merges++;
}

/* By each part that has something to add. */
static void test_merge(void **state)
{
	static const struct tw_part one = { .merge = merge }, none = {
		.name = "none",
	};
	static const struct tw_part *const some[] = {
		&one, &none, &one, NULL
	};

	(void)state;
	memset(&life_run, 0, sizeof(life_run));
	life_run.parts = some;
	tw_run_merge(&life_run, (struct tw_pair *)&merges,
		     (struct tw_pair *)&life_run);
	assert_int_equal(merges, 2);
}

/* In lines of their own, one after the other. */
static void test_rooms(void **state)
{
	const size_t line = TW_CACHE_LINE, limit = SIZE_MAX / line * line;

	(void)state;
	memset(&life_run, 0, sizeof(life_run));
	life_run.parts = life_parts;
	check_rooms(0, 0, 0, 0);
	check_rooms(1, 0, 0, line);
	check_rooms(1, line, line + 1, 4 * line);
	tw_run_attach(&life_run, NULL, life_memory);
	assert_int_equal(life.given[0], 0);
	assert_int_equal(life.given[1], line);
	assert_int_equal(life.given[2], 2 * line);
	check_rooms(line, 0, 5, 2 * line);
	tw_run_attach(&life_run, NULL, life_memory);
	assert_int_equal(life.given[1], line);
	assert_int_equal(life.given[2], line);

	check_rooms(SIZE_MAX, 0, 0, SIZE_MAX);
	check_rooms(0, 0, SIZE_MAX, SIZE_MAX);
	check_rooms(1, SIZE_MAX - line, 1, SIZE_MAX);
	check_rooms(limit - 2 * line, 0, 1, limit - line);
	check_rooms(limit - 2 * line, 1, line + 1, SIZE_MAX);
	check_rooms(SIZE_MAX / 2, SIZE_MAX / 2, SIZE_MAX / 2, SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIFE(test_order),
		LIFE(test_steps),
		LIFE(test_failures),
		LIFE(test_first_failure),
		LIFE(test_over),
		LIFE(test_interrupted),
		LIFE(test_exceeded),
		LIFE(test_instead),
		LIFE(test_help),
		LIFE(test_command_line),
		LIFE(test_ticks),
		LIFE(test_rooms),
		LIFE(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
