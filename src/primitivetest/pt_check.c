// SPDX-License-Identifier: GPL-2.0-or-later
/* --check, and the environment in the JSON; what queues and signals need. */
#include <string.h>
#include <sys/resource.h>

#include "pt_report.h"
#include "tw_check.h"
#include "tw_json.h"
#include "tw_load.h"

#define QUEUE_DEPTH	10	/* of the test message, and its largest kind */
#define QUEUE_SIZE	8192
#define QUEUED		11	/* signals of the test signal.queue */
#define UNLIMITED	INT64_MAX

static bool only;	/* --check: nothing is measured */

/* What the tests need: two queues of the largest kind, and signals. */
static const struct need {
	const char *of;		/* the end of the fact's file, or its limit */
	int64_t least;
	int limit;
} needs[] = {
	{ "msg_max", QUEUE_DEPTH, 0 }, { "msgsize_max", QUEUE_SIZE, 0 },
	{ "MSGQUEUE", 2 * QUEUE_DEPTH * QUEUE_SIZE, RLIMIT_MSGQUEUE },
	{ "SIGPENDING", QUEUED, RLIMIT_SIGPENDING },
};

static const struct need *need_of(const struct tw_value *value)
{
	const struct need *need = needs;

	while (!strstr(value->from, need->of))
		need++;
	return need;
}

static void read_limit(struct tw_value *value)
{
	struct rlimit limit;

	if (!getrlimit(need_of(value)->limit, &limit))
		tw_check_number(value, limit.rlim_cur == RLIM_INFINITY ?
				UNLIMITED : (int64_t)limit.rlim_cur);
}

static bool is_small(const struct tw_value *value)
{
	return value->number < need_of(value)->least;
}

static const struct tw_fact own_facts[] = {
	{ "mqueue_msg_max", TW_FACT_NUMBER, "Messages that a queue may have.", "/proc/sys/fs/mqueue/msg_max",
	  NULL, is_small,
	  "a queue cannot have the 10 messages of the tests message and stream",
	  "sysctl fs.mqueue.msg_max=10" },
	{ "mqueue_msgsize_max", TW_FACT_NUMBER, "Bytes that a message may have.",
	  "/proc/sys/fs/mqueue/msgsize_max", NULL, is_small,
	  "a message cannot have the 8192 bytes of the tests message and stream",
	  "sysctl fs.mqueue.msgsize_max=8192" },
	{ "mqueue_queues_max", TW_FACT_NUMBER, "Queues that the system may have.",
	  .from = "/proc/sys/fs/mqueue/queues_max" },
	{ "rlimit_msgqueue", TW_FACT_NUMBER, "Bytes that the user's queues may have; the largest number: no limit.",
	  "MSGQUEUE", read_limit, is_small,
	  "the queues of the tests message and stream need more bytes than RLIMIT_MSGQUEUE allows",
	  "ulimit -q unlimited" },
	{ "rlimit_sigpending", TW_FACT_NUMBER, "Signals that the user's processes may queue.",
	  "SIGPENDING", read_limit,
	  is_small,
	  "the test signal.queue queues more signals than RLIMIT_SIGPENDING allows for all of the user's processes",
	  "ulimit -i unlimited" },
	{ .name = NULL }
};

const struct tw_fact *const tw_check_tables[] = {
	tw_facts_kernel, tw_facts_realtime, tw_facts_cpus, tw_facts_machine,
	own_facts, NULL
};

static const struct tw_option options[] = {
	{ 0, "check", TW_FLAG, &only,
	  .help = "print what in this system disturbs real-time results and what to do; measure nothing" },
	{ .name = NULL }
};

/* Others have refused what is wrong. */
static void checked(struct tw_run *run)
{
	struct tw_checked of = {
		.pinned = true,
		.priority = (int)tw_config.priority,
		.ordinary = tw_config_is_ordinary(),
		/* Its POSIX timers expire in a softirq. */
		.softirq_timer = true,
	};
	int i;

	if (!only && !tw_json_is_wanted())
		return;
	pt_config_cpus(&of.cpus);
	for (i = 0; tw_load_number(i); i++)
		of.realtime_load |= tw_load_number(i)->priority;
	tw_check_facts(run, &of, tw_check_tables, only);
}

const struct tw_part pt_part_check = {
	.options = options, .group = TW_TOO_LONG, .checked = checked,
	.members[TW_OF_RUN] = tw_json_checked,
};
