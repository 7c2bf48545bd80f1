// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The option parser, on a command line of one word a line (or between NULs).
 * It only reads what it is told: no file that is named is opened.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tw_clock.h"
#include "tw_config.h"
#include "tw_wire.h"

#define WORDS_MAX	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool within(int64_t value, int64_t min, int64_t max)
{
	return value >= min && value <= max;
}

/* Ranges that the rest of the program relies on. */
static void check_numbers(const struct tw_config *config)
{
	require(within(config->interval_us, 0, 1000000000));
	require(within(config->sleep_us, 0, 10000000));
	require(within(config->size, TW_REQUEST_MIN, TW_REQUEST_MAX));
	require(within(config->port, 0, UINT16_MAX));
	require(within(config->priority, 0, 99));
	require(within(config->latency_us, 0, INT32_MAX));
	require(within(config->histogram_us, 0, 1000000));
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
		require(config->interval_us ||
			!tw_metrics[config->metrics[i]].needs_timer);
	}
	require(within(config->percentile_count, 0, TW_PERCENTILES_MAX));
	for (i = 0; i < config->percentile_count; i++)
		require(config->percentiles[i] > 0 &&
			config->percentiles[i] < 100);
}

static void check_choices(const struct tw_config *config)
{
	bool realtime = config->policy == SCHED_FIFO ||
			config->policy == SCHED_RR;
	cpu_set_t cpus;
	int i;

	for (i = 0; tw_clock_name(i) != config->clock; i++)
		require(tw_clock_name(i));
	require(config->timer && config->wait);
	require((config->timer == &tw_timer_none) == !config->interval_us);
	require(realtime == (config->priority >= TW_PRIORITY_MIN));
	require(realtime || !config->priority);
	require(!config->histfile || config->histogram_us);
	for (i = 0; i < TW_ROLES; i++)
		if (tw_config_cpus(config, i, 0, &cpus))
			require(CPU_COUNT(&cpus) > 0);
}

/* The text of an error is one line, and there is one for errors only. */
static int parse(struct tw_config *config, int argc, char *argv[])
{
	char error[TW_ERROR_MAX];
	int err;

	memset(error, '#', sizeof(error));
	err = tw_config_parse(config, argc, argv, error);
	require(!err || err == -EINVAL);
	require(memchr(error, '\0', sizeof(error)));
	require(!err == !error[0]);
	require(!strchr(error, '\n'));
	return err;
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
	static struct tw_config config, again;
	char *line = malloc(size + 1);
	int argc;

	require(line);
	memcpy(line, data, size);
	line[size] = '\0';
	argc = split(line, size, argv);
	if (!parse(&config, argc, argv) && !config.help && !config.version) {
		check_numbers(&config);
		check_lists(&config);
		check_choices(&config);
		/* Reordered by getopt, the line still means the same. */
		require(!parse(&again, argc, argv));
		require(!memcmp(&config, &again, sizeof(config)));
	}
	free(line);
	return 0;
}
