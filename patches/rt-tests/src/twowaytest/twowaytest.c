// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twowaytest: how late is the answer of another process, and which part of it?
 * A timer wakes a client; its request wakes a server, which sleeps and replies:
 *	planned ..wakeup.. t0 ..send.. t1 ..sleep.. t2 ..receive.. t3
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt-utils.h"
#include "rt-numa.h"
#include "rt-error.h"
#include "histogram.h"
#include "tw_load.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id	_sigev_un._tid
#endif
#define RING		16384	/* values of -v that wait to be printed */
#define ABSENT		INT64_MIN	/* the cycle lacks the metric */
#define STEPS		1025	/* at most */
#define METRICS		6
#define BIN_US		10	/* of the log */
#define BINS		20000	/* the next one has all that is longer */
#define to_unit(ns)	((long long)((ns) / unit))	/* decimals are cut */
#define for_each_pair(p)	for (p = pairs; p < pairs + num_pairs; p++)

enum { LATENCY, WAKEUP, SEND, SLEEP, RECEIVE, RESPONSE, INTERVAL, TOTAL, NUM };
static const char * const names[NUM] = { "latency", "wakeup", "send", "sleep",
	"receive", "response", "interval", "total" };

struct stats {			/* in ns */
	unsigned long long count;
	int64_t min, max, act, sum;
	double squares;		/* of the distances from the mean */
};

static struct pair {
	struct stats stats[NUM];
	unsigned long long missed;	/* expiries without a cycle */
	struct histogram *hist;
	int64_t *ring;			/* for -v: the last values */
	unsigned long written;
	unsigned long long printed;
	pthread_t thread;
	pid_t tid, server;
	int fd, peer;			/* sockets of client and server */
	int cpu, server_cpu;		/* -1: not pinned */
	int64_t period, next;		/* next: the next expiry */
	long long unanswered_ns, unanswered_cycle;
	int error;			/* of the connection, or 0 */
} pairs[CPU_SETSIZE], *break_pair;	/* the first one that -b stopped */
static char request[65536];
static struct histoset hset;
static struct bitmask *cpus;
static int main_pid, max_cpus, numa, policy, unit; /* unit: of results, in ns */
static volatile int stopping, unwritten;	/* unwritten: output failed */
static clockid_t clock_id = CLOCK_MONOTONIC;
static sigset_t expiry;		/* with -x: the signal of a timer */
static __thread struct timespec wake_time;	/* of a client */
static unsigned long long break_cycle, unprinted;
static int64_t worst[NUM];

/* The options: numbers and switches, then texts; warmup is none of them */
static long long interval = 1000, sleep_us = 100, num_pairs = 1, default_system;
static long long distance = -1, threads = -1, posix_timers, trace_marker, quiet;
static long long histogram, histofall, latency_us, use_nsecs, limit, warmup = 2;
static long long priority, size = 8, loops, duration, verbose, smp, lockall;
static const char *affinity, *clk = "monotonic", *sched, *histfile, *jsonfile;
static const char *load, *load_policy;
static long long trltp, steps, columns = 1;	/* columns: of each pair */
static const char *logfile;
static volatile int over;	/* stopping ends a step, this the run */
static int step;		/* the present one */
static struct load *ramped;	/* has as many workers or groups as it says */

/* The metrics of --trltp, in the order of the reference program's log */
static const struct {
	int id;
	const char *label;
} metrics[METRICS] = {
	{ INTERVAL, "POSIX Timer Interval Time" }, { SEND, "Send Time" },
	{ SLEEP, "nanosleep(100 Micro Sec)" }, { RECEIVE, "Receive Time" },
	{ RESPONSE, "Response Time" }, { TOTAL, "Total Jitter" },
};

static unsigned long long (*bins)[BINS + 1];	/* of each metric */
static struct step {
	struct stats stats[NUM];	/* of all pairs */
	char rate[16], name[20];	/* rate: of the load */
	int partial;		/* something ended it before */
} kept[STEPS];
static const char *unanswered_step[ARRAY_SIZE(pairs)];	/* its name */

/* No client waits any longer: the run ends, or, by the alarm, only the step */
static void stop(int sig)
{
	int saved = errno;
	struct pair *p;

	if (sig == SIGCHLD && !load_ended())
		goto out;
	wake_time.tv_sec = 0;	/* this client does not begin to sleep */
	if (sig != SIGALRM)
		over = 1;
	if (stopping || getpid() != main_pid)
		goto out;
	stopping = 1;
	for_each_pair(p) {
		shutdown(p->fd, SHUT_RDWR);
		syscall(SYS_tgkill, getpid(), p->tid,
			posix_timers ? SIGRTMIN : SIGALRM);
	}
out:
	errno = saved;
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(clock_id, &ts);
	return ts.tv_sec * (int64_t)NSEC_PER_SEC + ts.tv_nsec;
}

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec) { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
}

static double mean(const struct stats *s)
{
	return s->count ? (double)s->sum / s->count : 0;
}

static void stats_merge(struct stats *to, const struct stats *from)
{
	double off = mean(from) - mean(to);

	if (!to->count)
		*to = *from;
	else if (from->count) {
		to->min = to->min < from->min ? to->min : from->min;
		to->max = to->max > from->max ? to->max : from->max;
		to->act = from->act;
		to->squares += from->squares + off * off * to->count *
			       from->count / (to->count + from->count);
		to->count += from->count;
		to->sum += from->sum;
	}
}

static double deviation(const struct stats *s)
{
	return s->count > 1 ? sqrt(s->squares / (s->count - 1)) : 0;
}

static void connect_pair(struct pair *p)
{
	struct sockaddr_in addr = { .sin_family = AF_INET }, own, other = addr;
	int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(addr);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || p->fd < 0 ||
	    setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    bind(listener, (struct sockaddr *)&addr, len) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&addr, &len) ||
	    connect(p->fd, (struct sockaddr *)&addr, len) ||
	    getsockname(p->fd, (struct sockaddr *)&own, &len))
		fatal("cannot connect over 127.0.0.1: %m\n");
	p->peer = accept(listener, (struct sockaddr *)&other, &len);
	if (p->peer < 0 || other.sin_port != own.sin_port)
		fatal("cannot accept the connection over 127.0.0.1: %s\n",
		      p->peer < 0 ? strerror(errno) : "another one came first");
	close(listener);
}

/* Sets up its caller: first the priority, as the CPU may be a busy one */
static void set_up(int prio, int cpu, int lock)
{
	struct sched_param param = { .sched_priority = prio };
	cpu_set_t set;

	errno = pthread_setschedparam(pthread_self(), policy, &param);
	if (errno)
		fatal("cannot set %s, priority %d: %m\n", sched, prio);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);	/* no effect if it is -1 */
	if (cpu >= 0 && sched_setaffinity(0, sizeof(set), &set))
		fatal("cannot use CPU %d: %m\n", cpu);
	if (lock && mlockall(MCL_CURRENT | MCL_FUTURE))
		fatal("cannot lock memory: %m\n");
}

static void __attribute__((noreturn)) serve(struct pair *p)
{
	struct timespec pause = to_timespec(sleep_us * 1000);
	int64_t reply[2];
	struct pair *q;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != main_pid)
		_exit(EXIT_FAILURE);
	for (q = pairs; q <= p; q++)
		close(q->fd);
	set_up(priority ? priority - 1 : 0, p->server_cpu, lockall);
	while (recv(p->peer, request, size, MSG_WAITALL) == size) {
		reply[0] = now();
		if (sleep_us)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		reply[1] = now();
		send(p->peer, reply, sizeof(reply), MSG_NOSIGNAL);
	}
	_exit(EXIT_SUCCESS);
}

static void record(struct pair *p, const int64_t ns[])
{
	unsigned long long cycle = p->stats[LATENCY].count;
	int i;

	for (i = 0; i < NUM; i++) {
		struct stats one = { 1, ns[i], ns[i], ns[i], ns[i], 0 };

		if (ns[i] != ABSENT)
			stats_merge(&p->stats[i], &one);
	}
	if (p->hist)
		hist_sample(p->hist, ns[LATENCY] / 1000);
	if (ns[SEND] == ABSENT)
		unanswered_step[p - pairs] = kept[step].name;
	for (i = 0; bins && i < METRICS; i++) {
		int64_t bin = ns[metrics[i].id] / 1000 / BIN_US;

		if (bin >= 0)
			bins[i][bin < BINS ? bin : BINS]++;
	}
	if (p->ring) {
		p->ring[cycle % RING] = ns[LATENCY];
		__atomic_store_n(&p->written, cycle + 1, __ATOMIC_RELEASE);
	}
	if (!limit || ns[LATENCY] <= limit * 1000 ||
	    !__sync_bool_compare_and_swap(&break_pair, NULL, p))
		return;
	tracemark("twowaytest: latency %lld us > %lld us",
		  (long long)ns[LATENCY] / 1000, limit);
	tracing_stop();
	break_cycle = cycle;
	memcpy(worst, ns, sizeof(worst));
	stop(0);
}

/* Returns the time at the next expiry, or 0 if the run ends before it */
static int64_t await_expiry(const struct pair *p, siginfo_t *info)
{
	wake_time = to_timespec(p->next);
	while (!stopping)
		if (posix_timers ? sigwaitinfo(&expiry, info) > 0 &&
		    info->si_code == SI_TIMER :
		    !clock_nanosleep(clock_id, TIMER_ABSTIME, &wake_time, NULL))
			return now();
	return 0;
}

static void *client(void *arg)
{
	struct pair *p = arg;
	int64_t due, before, missed, longest, reply[2] = { 0, 0 }, ns[NUM];
	int64_t sleep_ns = sleep_us * 1000, end = INT64_MAX;
	int64_t t0 = p->next - p->period, t3 = 0;
	struct itimerspec t = { to_timespec(p->period), to_timespec(p->next) };
	struct sigevent event = { .sigev_signo = SIGRTMIN,
				  .sigev_notify = SIGEV_THREAD_ID };
	siginfo_t info;
	long long cycle, err = 0;
	timer_t timer;

	p->tid = gettid();
	set_up(priority, p->cpu, 0);
	event.sigev_notify_thread_id = p->tid;
	if (posix_timers && (timer_create(clock_id, &event, &timer) ||
			     timer_settime(timer, TIMER_ABSTIME, &t, NULL)))
		fatal("cannot start a timer: %m\n");
	for (cycle = -warmup; !stopping && !err && t3 < end &&
	     (!loops || cycle < loops); cycle++) {
		if (!cycle && duration)
			end = t0 + duration * NSEC_PER_SEC;
		before = t0;
		due = p->next > t3 ? p->next : t3;
		t0 = await_expiry(p, &info);
		if (!t0)
			break;
		errno = ECONNRESET;	/* if the server closes it */
		err = send(p->fd, request, size, MSG_NOSIGNAL) == size &&
		      recv(p->fd, reply, sizeof(reply), MSG_WAITALL) ==
		      sizeof(reply) ? 0 : errno;
		t3 = now();
		ns[WAKEUP] = t0 - due;
		ns[SEND] = reply[0] - t0;
		ns[SLEEP] = reply[1] - reply[0];
		ns[RECEIVE] = t3 - reply[1];
		ns[RESPONSE] = t3 - t0;
		ns[LATENCY] = ns[RESPONSE] - sleep_ns;
		ns[INTERVAL] = t0 - before;
		ns[TOTAL] = ns[SEND] + llabs(ns[SLEEP] - sleep_ns) +
			    ns[RECEIVE] + llabs(ns[INTERVAL] - p->period);
		/* The oldest expiry is served; later ones may have passed */
		missed = posix_timers && !err ? info.si_overrun :
			 ((err ? t3 : t0) - p->next) / p->period;
		p->missed += cycle < 0 || missed < 0 ? 0 : missed;
		p->next += (missed + 1) * p->period;
		longest = p->stats[RESPONSE].count ? p->stats[RESPONSE].max :
			  p->period;
		if (err && stopping && cycle >= 0 && ns[RESPONSE] > longest) {
			p->unanswered_ns = ns[RESPONSE];
			p->unanswered_cycle = cycle;
			ns[SEND] = ns[SLEEP] = ns[RECEIVE] = ns[TOTAL] = ABSENT;
			record(p, ns);
		} else if (err && !stopping) {
			p->error = err;
			stop(0);
		} else if (!err && cycle >= 0) {
			record(p, ns);
		}
	}
	if (t3 < end && !(loops && cycle >= loops))
		kept[step].partial = 1;
	if (posix_timers)
		timer_delete(timer);
	return NULL;
}

static int metric_of(int column)
{
	return trltp ? metrics[column % METRICS].id : LATENCY;
}

static void print_status(void)
{
	int i, width = use_nsecs ? 8 : 5;
	const struct stats *s;
	struct pair *p;

	for (i = 0; i < num_pairs * columns; i++) {
		p = &pairs[i / columns];
		s = &p->stats[metric_of(i)];
		printf("T:%2d (%5d) P:%2lld I:%lld C:%7llu Min:%7lld Act:%*lld Avg:%*lld Max:%8lld",
		       i, p->tid, priority, (long long)p->period / 1000,
		       s->count, to_unit(s->min), width, to_unit(s->act), width,
		       to_unit(mean(s)), to_unit(s->max));
		if (trltp)
			printf(" Std:%8.1f %s", deviation(s) / unit,
			       names[metric_of(i)]);
		printf("\n");
	}
}

static void print_phases(void)
{
	struct pair *p;
	int i;

	printf("# %-9s %8s %8s %8s %8s\n", "", "min", "avg", "max", "std");
	for (i = WAKEUP; i < NUM; i++) {
		struct stats all = { .count = 0 };

		for_each_pair(p)
			stats_merge(&all, &p->stats[i]);
		printf("# %-9s %8lld %8lld %8lld %8.1f\n", names[i],
		       to_unit(all.min), to_unit(mean(&all)), to_unit(all.max),
		       deviation(&all) / unit);
	}
	if (num_pairs == 1)
		return;
	printf("# Max of      wakeup     send    sleep  receive response");
	for_each_pair(p) {
		printf("\n# T:%2d     ", (int)(p - pairs));
		for (i = WAKEUP; i <= RESPONSE; i++)
			printf(" %8lld", to_unit(p->stats[i].max));
	}
	printf("\n");
}

static void print_steps(void)
{
	static const int shown[] = { RESPONSE, TOTAL };
	const struct stats *s;
	struct step *k;
	int i;

	printf("# Load %s: response and total by %ss; work: %s a second\n# %6ss |       response: min avg max std |          total: min avg max std |     work\n",
	       ramped->name, ramped->unit, ramped->work, ramped->unit);
	for (k = kept; k < kept + STEPS && k->stats->count; k++) {
		printf("# %7d |", (int)(k - kept));
		for (i = 0; i < 2; i++) {
			s = &k->stats[shown[i]];
			printf(" %7lld %7lld %7lld %7.1f |", to_unit(s->min),
			       to_unit(mean(s)), to_unit(s->max),
			       deviation(s) / unit);
		}
		printf(" %8s%s\n", k->rate, k->partial ? " (incomplete)" : "");
	}
}

static void print_histogram(FILE *f)
{
	static const char * const heads[] = { "Min Latencies",
		"Avg Latencies", "Max Latencies", "Histogram Overflows" };
	int i, flags = histofall ? HSET_PRINT_SUM : 0;
	long long all;		/* pairs together */
	struct pair *p;
	char row[16];

	fprintf(f, "# Histogram\n");
	for (i = 0; i < histogram; i++) {
		snprintf(row, sizeof(row), "%06d ", i);
		hset_print_bucket(&hset, f, row, i, flags);
	}
	for (i = 0; i < 4; i++) {
		fprintf(f, "# %s:", heads[i]);
		all = 0;
		for_each_pair(p) {
			const struct stats *s = &p->stats[LATENCY];
			long long value[] = { to_unit(s->min), to_unit(mean(s)),
				to_unit(s->max), p->hist->oflow_count };

			all = i == 3 ? all + value[i] : fmax(all, value[i]);
			fprintf(f, " %05lld", value[i]);
		}
		if (i > 1 && flags && num_pairs > 1)
			fprintf(f, " %05lld", all);
		fprintf(f, "\n");
	}
	fprintf(f, "# Histogram Overflow at cycle number:");
	for_each_pair(p) {
		fprintf(f, "\n# Thread %d: ", (int)(p - pairs));
		hist_print_oflows(p->hist, f);
	}
	fprintf(f, "\n\n");
}

static void print_results(void)
{
	unsigned long long missed = 0;
	struct pair *p;
	int i;

	if (!quiet && !verbose)
		printf("\033[J");	/* over the status of show() */
	if (steps) {
		print_steps();
	} else if (!verbose && (!histogram || histfile)) {
		print_status();
		print_phases();
	}
	if (histogram && !histfile)
		print_histogram(stdout);
	if (break_pair) {
		printf("# Break thread: %d\n# Break value: %lld\n# Break: %spair %d, cycle %llu:",
		       break_pair->tid, to_unit(worst[LATENCY]),
		       kept[step - 1].name, (int)(break_pair - pairs),
		       break_cycle);
		for (i = 0; i < NUM; i++)
			if (worst[i] != ABSENT)
				printf(" %s %lld", names[i], to_unit(worst[i]));
		printf("\n");
	}
	for (i = 0; i < KINDS; i++)
		if (loads[i].n && !steps)
			printf("# Load: %s, %d %s%s, %s %s a second\n",
			       loads[i].name, loads[i].n, loads[i].unit,
			       loads[i].n == 1 ? "" : "s", loads[i].rate,
			       loads[i].work);
	for_each_pair(p) {
		if (p->unanswered_ns)
			printf("# Unanswered: %spair %d, cycle %lld: when the run ended, the client had waited %lld us for the reply\n",
			       unanswered_step[p - pairs],
			       (int)(p - pairs), p->unanswered_cycle,
			       p->unanswered_ns / 1000);
		missed += p->missed;
	}
	if (unprinted)
		printf("# Not printed: %llu cycles\n", unprinted);
	if (missed)
		printf("# Missed: %llu\n", missed);
}

/* avg is cut to max, which is in whole us: no reader must find it above max */
static void json_stats(FILE *f, const struct stats *s)
{
	fprintf(f, "\"min\": %lld, \"max\": %lld, \"avg\": %.2f, \"stddev\": %.2f",
		to_unit(s->min), to_unit(s->max),
		fmin(mean(s) / unit, to_unit(s->max)), deviation(s) / unit);
}

static void json_results(FILE *f, void *data)
{
	const struct pair *p;
	int i, k;

	fprintf(f, "  \"num_threads\": %lld,\n  \"resolution_in_ns\": %lld,\n  \"thread\": {",
		num_pairs * columns, use_nsecs);
	for (k = 0; k < num_pairs * columns; k++) {
		p = &pairs[k / columns];
		fprintf(f, "%s\n    \"%d\": {\n", k ? "," : "", k);
		if (p->hist) {
			fprintf(f, "      \"histogram\": {");
			hist_print_json(p->hist, f);
			fprintf(f, "      },\n");
		}
		fprintf(f, "      \"phases\": {");
		for (i = WAKEUP; i < NUM; i++) {
			fprintf(f, "\n        \"%s\": { ", names[i]);
			json_stats(f, &p->stats[i]);
			fprintf(f, i == TOTAL ? " }" : " },");
		}
		fprintf(f, "\n      },\n      \"metric\": \"%s\", \"pair\": %lld, \"cycles\": %llu, \"missed\": %llu,\n      ",
			names[metric_of(k)], k / columns,
			p->stats[LATENCY].count, p->missed);
		json_stats(f, &p->stats[metric_of(k)]);
		fprintf(f, ",\n      \"cpu\": %d, \"node\": %d\n    }", p->cpu,
			p->cpu < 0 || !numa ? -1 : numa_node_of_cpu(p->cpu));
	}
	fprintf(f, "\n  }\n");
}

static void set_trltp(void)
{
	lockall = posix_timers = quiet = warmup = 1;
	columns = METRICS;
	sched = "fifo";
	priority = 98;
	interval = 1000;
	sleep_us = 100;
	loops = 100000;
	steps = 16;
	affinity = "";
	load = "fft";
	load_policy = load_policy ? load_policy : "rr";
	loads[HACKBENCH].n = 0;
	load_add(load);
}

static const struct opt {
	const char *flag, *name, *arg;	/* arg "[...": it may be left out */
	void *to;
	long long min, max;		/* of a number; max 0: it is a text */
	const char *help;
} opts[] = {
	{ "-a", "affinity", "[CPUSET]", &affinity, 0, 0, "CPUs to use; without a set, 1 or 2 may be left free" },
	{ "-b", "breaktrace", "US", &limit, 1, 1000000000, "end at the first latency above this, with status 2" },
	{ "-c", "clock", "NAME", &clk, 0, 0, "clock: monotonic (0), the default, or realtime (1)" },
	{ "  ", "default-system", "", &default_system, 0, 1, "write nothing to /dev/cpu_dma_latency" },
	{ "-d", "distance", "US", &distance, 0, 1000000, "added to each further pair's period, default 500" },
	{ "-D", "duration", "TIME", &duration, 0, 36500LL * 86400, "seconds to measure; 5m, 5h, 5d: minutes, hours, days" },
	{ "  ", "help", "", NULL, 0, 0, "print this summary of the options" },
	{ "  ", "histfile", "FILE", &histfile, 0, 0, "with -h or -H: write the histogram to this file" },
	{ "-H", "histofall", "US", &histofall, 1, 1000000, "as -h, with a column for the sum of all pairs" },
	{ "-h", "histogram", "US", &histogram, 1, 1000000, "histogram of the latency with this many rows of 1 us" },
	{ "-i", "interval", "US", &interval, 1, 1000000000, "period of the requests, default 1000" },
	{ "  ", "json", "FILE", &jsonfile, 0, 0, "write the results to this file, as JSON" },
	{ "  ", "latency", "US", &latency_us, 0, 1000000000, "written to /dev/cpu_dma_latency, default 0" },
	{ "  ", "load", "KIND", &load, 0, 0, "fft[:N], default 1 worker; hackbench[:N], 10 groups" },
	{ "  ", "load-policy", "NAME", &load_policy, 0, 0, "policy of the load: other or rr, default other" },
	{ "-l", "loops", "N", &loops, 0, 1000000000000, "cycles of each pair to measure, default 0: no limit" },
	{ "-m", "mlockall", "", &lockall, 0, 1, "lock the memory of this program and of the servers" },
	{ "-N", "nsecs", "", &use_nsecs, 0, 1, "print the results in nanoseconds, not microseconds" },
	{ "  ", "policy", "NAME", &sched, 0, 0, "other, batch, idle, fifo, rr; default fifo with -p" },
	{ "-x", "posix_timers", "", &posix_timers, 0, 1, "a POSIX timer wakes the client, not clock_nanosleep" },
	{ "-p", "priority", "PRIO", &priority, 2, 99, "priority of the clients, 2 to 99; servers: one less" },
	{ "-q", "quiet", "", &quiet, 0, 1, "print only the results, at the end" },
	{ "  ", "size", "BYTES", &size, 8, 65536, "size of a request, from 8, the default, to 65536" },
	{ "  ", "sleep", "US", &sleep_us, 0, 10000000, "how long the server sleeps, default 100" },
	{ "-S", "smp", "", &smp, 0, 1, "a pair on each CPU, both sides on the same CPU" },
	{ "  ", "steps", "N", &steps, 1, STEPS, "N measurements, with 0 to N-1 workers or groups" },
	{ "-t", "threads", "[N]", &threads, 1, 256, "number of pairs, default 1; without N: one per CPU" },
	{ "  ", "tracemark", "", &trace_marker, 0, 1, "with -b: mark the trace of the kernel, and stop it" },
	{ "  ", "trltp", "", &trltp, 0, 1, "set-up, metrics and lines of the reference program" },
	{ "  ", "trltp-log", "FILE", &logfile, 0, 0, "write the log of the reference program to this file" },
	{ "-v", "verbose", "", &verbose, 0, 1, "print each latency instead of the status lines" },
};

static void set_option(const struct opt *o, const char *value)
{
	static const int seconds[] = { 1, 60, 3600, 86400 };
	static const char units[] = "smhdSMHD";		/* of a duration */
	long long scale = 1, number;
	char *end = "", *found;

	if (!o->to) {
		printf("twowaytest V %1.2f\nUsage: twowaytest <options>\n",
		       VERSION);
		for (o = opts; o < opts + ARRAY_SIZE(opts); o++)
			printf("  %s  --%-14s %-9s %s\n", o->flag, o->name,
			       o->arg, o->help);
		exit(EXIT_SUCCESS);
	}
	if (!o->max) {
		if (value && !*value)
			fatal("--%s=: allowed is a text\n", o->name);
		*(const char **)o->to = value ? value : "";
		return;
	}
	errno = 0;
	number = value ? strtoll(value, &end, 10) : !*o->arg;
	found = o->to == &duration && *end ? strchr(units, *end) : NULL;
	if (found && end > value && end++)
		scale = seconds[(found - units) % 4];
	if (errno || end == value || *end ||
	    (value && (number < o->min || number > o->max / scale)))
		fatal("--%s=%s: allowed is a whole number from %lld to %lld%s\n",
		      o->name, value, o->min, o->max, o->to != &duration ? "" :
		      " seconds; with m, h or d behind it, of minutes, hours or days; at most 36500d");
	*(long long *)o->to = number * scale;
}

static void process_options(int argc, char *argv[])
{
	struct option longs[ARRAY_SIZE(opts) + 1] = { { .name = NULL } };
	int c, i, count = ARRAY_SIZE(opts);

	for (i = 0; i < count; i++)
		longs[i] = (struct option) { opts[i].name, *opts[i].arg == '[' ?
			optional_argument : !!*opts[i].arg, NULL, 256 + i };
	while ((c = getopt_long(argc, argv, "+a::b:c:d:D:h:H:i:l:mNp:qSt::vx",
				longs, NULL)) != -1) {
		for (i = 0; i < count && c != 256 + i && c != opts[i].flag[1];)
			i++;
		if (i == count)
			fatal("see twowaytest --help\n");
		/* What may be left out may also be the next word */
		if (!optarg && *opts[i].arg == '[' && optind < argc &&
		    argv[optind][0] != '-')
			optarg = argv[optind++];
		set_option(&opts[i], optarg);
		if (opts[i].to == &load)
			load_add(load);
		if (opts[i].to == &trltp)
			set_trltp();
	}
	if (optind < argc)
		fatal("unexpected argument %s; see twowaytest --help\n",
		      argv[optind]);
}

static void check_options(void)
{
	if (!strcmp(clk, "1") || !strcmp(clk, "realtime"))
		clock_id = CLOCK_REALTIME;
	else if (strcmp(clk, "0") && strcmp(clk, "monotonic"))
		fatal("--clock=%s: allowed is monotonic, realtime\n", clk);
	sched = sched ? sched : priority ? "fifo" : "other";
	policy = string_to_policy(sched);
	if (policy == SCHED_DEADLINE || (!policy && strcmp(sched, "other") &&
					 strcmp(sched, "normal")))
		fatal("--policy=%s: allowed is other, normal, batch, idle, fifo, rr\n",
		      sched);
	if (policy == SCHED_FIFO || policy == SCHED_RR)
		priority = priority ? priority : 2;
	else if (priority)
		fatal("--priority=%lld: allowed only with --policy=fifo or rr\n",
		      priority);
	if (affinity && *affinity &&
	    parse_cpumask((char *)affinity, max_cpus, &cpus))
		fatal("--affinity=%s: allowed is a set like 0-2,5\n", affinity);
	if (smp && trltp)
		fatal("--smp: not allowed with --trltp, which sets --affinity\n");
	if (smp && (affinity || threads >= 0))
		fatal("--smp: not allowed with --threads or --affinity, which it sets itself\n");
	if (smp || threads >= 0)
		num_pairs = threads > 0 ? threads :
			fmin(get_available_cpus(cpus), ARRAY_SIZE(pairs));
	load_check(load_policy, priority);
	ramped = &loads[loads[FFT].n ? FFT : HACKBENCH];
	if (steps && (!load || (!loops && !duration)))
		fatal("--steps=%lld: allowed only with --load, and with --loops or --duration\n",
		      steps);
	if (steps && strchr(ramped->value, ':'))
		fatal("--load=%s: not allowed with --steps, which sets the number of %ss\n",
		      ramped->value, ramped->unit);
	if (logfile && (num_pairs > 1 || sleep_us != 100 || !posix_timers))
		fatal("--trltp-log=%s: allowed only with one pair, --sleep=100 and -x\n",
		      logfile);
	if (interval <= sleep_us)
		fatal("--interval=%lld: allowed is more than --sleep=%lld\n",
		      interval, sleep_us);
	histogram = histofall ? histofall : histogram;
	if (histogram && trltp)
		fatal("--histogram=%lld: not allowed with --trltp, which has several metrics\n",
		      histogram);
	if (histfile && !histogram)
		fatal("--histfile=%s: allowed only with -h or -H\n", histfile);
	if (trace_marker && !limit)
		fatal("--tracemark: allowed only with -b\n");
	quiet |= !isatty(STDOUT_FILENO);
	unit = use_nsecs ? 1 : 1000;
	distance = distance >= 0 ? distance : histogram ? 0 : 500;
}

/* With -a alone: of four CPUs or more, two are left to others, of three one */
static int cpu_of(int pair, int is_client)
{
	int n = get_available_cpus(NULL), side = 2 * pair + is_client;
	int others = n > 3 ? 2 : n - 2;

	if (cpus)
		return cpu_for_thread_sp(side, max_cpus, cpus);
	if (n > 1)
		side = others + side % ((n - others) / 2 * 2);
	return smp ? cpu_for_thread_ua(pair, max_cpus) :
	       affinity ? cpu_for_thread_ua(side, max_cpus) : -1;
}

static int finish_file(FILE *f, const char *name)
{
	if (f && !ferror(f) && !(f == stdout ? fflush(f) : fclose(f)))
		return EXIT_SUCCESS;
	warn("cannot write %s: %m\n", name);
	return EXIT_FAILURE;
}

static void launch(void)
{
	pthread_attr_t attr;
	struct pair *p;
	int64_t start;

	for_each_pair(p) {
		p->period = (interval + (p - pairs) * distance) * 1000;
		p->cpu = cpu_of(p - pairs, 1);
		p->server_cpu = cpu_of(p - pairs, 0);
		connect_pair(p);
		unwritten = unwritten || finish_file(stdout, "standard output");
		p->server = fork();
		if (p->server < 0)
			fatal("cannot start a server: %m\n");
		if (!p->server)
			serve(p);
		close(p->peer);
	}
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	signal(SIGALRM, stop);
	signal(SIGCHLD, stop);
	if (load)
		load_start(affinity && !cpus);
	if (lockall && mlockall(MCL_CURRENT | MCL_FUTURE))
		fatal("cannot lock memory: %m\n");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);	/* -m locks all of it */
	start = now() + num_pairs * 2000000;	/* when all are set up */
	for_each_pair(p) {
		p->hist = histogram ? &hset.histos[p - pairs] : NULL;
		p->ring = verbose ? calloc(RING, sizeof(*p->ring)) : NULL;
		p->next = start + p->period;
		if (duration)	/* for a server that does not answer */
			alarm(duration + 2 + 3 * p->period / NSEC_PER_SEC);
		errno = pthread_create(&p->thread, &attr, client, p);
		if (errno || (verbose && !p->ring))
			fatal("cannot start a client: %m\n");
	}
}

/* While the clients run: what they have recorded for -v, or the status */
static void show(void)
{
	unsigned long end;
	struct pair *p;
	int64_t ns;

	if (quiet && !verbose)
		return;
	for_each_pair(p) {
		end = __atomic_load_n(&p->written, __ATOMIC_ACQUIRE);
		for (; (unsigned long)p->printed != end; p->printed++) {
			ns = p->ring[p->printed % RING];
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			end = __atomic_load_n(&p->written, __ATOMIC_ACQUIRE);
			if ((unsigned long)(end - p->printed) >= RING - 1)
				unprinted++;	/* it may be overwritten */
			else
				printf("%8d:%8llu:%8lld\n", (int)(p - pairs),
				       p->printed, to_unit(ns));
		}
	}
	if (!verbose) {
		print_status();
		printf("\033[%lldA", num_pairs);
	}
	unwritten = unwritten || finish_file(stdout, "standard output");
	if (unwritten)
		stop(0);
}

/* Returns whether the pair has failed, or has measured nothing */
static int finish(struct pair *p)
{
	int status = 0;

	for (; quiet && !verbose ? pthread_join(p->thread, NULL) :
	     pthread_tryjoin_np(p->thread, NULL); usleep(50000))
		show();
	show();
	if (!p->error)
		kill(p->server, SIGKILL);
	waitpid(p->server, &status, 0);
	close(p->fd);
	if (p->error && WIFSIGNALED(status))
		warn("the server (pid %d) was killed by signal %d (%s)\n",
		     p->server, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (p->error)
		warn("pair %d: the connection has failed: %s\n",
		     (int)(p - pairs), strerror(p->error));
	else if (!p->stats[LATENCY].count && !break_pair && !unwritten &&
		 !(step && over))
		warn("pair %d: no cycle was measured\n", (int)(p - pairs));
	else
		return 0;
	return 1;
}

static void write_log(FILE *f)
{
	struct stats s;
	double late;
	int i, k;

	fprintf(f, step ? "\nWorkers,%d\n" : "Workers,%d\n", ramped->n);
	for (i = 0; i < METRICS; i++) {
		s = pairs->stats[metrics[i].id];
		late = mean(&s) - 1e5;
		if (metrics[i].id == SLEEP)	/* there: from 100 us */
			s.squares += late * late * s.count;
		fprintf(f, "\n%s (Micro Sec)\nMinimum,%.1f\nAverage,%.1f\nMaximum,%.1f\nStandard Deviation,%.1f\nCount,%llu\nLower Bound,Count\n",
			metrics[i].label, s.min / 1e3, mean(&s) / 1e3,
			s.max / 1e3, deviation(&s) / 1e3, s.count);
		for (k = 0; k < BINS; k++)
			if (bins[i][k])
				fprintf(f, "%d,%llu\n", k * BIN_US, bins[i][k]);
		if (bins[i][BINS])
			fprintf(f, "above,%llu\n", bins[i][BINS]);
	}
	memset(bins, 0, METRICS * sizeof(*bins));
}

/* Keeps its statistics; those of a pair are then of all steps so far */
static void end_step(FILE *log)
{
	static struct stats all_steps[ARRAY_SIZE(pairs)][NUM];
	struct stats *all;
	struct pair *p;
	int i;

	if (steps && !verbose && !histogram && pairs->stats->count)
		print_status();
	if (log)
		write_log(log);
	strcpy(kept[step].rate, step ? ramped->rate : "0.0");
	for_each_pair(p) {
		all = all_steps[p - pairs];
		for (i = 0; i < NUM; i++) {
			stats_merge(&kept[step].stats[i], &p->stats[i]);
			stats_merge(&all[i], &p->stats[i]);
			p->stats[i] = all[i];
		}
		free(p->ring);
	}
}

int main(int argc, char *argv[])
{
	struct sched_param top = { .sched_priority = 99 };
	int ret, failed = 0;
	struct pair *p;
	FILE *f, *log;

	rt_init(argc, argv);
	main_pid = getpid();
	numa = numa_initialize();
	max_cpus = sysconf(_SC_NPROCESSORS_CONF);
	process_options(argc, argv);
	check_options();
	if (histogram && hset_init(&hset, num_pairs, 1, histogram, 100))
		fatal("no memory for the histogram\n");
	if (priority && check_privs())
		exit(EXIT_FAILURE);
	if (!default_system)
		set_latency_target(latency_us);
	if (trace_marker)
		enable_trace_mark();
	if (!priority)
		printf("# Not real-time: no -p; these are times of an ordinary process (as a rule: -m -p 98 -a)\n");
	sigemptyset(&expiry);
	sigaddset(&expiry, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &expiry, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);	/* the caller may ignore it */
	log = logfile ? fopen(logfile, "w") : NULL;
	bins = logfile ? calloc(METRICS, sizeof(*bins)) : NULL;
	if (logfile && (!log || !bins))
		fatal("cannot write %s: %m\n", logfile);
	for (step = 0; !step || step < steps; step++) {
		stopping = 0;	/* a signal from here on sets it again */
		if (over)
			break;
		if (steps) {
			ramped->n = step;
			printf("# Step %d/%lld: load %s, %d %s%s\n", step + 1,
			       steps, ramped->name, step, ramped->unit,
			       step == 1 ? "" : "s");
		}
		if (steps > 1)
			sprintf(kept[step].name, "step %d, ", step + 1);
		for_each_pair(p) {
			memset(p->stats, 0, sizeof(p->stats));
			p->written = p->printed = 0;
			p->fd = -1;	/* another socket may have its number */
		}
		launch();
		if (trltp && pthread_setschedparam(pthread_self(), SCHED_FIFO,
						   &top))
			fatal("--trltp: cannot set priority 99\n");
		for_each_pair(p)
			failed |= finish(p);
		alarm(0);	/* the end of the load may take long */
		if (load)
			failed |= load_stop();
		over |= failed;
		end_step(log);
	}
	if (log)
		failed |= finish_file(log, logfile);
	print_results();
	failed |= unwritten || finish_file(stdout, "standard output");
	f = histfile ? fopen(histfile, "w") : NULL;
	if (f)
		print_histogram(f);
	failed |= histfile && finish_file(f, histfile);
	ret = failed ? EXIT_FAILURE : break_pair ? 2 : EXIT_SUCCESS;
	if (jsonfile && rt_write_json(jsonfile, ret, json_results, NULL))
		ret = EXIT_FAILURE;
	return ret;
}
