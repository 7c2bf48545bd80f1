/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --rt-runtime as both programs have it. */
#ifndef TW_RUNTIME_OPTION_H
#define TW_RUNTIME_OPTION_H

#include "base/tw_json.h"
#include "frame/tw_run.h"
#include "load/tw_runtime.h"

#define TW_RUNTIME_KEEP	(-2)	/* without the option: as the system has it */

/* The entry for a table of options; @where: an int64_t, in us, -1: no limit. */
#define TW_RUNTIME_OPTION(where) \
	{ 0, "rt-runtime", TW_ARGUMENT, "US", tw_option_runtime, where, \
	  .max = 1000000, \
	  .more = ", or -1 for no limit", \
	  .help = "set sched_rt_runtime_us for the run, and restore\n" \
		  "it; -1, 0: no limit" }

int tw_option_runtime(const struct tw_option *option, const char *value,
		      struct tw_run *run);

/*
 * Sets @runtime_us, if it is not TW_RUNTIME_KEEP, until tw_runtime_close().
 * Then reads how this kernel throttles. Returns 0; or -errno, nothing is set.
 */
int tw_runtime_apply(struct tw_runtime *runtime, int64_t runtime_us,
		     struct tw_throttle *throttle);

/* Fails the run with what tw_runtime_apply() returned. */
int tw_runtime_fail(struct tw_run *run, int err, int64_t runtime_us);

/* What is known of throttling, as members of an object that is open. */
void tw_throttle_json(struct tw_json *json, const struct tw_throttle *throttle);

#endif /* TW_RUNTIME_OPTION_H */
