/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tasks of a test call around their trials. One of them, the first
 * role's if the test does not say otherwise, leads: it asks pt_more() before
 * each trial and calls pt_record() after it. The others run until pt_over().
 */
#ifndef PT_RECORD_H
#define PT_RECORD_H

#include <errno.h>

#include "pt_case.h"

/*
 * Called by the task that leads: whether there is a further trial; sleeps until
 * that is due (-i). It knows itself when its time is over.
 */
bool pt_more(struct pt_task *task);

/*
 * Called by the task that leads: adds a trial to the statistics. The first
 * trials, --warmup of them, stand apart. Trials are recorded in blocks where
 * that can be, the rest by pt_more() or pt_lead(). That takes about 100 ns a
 * metric and a trial, outside of all timestamps.
 */
void pt_record(struct pt_task *task, const struct pt_trial *trial);

/*
 * The task that leads: calls @once for each trial, and wakes all others after
 * the last. Returns 0 or its -errno.
 */
int pt_lead(struct pt_task *task, int (*once)(struct pt_task *task));

/* Another one: calls @serve each time that it is woken, until pt_over(). */
int pt_serve(struct pt_task *task, int (*serve)(struct pt_task *task));

/*
 * Called by the others when the task that leads has woken them: whether it has
 * made its last trial. Only then do they leave it without an answer.
 */
static inline bool pt_over(const struct pt_task *task)
{
	return atomic_load_explicit(&task->in->over, memory_order_acquire);
}

/*
 * Called by the task that leads, after trials that are not yet recorded:
 * whether the clock was set meanwhile. Then each of them is left out: it
 * becomes this one, whose times are not known.
 */
bool pt_clock_was_set(struct pt_case *c);
extern const struct pt_trial pt_no_trial;

static inline bool pt_is_left_out(const struct pt_trial *trial)
{
	return trial->t_ns[0] == PT_NO_VALUE;
}

/* Takes a timestamp of the trial, whichever task calls it. Returns it. */
static inline int64_t pt_stamp(struct pt_task *task, int i)
{
	return task->in->stamp[i].ns = pt_now(task);
}

/* How many trials there were, with those of the warm-up. */
static inline uint64_t pt_done(const struct pt_task *task)
{
	return pt_trials(task->in);
}

/* Whether the next trial is one of the warm-up. */
static inline bool pt_warms_up(const struct pt_task *task)
{
	return pt_done(task) < (uint64_t)tw_config.warmup;
}

/* A task that was stopped for a moment waits on. */
static inline void pt_wait(sem_t *sem)
{
	while (sem_wait(sem) && errno == EINTR)
		;
}

/* Wakes the task of that number, which is in pt_await() or will be. */
static inline int pt_wake(struct pt_task *task, int number)
{
	return sem_post(&task->in->task[number].gate) ? -errno : 0;
}

/* Sleeps until another task wakes it. */
static inline void pt_await(struct pt_task *task)
{
	pt_wait(&task->gate);
}

/*
 * The value of a metric in ps; PT_NO_VALUE: this trial has none. @before: it, or
 * pt_no_trial.
 */
int64_t pt_value_ps(const struct pt_metric *metric, const struct pt_trial *now,
		    const struct pt_trial *before);

/*
 * Called between two trials by a task that spins: under a real-time policy it
 * sleeps once it has spun for 500 ms, till a second after it began to. So it
 * leaves real-time throttling alone, which comes at 950 of 1000 ms. After its
 * last trial, it sleeps for as long as it has spun since, so that the test that
 * follows does not inherit the time of this one.
 */
void pt_rest(struct pt_task *task);

/*
 * Called after a trial whose result has the checksum @sum: all have the same.
 * Returns 0 or -EBADMSG.
 */
int pt_check_sum(struct pt_task *task, uint64_t sum);

#endif /* PT_RECORD_H */
