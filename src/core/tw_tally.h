/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The statistics of all metrics of a pair, in memory that client and main
 * share. The client adds; main may read at any time.
 *
 * This is a sequence lock: the writer never waits, and the reader tries again
 * if the version has changed. The data are plain fields; the fences keep them
 * between the two versions.
 */
#ifndef TW_TALLY_H
#define TW_TALLY_H

#include <stdatomic.h>
#include <stddef.h>

#include "tw_metric.h"

/*
 * Of one series, in the unit of its values: ns, in primitivetest ps. Without a
 * value, all are 0.
 */
struct tw_stats {
	uint64_t count;
	int64_t last;
	int64_t min;
	int64_t max;
	int64_t sum;		/* of ns, overflows after 292 years */
	double mean;		/* running mean (Welford) */
	double m2;		/* sum of squared deviations from it */
};

/* Of all metrics, and the expiries that got no cycle. */
struct tw_results {
	uint64_t missed;
	struct tw_stats stats[TW_SPANS];
};

struct tw_tally {
	struct tw_metric_params params;
	_Atomic uint32_t version;	/* odd while the client writes */
	struct tw_results results;
};

/*
 * Called by the client. Adds the values of all metrics of a measured cycle;
 * NULL: its reply was lost.
 */
void tw_tally_add(struct tw_tally *tally, const int64_t values_ns[],
		  uint64_t missed);

/* The same of a cycle that may lack values. Nobody else may add or read. */
void tw_tally_add_known(struct tw_tally *tally, const int64_t values_ns[],
			uint64_t missed);

/*
 * Called by main. Copies the results, all of the same cycles, unless the
 * client was killed while it wrote.
 */
void tw_tally_read(const struct tw_tally *tally, struct tw_results *results);

/*
 * What metric @id of this tally usually is: its mean in @results, without the
 * cycle that has the value @but_ns; or what it should be.
 */
double tw_tally_usual_ns(const struct tw_tally *tally,
			 const struct tw_results *results,
			 enum tw_metric_id id, int64_t but_ns);

/* Adds the results @from, of other cycles, to @to. */
void tw_tally_merge(struct tw_results *to, const struct tw_results *from);

/* @inverse: 1 / (count with this value), which may be the same for several. */
void tw_stats_add(struct tw_stats *stats, int64_t value, double inverse);

/*
 * Mean, standard deviation, and the root of the mean square of the distances
 * from @target (0: from the mean); 0 if there are too few values.
 */
double tw_stats_mean(const struct tw_stats *stats);
double tw_stats_deviation(const struct tw_stats *stats);
double tw_stats_rms(const struct tw_stats *stats, int64_t target);

#endif /* TW_TALLY_H */
