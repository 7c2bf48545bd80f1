// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The least that a test of primitives can be: its system calls and clock reads,
 * and nothing between two trials. What the tool's roundtrip exceeds this
 * program's by is the tool's own cost.
 *
 * usage: prim_floor KIND CPU PRIORITY TRIALS WARMUP
 *
 * Two processes on CPU, the one that answers at PRIORITY, the other one below.
 * Prints the mean, the minimum and the median of the round trip, in ns. For
 * those alone, one process: of one pair of calls, which wake nobody and do not
 * wait: of a semaphore, a futex that processes share or one alone has, a signal
 * to itself. For timers: how late one process, or one thread of two, wakes up.
 */
#include <err.h>
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAIRS	100
#define MESSAGE	8
#define PERIOD_NS	INT64_C(1013000)	/* does not divide the tick */

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id	_sigev_un._tid
#endif

static struct shared {
	sem_t sem[2];
	uint32_t futex[2];
	int64_t stamp_ns;	/* when the answer was begun */
} *shared;

static int fds[2][2];		/* of each way: to read and to write */
static mqd_t queues[2];
static pid_t pids[2];		/* who gets a signal of each way */
static sigset_t signals;
static timer_t timer;
static int64_t next_ns;		/* its expiry */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void check(int bad, const char *what)
{
	if (bad)
		err(1, "%s", what);
}

static void open_sems(void)
{
	check(sem_init(&shared->sem[0], 1, 0), "sem_init");
	check(sem_init(&shared->sem[1], 1, 0), "sem_init");
}

static void sem_give(int way)
{
	sem_post(&shared->sem[way]);
}

static void sem_take(int way)
{
	sem_wait(&shared->sem[way]);
}

static void open_eventfds(void)
{
	int way;

	for (way = 0; way < 2; way++) {
		fds[way][0] = eventfd(0, EFD_SEMAPHORE);
		check(fds[way][0] < 0, "eventfd");
		fds[way][1] = fds[way][0];
	}
}

static void open_pipes(void)
{
	check(pipe(fds[0]) || pipe(fds[1]), "pipe");
}

static void fd_give(int way)
{
	const uint64_t one = 1;

	check(write(fds[way][1], &one, sizeof(one)) != sizeof(one), "write");
}

static void fd_take(int way)
{
	uint64_t one;

	check(read(fds[way][0], &one, sizeof(one)) != sizeof(one), "read");
}

static void open_queues(void)
{
	struct mq_attr attributes = { .mq_maxmsg = 10, .mq_msgsize = MESSAGE };
	char name[64];
	int way;

	for (way = 0; way < 2; way++) {
		snprintf(name, sizeof(name), "/prim-floor-%d-%d",
			 (int)getpid(), way);
		queues[way] = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600,
				      &attributes);
		check(queues[way] == (mqd_t)-1, "mq_open");
		mq_unlink(name);
	}
}

static void mq_give(int way)
{
	const uint64_t one = 1;

	check(mq_send(queues[way], (const char *)&one, sizeof(one), 0),
	      "mq_send");
}

static void mq_take(int way)
{
	uint64_t one;

	check(mq_receive(queues[way], (char *)&one, sizeof(one), NULL) !=
	      sizeof(one), "mq_receive");
}

static void block(int number)
{
	sigemptyset(&signals);
	sigaddset(&signals, number);
	check(sigprocmask(SIG_BLOCK, &signals, NULL), "sigprocmask");
}

static void open_signals(void)
{
	block(SIGRTMIN);
}

static void signal_give(int way)
{
	check(sigqueue(pids[way], SIGRTMIN, (union sigval) { .sival_int = 1 }),
	      "sigqueue");
}

static void signal_take(int way)
{
	siginfo_t info;

	(void)way;
	check(sigwaitinfo(&signals, &info) < 0, "sigwaitinfo");
}

/* The system calls of pthread_kill() to another thread. */
static void thread_give(int way)
{
	sigset_t before;

	sigprocmask(SIG_BLOCK, &signals, &before);
	check(syscall(SYS_tgkill, getpid(), pids[way], SIGRTMIN), "tgkill");
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void open_futex(void)
{
}

static void futex(int way, int operation)
{
	/* Another value than 0 is expected: a wait is refused. */
	syscall(SYS_futex, &shared->futex[way], operation, 1, NULL);
}

static void shared_give(int way)
{
	futex(way, FUTEX_WAKE);
}

static void shared_take(int way)
{
	futex(way, FUTEX_WAIT);
}

static void private_give(int way)
{
	futex(way, FUTEX_WAKE_PRIVATE);
}

static void private_take(int way)
{
	futex(way, FUTEX_WAIT_PRIVATE);
}

static void start_timer(int notify, int number)
{
	struct itimerspec spec = { .it_interval.tv_nsec = PERIOD_NS };
	struct sigevent event = { .sigev_notify = notify };

	event.sigev_signo = number;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	check(timer_create(CLOCK_MONOTONIC, &event, &timer), "timer_create");
	next_ns = now_ns() + PERIOD_NS;
	spec.it_value.tv_sec = next_ns / 1000000000;
	spec.it_value.tv_nsec = next_ns % 1000000000;
	check(timer_settime(timer, TIMER_ABSTIME, &spec, NULL),
	      "timer_settime");
}

static void open_process_timer(void)
{
	block(SIGRTMIN);
	start_timer(SIGEV_SIGNAL, SIGRTMIN);
}

static void *stay(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* As cyclictest has it: the process has another thread. */
static void open_thread_timer(void)
{
	pthread_t other;

	block(SIGALRM);
	errno = pthread_create(&other, NULL, stay, NULL);
	check(errno, "pthread_create");
	start_timer(SIGEV_SIGNAL | SIGEV_THREAD_ID, SIGALRM);
}

static void thread_take(int way)
{
	int number;

	(void)way;
	check(sigwait(&signals, &number), "sigwait");
}

static const struct kind {
	const char *name;
	void (*open)(void);
	void (*give)(int way);
	void (*take)(int way);
	int alone;
} kinds[] = {
	{ "pair", open_sems, sem_give, sem_take, 1 },
	{ "shared", open_futex, shared_give, shared_take, 1 },
	{ "private", open_futex, private_give, private_take, 1 },
	{ "sigqueue", open_signals, signal_give, signal_take, 1 },
	{ "kill", open_signals, thread_give, signal_take, 1 },
	{ "process-timer", open_process_timer, NULL, signal_take, 1 },
	{ "thread-timer", open_thread_timer, NULL, thread_take, 1 },
	{ "unnamed", open_sems, sem_give, sem_take, 0 },
	{ "eventfd", open_eventfds, fd_give, fd_take, 0 },
	{ "pipe", open_pipes, fd_give, fd_take, 0 },
	{ "message", open_queues, mq_give, mq_take, 0 },
	{ "signal", open_signals, signal_give, signal_take, 0 },
};

static void settle(int cpu, int priority)
{
	struct sched_param param = { .sched_priority = priority };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	check(sched_setscheduler(0, SCHED_FIFO, &param), "sched_setscheduler");
	check(sched_setaffinity(0, sizeof(cpus), &cpus), "sched_setaffinity");
	check(mlockall(MCL_CURRENT | MCL_FUTURE), "mlockall");
}

/* Until it is killed: the last trial is as the others. */
static _Noreturn void answer(const struct kind *kind)
{
	for (;;) {
		kind->take(0);
		shared->stamp_ns = now_ns();
		kind->give(1);
	}
}

static int64_t ask(const struct kind *kind)
{
	int64_t begin_ns = now_ns();

	kind->give(0);
	kind->take(1);
	return now_ns() - begin_ns;
}

static int64_t pairs(const struct kind *kind)
{
	int64_t begin_ns = now_ns();
	int i;

	for (i = 0; i < PAIRS; i++) {
		kind->give(0);
		kind->take(0);
	}
	return now_ns() - begin_ns;
}

static int64_t expire(const struct kind *kind)
{
	int64_t planned_ns = next_ns, awake_ns;

	kind->take(0);
	awake_ns = now_ns();
	next_ns += PERIOD_NS * (1 + timer_getoverrun(timer));
	return awake_ns - planned_ns;
}

static int compare(const void *one, const void *two)
{
	const int64_t *a = one, *b = two;

	return (*a > *b) - (*a < *b);
}

static void measure(const struct kind *kind, long trials, long warmup)
{
	int64_t (*trial)(const struct kind *kind) =
		!kind->give ? expire : kind->alone ? pairs : ask;
	int64_t *took_ns = calloc((size_t)trials, sizeof(*took_ns));
	double per = trial == pairs ? PAIRS : 1, sum_ns = 0;
	long n;

	check(!took_ns, "calloc");
	for (n = 0; n < warmup; n++)
		trial(kind);
	for (n = 0; n < trials; n++)
		took_ns[n] = trial(kind);
	for (n = 0; n < trials; n++)
		sum_ns += (double)took_ns[n];
	qsort(took_ns, (size_t)trials, sizeof(*took_ns), compare);
	printf("%.3f %.3f %.3f\n", sum_ns / (double)trials / per,
	       (double)took_ns[0] / per, (double)took_ns[trials / 2] / per);
	free(took_ns);
}

int main(int argc, char *argv[])
{
	const struct kind *kind = kinds;
	long trials, warmup;
	int cpu, priority;

	if (argc != 6)
		errx(1, "usage: prim_floor KIND CPU PRIORITY TRIALS WARMUP");
	while (strcmp(kind->name, argv[1]))
		if (++kind == kinds + sizeof(kinds) / sizeof(kinds[0]))
			errx(1, "%s: no such kind", argv[1]);
	cpu = atoi(argv[2]);
	priority = atoi(argv[3]);
	trials = atol(argv[4]);
	warmup = atol(argv[5]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(shared == MAP_FAILED, "mmap");
	kind->open();
	pids[0] = pids[1] = getpid();
	settle(cpu, priority - 1);
	if (!kind->alone) {
		pids[0] = fork();
		check(pids[0] < 0, "fork");
		if (!pids[0]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			settle(cpu, priority);
			answer(kind);
		}
		/* It has come to wait. */
		usleep(20000);
	}
	measure(kind, trials, warmup);
	if (!kind->alone)
		kill(pids[0], SIGKILL);
	return 0;
}
