// SPDX-License-Identifier: GPL-2.0-or-later
/* Holds what a client asks for against what the operator allows. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/tw_time.h"
#include "host/tw_ceilings.h"
#include "run/tw_place.h"


static int refuse(char *why, const char *asked, int64_t value,
		  const char *option, int64_t allowed)
{
	snprintf(why, TW_REFUSAL_TEXT, "--%s=%lld is more than it allows: up to %lld (--%s there)",
		 asked, (long long)value, (long long)allowed, option);
	return -EPERM;
}

/* Requests a second that timers send, and how many pairs have none. */
static int64_t rate_of(const struct tw_asked *asked, int64_t *closed)
{
	int64_t k, rate = 0;

	*closed = 0;
	for (k = 0; k < asked->pairs; k++)
		if (asked->each[k].interval_us)
			rate += (TW_NS_PER_S / TW_NS_PER_US +
				 asked->each[k].interval_us - 1) /
				asked->each[k].interval_us;
		else
			++*closed;
	return rate;
}

int64_t tw_ceilings_burst_ns(const struct tw_ceilings *ceilings,
			     const struct tw_asked *asked, unsigned int pair,
			     int64_t burst)
{
	int64_t interval_us = asked->each[pair].interval_us;
	int64_t closed, rate = rate_of(asked, &closed);

	if (!interval_us)
		return burst * TW_NS_PER_S * closed / (ceilings->rate - rate);
	/* The first may be late, and the other clock faster. */
	return burst * interval_us * TW_NS_PER_US / 100 * 99;
}

static int check_rate(const struct tw_ceilings *ceilings,
		      const struct tw_asked *asked, char *why)
{
	int64_t closed, rate = rate_of(asked, &closed);

	/* What closed loops send is seen later: something has to be left. */
	rate += closed;
	if (rate <= ceilings->rate)
		return 0;
	snprintf(why, TW_REFUSAL_TEXT, "%lld requests a second are more than it allows: up to %lld (--max-rate there); give a longer --interval or fewer pairs",
		 (long long)rate, (long long)ceilings->rate);
	return -EPERM;
}

/* A real-time policy without a priority means the lowest one. */
static int64_t priority_of(const struct tw_asked *asked)
{
	if (!asked->priority && (!strcmp(asked->policy, "fifo") ||
				 !strcmp(asked->policy, "rr")))
		return TW_PRIORITY_MIN;
	return asked->priority;
}

/* The server has one less than its client. */
static int check_priority(const struct tw_ceilings *ceilings,
			  const struct tw_asked *asked,
			  struct tw_granted *granted, char *why)
{
	int64_t most = ceilings->priority ? ceilings->priority + 1 : 0;

	if (granted->priority <= most)
		return 0;
	if (asked->accept) {
		granted->priority = most < TW_PRIORITY_MIN ? 0 : most;
		if (!granted->priority)
			snprintf(granted->policy, sizeof(granted->policy),
				 "other");
		return 0;
	}
	if (!most)
		snprintf(why, TW_REFUSAL_TEXT, "it gives no real-time priorities; give --accept to measure without, or start the server there with --priority=%lld",
			 (long long)granted->priority - 1);
	else
		snprintf(why, TW_REFUSAL_TEXT, "with --priority=%lld its server would have %lld, more than it allows: up to %lld (--priority there); give --priority=%lld, or --accept",
			 (long long)granted->priority,
			 (long long)granted->priority - 1,
			 (long long)ceilings->priority, (long long)most);
	return -EPERM;
}

int tw_ceilings_check(const struct tw_ceilings *ceilings,
		      const struct tw_asked *asked,
		      struct tw_granted *granted, char why[TW_REFUSAL_TEXT])
{
	int err;

	*why = '\0';
	memset(granted, 0, sizeof(*granted));
	granted->priority = priority_of(asked);
	granted->lock_memory = asked->lock_memory;
	memcpy(granted->policy, asked->policy, sizeof(granted->policy));
	if (asked->pairs > ceilings->pairs)
		return refuse(why, "threads", asked->pairs, "max-pairs",
			      ceilings->pairs);
	if (asked->size > ceilings->size)
		return refuse(why, "size", asked->size, "max-size",
			      ceilings->size);
	if (!strcmp(asked->wait, "busy") && !ceilings->busy) {
		snprintf(why, TW_REFUSAL_TEXT, "--wait=busy takes a whole CPU there, which only its operator can allow, by --wait=busy");
		return -EPERM;
	}
	if (asked->busy_poll_us > 0 && !ceilings->busy) {
		snprintf(why, TW_REFUSAL_TEXT, "--busy-poll takes CPU time there while nothing comes, which only its operator can allow, by --wait=busy");
		return -EPERM;
	}
	err = check_rate(ceilings, asked, why);
	return err ? err : check_priority(ceilings, asked, granted, why);
}
