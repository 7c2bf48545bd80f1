/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whylate: who delays a program that is not ours. Of each task that is watched,
 * a value is the time of a wake-up, from sched_waking until it has the CPU; or,
 * with --from and --to, that of a cycle. All is called by main.
 */
#ifndef WL_H
#define WL_H

#include "tw_buckets.h"
#include "tw_cause.h"
#include "tw_part.h"
#include "tw_tally.h"
#include "tw_time.h"

struct wl_config {
	int64_t limit_us;	/* 0: --read of one cycle, whatever it took */
	int64_t pid;		/* of task or program; 0: by its name */
	int64_t most;		/* --breaks; 0: not given */
	const char *read;	/* the trace; NULL: of this system */
	const char *task;	/* --task, if it is a name */
	const char *from, *to;
	int64_t from_ns, to_ns;	/* with --read */
	bool cycles;
	bool realtime_only;	/* wake-ups of other tasks do not count */
};

extern struct wl_config wl_config;
extern const char wl_from_event[], wl_to_event[];

/* What a value is of. */
const char *wl_what(void);

struct wl_task {
	pid_t pid;
	char comm[TW_COMM];
	bool runs;
	bool woken;		/* while it ran: as it is about to sleep */
	int64_t since_ns;	/* a value begins; -1: none does */
	struct tw_stats stats;
	uint64_t above;		/* the limit */
	/* Woken, and then it ran, without a sched_switch that says when. */
	uint64_t unseen;
	uint64_t buckets[TW_BUCKETS];
};

/* In the order in which they were seen. */
extern struct wl_task **wl_tasks;
extern int wl_task_count;
struct wl_task *wl_task_add(pid_t pid, const char *comm);

/* A value above the limit. */
struct wl_late {
	const struct wl_task *task;
	int64_t begin_ns, end_ns;
	double mean_ns;		/* of those before; 0: there are none */
};

/*
 * What an event says of the tasks; @line: its text, or NULL. True: *late is
 * set.
 */
bool wl_follow(const struct tw_event *event, const char *line,
	       struct wl_late *late);

/* The end of a value that began at task->since_ns. The same. */
bool wl_take(struct wl_task *task, int64_t end_ns, struct wl_late *late);

/* Before the first; then of each, and @why not if there is no trace of it. */
void wl_look_begin(int64_t begin_ns);
void wl_look(const struct wl_late *late, const struct tw_window *window);
void wl_look_not(const struct wl_late *late);
void wl_look_end(void);
uint64_t wl_look_count(void);

/* Until the run's end. */
void wl_read(struct tw_run *run);
void wl_watch(struct tw_run *run);
extern uint64_t wl_watch_lost;	/* how often events were lost */

/*
 * PATH:FUNCTION of --from and --to, or PATH:OFFSET: ends the program after a
 * message if it is wrong. Then makes and removes the events.
 */
void wl_probe_check(const char *option, const char *text);
const char *wl_probe_open(void);	/* a list of both events */
void wl_probe_close(void);

extern const struct tw_part wl_part_check;
extern const struct tw_part wl_part_config;
extern const struct tw_part wl_part_look;
extern const struct tw_part wl_part_text;

#endif /* WL_H */
