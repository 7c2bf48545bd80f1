/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system as a test of this configuration finds it: facts and findings. */
#ifndef TW_SURVEY_H
#define TW_SURVEY_H

#include "tw_check.h"
#include "tw_config.h"

struct tw_survey {
	struct tw_environ_params params;
	struct tw_environ environ;
	struct tw_finding findings[TW_CHECKS];
	int count;		/* of them, that are findings */
};

/*
 * Main only, before a run; some ms. @holds_latency: a request of ours to
 * /dev/cpu_dma_latency is, or will be, held.
 */
void tw_survey_make(struct tw_survey *survey, const struct tw_config *config,
		    bool holds_latency);

#endif /* TW_SURVEY_H */
