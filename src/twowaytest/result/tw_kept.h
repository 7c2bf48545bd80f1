/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the cycles that were kept: by --worst, --spike, -b and --limit. */
#ifndef TW_KEPT_H
#define TW_KEPT_H

#include <stdio.h>

#include "measure/tw_tally.h"
#include "run/tw_config.h"

struct tw_json;
struct tw_run;

/* Number of a measured cycle in reports, from 0. */
uint64_t tw_cycle_number(const struct tw_run *run,
			 const struct tw_kept *kept);

/* "pair 2, ": of many pairs the one of a cycle; else nothing. */
void tw_kept_print_pair(FILE *file, const struct tw_run *run,
			unsigned int pair);

/* The phases of a cycle, and whether there is metric @id. */
const struct tw_metric_list *tw_kept_phases(const struct tw_run *run);
bool tw_kept_shows(const struct tw_run *run, enum tw_metric_id id);

/*
 * Whether a cycle that was kept has the value of metric @id: with two clocks,
 * --oneway or not, it has both ways together only.
 */
bool tw_kept_has(const struct tw_config *config, enum tw_metric_id id);

/* A metric's value in a cycle, and a mean: whole us, or ns with -N. */
int64_t tw_kept_value(const struct tw_run *run, const struct tw_kept *kept,
		      enum tw_metric_id id);
int64_t tw_kept_mean(const struct tw_run *run, double mean_ns);

/* The same of a metric's maximum. */
int64_t tw_kept_max(const struct tw_run *run, const struct tw_tally *tally,
		    enum tw_metric_id id);

/* The time of day of the cycle's t0, to the us, in @text. Returns @text. */
#define TW_KEPT_TIME	32
const char *tw_kept_time(const struct tw_kept *kept, char text[TW_KEPT_TIME]);

/* Stores the means of all metrics. */
void tw_kept_means(const struct tw_tally *tally, double means_ns[TW_METRICS]);

/*
 * Prints a cycle in one line: time, CPUs, the phases with their means, and the
 * share of each phase in the excess of metric @id. @means_ns: NULL if there was
 * no cycle before.
 */
void tw_kept_print(FILE *file, const struct tw_run *run,
		   const struct tw_kept *kept,
		   const double means_ns[TW_METRICS], enum tw_metric_id id);

/* The members of a kept cycle. */
void tw_kept_json(struct tw_json *json, const struct tw_run *run,
		  const struct tw_kept *kept);

#endif /* TW_KEPT_H */
