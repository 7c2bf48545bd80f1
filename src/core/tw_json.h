/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --json writes. Called by main. */
#ifndef TW_JSON_H
#define TW_JSON_H

#include "tw_member.h"
#include "tw_run.h"

bool tw_json_is_wanted(void);

/* All of it; and if nothing was measured. Returns 0 or -errno. */
int tw_json_write(const struct tw_run *run, int status);
int tw_json_write_checked(const struct tw_run *run, int status);

/* The member of the program alone, as a line or several. */
void tw_json_own(FILE *file, const struct tw_run *run);

/* All that there is; and what other programs add to that. */
extern const struct tw_member tw_json_root, tw_json_added[];

/* What is written if nothing was measured, too: by --check. */
extern const struct tw_member tw_json_checked[];

/* A process of a run, from its begin to its end. */
struct tw_side {
	struct tw_process process;
	struct tw_process begun, left;
	struct tw_usage usage;
};

/* What the schema says of a column, besides. */
extern const char tw_json_column[];
#define TW_JSON_COLUMN 	"'dependentRequired': { 'histogram': [ 'overflows' ], 'overflows': [ 'histogram' ] }"

extern const struct tw_member tw_process_members[], tw_side_members[];

/* What is kept of a span, in the unit that its place says; NAN: null. */
struct tw_told_stats {
	double min, max, avg, stddev, rms, target;
	uint64_t cycles;
};

/* A span, see struct tw_metric. */
struct tw_told_span {
	const char *from, *to;
	const char *from2, *to2;	/* NULL: one pair of times */
	double less_ns;
	const char *plus;
	int per;		/* 0: 1 */
};

/* The rows of these; of the first, among the members of @type. */
extern const struct tw_member tw_stats_members[], tw_span_members[];
#define TW_STATS_IN(type, field) \
	{ "stats", TW_OBJECT_IN(type, field), TW_OBJECT, .spread = true, \
	  .of = tw_stats_members }

/* What both programs have; @next_...: of a struct tw_told_span, and rows. */
#define TW_JSON_SPANS(next_time, next_span, next_series, of_series, ...) \
	{ "times", TW_NOWHERE, TW_ARRAY, \
	  "What is known of each cycle or trial, and spans are between.", \
	  "'uniqueItems': true", .next = next_time, \
	  .of = TW_EACH(TW_SELF(const char *), TW_STRING, "A time.") }, \
	{ "spans", TW_NOWHERE, TW_MAP, \
	  "What is measured: (to - from + to2 - from2 - less_ns) / per + plus.", \
	  .next = next_span, .of = tw_span_members, __VA_ARGS__ }, \
	{ "series", TW_NOWHERE, TW_ARRAY, \
	  "The statistics of each span, in its unit.", \
	  .next = next_series, .of = of_series }

#endif /* TW_JSON_H */
