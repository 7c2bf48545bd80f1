// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of given cycles. */
#include "unit.h"
#include "tw_metric.h"

#define NONE	TW_NO_VALUE

static struct given {
	const char *name;
	struct tw_metric_params params;		/* period, sleep */
	struct tw_cycle cycle;	/* seq planned t0 t1 t2 t3 t0' t3' missed cut */
	int64_t expected[TW_METRICS];	/* as in the enum */
} given[] = {
	{ "in time", { 1000, 100 },
	  { 2, 5000, 5010, 5017, 5120, 5125, 4013, 4200, 0, 0 },
	  { 15, 10, 7, 103, 5, 115, 997, 18, 125, 12 } },
	{ "the first", { 1000, 100 },
	  { 1, 5000, 5010, 5017, 5117, 5125, 4010, 0, 0, 0 },
	  { 15, 10, 7, 100, 8, 115, 1000, 15, 125, 15 } },
	{ "after a late reply", { 1000, 100 },
	  { 3, 6000, 25150, 25160, 25265, 25270, 5010, 25130, 19, 0 },
	  { 20, 20, 10, 105, 5, 120, 20140, 19160, 19270, 15 } },
	{ "late by itself, too", { 1000, 100 },
	  { 3, 6000, 9000, 9010, 9110, 9115, 5010, 6300, 3, 0 },
	  { 15, 2700, 10, 100, 5, 115, 3990, 3005, 3115, 15 } },
	{ "reply at the expiry", { 1000, 100 },
	  { 3, 6000, 6001, 6002, 6102, 6103, 5010, 6000, 0, 0 },
	  { 2, 1, 1, 100, 1, 102, 991, 11, 103, 2 } },
	{ "interval too short", { 1000, 0 },
	  { 3, 6000, 6001, 6003, 6004, 6008, 5501, 5600, 0, 0 },
	  { 7, 1, 2, 1, 4, 7, 500, 507, 8, 6 } },
	{ "closed loop", { 0, 100 },
	  { 3, 6002, 6002, 6012, 6113, 6116, 5010, 6000, 0, 0 },
	  { 14, 0, 10, 101, 3, 114, 992, 14, 114, 13 } },
	{ "shorter sleep", { 1000, 100 },
	  { 3, 6000, 6001, 6011, 6101, 6106, 5001, 5200, 0, 0 },
	  { 5, 1, 10, 90, 5, 105, 1000, 25, 106, 15 } },
	{ "cut short: no reply", { 1000, 100 },
	  { 3, 6000, 6010, 0, 0, 9510, 5010, 5200, 2, 9510 },
	  { 3400, 10, NONE, NONE, NONE, 3500, 1000, NONE, 3510, NONE } },
	{ "cut short: no reply yet", { 1000, 100 },
	  { 3, 6000, 9000, 0, 0, 0, 5010, 5200, 3, 9010 },
	  { NONE, 3000, NONE, NONE, NONE, NONE, 3990, NONE, 3010, NONE } },
	{ "cut short: not woken", { 1000, 100 },
	  { 3, 6000, 0, 0, 0, 0, 5010, 6300, 3, 9300 },
	  { NONE, 3000, NONE, NONE, NONE, NONE, 4290, NONE, 3300, NONE } },
};

TEST_EACH(values, given)
{
	int id;

	for (id = 0; id < TW_METRICS; id++)
		assert_int_equal(tw_metric_ns(id, &of->cycle, &of->params),
				 of->expected[id]);
}
