// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of pairs that are wrong, or contradict each other: what is said. */
#include "machine.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define LIMIT \
	": allowed is METRIC:US, METRIC:avg:US, METRIC:pPERCENT:US, missed:N, throttled:N or lost:N, as in response:500, total:p99.9:200, missed:0; the number up to 1000000000; METRIC@LIST for the pairs of a list, as response@0,2-4:500"
#define MANY_VALUES \
	"; allowed is one for each pair, and the last is also that of the pairs after it; see --threads"
#define EXCLUDE \
	" exclude each other; all pairs have the one or the other"

struct row {
	const char *line, *want;
};

static int four_cpus(void **state)
{
	(void)state;
	use_cpus(4);
	return 0;
}

static void refuses(const struct row *rows, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		refused(rows[i].line, rows[i].want);
}

static void test_numbers(void **state)
{
	static const struct row rows[] = {
		{ "--threads=0", "--threads=0: allowed is a whole number from 1 to 256" },
		{ "-t0", "--threads=0: allowed is a whole number from 1 to 256" },
		{ "-t257", "--threads=257: allowed is a whole number from 1 to 256" },
		{ "--threads=x", "--threads=x: allowed is a whole number from 1 to 256" },
		{ "-tx", "--threads=x: allowed is a whole number from 1 to 256" },
		{ "--threads=", "--threads=: allowed is a whole number from 1 to 256" },
		{ "-t x", "x: unexpected argument; all input is given by options, see --help" },
		{ "-d-1", "--distance=-1: allowed is a whole number from 0 to 1000000" },
		{ "-d1000001", "--distance=1000001: allowed is a whole number from 0 to 1000000" },
		{ "--distance=x", "--distance=x: allowed is a whole number from 0 to 1000000" },
		{ "-d", "--distance: a value is needed: US" },
		{ "-A1000001", "--aligned=1000001: allowed is a whole number from 0 to 1000000" },
		{ "--aligned=x", "--aligned=x: allowed is a whole number from 0 to 1000000" },
		{ "-S --peer=both", "--peer=both: allowed is one of same, next" },
		{ "--smp=2", "--smp=2: takes no value; --help lists the options" },
	};

	(void)state;
	refuses(rows, COUNT(rows));
}

static void test_smp(void **state)
{
	static const char affinity[] = "-S: sets the CPU of each client and server itself; leave out -a, or give -t instead of -S";
	static const char threads[] = "-S: means a pair for each CPU; leave out -t, or give -t with -a instead of -S";
	const struct row rows[] = {
		{ "-S -a", affinity }, { "-a -S", affinity },
		{ "-S -a0-1", affinity }, { "-S --affinity=0", affinity },
		{ "-S -t", threads }, { "-S -t4", threads },
		{ "--threads=2 --smp", threads }, { "-t -a -S", affinity },
		{ "--peer=next", "--peer=next: only -S places a server by its client; give -S too, or --server-affinity" },
		{ "-t4 -a --peer=next", "--peer=next: only -S places a server by its client; give -S too, or --server-affinity" },
	};

	(void)state;
	refuses(rows, COUNT(rows));
}

#define NO_LIST \
	": allowed is a whole number from 0 to 1000000000, or a list of them, one for each pair"

static void test_lists(void **state)
{
	static const struct row rows[] = {
		{ "-i500,600", "--interval: has 2 values for 1 pair" MANY_VALUES },
		{ "-t2 -i500,600,700", "--interval: has 3 values for 2 pairs" MANY_VALUES },
		{ "-S -i500,600,700,800,900", "--interval: has 5 values for 4 pairs; allowed is one for each pair, and the last is also that of the pairs after it" },
		{ "-t3 -i0 -d9", "--distance=9: with --interval=0 there is no period that it could be added to" },
		{ "--peer=same", "--peer=same: only -S places a server by its client; give -S too, or --server-affinity" },
		{ "-t2 -i0,600", "--interval: a closed loop, 0, and a period, 600," EXCLUDE },
		{ "-t2 -i600,0", "--interval: a closed loop, 0, and a period, 600," EXCLUDE },
		{ "-t3 -i600,700,0", "--interval: a closed loop, 0, and a period, 600," EXCLUDE },
		{ "-t3 -i0,0,700", "--interval: a closed loop, 0, and a period, 700," EXCLUDE },
		{ "-t2 -i600,100", "--interval: 100 is too short for the default --sleep=100; allowed is more than the sleep" },
		{ "-t3 -i600,700,50 --sleep=60", "--interval: 50 is too short for --sleep=60; allowed is more than the sleep" },
		{ "-t2 -i100,500", "--interval=100: too short for the default --sleep=100; allowed is more than the sleep, or 0 for a closed loop; or give --sleep=20" },
		{ "-t2 -i500,x", "--interval=500,x" NO_LIST },
		{ "-t2 -ix,500", "--interval=x,500" NO_LIST },
		{ "-t2 -i500,1000000001", "--interval=500,1000000001" NO_LIST },
		{ "-t2 -i500,", "--interval=500," NO_LIST },
		{ "-t2 -i500,,600", "--interval=500,,600" NO_LIST },
		{ "-t2 -i,", "--interval=," NO_LIST },
		/* As long as it may be, and one more. */
		{ "-t2 -i0000000000000000000000000000500,60", "--interval: 60 is too short for the default --sleep=100; allowed is more than the sleep" },
		{ "-t2 -i00000000000000000000000000000500,600", "--interval=00000000000000000000000000000500,600" NO_LIST },
		{ "-t2 -i500,600 -d5", "--distance=5: contradicts a list of intervals, which has the period of each pair" },
		{ "-t2 -d0 -i500,600", "--distance=0: contradicts a list of intervals, which has the period of each pair" },
	};

	(void)state;
	refuses(rows, COUNT(rows));
	accepted("-t2 -i101,102");
	accepted("-t2 -i61,62 --sleep=60");
}

static void test_aligned(void **state)
{
	static const char no_timer[] = "--aligned: with --interval=0 there is no timer, so there is no expiry to share";
	const struct row rows[] = {
		{ "-A -i0", no_timer }, { "-t3 -i0 -A", no_timer },
		{ "-t2 -A100 -i0,0", no_timer },
	};

	(void)state;
	refuses(rows, COUNT(rows));
}

static void test_priospread(void **state)
{
	static const char no_priority[] = "--priospread: client and server have no real-time priority; give --priority too";
	const struct row rows[] = {
		{ "-t2 --priospread", no_priority },
		{ "-S --priospread", no_priority },
		{ "-t2 --priospread --policy=batch", no_priority },
		{ "-t40 -p80 --priospread", "--priospread: 40 pairs need 81 priorities, and --priority=80 leaves 80; allowed are up to 39 pairs, or give a higher --priority" },
		{ "-t50 -p99 --priospread", "--priospread: 50 pairs need 101 priorities, and --priority=99 leaves 99; allowed are up to 49 pairs, or give a higher --priority" },
		{ "-t3 -p6 --priospread", "--priospread: 3 pairs need 7 priorities, and --priority=6 leaves 6; allowed are up to 2 pairs, or give a higher --priority" },
		{ "-S -p8 --priospread", "--priospread: 4 pairs need 9 priorities, and --priority=8 leaves 8; allowed are up to 3 pairs, or give a higher --priority" },
		{ "-t2 --policy=fifo --priospread", "--priospread: 2 pairs need 5 priorities, and --priority=3 leaves 3; allowed are up to 1 pair, or give a higher --priority" },
	};

	(void)state;
	refuses(rows, COUNT(rows));
	accepted("-t39 -p80 --priospread");
	accepted("-t3 -p7 --priospread");
}

#define BUSY(pairs, most) \
	"--wait=busy: " #pairs " servers that never sleep need a CPU each, and there is none for server " #most "; allowed are up to " #most " pairs here, or another --wait"
#define BUSY_ONE(pairs) \
	"--wait=busy: " #pairs " servers that never sleep need a CPU each, and there is none for server 1; allowed are up to 1 pair here, or another --wait"

/* The options, and the CPUs that -a or --server-affinity names, if at all. */
static void check_spinning(const char *line, const char *set,
			   const char *servers, const char *want)
{
	struct tw_config config = accepted(line);

	config.wait = tw_wait_kinds[4];
	if (set) {
		config.affinity = TW_SET;
		config.affinity_set = set_of(set);
	}
	if (servers)
		config.role_set[TW_SERVER] = set_of(servers);
	parse_run.err = 0;
	parse_run.error[0] = '\0';
	assert_int_equal(tw_config_check(&config, &parse_run),
			 *want ? -EINVAL : 0);
	assert_string_equal(parse_run.error, want);
}

/* A server that never sleeps leaves nothing of its CPU to another. */
static void test_spinning(void **state)
{
	static const struct row rows[] = {
		{ "-l9 -t5 -p80 --wait=busy", BUSY(5, 4) },
		{ "-l9 -t2 -a -p80 --wait=busy", BUSY_ONE(2) },
	};

	(void)state;
	assert_string_equal(tw_wait_kinds[4]->name, "busy");
	refuses(rows, COUNT(rows));
	check_spinning("-l9 -t3 -p80", "0-3", NULL, BUSY(3, 2));
	check_spinning("-l9 -t2 -p80", "0-3", NULL, "");
	check_spinning("-l9 -t2 -p80", NULL, "2", BUSY_ONE(2));
	check_spinning("-l9 -t3 -p80", NULL, "0-1", BUSY(3, 2));
	check_spinning("-l9 -t2 -p80", NULL, "0-1", "");
	check_spinning("-l9 -t9 -p80", "0-3", NULL, BUSY(9, 2));
	accepted("-l9 -S -p80 --wait=busy");
	accepted("-l9 -S --peer=next -p80 --wait=busy");
	/* Ordinary tasks share it; and who insists, gets it. */
	accepted("-l9 -t5 --wait=busy");
	accepted("-l9 -t5 -p80 --wait=busy --force");
	accepted("-l9 -t5 -p80 --wait=poll");
}

/* On the four CPUs of these tests: servers that leave none to main. */
static void test_starving(void **state)
{
	static const char want[] = "--wait=busy: at a real-time priority the servers leave the parent process no time on CPU 0-3, all that it may use, so neither --duration nor a signal could end the test; give --loops, or --force";

	(void)state;
	refused("-t4 -p80 --wait=busy", want);
	refused("-S -p80 --wait=busy", want);
	accepted("-t3 -p80 --wait=busy");
	accepted("-t4 -p80 --wait=busy -l9");
	accepted("-t4 -p80 --wait=busy --force");
	accepted("-t4 --wait=busy");
	refused("-S -p80 -i0 --sleep=0", "--interval=0 with --sleep=0: at a real-time priority client and server may leave the parent process no time on CPU 0-3, all that it may use, so neither --duration nor a signal could end the test; give --loops, or --force");
	/* Of each pair, one always waits: on another CPU. */
	accepted("-S --peer=next -p80 -i0 --sleep=0");
	accepted("-S -p80 -i0");
	accepted("-S -p80 -i1000 --sleep=0 -d0");
}

static void test_limits(void **state)
{
	static const struct row rows[] = {
		{ "-t3 --limit=response@3:9", "--limit=response@3:9: there is no pair 3; the pairs are 0 to 2, see --threads" },
		{ "-t3 --limit=response@0-255:9", "--limit=response@0-255:9: there is no pair 3; the pairs are 0 to 2, see --threads" },
		{ "-t3 --limit=total:5 --limit=missed@1,200:9", "--limit=missed@1,200:9: there is no pair 200; the pairs are 0 to 2, see --threads" },
		{ "--limit=response@1:9", "--limit=response@1:9: there is no pair 1; the pairs are 0 to 0, see --threads" },
		{ "-t3 -i0 --limit=wakeup@1:9", "--limit=wakeup@1:9: with --interval=0 there is no timer, so there is no such metric" },
	};
	static const char *const bad[] = {
		"response@3-1:9", "response@:9", "response@x:9",
		"response@0-999:9", "response@256:9", "response@0-256:9",
		"response@0,:9", "response@,0:9", "response@0,,1:9",
		"response@0-:9", "response@-1:9", "response@0-1-2:9",
		"response@0x1:9", "response@+1:9", "response@0@1:9",
		"response@0", "response@0:", "@0:9", "responses@0:9",
		"missed@x:5", "response:9@0", "response@00000:9",
		"response@0;1:9",
	};
	char line[80], want[500];
	size_t i;

	(void)state;
	refuses(rows, COUNT(rows));
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(line, sizeof(line), "--limit=%s", bad[i]);
		snprintf(want, sizeof(want), "%s" LIMIT, line);
		refused(line, want);
	}
}

#define ON_FOUR(test)	cmocka_unit_test_setup(test, four_cpus)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FOUR(test_numbers),
		ON_FOUR(test_smp),
		ON_FOUR(test_lists),
		ON_FOUR(test_aligned),
		ON_FOUR(test_priospread),
		ON_FOUR(test_spinning),
		ON_FOUR(test_starving),
		ON_FOUR(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
