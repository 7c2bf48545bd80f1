// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "tw_cgroup.h"
#include "tw_explain.h"
#include "tw_throttle.h"

struct text {
	char *buf;
	size_t size;
	const struct tw_failure *failure;
	const struct tw_session *session;
	const struct tw_config *config;
};

#define say(text, ...)	snprintf((text)->buf, (text)->size, __VA_ARGS__)

static const char *role_name(const struct text *text)
{
	return tw_role_titles[text->failure->role];
}

static const char *reason(const struct text *text)
{
	return strerror(-text->failure->err);
}

static void explain_clock(struct text *text)
{
	static const struct {
		int err;
		const char *why;
	} reasons[] = {
		{ -ENOTSUP, "this CPU has no counter that runs at one rate in every state" },
		{ -ENODEV, "the kernel does not trust this CPU's counter (it is not in available_clocksource)" },
		{ -ERANGE, "the counter's rate, measured twice, differed by more than 100 ppm" },
	};
	const char *why = reason(text);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i].err == text->failure->err)
			why = reasons[i].why;
	say(text, "--clock=%s: %s; choose another clock, such as monotonic",
	    text->config->clock, why);
}

static void explain_pin(struct text *text)
{
	cpu_set_t cpus;
	char list[256] = "?";

	if (tw_config_cpus(text->config, text->failure->role,
			   text->failure->pair, &cpus))
		tw_place_format(&cpus, list, sizeof(list));
	say(text, "the %s cannot run on CPU %s: %s; choose CPUs that are online and in this cgroup's cpuset",
	    role_name(text), list, reason(text));
}

static void explain_lock(struct text *text)
{
	struct rlimit limit = { .rlim_cur = 0 };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	say(text, "--mlockall: the %s cannot lock its memory: %s; RLIMIT_MEMLOCK is %llu KiB: run as root, or raise it (ulimit -l, memlock in limits.conf)",
	    role_name(text), reason(text),
	    (unsigned long long)limit.rlim_cur / 1024);
}

static void explain_schedule(struct text *text)
{
	struct rlimit limit = { .rlim_cur = 0 };
	struct tw_cgroup cgroup;
	const char *policy = tw_system_policy_name(text->config->policy);
	int priority = (int)text->config->priority;
	int highest = tw_config_priority(text->config, TW_MAIN);

	/* Then it allows no real-time task at all, and even root is refused. */
	tw_cgroup_read(&cgroup, "");
	if (text->failure->err == -EPERM && !cgroup.runtime_us) {
		say(text, "--priority=%d: this CPU cgroup has no real-time runtime: write microseconds, such as 100000, to %s, or run in another cgroup",
		    priority, cgroup.file);
		return;
	}
	/* The reference set-up's main is above the client. */
	if (highest < priority)
		highest = priority;
	getrlimit(RLIMIT_RTPRIO, &limit);
	say(text, "--priority=%d: no right to policy %s: %s; needed is root, CAP_SYS_NICE, or an RLIMIT_RTPRIO of at least %d, which is %llu here (ulimit -r, rtprio in limits.conf)",
	    priority, policy, reason(text), highest,
	    (unsigned long long)limit.rlim_cur);
}

static void explain_verify(struct text *text)
{
	say(text, "the %s did not get the policy, priority, CPUs or locked memory that it was granted: %s; is something else changing them?",
	    role_name(text), reason(text));
}

static void explain_memory(struct text *text)
{
	say(text, "no memory for the results: %s; give fewer microseconds to -h, or raise the limit (ulimit -v, -l)",
	    reason(text));
}

static void explain_listen(struct text *text)
{
	const char *help = "leave it out, and the kernel chooses one";

	if (text->failure->err == -EACCES)
		help = "ports below 1024 need root or CAP_NET_BIND_SERVICE";
	say(text, "--port=%d: cannot listen on 127.0.0.1: %s; %s",
	    (int)text->config->port, reason(text), help);
}

static void explain_connect(struct text *text)
{
	say(text, "cannot connect to our own server on 127.0.0.1: %s; is the loopback interface up, and not filtered?",
	    reason(text));
}

static void explain_start(struct text *text)
{
	const struct tw_child *child = text->failure->child;
	char what[256] = "";

	if (child)
		tw_child_tell(child, "was not ready in time", what,
			      sizeof(what));
	if (text->failure->role == TW_MAIN)
		say(text, "cannot start: %s", reason(text));
	else if (*what)
		say(text, "the %s (pid %d) %s", role_name(text),
		    (int)child->pid, what);
	else
		say(text, "cannot start the %s: %s", role_name(text),
		    reason(text));
}

static void explain_load(struct text *text)
{
	const char *why = text->session->load_why;

	say(text, "--load=%s: %s", text->config->load->name,
	    *why ? why : reason(text));
}

static void explain_work(struct text *text)
{
	say(text, "--load=%s: a worker's result was wrong: this kernel or machine does not keep the floating-point registers of a preempted task, or its memory fails",
	    text->config->load->name);
}

static void explain_throttle(struct text *text)
{
	if (text->failure->err == -EBUSY &&
	    text->config->rt_runtime_us == TW_KEEP)
		say(text, "--load=%s: with no real-time throttling (%s is %lld), this real-time load on every CPU would leave the rest of the system no time; give --load-affinity, fewer workers, --rt-runtime=950000, or --force",
		    text->config->load->name, TW_THROTTLE_FILE,
		    (long long)text->session->throttle.runtime_us);
	else if (text->failure->err == -EBUSY)
		say(text, "--rt-runtime=%lld: this real-time load on every CPU would leave the rest of the system no time, or the kernel refuses the value because of a cgroup's share; give --load-affinity, fewer workers, or --force",
		    (long long)text->config->rt_runtime_us);
	else if (text->failure->err == -EALREADY)
		say(text, "--rt-runtime=%lld: another process, such as a second twowaytest, has set %s until it ends, and holds a lock on %s; wait for its end, or set the value for both without this option",
		    (long long)text->config->rt_runtime_us, TW_THROTTLE_FILE,
		    TW_RUNTIME_LOCK);
	else
		say(text, "--rt-runtime=%lld: cannot write %s: %s; it needs root, and a value up to sched_rt_period_us that is not below a CPU cgroup's own",
		    (long long)text->config->rt_runtime_us, TW_THROTTLE_FILE,
		    reason(text));
}

static void explain_trace(struct text *text)
{
	say(text, "--%s: %s", text->session->trace_fds[TW_TRACE_USER].mark < 0 &&
	    text->config->tracemark ? "tracemark" : "trace",
	    text->session->trace_why);
}

static void explain_run(struct text *text)
{
	const char *what = reason(text);

	if (text->failure->err == -EPROTO || text->failure->err == -EBADMSG ||
	    text->failure->err == -EMSGSIZE)
		what = "it received a message that is not the one to come";
	say(text, "the %s (pid %d) stopped: %s", role_name(text),
	    (int)text->failure->pid, what);
}

/* The step's end may have been a signal's, or -D's. */
static void explain_cycles(struct text *text)
{
	const struct tw_session *session = text->session;
	unsigned long long warm = session->pair->tally->warmup;
	const struct tw_config *config = text->config;

	if (session->interrupted)
		say(text, "not one cycle was measured: signal %d (%s) came after %llu of %lld warm-up cycles",
		    session->interrupted, strsignal(session->interrupted),
		    warm, (long long)config->warmup * session->steps_done);
	else
		say(text, "not one cycle was measured: with --duration=%lld, time was up after %llu of %lld warm-up cycles; give a longer duration, a smaller --warmup, or see what holds up the client",
		    (long long)config->duration_s, warm,
		    (long long)config->warmup * session->steps_done);
}

static void explain_write(struct text *text)
{
	say(text, "cannot write the results: %s", reason(text));
}

static void explain_stop(struct text *text)
{
	const struct tw_child *child = text->failure->child;
	const char *did = child && child->lost ? "did not end" :
			  "did not end within 1 s and was killed";
	char what[256] = "";

	if (child)
		tw_child_tell(child, did, what, sizeof(what));
	say(text, "the %s (pid %d) %s", role_name(text),
	    (int)text->failure->pid, *what ? what : did);
}

static void explain_killed(struct text *text)
{
	say(text, "the %s (pid %d) was killed by signal %d (%s)",
	    role_name(text), (int)text->failure->pid, text->failure->err,
	    strsignal(text->failure->err));
}

void tw_explain(const struct tw_session *session, char *buf, size_t size)
{
	static void (*const explanations[])(struct text *text) = {
		[TW_STEP_CLOCK] = explain_clock,
		[TW_STEP_PIN] = explain_pin,
		[TW_STEP_LOCK] = explain_lock,
		[TW_STEP_SCHEDULE] = explain_schedule,
		[TW_STEP_VERIFY] = explain_verify,
		[TW_STEP_MEMORY] = explain_memory,
		[TW_STEP_LISTEN] = explain_listen,
		[TW_STEP_CONNECT] = explain_connect,
		[TW_STEP_START] = explain_start,
		[TW_STEP_LOAD] = explain_load,
		[TW_STEP_WORK] = explain_work,
		[TW_STEP_THROTTLE] = explain_throttle,
		[TW_STEP_TRACE] = explain_trace,
		[TW_STEP_RUN] = explain_run,
		[TW_STEP_CYCLES] = explain_cycles,
		[TW_STEP_WRITE] = explain_write,
		[TW_STEP_STOP] = explain_stop,
		[TW_STEP_KILLED] = explain_killed,
	};
	struct text text = {
		buf, size, &session->failure, session, session->config
	};

	explanations[session->failure.step](&text);
}
