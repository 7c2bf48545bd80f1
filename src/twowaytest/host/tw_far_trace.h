/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The traces of a server for other hosts: instances of tracefs that are made by
 * root, before root is given up. Then only descriptors are left of them: to
 * start, stop, mark, limit and read them. Called by main.
 */
#ifndef TW_FAR_TRACE_H
#define TW_FAR_TRACE_H

#include "cause/tw_trace_own.h"

#define TW_FAR_TRACE_FDS	4
#define TW_FAR_TRACE_KEPT	(16 << 20)	/* bytes of its text */

struct tw_far_trace {
	struct tw_trace own;
	struct tw_trace_fds fds;
	int pipe_fd;		/* what it reads is no longer in the trace */
	int mask_fd;
};

/*
 * Makes @count traces of @events (NULL: the default events) on @cpus, stopped.
 * Returns 0; or -errno and the reason in @why: then there is none.
 */
int tw_far_traces_open(int count, const char *events, const cpu_set_t *cpus,
		       char why[TW_TRACE_WHY]);

/* Removes them: by processes that have remained root's. */
void tw_far_traces_close(void);

/* The trace of session @place, from 0; NULL: there is none. */
struct tw_far_trace *tw_far_trace_of(int place);

/* Its descriptors, for the process of the session. */
void tw_far_trace_fds(const struct tw_far_trace *trace,
		      int fds[TW_FAR_TRACE_FDS]);

/* Stops and empties it. */
void tw_far_trace_empty(const struct tw_far_trace *trace);

/* Starts it on @cpus. Returns 0 or -errno. */
int tw_far_trace_start(const struct tw_far_trace *trace,
		       const cpu_set_t *cpus);

void tw_far_trace_stop(const struct tw_far_trace *trace);

/*
 * Takes out of the trace what is there, but not much more than @most bytes: to
 * read is itself traced as long as the trace runs. Stores the text from @from_ns
 * on (trace's clock) in *text, which the caller frees, and in *cut how many
 * bytes of it were left out at the beginning. Returns 0 or -errno.
 */
int tw_far_trace_read(const struct tw_far_trace *trace, size_t most,
		      int64_t from_ns, char **text, size_t *cut);

#endif /* TW_FAR_TRACE_H */
