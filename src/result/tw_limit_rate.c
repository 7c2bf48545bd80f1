// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --limit=rate:N/UNIT:US: how often the reply comes later than US after the
 * planned expiry. An episode is a block with such a cycle, or with a missed
 * expiry; neighbours are one. There are at most as many as Garwood's bound says
 * (Biometrika 28, 1936) of the time that is left, while all stays as in this
 * run: that is not so, or not known, if the longest values wander or rise, or if
 * long blocks come together. twowayreport --bound says the same:
 * contrib/twoway/compare/bound.py.
 */
#include <math.h>
#include <string.h>

#include "tw_array.h"
#include "tw_blocks.h"
#include "tw_limit.h"
#include "tw_metric.h"
#include "tw_time.h"

#define RISK		0.05
#define FEWEST		16	/* blocks */
#define ONE_PERCENT	2.326	/* standard deviations */

static const struct {
	const char *name, *words;
	double seconds;
} units[] = {
	{ "min", "a minute", 60 }, { "h", "an hour", 3600 },
	{ "d", "a day", 86400 },
};

struct rate {
	bool long_ones[TW_BLOCKS];
	int episodes;
	double seconds, least, most;	/* episodes in as long a time */
	const char *why;		/* most is not known; or NULL */
};

/* The probability of at most @count, if @mean are to be expected. */
static double poisson(int count, double mean)
{
	double term = exp(-mean), sum = term;
	int i;

	for (i = 1; i <= count; i++)
		sum += term *= mean / i;
	return sum;
}

/* So many may be expected that @count or fewer have this probability. */
static double expected(int count, double probability)
{
	double low = 0, high = 2 * count + 20, middle;
	int i;

	for (i = 0; i < 100; i++) {
		middle = (low + high) / 2;
		if (poisson(count, middle) > probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double combinations(int of, int count)
{
	return count > of ? 0 : exp(lgamma(of + 1) - lgamma(count + 1) -
				    lgamma(of - count + 1));
}

/* Their ranks are alike in neighbours, so that they count as fewer than 16. */
static bool wander(const int64_t ns[])
{
	double off[TW_BLOCKS] = { 0 }, squares = 0, alike = 0;
	int i, k;

	for (i = 0; i < TW_BLOCKS; i++) {
		for (k = 0; k < TW_BLOCKS; k++)
			off[i] += (ns[k] < ns[i]) - (ns[k] > ns[i]);
		squares += off[i] * off[i];
		alike += i ? off[i] * off[i - 1] : 0;
	}
	if (!(squares > 0))
		return false;
	alike = (TW_BLOCKS * alike / squares + 1) / (TW_BLOCKS - 4) +
		0.5 / sqrt(TW_BLOCKS);
	alike = fmin(fmax(alike, 0), 1);
	return TW_BLOCKS * (1 - alike) / (1 + alike) < FEWEST;
}

/* By Kendall's tau, whose variance is less if values are equal. */
static bool rise(const int64_t ns[])
{
	double score = 0, variance = TW_BLOCKS * (TW_BLOCKS - 1) *
				     (2 * TW_BLOCKS + 5);
	int i, k, equal;

	for (i = 0; i < TW_BLOCKS; i++) {
		for (k = 0, equal = 0; k < TW_BLOCKS; k++) {
			equal += ns[k] == ns[i];
			score += k > i ? (ns[k] > ns[i]) - (ns[k] < ns[i]) : 0;
		}
		variance -= (equal - 1) * (2 * equal + 5);
	}
	return score > ONE_PERCENT * sqrt(variance / 18);
}

/* How many groups of neighbours, of how many. */
static int groups(const bool long_ones[], int blocks, int *of)
{
	int i, found = 0;

	for (i = 0, *of = 0; i < blocks; i++) {
		*of += long_ones[i];
		found += long_ones[i] && (!i || !long_ones[i - 1]);
	}
	return found;
}

/*
 * By chance, long blocks are in so few groups, or all of these in so short a
 * part, with a probability below the risk: of the blocks, or of two or four each.
 */
static bool together(const bool given[])
{
	bool of[TW_BLOCKS];
	int blocks, i, found, count, first, last;
	double fewer;

	memcpy(of, given, sizeof(of));
	for (blocks = TW_BLOCKS; blocks >= FEWEST; blocks /= 2) {
		found = groups(of, blocks, &count);
		if (!found)
			return false;
		for (i = 1, fewer = 0; i <= found; i++)
			fewer += combinations(count - 1, i - 1) *
				 combinations(blocks - count + 1, i);
		for (first = 0; !of[first];)
			first++;
		for (last = blocks - 1; !of[last];)
			last--;
		if (fewer < RISK * combinations(blocks, count) ||
		    found * pow((last - first + 1.0) / blocks, found - 1) <
		    RISK)
			return true;
		for (i = 0; i < blocks / 2; i++)
			of[i] = of[2 * i] || of[2 * i + 1];
	}
	return false;
}

static struct rate rate_of(const struct tw_run *run, int pair,
			   const struct tw_limit *limit)
{
	const struct tw_results *total = &run->pairs[pair]->total;
	int64_t period_us = tw_config_interval_us(pair);
	struct rate rate = { .most = INFINITY };
	int64_t ns[TW_BLOCKS];
	int i, count;

	rate.seconds = (double)(total->stats[TW_PLANNED].count + total->missed) *
		       (double)period_us / 1e6;
	if (!tw_blocks_maxima(run, pair, TW_PLANNED, ns)) {
		rate.why = "fewer than 64 cycles";
		return rate;
	}
	for (i = 0; i < TW_BLOCKS; i++)
		rate.long_ones[i] = (double)ns[i] > limit->above_ns ||
			(total->missed && ns[i] > period_us * TW_NS_PER_US);
	rate.episodes = groups(rate.long_ones, TW_BLOCKS, &count);
	rate.why = run->steps > 1 ? "it has steps, which are not alike" :
		   wander(ns) ? "the longest cycles of its parts change in the course of the run" :
		   rise(ns) ? "the longest cycles of its parts become longer in the course of the run" :
		   4 * count > TW_BLOCKS ? "more than a quarter of the run's parts has one: see p99.9" :
		   together(rate.long_ones) ? "long cycles come together in parts of the run" :
		   NULL;
	if (!rate.why) {
		/* In a long block, no other one can begin. */
		rate.most = expected(rate.episodes, RISK) * TW_BLOCKS /
			    (TW_BLOCKS - count);
		rate.least = rate.episodes ?
			     expected(rate.episodes - 1, 1 - RISK) : 0;
	}
	return rate;
}

static int unit_of(const char *name)
{
	int i = ARRAY_SIZE(units);

	while (i && strcmp(units[i - 1].name, name))
		i--;
	return i;
}

struct tw_limit_value tw_limit_rate_value(const struct tw_run *run, int pair,
					  const struct tw_limit *limit)
{
	const struct rate rate = rate_of(run, pair, limit);
	double times = units[limit->unit - 1].seconds / rate.seconds;

	return (struct tw_limit_value) {
		.value = rate.least * times,
		.unknown = (rate.most - rate.least) * times,
	};
}

static void print_span(FILE *file, double seconds)
{
	const char *unit = seconds >= 7200 ? "h" : seconds >= 120 ? "min" : "s";
	double number = seconds >= 7200 ? seconds / 3600 :
			seconds >= 120 ? seconds / 60 : seconds;

	fprintf(file, "%.*g %s", number < 9.95 ? 2 : 15,
		number < 9.95 ? number : round(number), unit);
}

static void print_rate(FILE *file, const char *bound, double number, int unit)
{
	fprintf(file, number < 1 ? ", at %s %.2g %s" : ", at %s %.1f %s", bound,
		number, units[unit - 1].words);
}

/* "3 episodes in 60 min, at most 8.1 an hour" */
static void print(FILE *file, const struct tw_run *run, int pair,
		  const struct tw_limit *limit, bool exceeded)
{
	const struct rate rate = rate_of(run, pair, limit);
	double size = units[limit->unit - 1].seconds;

	fprintf(file, "%d episode%s in ", rate.episodes,
		rate.episodes == 1 ? "" : "s");
	print_span(file, rate.seconds);
	if (rate.why) {
		fprintf(file, "; %s", rate.why);
		return;
	}
	print_rate(file, exceeded ? "least" : "most",
		   (exceeded ? rate.least : rate.most) * size / rate.seconds,
		   limit->unit);
	if (!exceeded)
		fprintf(file, " while it stays as in this run");
	if (rate.seconds < size)
		fprintf(file, ", which is told by less than %s",
			units[limit->unit - 1].words);
	if (!exceeded && rate.most * size > limit->most * rate.seconds) {
		fprintf(file, "; without another, ");
		print_span(file, rate.most * size / limit->most - rate.seconds);
		fprintf(file, " more are needed");
	}
}

const struct tw_limit_rate tw_limit_rate = { .unit = unit_of, .print = print };
