/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and checks the system for a given configuration. */
#ifndef TW_SURVEY_H
#define TW_SURVEY_H

#include "tw_check.h"
#include "tw_config.h"

struct tw_survey {
	struct tw_environ_params params;
	struct tw_environ environ;
	struct tw_finding findings[TW_CHECKS];
	int count;		/* number of findings */
};

/*
 * Called by main before a run; takes some ms. @holds_latency: the run has, or
 * will have, /dev/cpu_dma_latency open.
 */
void tw_survey_make(struct tw_survey *survey, const struct tw_config *config,
		    bool holds_latency);

#endif /* TW_SURVEY_H */
