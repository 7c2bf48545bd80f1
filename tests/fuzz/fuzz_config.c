// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The option parser, on a command line of one word a line (or between NULs).
 * It only reads what it is told: no file that is named is opened.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_clock.h"
#include "measure/tw_wire.h"
#include "run/tw_config.h"
#include "tw_parts.h"

#define WORDS_MAX	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tw_run run;

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool within(int64_t value, int64_t min, int64_t max)
{
	return value >= min && value <= max;
}

/* What the option @name has set. */
static const void *set_by(const char *name)
{
	const struct tw_option *option = tw_option_named(&run, name);

	require(option && option->to);
	return option->to;
}

/* Ranges that the rest of the program relies on. */
static void check_numbers(const struct tw_config *config)
{
	require(within(config->interval_us, 0, 1000000000));
	require(within(config->sleep_us, 0, 10000000));
	require(within(config->size, TW_REQUEST_MIN, TW_REQUEST_MAX));
	require(within(config->port, 0, UINT16_MAX));
	require(within(config->priority, 0, 99));
	require(within(*(const int64_t *)set_by("latency"), 0, INT32_MAX));
	require(within(run.window_us, 0, 1000000));
	require(config->loops >= 0 && config->duration_s >= 0);
	require(config->warmup >= 0);
	require(config->duration_s <= INT64_MAX / 1000000000);
	require(!config->interval_us ||
		config->interval_us > config->sleep_us);
}

static void check_lists(const struct tw_config *config)
{
	unsigned int seen = 0;
	int i;

	require(within(config->metric_count, 1, TW_METRICS));
	for (i = 0; i < config->metric_count; i++) {
		require(within(config->metrics[i], 0, TW_METRICS - 1));
		require(!(seen & 1U << config->metrics[i]));
		seen |= 1U << config->metrics[i];
		require(!tw_config_lacks(config, config->metrics[i]));
	}
}

static void check_choices(const struct tw_config *config)
{
	bool realtime = config->policy == SCHED_FIFO ||
			config->policy == SCHED_RR;
	cpu_set_t cpus;
	int i;

	for (i = 0; tw_clock_kinds[i] &&
		    strcmp(tw_clock_kinds[i]->name, config->clock); i++)
		;
	require(tw_clock_kinds[i]);
	require(config->timer && config->wait);
	require((config->timer == &tw_timer_none) == !config->interval_us);
	require(realtime == (config->priority >= TW_PRIORITY_MIN));
	require(realtime || !config->priority);
	require(!*(const char *const *)set_by("histfile") || run.window_us);
	for (i = 0; i < TW_ROLES; i++)
		if (tw_config_cpus(config, i, 0, &cpus))
			require(CPU_COUNT(&cpus) > 0);
}

/* The text of an error is one line, and there is one for errors only. */
static int parse(struct tw_config *config, int argc, char *argv[])
{
	int err = tw_run_parse(&run, &tw_program, argc, argv);

	*config = *tw_config;
	require(!err || err == -EINVAL);
	require(memchr(run.error, '\0', sizeof(run.error)));
	require(!err == !run.error[0]);
	require(!strchr(run.error, '\n'));
	return err;
}

/* Copies the settings of all parts to @to; returns their size. */
static size_t copy_settings(char *to, size_t room)
{
	const struct tw_part *const *part;
	size_t used = 0;

	for (part = tw_program.parts; *part; part++) {
		require((*part)->size <= room - used);
		if ((*part)->settings)
			memcpy(to + used, (*part)->settings, (*part)->size);
		used += (*part)->size;
	}
	return used;
}

/* Splits @line at newlines and NULs; returns the number of words. */
static int split(char *line, size_t size, char *argv[])
{
	char *end = line + size;
	int argc = 1;

	while (line <= end && argc < WORDS_MAX) {
		argv[argc++] = line;
		line += strcspn(line, "\n");
		*line++ = '\0';
	}
	return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "twowaytest";
	char *argv[WORDS_MAX + 1] = { name };
	static char before[1 << 20], after[sizeof(before)];
	static struct tw_config config;
	char *line = malloc(size + 1);
	size_t used;
	int argc;

	require(line);
	memcpy(line, data, size);
	line[size] = '\0';
	argc = split(line, size, argv);
	if (!parse(&config, argc, argv) && !run.help && !run.version) {
		check_numbers(&config);
		check_lists(&config);
		check_choices(&config);
		/* Reordered by getopt, the line still means the same. */
		used = copy_settings(before, sizeof(before));
		require(!parse(&config, argc, argv));
		require(copy_settings(after, sizeof(after)) == used);
		require(!memcmp(before, after, used));
	}
	free(line);
	return 0;
}
