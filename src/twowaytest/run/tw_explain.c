// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "base/tw_cgroup.h"
#include "run/tw_session.h"

struct text {
	char *buf;
	size_t size;
	const struct tw_failure *failure;
	const struct tw_config *config;
	char role[48];		/* "client", or of many "client of pair 2" */
};

#define say(text, ...)	snprintf((text)->buf, (text)->size, __VA_ARGS__)

static void name_role(struct text *text)
{
	const char *title = tw_role_titles[text->failure->role];

	bool own = text->failure->role == TW_CLIENT ||
		   (text->failure->role == TW_SERVER &&
		    !text->config->serving.one);

	if (text->config->pairs.count > 1 && own)
		snprintf(text->role, sizeof(text->role), "%s of pair %u",
			 title, text->failure->pair);
	else
		snprintf(text->role, sizeof(text->role), "%s", title);
}

static const char *reason(const struct text *text)
{
	return strerror(-text->failure->err);
}

static void explain_pin(struct text *text)
{
	cpu_set_t cpus;
	char list[256] = "?";

	if (tw_config_cpus(text->config, text->failure->role,
			   text->failure->pair, &cpus))
		tw_cpus_format(&cpus, list, sizeof(list));
	say(text, "the %s cannot run on CPU %s: %s; choose CPUs that are online and in this cgroup's cpuset",
	    text->role, list, reason(text));
}

static void explain_lock(struct text *text)
{
	struct rlimit limit = { .rlim_cur = 0 };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	say(text, "--mlockall: the %s cannot lock its memory: %s; RLIMIT_MEMLOCK is %llu KiB: run as root, or raise it (ulimit -l, memlock in limits.conf)",
	    text->role, reason(text),
	    (unsigned long long)limit.rlim_cur / 1024);
}

static void explain_schedule(struct text *text)
{
	struct rlimit limit = { .rlim_cur = 0 };
	struct tw_cgroup cgroup;
	const char *policy = tw_system_policy_name(text->config->policy);
	int priority = (int)text->config->priority;
	int highest = tw_config_priority(text->config, TW_MAIN, 0);

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
	say(text, "--priority=%d: no right to policy %s: %s; needed is root, CAP_SYS_NICE, or an RLIMIT_RTPRIO of at least %d, which is %llu here (ulimit -r; rtprio in limits.conf, from the next login on)",
	    priority, policy, reason(text), highest,
	    (unsigned long long)limit.rlim_cur);
}

static void explain_verify(struct text *text)
{
	say(text, "the %s did not get the policy, priority, CPUs or locked memory that it was granted: %s; is something else changing them?",
	    text->role, reason(text));
}

static void explain_start(struct text *text)
{
	const struct tw_child *child = text->failure->child;
	char what[256] = "";

	if (child)
		tw_child_tell(child, "was not ready in time", what,
			      sizeof(what));
	if (*what)
		say(text, "the %s (pid %d) %s", text->role,
		    (int)child->pid, what);
	else
		say(text, "cannot start the %s: %s%s", text->role,
		    reason(text), text->failure->err == -EAGAIN ?
		    "; there are too many processes: raise the limit (ulimit -u, pids.max of the cgroup), or give fewer pairs" : "");
}

static void explain_run(struct text *text)
{
	const char *what = reason(text);

	if (text->failure->err == -EPROTO || text->failure->err == -EBADMSG ||
	    text->failure->err == -EMSGSIZE)
		what = "it received a message that is not the one to come";
	say(text, "the %s (pid %d) stopped: %s", text->role,
	    (int)text->failure->pid, what);
}

static void explain_stop(struct text *text)
{
	const struct tw_child *child = text->failure->child;
	const char *did = child && child->lost ? "did not end" :
			  "did not end within 1 s and was killed";
	char what[256] = "";

	if (child)
		tw_child_tell(child, did, what, sizeof(what));
	say(text, "the %s (pid %d) %s", text->role,
	    (int)text->failure->pid, *what ? what : did);
}

static void explain_killed(struct text *text)
{
	say(text, "the %s (pid %d) was killed by signal %d (%s)",
	    text->role, (int)text->failure->pid, text->failure->err,
	    strsignal(text->failure->err));
}

int tw_explain(struct tw_session *session, const struct tw_failure *failure)
{
	static void (*const explanations[])(struct text *text) = {
		[TW_STEP_PIN] = explain_pin,
		[TW_STEP_LOCK] = explain_lock,
		[TW_STEP_SCHEDULE] = explain_schedule,
		[TW_STEP_VERIFY] = explain_verify,
		[TW_STEP_START] = explain_start,
		[TW_STEP_RUN] = explain_run,
		[TW_STEP_STOP] = explain_stop,
		[TW_STEP_KILLED] = explain_killed,
	};
	char buf[TW_ERROR_MAX];
	struct text text = { buf, sizeof(buf), failure, session->config, "" };

	name_role(&text);
	explanations[failure->step](&text);
	return tw_fail(&session->run, failure->err, "%s", buf);
}
