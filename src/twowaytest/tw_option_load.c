// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the options of the load, and --trltp. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "tw_option.h"

/* "none", then the kinds of load. */
static const char *load_name(size_t index)
{
	if (!index)
		return "none";
	return tw_load_kind(index - 1) ? tw_load_kind(index - 1)->name : NULL;
}

/* What follows the colon: a number, or for command the command. */
static int set_argument(const struct tw_option *option, const char *value,
			const char *argument, struct tw_config *config,
			char *error)
{
	const char *digits = "0123456789";
	long count;

	if (config->load->takes_command) {
		config->load_command = argument;
		return 0;
	}
	count = strtol(argument, NULL, 10);
	if (strspn(argument, digits) != strlen(argument) || count < 1 ||
	    count > TW_LOAD_MAX)
		return tw_option_error(option, value, error,
				       "allowed is %s:N, with N from 1 to %d %s",
				       config->load->name, TW_LOAD_MAX,
				       config->load->many);
	config->load_count = (int)count;
	config->load_count_given = true;
	return 0;
}

int tw_option_load(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error)
{
	const char *colon = strchr(value, ':');
	char kind[32];
	int index;

	snprintf(kind, sizeof(kind), "%.*s",
		 colon ? (int)(colon - value) : (int)strlen(value), value);
	index = tw_option_find(option, kind, error, load_name);
	if (index < 0)
		return index;
	if (!index && colon)
		return tw_option_error(option, value, error,
				       "none has no argument");
	config->load = index ? tw_load_kind(index - 1) : NULL;
	config->load_command = NULL;
	config->load_count_given = false;
	return colon ? set_argument(option, value, colon + 1, config, error) :
		       0;
}

int tw_option_load_policy(const struct tw_option *option, const char *value,
			  struct tw_config *config, char *error)
{
	int index = tw_option_find(option, value, error,
				   tw_option_policy_name);

	if (index < 0)
		return index;
	config->load_policy = string_to_policy(value);
	config->load_policy_given = true;
	return 0;
}

int tw_option_runtime(const struct tw_option *option, const char *value,
		      struct tw_config *config, char *error)
{
	if (!strcmp(value, "-1")) {
		config->rt_runtime_us = -1;
		return 0;
	}
	if (!tw_option_number(option, value, config, error))
		return 0;
	return tw_option_error(option, value, error,
			       "allowed is a whole number from %lld to %lld, or -1 for no limit",
			       (long long)option->min,
			       (long long)option->max);
}

int tw_option_trltp(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error)
{
	(void)option;
	(void)value;
	(void)error;
	config->mlockall = true;
	config->priority = 98;
	config->policy = SCHED_FIFO;
	config->policy_given = true;
	config->affinity = TW_PLAN;
	/* As -x; but a later -i 0, which has no timer, overrides it. */
	config->timer = tw_timer_posix;
	config->timer_given = false;
	config->interval_us = 1000;
	config->loops = 100000;
	config->duration_s = 0;
	config->sleep_us = 100;
	config->load = &tw_load_fft;
	config->load_count_given = false;
	config->steps = 16;
	config->warmup = 1;
	config->reference = true;
	return 0;
}
