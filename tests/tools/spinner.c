// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A task that takes its CPU away from others for known times.
 *
 *	spinner CPU PRIORITY START_US SPIN_US PERIOD_US COUNT
 *
 * PRIORITY: of SCHED_FIFO; 0: ordinary. START_US from now on, and then every
 * PERIOD_US, COUNT times in all (0: until it is ended), it spins for SPIN_US.
 * Then it waits for SIGTERM, as its end would take its CPU some time too, and
 * prints when it had the CPU: begin and end, in ns of CLOCK_MONOTONIC. It makes
 * no system call while it spins.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#define KEPT	65536		/* the last ones */
/* Between two looks at the clock: somebody else must have had the CPU. */
#define GAP_NS	5000

static struct had {
	int64_t begin_ns;
	int64_t end_ns;
} kept[KEPT];

static unsigned long seen;

static volatile sig_atomic_t stop;

static void on_stop(int number)
{
	(void)number;
	stop = 1;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int settle(int cpu, int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	const struct sigaction action = { .sa_handler = on_stop };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) ||
	       (priority && sched_setscheduler(0, SCHED_FIFO, &param)) ||
	       sigaction(SIGTERM, &action, NULL) ||
	       prctl(PR_SET_PDEATHSIG, SIGKILL) ||
	       mlockall(MCL_CURRENT | MCL_FUTURE);
}

static void sleep_until(int64_t at_ns)
{
	const struct timespec at = {
		.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000,
	};

	while (!stop && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at,
					NULL) == EINTR)
		;
}

static void spin(int64_t for_ns)
{
	int64_t now = now_ns(), last, end_ns = now + for_ns;
	struct had *had = &kept[seen++ % KEPT];

	had->begin_ns = now;
	do {
		last = now;
		now = now_ns();
		if (now - last > GAP_NS) {
			had = &kept[seen++ % KEPT];
			had->begin_ns = now;
		}
		had->end_ns = now;
	} while (!stop && now < end_ns);
}

int main(int argc, char **argv)
{
	int64_t at_ns, spin_ns, period_ns;
	unsigned long count, n, i;

	if (argc != 7)
		return EXIT_FAILURE;
	spin_ns = atoll(argv[4]) * 1000;
	period_ns = atoll(argv[5]) * 1000;
	count = strtoul(argv[6], NULL, 10);
	if (settle(atoi(argv[1]), atoi(argv[2]))) {
		perror("spinner");
		return EXIT_FAILURE;
	}
	puts("ready");
	fflush(stdout);
	at_ns = now_ns() + atoll(argv[3]) * 1000;
	for (n = 0; !stop && (!count || n < count); n++) {
		sleep_until(at_ns);
		spin(spin_ns);
		at_ns += period_ns;
	}
	while (!stop)
		sleep_until(INT64_MAX);
	for (i = seen > KEPT ? seen - KEPT : 0; i < seen; i++)
		printf("%lld %lld\n", (long long)kept[i % KEPT].begin_ns,
		       (long long)kept[i % KEPT].end_ns);
	return EXIT_SUCCESS;
}
