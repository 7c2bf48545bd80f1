// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trap: from a fault to its handler, and back. A signal that the task sends to
 * itself takes the same way, without the fault.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pt_rows.h"

struct cause {
	int signal;
	int code;		/* si_code */
	int (*raise)(void);
};

/* The handler's. The task is a process: nobody else has it. */
static struct {
	struct pt_task *task;
	const struct cause *cause;
	char *page;		/* may not be written */
	volatile int wrong;	/* signals that were not the expected ones */
	sigjmp_buf after;
} own;

static void handle(int signal, siginfo_t *info, void *context)
{
	pt_stamp(own.task, 1);
	own.wrong += info->si_code != own.cause->code;
	if (signal != SIGSEGV)
		return;
	own.wrong += info->si_addr != own.page;
	/* A return would repeat the fault. */
	siglongjmp(own.after, 1);
}

static int write_protected(void)
{
	if (!sigsetjmp(own.after, 0))
		*(volatile char *)own.page = 1;
	return 0;
}

static int signal_itself(void)
{
	return kill(getpid(), SIGUSR1) ? -errno : 0;
}

/* SA_NODEFER: a handler that is left by a jump does not keep it blocked. */
static int prepare(struct pt_task *task)
{
	struct sigaction action = {
		.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER,
	};
	sigset_t expected;

	own.task = task;
	own.cause = pt_kind_ops(task->in);
	own.page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own.page == MAP_FAILED)
		return pt_failed(task, "mmap", -errno);
	sigemptyset(&expected);
	sigaddset(&expected, own.cause->signal);
	sigprocmask(SIG_UNBLOCK, &expected, NULL);
	return sigaction(own.cause->signal, &action, NULL) ?
	       pt_failed(task, "sigaction", -errno) : 0;
}

static int trap(struct pt_task *task)
{
	int64_t *handled_ns = &task->in->stamp[1].ns;
	int err;

	*handled_ns = 0;
	pt_stamp(task, 0);
	err = own.cause->raise();
	pt_stamp(task, 2);
	return err || (*handled_ns && !own.wrong) ? err :
	       pt_failed(task, "the handler of its own signal", -EPROTO);
}

#define CAUSE(...)	.ops = &(const struct cause) { __VA_ARGS__ }

PT_TEST(trap, "a forbidden write, or a signal to itself, and its handler",
	.flags = PT_ALONE,
	.kinds = PT_TABLE(kind,
		{ "fault", CAUSE(SIGSEGV, SEGV_ACCERR, write_protected) },
		{ "signal", CAUSE(SIGUSR1, SI_USER, signal_itself) }),
	.metrics = PT_TABLE(metric,
		PT_METRIC("enter", "To the handler", 0, 1, PT_RUNS),
		PT_METRIC("leave", "From the handler", 1, 2, PT_RUNS),
		PT_METRIC("roundtrip", "To the handler and back", 0, 2,
			  .rate = "traps")),
	.enter = prepare, .once = trap,
	.trials = 10000);
