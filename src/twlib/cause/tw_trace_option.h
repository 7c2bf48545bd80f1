/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a trace of our own: --trace and --trace-file. */
#ifndef TW_TRACE_OPTION_H
#define TW_TRACE_OPTION_H

#include "cause/tw_trace_own.h"
#include "frame/tw_part.h"

struct tw_trace_asked {
	const char *events;	/* NULL: the default events */
	bool own;		/* --trace was given */
	const char *path;	/* --trace-file */
};

/* Their rows. @asked: the struct tw_trace_asked; @file: the usual one. */
#define TW_TRACE_OPTIONS(asked, file) \
	{ 0, "trace", TW_OPTIONAL_ARGUMENT, "EVENTS", tw_trace_option, \
	  (asked), \
	  .help = "with -b: trace the kernel in an instance of our own,\n" \
		  "save the last 20 ms and say what caused the delay" }, \
	{ 0, "trace-file", TW_ARGUMENT, "FILE", tw_option_file, \
	  &(asked)->path, .help = "where to, default " file }

/* Parses --trace[=EVENTS]; option->to: struct tw_trace_asked. */
int tw_trace_option(const struct tw_option *option, const char *value,
		    struct tw_run *run);

/*
 * For a part's check(). @path: the default of --trace-file. Returns 0, or
 * -EINVAL after tw_fail().
 */
int tw_trace_option_check(struct tw_trace_asked *asked, struct tw_run *run,
			  const char *path);

/*
 * For a part's open(): opens the trace on @cpus, and warns of what killed tests
 * have left behind. Returns 0, or -errno after tw_fail().
 */
int tw_trace_option_open(const struct tw_trace_asked *asked,
			 struct tw_run *run, struct tw_trace *trace,
			 struct tw_trace_fds *fds, const cpu_set_t *cpus);

/* The member "trace" of the settings: the events. */
void tw_trace_option_json(const struct tw_trace_asked *asked,
			  struct tw_json *json);

#endif /* TW_TRACE_OPTION_H */
