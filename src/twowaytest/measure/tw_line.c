// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/tw_time.h"
#include "measure/tw_line.h"

/* A double of this size is an int64_t, too. */
#define FARTHEST_NS	9.2e18

static int64_t add_ns(int64_t to_ns, double ns)
{
	int64_t whole_ns;

	if (ns > FARTHEST_NS)
		ns = FARTHEST_NS;
	if (ns < -FARTHEST_NS)
		ns = -FARTHEST_NS;
	whole_ns = (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
	return (int64_t)((uint64_t)to_ns + (uint64_t)whole_ns);
}

int64_t tw_line_ns(const struct tw_line *line, int64_t at_ns)
{
	return add_ns(line->offset_ns,
		      line->rate * (double)tw_span_ns(line->at_ns, at_ns));
}

void tw_fit_add(struct tw_fit *fit, int64_t at_ns, int64_t offset_ns,
		int64_t width_ns)
{
	double width = width_ns > 1 ? (double)width_ns : 1;
	double weight = 1 / (width * width);
	double x, y;

	if (!fit->begun) {
		fit->begun = true;
		fit->at_ns = at_ns;
		fit->offset_ns = offset_ns;
	}
	x = (double)tw_span_ns(fit->at_ns, at_ns);
	y = (double)tw_span_ns(fit->offset_ns, offset_ns);
	fit->weight += weight;
	fit->x += weight * x;
	fit->y += weight * y;
	fit->xx += weight * x * x;
	fit->xy += weight * x * y;
}

bool tw_fit_line(const struct tw_fit *fit, struct tw_line *line)
{
	double x = fit->x / fit->weight, y = fit->y / fit->weight;
	double xx = fit->xx / fit->weight - x * x;
	double xy = fit->xy / fit->weight - x * y;
	double rate = xx > 0 ? xy / xx : 0;

	if (!fit->begun || !(rate < TW_LINE_RATE_MAX &&
			     rate > -TW_LINE_RATE_MAX))
		return false;
	*line = (struct tw_line) {
		.at_ns = add_ns(fit->at_ns, x),
		.offset_ns = add_ns(fit->offset_ns, y),
		.rate = rate,
	};
	return true;
}
