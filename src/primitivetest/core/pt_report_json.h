/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the report: its JSON, and what text and JSON have in common. */
#ifndef PT_REPORT_JSON_H
#define PT_REPORT_JSON_H

#include "core/pt_report.h"

void pt_report_json(struct tw_json *json, const struct tw_run *run);
void pt_report_json_settings(struct tw_json *json, const struct tw_run *run);

/* The member "values", in us: those of a trial. */
void pt_report_json_kept(struct tw_json *json, const struct pt_case *c,
			 const struct pt_kept *kept);

/* Calls the derive() of all tests. */
void pt_report_derived(const struct pt_sums *sums);

/* How often a second what the metric is one of happens; 0: not told. */
double pt_report_rate(const struct pt_case *c, int metric);

#endif /* PT_REPORT_JSON_H */
