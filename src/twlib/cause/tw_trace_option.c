// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/tw_json.h"
#include "cause/tw_trace_option.h"
#include "frame/tw_run.h"
#include "frame/tw_say.h"

int tw_trace_option(const struct tw_option *option, const char *value,
		    struct tw_run *run)
{
	const char *list = value && *value == '+' ? value + 1 : value;
	struct tw_trace_asked *asked = option->to;

	if (list && (strspn(list, ", ") == strlen(list) ||
		     strlen(list) > 1000 ||
		     strspn(list, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:*?, ") !=
		     strlen(list)))
		return tw_option_error(option, value, run,
				       "allowed is a list of systems (irq), events (sched_switch) or system:event, separated by commas, with + before it for those beside the usual ones");
	asked->own = true;
	asked->events = value;
	return 0;
}

int tw_trace_option_check(struct tw_trace_asked *asked, struct tw_run *run,
			  const char *path)
{
	if (asked->own && !tw_option_given(run, "breaktrace"))
		return tw_fail(run, -EINVAL, "--trace: there is no value to break at; give -b too");
	if (asked->path && !asked->own)
		return tw_fail(run, -EINVAL, "--trace-file: there is no trace; give --trace too");
	if (asked->own && !asked->path)
		asked->path = path;
	return 0;
}

int tw_trace_option_open(const struct tw_trace_asked *asked,
			 struct tw_run *run, struct tw_trace *trace,
			 struct tw_trace_fds *fds, const cpu_set_t *cpus)
{
	char why[TW_TRACE_WHY];
	int err = 0;

	if (asked->own)
		err = tw_trace_open_own(trace, fds, asked->events, cpus, why);
	if (err)
		return tw_fail(run, err, "--trace: %s", why);
	if (trace->removed)
		tw_warn("--trace: removed what killed tests have left behind: %s%s",
			trace->first_removed,
			trace->removed > 1 ? " and others" : "");
	return 0;
}

void tw_trace_option_json(const struct tw_trace_asked *asked,
			  struct tw_json *json)
{
	tw_json_text(json, "trace", !asked->own ? NULL :
		     asked->events ? asked->events : TW_TRACE_EVENTS);
}
