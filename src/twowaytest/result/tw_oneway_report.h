/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the part oneway: what is printed of one-way times. */
#ifndef TW_ONEWAY_REPORT_H
#define TW_ONEWAY_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "measure/tw_oneway.h"
#include "result/tw_limit.h"

struct tw_json;
struct tw_run;

struct tw_oneway_wish {
	int mode;		/* enum tw_oneway_mode */
	int64_t limit_us;	/* --sync-limit; 0: none */
	const char *distrust;	/* why the values are void; NULL: they are not */
};

/* Index: enum tw_oneway_mode. */
extern const char *const tw_oneway_modes[];

/* The verdict on --sync-limit. */
enum tw_verdict tw_oneway_judge(const struct tw_run *run,
				const struct tw_oneway_wish *wish);

/* The lines of the text, and the member "oneway" of the JSON. */
void tw_oneway_print(FILE *file, const struct tw_run *run,
		     const struct tw_oneway_wish *wish);
void tw_oneway_json(struct tw_json *json, const struct tw_run *run,
		    const struct tw_oneway_wish *wish);

#endif /* TW_ONEWAY_REPORT_H */
