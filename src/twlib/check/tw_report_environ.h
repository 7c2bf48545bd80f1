/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports the state of the system: in the JSON, and as the table of --check. */
#ifndef TW_REPORT_ENVIRON_H
#define TW_REPORT_ENVIRON_H

#include <stdio.h>

#include "base/tw_json.h"
#include "check/tw_check.h"

/* "environment": the state of the system, and findings. */
void tw_report_json_environ(struct tw_json *json,
			    const struct tw_environ *env,
			    const struct tw_finding findings[TW_CHECKS]);

/*
 * --check: a row for each check, below a finding its reason and remedy; at the
 * end their number.
 */
void tw_report_check(FILE *file, const struct tw_finding findings[TW_CHECKS]);

#endif /* TW_REPORT_ENVIRON_H */
