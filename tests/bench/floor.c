// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The least that a two-way test can be: the tool's system calls and clock
 * reads in the tool's order, and nothing between them. What the tool's
 * response exceeds this program's by is the tool's own cost.
 *
 * usage: floor -c CLIENT-CPU -s SERVER-CPU -p PRIORITY -l CYCLES [-i US]
 *	[-w CYCLES] [-n]
 *
 * -i is the period, by default 1000; -w the warm-up, 2. With -n, the calls are
 * those of the series' program: no poll() in the server, and the client waits
 * in clock_nanosleep().
 * Prints the mean and the maximum of the response, in ns.
 */
#include <err.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tw_idle.h"
#include "tw_time.h"
#include "tw_wire.h"

#define SLEEP_NS	(100 * TW_NS_PER_US)
#define REQUEST		((ssize_t)sizeof(struct tw_request))
#define REPLY		((ssize_t)sizeof(struct tw_reply))

static int client_cpu, server_cpu, priority, nanosleeps;
static int64_t period_ns = 1000 * TW_NS_PER_US;
static uint64_t loops, warmup = 2;

/* Shared with main, who prints. */
static int64_t *responses;

static void *map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	return memory;
}

static void settle(int cpu, int to_priority)
{
	const struct sched_param param = { .sched_priority = to_priority };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) ||
	    mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    sched_setscheduler(0, SCHED_FIFO, &param))
		errx(1, "CPU %d, locked memory or priority %d was refused",
		     cpu, to_priority);
}

static void serve(int fd)
{
	const struct timespec pause = tw_ns_to_ts(SLEEP_NS);
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	char request[REQUEST], reply[REPLY] = "";
	int64_t times_ns[2];

	for (;;) {
		if (!nanosleeps)
			poll(&ready, 1, -1);
		if (recv(fd, request, REQUEST, MSG_WAITALL) != REQUEST)
			return;
		times_ns[0] = tw_now_ns(CLOCK_MONOTONIC);
		nanosleep(&pause, NULL);
		times_ns[1] = tw_now_ns(CLOCK_MONOTONIC);
		memcpy(reply, times_ns, sizeof(times_ns));
		if (send(fd, reply, REPLY, MSG_NOSIGNAL) != REPLY)
			err(1, "server: send");
	}
}

static void start_timer(sigset_t *signals)
{
	int64_t first_ns = tw_now_ns(CLOCK_MONOTONIC) + period_ns;
	struct itimerspec spec = {
		.it_value = tw_ns_to_ts(first_ns),
		.it_interval = tw_ns_to_ts(period_ns),
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGRTMIN,
	};
	timer_t timer;

	sigemptyset(signals);
	sigaddset(signals, SIGRTMIN);
	sigprocmask(SIG_BLOCK, signals, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, TIMER_ABSTIME, &spec, NULL))
		err(1, "timer");
}

/* The time of t3, and t0 in *t0_ns. @signals: NULL, or those of the timer. */
static int64_t exchange(int fd, const sigset_t *signals, char *reply,
			int64_t *t0_ns)
{
	static const char request[REQUEST];
	static struct timespec next;
	static int64_t next_ns;
	int64_t t3_ns;
	siginfo_t info;

	if (signals && sigwaitinfo(signals, &info) < 0)
		err(1, "sigwaitinfo");
	if (!signals) {
		next_ns = (next_ns ? next_ns : tw_now_ns(CLOCK_MONOTONIC)) +
			  period_ns;
		next = tw_ns_to_ts(next_ns);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	*t0_ns = tw_now_ns(CLOCK_MONOTONIC);
	if (send(fd, request, REQUEST, MSG_NOSIGNAL) != REQUEST)
		err(1, "client: send");
	if (recv(fd, reply, REPLY, MSG_WAITALL) != REPLY)
		errx(1, "client: no reply");
	t3_ns = tw_now_ns(CLOCK_MONOTONIC);
	return t3_ns;
}

static void measure(int fd)
{
	int64_t t0_ns, t3_ns;
	char reply[REPLY];
	sigset_t signals;
	uint64_t i;

	if (!nanosleeps)
		start_timer(&signals);
	for (i = 0; i < warmup + loops; i++) {
		t3_ns = exchange(fd, nanosleeps ? NULL : &signals, reply,
				 &t0_ns);
		if (i >= warmup)
			responses[i - warmup] = t3_ns - t0_ns;
	}
}

static void connect_both(int *client, int *server)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int on = 1;

	*client = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || *client < 0 ||
	    bind(listener, (struct sockaddr *)&addr, len) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&addr, &len) ||
	    connect(*client, (struct sockaddr *)&addr, len))
		err(1, "127.0.0.1");
	*server = accept(listener, NULL, NULL);
	if (*server < 0)
		err(1, "accept");
	close(listener);
	if (setsockopt(*client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    setsockopt(*server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		err(1, "TCP_NODELAY");
}

static void parse(int argc, char *argv[])
{
	int option;

	while ((option = getopt(argc, argv, "c:s:p:l:i:w:n")) >= 0) {
		if (option == 'c')
			client_cpu = atoi(optarg);
		else if (option == 's')
			server_cpu = atoi(optarg);
		else if (option == 'p')
			priority = atoi(optarg);
		else if (option == 'l')
			loops = strtoull(optarg, NULL, 10);
		else if (option == 'i')
			period_ns = atoi(optarg) * TW_NS_PER_US;
		else if (option == 'w')
			warmup = strtoull(optarg, NULL, 10);
		else if (option == 'n')
			nanosleeps = 1;
		else
			exit(1);
	}
	if (!loops || priority < 2)
		errx(1, "-l CYCLES and -p PRIORITY, at least 2, are needed");
}

/* Starts a side, which has the other's end of the connection closed. */
static void start(void (*side)(int fd), int fd, int other, int cpu,
		  int at_priority)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return;
	close(other);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	settle(cpu, at_priority);
	if (side == measure)
		memset(responses, 0, loops * sizeof(*responses));
	side(fd);
	_exit(0);
}

static void print_responses(void)
{
	int64_t max_ns = 0, sum_ns = 0;
	uint64_t i;

	for (i = 0; i < loops; i++) {
		sum_ns += responses[i];
		if (responses[i] > max_ns)
			max_ns = responses[i];
	}
	printf("%.1f %lld\n", (double)sum_ns / (double)loops,
	       (long long)max_ns);
}

int main(int argc, char *argv[])
{
	int client, server, status, i;

	parse(argc, argv);
	responses = map(loops * sizeof(*responses));
	/* As the tool: where there is no right to it, without. */
	tw_idle_limit(0);
	connect_both(&client, &server);
	start(serve, server, client, server_cpu, priority - 1);
	start(measure, client, server, client_cpu, priority);
	close(client);
	close(server);
	for (i = 0; i < 2; i++)
		if (wait(&status) < 0 || status)
			return 1;
	print_responses();
	return 0;
}
