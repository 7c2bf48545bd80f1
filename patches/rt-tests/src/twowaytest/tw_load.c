// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads for twowaytest. fft uses caches, floating-point registers, system calls
 * and a file system; hackbench is that program, again and again.
 */
#include <complex.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt-utils.h"
#include "rt-numa.h"
#include "rt-error.h"
#include "tw_load.h"

#define UNITS		1024	/* workers or groups, at most */
#define PRIORITY	1	/* of real-time workers; main has one more */
#define POINTS		65536

struct load loads[KINDS] = {
	{ "fft", "worker", "transforms", .usual = 1 },
	{ "hackbench", "group", "messages", .usual = 10, .rate = "unknown" },
};

static int rr;		/* whether they have SCHED_RR */
static struct timespec began;
static struct { unsigned long done, wrong; } *work;	/* done: transforms */
static volatile int count;	/* stop() may read it */
static pid_t pids[UNITS + 1];	/* each is the leader of a group */

void load_add(const char *value)
{
	size_t len = strcspn(value, ":");
	struct load *l = &loads[strncmp("fft", value, len) ? HACKBENCH : FFT];
	char *end = "";
	long n;

	if (strncmp(l->name, value, len) || l->name[len])
		fatal("--load=%s: allowed is fft[:N], hackbench[:N]\n", value);
	n = value[len] ? strtol(value + len + 1, &end, 10) : l->usual;
	if (*end || n < 1 || n > UNITS)
		fatal("--load=%s: allowed is a whole number from 1 to %d\n",
		      value, UNITS);
	l->value = value;
	l->n = n;
}

/* The discrete Fourier transform of every stride-th point of in */
static void transform(complex double *out, const complex double *in, int n,
		      int stride, const complex double *roots)
{
	complex double turned;
	int k, half = n / 2;

	*out = *in;	/* that is all of one point */
	if (!half)
		return;
	transform(out, in, half, 2 * stride, roots);
	transform(out + half, in + stride, half, 2 * stride, roots);
	for (k = 0; k < half; k++) {
		turned = out[k + half] * roots[k * stride];
		out[k + half] = out[k] - turned;
		out[k] += turned;
	}
}

static void __attribute__((noreturn)) run_fft(void)
{
	complex double *x = calloc(4 * POINTS, sizeof(*x)), *y = x + POINTS;
	complex double *z = y + POINTS, *root = z + POINTS;
	int i, wrong;
	FILE *f;

	if (!x)
		fatal("--load=fft: no memory\n");
	for (i = 0; i < POINTS / 2; i++)
		root[i] = cexp(-2 * M_PI * I * i / POINTS);
	for (;;) {
		f = tmpfile();
		for (i = 0; i < POINTS; i++)
			x[i] = drand48() + drand48() * I;
		transform(y, x, POINTS, 1, root);
		transform(z, y, POINTS, 1, root);	/* x, but backwards */
		for (wrong = i = 0; f && i < POINTS; i++) {
			y[i] = z[-i & (POINTS - 1)] / POINTS;
			wrong |= !(cabs(y[i] - x[i]) < 1e-9);
			fprintf(f, "%.17g %.17g\n", creal(y[i]), cimag(y[i]));
		}
		if (!f || ferror(f) || fclose(f))
			fatal("--load=fft: cannot write a temporary file: %m\n");
		__atomic_add_fetch(&work->wrong, wrong, __ATOMIC_RELAXED);
		__atomic_add_fetch(&work->done, 1, __ATOMIC_RELAXED);
	}
}

static void kill_group(int sig)
{
	kill(0, SIGKILL);
}

/* Processes of hackbench do not end with main or with it: this one ends them */
static void __attribute__((noreturn)) run_hackbench(int groups)
{
	int status, null = open("/dev/null", O_WRONLY);
	char arg[16];

	if (null < 0)
		fatal("--load=hackbench: cannot open /dev/null: %m\n");
	snprintf(arg, sizeof(arg), "-g%d", groups);
	signal(SIGTERM, kill_group);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	do {
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			dup2(null, STDOUT_FILENO);
			execlp("hackbench", "hackbench", arg, "-l5000", NULL);
			fatal("--load=hackbench: cannot run hackbench, looked for in PATH: %m\n");
		}
	} while (wait(&status) > 0 && !status);
	_exit(EXIT_FAILURE);
}

static void start_process(struct load *l, int nth_cpu)
{
	struct sched_param param = { .sched_priority = rr ? PRIORITY : 0 };
	pid_t parent = getpid(), pid = fork();
	cpu_set_t set;

	if (pid < 0)
		fatal("--load=%s: cannot start a process: %m\n", l->value);
	if (pid) {
		setpgid(pid, pid);	/* as it does, if it is the first */
		pids[count++] = pid;
		return;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	if (nth_cpu >= 0)
		CPU_SET(cpu_for_thread_ua(nth_cpu, CPU_SETSIZE), &set);
	if (getppid() != parent || setpgid(0, 0) ||
	    (nth_cpu >= 0 && sched_setaffinity(0, sizeof(set), &set)) ||
	    pthread_setschedparam(pthread_self(), rr ? SCHED_RR : SCHED_OTHER,
				  &param))
		fatal("--load=%s: cannot set up a process: %m\n", l->value);
	if (l == &loads[FFT])
		run_fft();
	run_hackbench(l->n);
}

void load_check(const char *policy, int priority)
{
	rr = policy && !strcmp(policy, "rr");
	if (policy && !rr && strcmp(policy, "other"))
		fatal("--load-policy=%s: allowed is other, rr\n", policy);
	if (policy && !loads[FFT].n && !loads[HACKBENCH].n)
		fatal("--load-policy=%s: allowed only with --load\n", policy);
	if (rr && priority < PRIORITY + 2)
		fatal("--priority=%d: allowed is %d or more: the server must be above the load, which has the real-time priority %d\n",
		      priority, PRIORITY + 2, PRIORITY);
	if (rr)
		warn("--load-policy=rr: the load may leave ordinary tasks, such as sshd, no time\n");
}

void load_start(int pin)
{
	const struct sched_param above = { .sched_priority = PRIORITY + 1 };
	int i, n = get_available_cpus(NULL), first = n > 3 ? 3 : n - 1;

	if (rr && pthread_setschedparam(pthread_self(), SCHED_FIFO, &above))
		fatal("--load: cannot set priority %d\n", PRIORITY + 1);
	work = mmap(NULL, sizeof(*work), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (work == MAP_FAILED)
		fatal("no memory for --load: %m\n");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	clock_gettime(CLOCK_MONOTONIC, &began);
	for (count = i = 0; i < loads[FFT].n; i++)
		start_process(&loads[FFT], pin ? first + i % (n - first) : -1);
	if (loads[HACKBENCH].n)
		start_process(&loads[HACKBENCH], -1);
	usleep(150000);		/* what cannot run fails within this time */
	if (load_ended())
		exit(load_stop());
}

int load_ended(void)
{
	siginfo_t info = { .si_pid = 0 };
	int i;

	for (i = 0; i < count; i++)
		if (!waitid(P_PID, pids[i], &info, WEXITED | WNOHANG |
			    WNOWAIT) && info.si_pid)
			return 1;
	return 0;
}

/* By main, and by the processes that it has waited for; -1: nobody counts */
static long long writes(void)
{
	FILE *f = fopen("/proc/self/io", "r");
	long long n = -1;

	if (f && fscanf(f, "%*s %*u %*s %*u %*s %*u syscw: %lld", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

int load_stop(void)
{
	long long before = writes();
	int i, failed = load_ended();
	struct timespec end;
	double s;

	signal(SIGCHLD, SIG_DFL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	s = calcdiff(end, began) / 1e6;
	snprintf(loads[FFT].rate, sizeof(loads->rate), "%.1f", work->done / s);
	/* All first: one that still runs may have the CPU of main */
	for (i = 0; i < count; i++)
		kill(-pids[i], SIGKILL);
	while (i--) {
		while (waitpid(-pids[i], NULL, 0) > 0)
			;
		if (i == loads[FFT].n && before >= 0)	/* a call a message */
			snprintf(loads[HACKBENCH].rate, sizeof(loads->rate),
				 "%.1f", (writes() - before) / s);
	}
	if (failed)
		warn("the load has ended by itself\n");
	if (work->wrong)
		warn("--load=fft: %lu results were wrong: this kernel does not keep the floating-point registers of a preempted task, or the memory fails\n",
		     work->wrong);
	failed |= work->wrong > 0;
	munmap(work, sizeof(*work));
	return failed;
}
