/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statistics of all metrics, as a member of the JSON. Called by main. */
#ifndef TW_MEMBERS_H
#define TW_MEMBERS_H

#include "tw_member.h"
#include "tw_run.h"

/* Of all steps of a pair, or without a run of one step: then some are null. */
struct tw_phases {
	struct tw_spot spot;	/* number: of the pair */
	const struct tw_results *results;
};

const void *tw_members_next_phase(const void *of, int *i, const char **key);
extern const struct tw_member tw_members_phase[];

/* Which metrics a map by metric has. */
#define TW_TOGETHER \
	"'send': [ 'receive' ], 'receive': [ 'send' ], 'sleep': [ 'network', 'total' ], 'total': [ 'sleep' ], 'network': [ 'sleep' ]"

/* The same of the struct tw_results of a step. */
const void *tw_members_next_of_step(const void *of, int *i, const char **key);

/* The row of "phases", whose elements @function returns. */
#define TW_PHASES(function, ...) \
	"phases", __VA_ARGS__, TW_MAP, \
	"Every metric; those of a timer only if there is one, and those of a server not with --reflect.", \
	"'required': [ 'latency', 'response', 'interval' ], 'dependentRequired': { " TW_TOGETHER " }", \
	.word = tw_metric_word, .next = function, \
	.of = tw_members_phase

#endif /* TW_MEMBERS_H */
