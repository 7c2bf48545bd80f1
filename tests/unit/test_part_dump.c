// SPDX-License-Identifier: GPL-2.0-or-later
/* --dump and -v: every cycle, from the client's ring to its readers. */
#include <sys/stat.h>

#include "dump.h"
#include "json.h"
#include "measure/tw_ring.h"
#include "report_ramp.h"

#define HEADER	"pair,cycle,planned_ns,t0_ns,t1_ns,t2_ns,t3_ns,missed\n"
#define RING	2048	/* cycles: 2 s of the default period, or more */
#define LINE	"       0:       0:      10\n"	/* -v, of one metric */

static char got[4 << 20];

/* As the client does. */
static void measure(const struct tw_cycle *cycle, int count)
{
	while (count--)
		pair.record(&pair, cycle);
}

static int tick(void)
{
	return tw_part_dump.tick(&session.run);
}

/* What @fd has for its reader now. */
static const char *read_now(int fd)
{
	ssize_t len;
	size_t all = 0;

	while (all < sizeof(got) - 1 &&
	       (len = read(fd, got + all, sizeof(got) - 1 - all)) > 0)
		all += (size_t)len;
	got[all] = '\0';
	return got;
}

static const char *printed(void)
{
	tw_flow_push(&session.run.output.text.flow, 0);
	return read_now(text_fd);
}

/* The file, once it is complete. */
static const char *dumped(void)
{
	int fd;

	assert_int_equal(tw_file_commit(tw_part_dump.result->file, -1), 0);
	fd = open("f", O_RDONLY);
	assert_true(fd >= 0);
	read_now(fd);
	close(fd);
	return got;
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		lines++;
	}
	return lines;
}

static uint64_t json_lost(void)
{
	const char *text = written_json(tw_part_dump.json);
	unsigned long long lost;

	assert_members(text);
	assert_int_equal(sscanf(text, " \"not_dumped\": %llu", &lost), 1);
	return lost;
}

/* Who does not ask pays nothing: no ring, no call, no tick. */
static void test_asked_for(void **state)
{
	static const struct { const char *line; bool wanted; } rows[] = {
		{ "", false }, { "-q", false }, { "-vq", false },
		{ "--json=g", false }, { "-v", true }, { "--dump=f", true },
		{ "-q --dump=f", true }, { "-v --dump=f", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(rows[i].line);
		if (rows[i].wanted != !!pair.ring ||
		    rows[i].wanted != !!pair.record ||
		    rows[i].wanted != !!session.run.tick_ms)
			fail_msg("\"%s\"", rows[i].line);
		assert_int_equal(tw_part_dump.room(&session.run),
				 rows[i].wanted ? tw_ring_size(RING) : 0);
		assert_int_equal(tick(), 0);
		tw_part_dump.end(&session.run);
		assert_string_equal(printed(), "");
	}
}

static void test_dump(void **state)
{
	(void)state;
	begin("--dump=f");
	measure(&run_cycles[0], 1);
	assert_int_equal(tick(), 0);
	pair.number = 3;
	measure(&run_cycles[1], 1);
	assert_int_equal(tick(), 0);
	assert_int_equal(tick(), 0);
	assert_string_equal(dumped(), HEADER
			    "0,0,2000000,2004000,2014500,2130500,2139000,0\n"
			    "3,1,3000000,3002000,3014000,3120000,3130000,2\n");
	/* The statistics have them, too; nothing is printed. */
	assert_int_equal(pair.tally->cycles, 2);
	assert_string_equal(printed(), "");
	assert_string_equal(written(tw_part_dump.remarks), "");
	assert_int_equal(json_lost(), 0);
}

/* In the order of --metrics, which the columns of further pairs follow. */
/* What a lost cycle lacks is empty in the dump; -v leaves it out. */
static void test_lost(void **state)
{
	struct tw_cycle cycle = run_cycles[1];

	(void)state;
	begin("-v --dump=f --metrics=receive");
	measure(&run_cycles[0], 1);
	cycle.server_cpu = TW_CYCLE_LOST;
	pair.lose(&pair, &cycle);
	assert_int_equal(tick(), 0);
	assert_string_equal(printed(), "       0:       0:       8\n");
	assert_string_equal(dumped(), HEADER
			    "0,0,2000000,2004000,2014500,2130500,2139000,0\n"
			    "0,1,3000000,3002000,,,,2\n");
	assert_int_equal(pair.tally->cycles, 1);
	assert_int_equal(pair.tally->lost, 1);
}

static void test_verbose(void **state)
{
	(void)state;
	begin("-v --metrics=total,send");
	measure(&run_cycles[0], 1);
	measure(&run_cycles[1], 1);
	assert_int_equal(tick(), 0);
	assert_string_equal(printed(), "       0:       0:      39\n"
				       "       1:       0:      10\n"
				       "       0:       1:      30\n"
				       "       1:       1:      12\n");
	pair.number = 1;
	measure(&run_cycles[1], 1);
	assert_int_equal(tick(), 0);
	assert_string_equal(printed(), "       2:       1:      30\n"
				       "       3:       1:      12\n");
	begin("-vN --metrics=send");
	measure(&run_cycles[0], 1);
	assert_int_equal(tick(), 0);
	assert_string_equal(printed(), "       0:       0:   10500\n");
}

/* -u: nobody has to push it. */
static void test_unbuffered(void **state)
{
	static const struct { const char *line, *want; } rows[] = {
		{ "-v --metrics=send", "" },
		{ "-vu --metrics=send", LINE },
	};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		begin(rows[i].line);
		measure(&run_cycles[0], 1);
		assert_int_equal(tick(), 0);
		assert_string_equal(read_now(text_fd), rows[i].want);
	}
}

static void test_both(void **state)
{
	(void)state;
	begin("-v --metrics=send --dump=f");
	measure(&run_cycles[0], 1);
	assert_int_equal(tick(), 0);
	assert_string_equal(printed(), LINE);
	assert_string_equal(dumped(), HEADER
			    "0,0,2000000,2004000,2014500,2130500,2139000,0\n");
}

/* The end of a step brings what came after the last tick. */
static void test_end_of_step(void **state)
{
	(void)state;
	begin("-v --metrics=send");
	measure(&run_cycles[0], 2);
	tw_part_dump.end(&session.run);
	assert_string_equal(printed(), LINE LINE);
	/* But not where nothing can be written any more. */
	measure(&run_cycles[0], 1);
	session.run.unwritten = true;
	tw_part_dump.end(&session.run);
	assert_string_equal(printed(), "");
	/* Nor where there was no memory for a pair. */
	session.run.unwritten = false;
	session.pairs = NULL;
	tw_part_dump.end(&session.run);
	assert_string_equal(printed(), "");
}

/* Main got no CPU for so long: the first are kept, the others counted. */
static void test_full_ring(void **state)
{
	const char *text;

	(void)state;
	begin("--dump=f");
	measure(&run_cycles[0], RING);
	assert_string_equal(written(tw_part_dump.remarks), "");
	measure(&run_cycles[1], 5);
	tw_part_dump.end(&session.run);
	assert_string_equal(written(tw_part_dump.remarks),
			    "# Not dumped: 5 cycles, as the parent process could not keep up\n");
	assert_int_equal(json_lost(), 5);
	assert_int_equal(pair.tally->cycles, RING + 5);
	text = dumped();
	assert_int_equal(count_lines(text), 1 + RING);
	assert_null(strstr(text, ",3002000,"));
	/* There is room again. */
	measure(&run_cycles[1], 1);
	assert_int_equal(pair.ring->lost, 5);
}

/* Those of all steps; their sum has a ring that nobody uses. */
static void test_steps(void **state)
{
	(void)state;
	end();
	new_ramp("--dump=f --load=fft --steps=2 -l9");
	pair.ring->lost = 3;
	second.ring->lost = 4;
	finish_ramp();
	merged.ring->lost = 100;
	assert_string_equal(written(tw_part_dump.remarks),
			    "# Not dumped: 7 cycles, as the parent process could not keep up\n");
	assert_int_equal(json_lost(), 7);
	/* Only what was begun has a pair. */
	session.steps_done = 1;
	assert_int_equal(json_lost(), 3);
}

/* The text is kept for a while; what comes then is left out, not waited for. */
static void test_slow_reader_of_text(void **state)
{
	/* The last one is begun below the limit. */
	const uint64_t kept = (TW_OUTPUT_KEPT + strlen(LINE) - 1) /
			      strlen(LINE);
	const uint64_t all = kept / RING * RING + 2 * RING;
	char want[100];
	uint64_t n;

	(void)state;
	begin("-v --metrics=send");
	for (n = 0; n < all; n += RING) {
		measure(&run_cycles[0], RING);
		assert_int_equal(tick(), 0);
	}
	assert_int_equal(tw_flow_behind(&session.run.output.text.flow),
			 kept * strlen(LINE));
	snprintf(want, sizeof(want), "# Not printed: %llu cycles, as the reader did not keep up\n",
		 (unsigned long long)(all - kept));
	assert_string_equal(written(tw_part_dump.remarks), want);
	assert_int_equal(json_lost(), 0);
}

/* The same of a pipe that --dump writes to; the first lines reach it. */
static void test_slow_reader_of_dump(void **state)
{
	const struct tw_flow *flow = &tw_part_dump.result->file->flow;
	uint64_t lines, all = 0;
	char want[120];
	int fd;

	(void)state;
	assert_int_equal(mkfifo("f", 0600), 0);
	fd = open("f", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	begin("--dump=f");
	while (!json_lost()) {
		measure(&run_cycles[0], RING);
		all += RING;
		assert_int_equal(tick(), 0);
		/* 46 bytes a line: it has to happen. */
		assert_true(all < 80 * RING);
	}
	snprintf(want, sizeof(want), "# Not dumped: %llu cycles, as the parent process could not keep up\n",
		 (unsigned long long)json_lost());
	assert_string_equal(written(tw_part_dump.remarks), want);
	/* All others are on their way. */
	lines = 0;
	while (tw_flow_behind(flow)) {
		lines += count_lines(read_now(fd));
		tick();
	}
	lines += count_lines(read_now(fd));
	assert_int_equal(lines, 1 + all - json_lost());
	close(fd);
}

/* Main is told, with the message of the file that failed. */
static void test_reader_gone(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(mkfifo("f", 0600), 0);
	fd = open("f", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	begin("--dump=f");
	assert_int_equal(tick(), 0);
	close(fd);
	measure(&run_cycles[0], 2);
	assert_int_equal(tick(), -EPIPE);
	assert_string_equal(session.run.output.error,
			    "--dump=f: cannot write: Broken pipe");
	/* And again, for as long as main asks. */
	measure(&run_cycles[0], 1);
	assert_int_equal(tick(), -EPIPE);
}

static void test_options(void **state)
{
	(void)state;
	refused("--dump=", "--dump=: a file name is needed");
	refused("--dump=-",
		"--dump=-: only --json can go to standard output; name a file");
	accepted("--dump=f --dump=g");
	assert_string_equal(*tw_part_dump.result->path, "g");
	accepted("");
	assert_null(*tw_part_dump.result->path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_HOME(test_asked_for),
		IN_HOME(test_dump),
		IN_HOME(test_lost),
		IN_HOME(test_verbose),
		IN_HOME(test_unbuffered),
		IN_HOME(test_both),
		IN_HOME(test_end_of_step),
		IN_HOME(test_full_ring),
		IN_HOME(test_steps),
		IN_HOME(test_slow_reader_of_text),
		IN_HOME(test_slow_reader_of_dump),
		IN_HOME(test_reader_gone),
		IN_HOME(test_options),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_ramp();
	return failed;
}
