/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each task has spent between two samples of tw_spent.h. Called by main. */
#ifndef TW_PAST_H
#define TW_PAST_H

#include "tw_config.h"
#include "tw_others.h"
#include "tw_spent.h"

#define TW_PAST_TASKS	(2 * TW_PAIRS_MAX + 256)
#define TW_PAST_KEPT	32	/* samples */

struct tw_past_task {
	int id;			/* 0: what the host took from a CPU */
	int fd;			/* -1: it is not open */
	bool ours;
	bool known;		/* it was read at least once */
	bool ended;
	int64_t ended_ns;
	cpu_set_t cpus;
	char name[28];
	const struct tw_spent *last;	/* see tw_spent_add() */
	struct tw_spent total;
	struct tw_past_part {
		struct tw_spent spent;	/* since the sample before */
		int cpu;	/* where it was at the end of that time */
	} part[TW_PAST_KEPT];
};

/* Samples have numbers, from 0 on; the index is that, modulo TW_PAST_KEPT. */
struct tw_past {
	bool told;		/* by this kernel */
	bool hosted;		/* a host takes time from our CPUs */
	cpu_set_t cpus;
	int64_t period_ns;
	int64_t scanned_ns;
	int64_t at_ns[TW_PAST_KEPT];
	int count;		/* of samples */
	int tasks;
	struct tw_past_task task[TW_PAST_TASKS];
	struct tw_snapshot all;
};

extern struct tw_past *tw_past;

static inline struct tw_past_task *tw_past_end(void)
{
	return tw_past->task + tw_past->tasks;
}

/* The sample before the oldest part. */
static inline int tw_past_first(void)
{
	return tw_past->count > TW_PAST_KEPT ? tw_past->count - TW_PAST_KEPT :
					       0;
}

static inline int64_t tw_past_at_ns(int sample)
{
	return tw_past->at_ns[sample % TW_PAST_KEPT];
}

static inline struct tw_spent *tw_past_spent(struct tw_past_task *task,
					     int sample)
{
	return &task->part[sample % TW_PAST_KEPT].spent;
}

/* How much of the time between a sample and the one before is in bounds. */
double tw_past_within(int sample, int64_t from_ns, int64_t to_ns);

/* Widens both to the samples around. false: they are missing. */
bool tw_past_enclose(int64_t *from_ns, int64_t *to_ns);

/*
 * How long those two of ours waited between two samples; with 0 and 0, all of
 * ours. -1: not known. Adds the CPUs that they may use.
 */
int64_t tw_past_waited_ns(const int ids[2], int64_t from_ns, int64_t to_ns,
			  cpu_set_t *cpus);

/* As if they had waited for less. */
void tw_past_take_ns(const int ids[2], int64_t from_ns, int64_t to_ns,
		     int64_t ns);

/* The task that used most. */
struct tw_past_most {
	int id;
	int64_t ns;
	char name[28];
};

/*
 * What real-time tasks used of a CPU; between two samples, as if it had been
 * spread evenly.
 */
int64_t tw_past_used_ns(int cpu, int64_t from_ns, int64_t to_ns,
			struct tw_past_most *most);

#endif /* TW_PAST_H */
