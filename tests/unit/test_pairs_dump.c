// SPDX-License-Identifier: GPL-2.0-or-later
/* --dump and -v with several pairs, and the size of their rings. */
#include "dump.h"
#include "json.h"
#include "measure/tw_ring.h"

#define HEADER	"pair,cycle,planned_ns,t0_ns,t1_ns,t2_ns,t3_ns,missed\n"
#define FIRST	",0,2000000,2004000,2014500,2130500,2139000,0\n"
#define SECOND	"3000000,3002000,3014000,3120000,3130000,2\n"

static char got[4096];

static void record(unsigned int number, int which)
{
	struct tw_pair *to = run_pair(number);

	to->record(to, &run_cycles[which]);
}

static const char *read_all(int fd)
{
	ssize_t len = read(fd, got, sizeof(got) - 1);

	got[len < 0 ? 0 : len] = '\0';
	return got;
}

/* Whole cycles, of each pair in the order of its own. */
static void test_dump(void **state)
{
	int fd;

	(void)state;
	begin("-t3 --dump=f");
	record(2, 0);
	record(0, 0);
	record(2, 1);
	assert_int_equal(tw_part_dump.tick(&session.run), 0);
	record(1, 0);
	record(0, 1);
	tw_part_dump.end(&session.run);
	assert_int_equal(tw_file_commit(tw_part_dump.result->file, -1), 0);
	fd = open("f", O_RDONLY);
	assert_true(fd >= 0);
	assert_string_equal(read_all(fd),
			    HEADER "0" FIRST "2" FIRST "2,1," SECOND
			    "0,1," SECOND "1" FIRST);
	close(fd);
}

/* By the number of the column, as everywhere. */
static void test_verbose(void **state)
{
	(void)state;
	begin("-t3 -d0 -v --metrics=total,send");
	record(2, 0);
	record(1, 0);
	record(1, 1);
	assert_int_equal(tw_part_dump.tick(&session.run), 0);
	tw_flow_push(&session.run.output.text.flow, 0);
	assert_string_equal(read_all(text_fd),
			    "       2:       0:      39\n"
			    "       3:       0:      10\n"
			    "       2:       1:      30\n"
			    "       3:       1:      12\n"
			    "       4:       0:      39\n"
			    "       5:       0:      10\n");
}

/* What was lost in any ring is told as one number. */
static void test_lost(void **state)
{
	(void)state;
	begin("-t3 --dump=f");
	run_pair(0)->ring->lost = 3;
	run_pair(2)->ring->lost = 4;
	contains(written(tw_part_dump.remarks), "# Not dumped: 7 cycles");
	contains(written_json(tw_part_dump.json), "\"not_dumped\": 7\n");
}

/* Two seconds of the shortest period, if that many may be. */
static void test_ring_size(void **state)
{
	static const struct { const char *line; uint32_t cycles; } rows[] = {
		{ "-v", 2048 }, { "-v -t3", 2048 }, { "-v -i500", 4096 },
		{ "-v -i250", 8192 }, { "-v -i10 --sleep=0", 8192 },
		{ "-v -i0", 8192 }, { "-v -t2 -i0", 8192 },
		{ "-v -i1000000", 64 }, { "-v -i31250", 64 },
		{ "-v -i31249", 128 }, { "-v -i1000000000", 64 },
		{ "-v -t3 -i1000000 -d1000000", 64 },
		{ "-v -t3 -i1000000,2000,4000", 1024 },
		{ "-v -t3 -i4000,2000,1000", 2048 },
	};
	unsigned int k;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		new_run(rows[i].line);
		assert_int_equal(tw_part_dump.room(&session.run),
				 tw_ring_size(rows[i].cycles));
		for (k = 0; k < config.pairs.count; k++) {
			assert_non_null(run_pair(k)->ring);
			assert_int_equal(run_pair(k)->ring->size,
					 rows[i].cycles);
		}
	}
}

/* A small ring is full where it should be, and has lost what came then. */
static void test_small_ring(void **state)
{
	struct tw_cycle cycle;
	uint32_t i;

	(void)state;
	new_run("-t2 -v -i1000000");
	for (i = 0; i < TW_RING_LEAST + 3; i++)
		record(1, 0);
	assert_int_equal(run_pair(1)->ring->lost, 3);
	assert_int_equal(run_pair(0)->ring->lost, 0);
	for (i = 0; i < TW_RING_LEAST; i++)
		assert_true(tw_ring_get(run_pair(1)->ring, &cycle));
	assert_false(tw_ring_get(run_pair(1)->ring, &cycle));
	assert_false(tw_ring_get(run_pair(0)->ring, &cycle));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_HOME(test_dump),
		IN_HOME(test_verbose),
		IN_HOME(test_lost),
		cmocka_unit_test(test_ring_size),
		cmocka_unit_test(test_small_ring),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
