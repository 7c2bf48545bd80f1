// SPDX-License-Identifier: GPL-2.0-or-later
/* What a client on another host asks for becomes the settings of a run. */
#include <errno.h>
#include <string.h>

#include "host/tw_serve.h"
#include "run/tw_config.h"
#include "run/tw_part_transport.h"

/* What the options of one host allow, and two do not. */
static int check_far(struct tw_run *run, const struct tw_asked *asked)
{
	const struct tw_transport_ops *ops = tw_transport_wanted();
	int err = 0;

	if (!ops->internet)
		return tw_fail(run, -EINVAL, "--transport=%s: does not lead to another host; allowed are tcp and udp",
			       ops->name);
	/* It would end a server that never waits. */
	if (strcmp(asked->wait, "busy"))
		err = tw_privileges_limit_runaway();
	return err ? tw_fail(run, err, "real-time tasks cannot be limited there (RLIMIT_RTTIME): %s",
			     strerror(-err)) : 0;
}

/* Whatever the parser made of it: the operator's ceiling holds. */
static int check_priorities(struct tw_run *run, int64_t most)
{
	unsigned int k;

	for (k = 0; k < tw_config->pairs.count; k++)
		if (tw_config_priority(tw_config, TW_SERVER, k) > most)
			return tw_fail(run, -EPERM, "its server %u would have priority %d, more than it allows: up to %lld (--priority there)",
				       k, tw_config_priority(tw_config, TW_SERVER, k),
				       (long long)most);
	return 0;
}

/* As a command line, so that the checks of all options apply. */
int tw_serve_parse(struct tw_service *serving, struct tw_run *run,
		   const struct tw_asked *asked,
		   const struct tw_granted *granted)
{
	static struct tw_args args;
	struct tw_asked given = *asked;
	int i, err;

	given.priority = granted->priority;
	given.lock_memory = granted->lock_memory;
	memcpy(given.policy, granted->policy, sizeof(given.policy));
	args = (struct tw_args) { .count = 0 };
	tw_args_add(&args, "%s", serving->program->name);
	for (i = 0; i < serving->own.count; i++)
		tw_args_add(&args, "%s", serving->own.list[i]);
	tw_args_ask(&args, &given);
	tw_args_add(&args, "--duration=%lld",
		    (long long)serving->ceilings.time_s);
	tw_args_add(&args, "--quiet");
	/* Of a client here, it would refuse what could starve us. */
	if (strcmp(given.wait, "busy"))
		tw_args_add(&args, "--force");
	tw_args_add(&args, "--default-system");
	err = tw_run_parse(run, serving->program, args.count, args.list);
	if (!err)
		err = check_far(run, asked);
	return err ? err : check_priorities(run, serving->ceilings.priority);
}
