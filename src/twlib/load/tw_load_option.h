/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --load as both programs have it, and how they tell of a load. */
#ifndef TW_LOAD_OPTION_H
#define TW_LOAD_OPTION_H

#include "frame/tw_run.h"
#include "load/tw_load.h"

struct tw_load_choice {
	const struct tw_load_ops *kind;	/* NULL: no load */
	const char *command;		/* of kind "command"; or NULL */
	const char *arguments;		/* of --load-args; or NULL */
	int count;			/* workers; or 0: not given */
};

/* Their rows. @choice: the struct tw_load_choice; @more: of the help of @cpus. */
#define TW_LOAD_OPTIONS(choice, cpus, more) \
	{ 0, "load", TW_ARGUMENT, "KIND[:ARG]", tw_option_load, (choice), \
	  .kinds = tw_load_usages, .lists_kinds = true, \
	  .help = "load the system meanwhile: none (default)" }, \
	{ 0, "load-affinity", TW_ARGUMENT, "CPUSET", tw_option_cpus, (cpus), \
	  .help = "run the load on CPUSET, a worker on each in turn" more }, \
	{ 0, "load-args", TW_ARGUMENT, "STRING", tw_option_string, \
	  &(choice)->arguments, .help = "hackbench's arguments but -g" }

/* KIND[:ARG] of --load, to the struct tw_load_choice at @to. */
int tw_option_load(const struct tw_option *option, const char *value,
		   struct tw_run *run);

/* Refuses --load-args where the load takes none; 0 or -EINVAL. */
int tw_load_check_arguments(struct tw_run *run,
			    const struct tw_load_choice *choice);

/* Fails the run with @why, or if that is "", with what @err means. */
int tw_load_fail(struct tw_run *run, const struct tw_load_choice *choice,
		 int err, const char *why);

/* Waits until caches and queues are as full as they are later on. */
void tw_load_steady(void);

/* A wrong result of the load's work: fails the run. */
int tw_load_fail_result(struct tw_run *run,
			const struct tw_load_choice *choice);

/*
 * Called by main when a child may have ended: fails the run if the load has
 * done so.
 */
int tw_load_woken(struct tw_run *run, const struct tw_load_choice *choice,
		  struct tw_load *load);

/* Ends the load; fails the run if a process of it is left. */
void tw_load_finish(struct tw_run *run, const struct tw_load_choice *choice,
		    struct tw_load *load);

#endif /* TW_LOAD_OPTION_H */
