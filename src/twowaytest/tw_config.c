// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "tw_clock.h"
#include "tw_option.h"
#include "tw_option_hint.h"
#include "tw_wire.h"

#define AT(member)	offsetof(struct tw_config, member)
#define OWN		256	/* getopt's code of the first row */

const double tw_default_percentiles[] = {
	50, 90, 99, 99.9, 99.99, 99.999
};
const int tw_default_percentile_count = ARRAY_SIZE(tw_default_percentiles);

static const struct tw_option options[] = {
	{ 'a', "affinity", TW_OPTIONAL_ARGUMENT, "CPUSET", tw_option_affinity,
	  0, 0, 0, "pin parent process, server and client to the CPUs\n"
	  "of the placement plan; with CPUSET, server and\n"
	  "client to its CPUs in turn" },
	{ 'b', "breaktrace", TW_ARGUMENT, "US", tw_option_number,
	  AT(break_us), 1, 1000000000,
	  "end at the first cycle whose response exceeds US,\n"
	  "with exit status 2; see --break-on. --warmup=100\n"
	  "leaves out what the start disturbs" },
	{ 0, "break-on", TW_ARGUMENT, "METRIC", tw_option_break_on, 0, 0, 0,
	  "the metric that -b looks at, default response" },
	{ 0, "check", TW_NO_ARGUMENT, NULL, tw_option_flag, AT(check), 0, 0,
	  "print what in this system disturbs real-time\n"
	  "results and what to do; measure nothing" },
	{ 'c', "clock", TW_ARGUMENT, "NAME", tw_option_clock, 0, 0, 0,
	  "take timestamps from: monotonic (or 0; default),\n"
	  "realtime (or 1), monotonic_raw, tai, boottime, tsc" },
	{ 0, "client-affinity", TW_ARGUMENT, "CPUSET", tw_option_role,
	  0, TW_CLIENT, 0, "run the client on CPUSET" },
	{ 0, "default-system", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  AT(default_system), 0, 0, "leave power management alone: no request\n"
	  "to /dev/cpu_dma_latency" },
	{ 'D', "duration", TW_ARGUMENT, "TIME", tw_option_duration,
	  AT(duration_s), 0, 100 * 365 * 86400LL,
	  "measure for TIME seconds, or with m, h, d appended\n"
	  "minutes, hours, days; 0 (default): until stopped" },
	{ 0, "dump", TW_ARGUMENT, "FILE", tw_option_file, AT(dump), 0, 0,
	  "write every cycle to FILE, as CSV" },
	{ 0, "force", TW_NO_ARGUMENT, NULL, tw_option_flag, AT(force), 0, 0,
	  "run even what leaves the parent process or the rest\n"
	  "of the system no time" },
	{ 0, "help", TW_NO_ARGUMENT, NULL, tw_option_flag, AT(help), 0, 0,
	  "print this help" },
	{ 'h', "histogram", TW_ARGUMENT, "US", tw_option_number,
	  AT(histogram_us), 1, 1000000,
	  "print a histogram of each metric after the run:\n"
	  "rows of 1 us, range US" },
	{ 'H', "histofall", TW_ARGUMENT, "US", tw_option_histofall,
	  AT(histogram_us), 1, 1000000,
	  "as -h, with a column that sums the others up" },
	{ 0, "histfile", TW_ARGUMENT, "FILE", tw_option_file, AT(histfile),
	  0, 0, "write the histogram to FILE instead of stdout" },
	{ 'i', "interval", TW_ARGUMENT, "US", tw_option_number,
	  AT(interval_us), 0, 1000000000,
	  "period of the requests in microseconds, default\n"
	  "1000; 0: the next request follows at once" },
	{ 0, "json", TW_ARGUMENT, "FILE", tw_option_file, AT(json), 0, 0,
	  "write the results to FILE, as JSON; -: to stdout,\n"
	  "the text then goes to stderr" },
	{ 0, "latency", TW_ARGUMENT, "US", tw_option_number, AT(latency_us),
	  0, INT32_MAX, "value written to /dev/cpu_dma_latency, default 0" },
	{ 0, "limit", TW_ARGUMENT, "LIMIT", tw_option_limit, 0, 0, 0,
	  "exit status 2 if METRIC:US, METRIC:avg:US,\n"
	  "METRIC:pPERCENT:US, missed:N or throttled:N is\n"
	  "exceeded; may be given several times" },
	{ 0, "load", TW_ARGUMENT, "KIND[:ARG]", tw_option_load, 0, 0, 0,
	  "load the system meanwhile: none (default),\n"
	  "fft[:WORKERS], hackbench[:GROUPS],\n"
	  "command:SHELL-COMMAND" },
	{ 0, "load-affinity", TW_ARGUMENT, "CPUSET", tw_option_role,
	  0, TW_LOAD, 0, "run the load on CPUSET, a worker on each in turn" },
	{ 0, "load-args", TW_ARGUMENT, "STRING", tw_option_string,
	  AT(load_args), 0, 0, "hackbench's arguments but -g" },
	{ 0, "load-policy", TW_ARGUMENT, "NAME", tw_option_load_policy, 0, 0,
	  0, "policy of the load; default rr for fft beside\n"
	  "real-time client and server, else other" },
	{ 0, "load-priority", TW_ARGUMENT, "PRIO", tw_option_number,
	  AT(load_priority), 1, 99, "of a load of policy fifo or rr, default 1" },
	{ 'l', "loops", TW_ARGUMENT, "N", tw_option_number, AT(loops),
	  0, 1000000000000LL, "measure N cycles; 0 (default): until stopped" },
	{ 0, "mainaffinity", TW_ARGUMENT, "CPUSET", tw_option_role,
	  0, TW_MAIN, 0, "run the parent process on CPUSET" },
	{ 0, "metrics", TW_ARGUMENT, "LIST", tw_option_metrics, 0, 0, 0,
	  "print these, in this order: interval, send, sleep,\n"
	  "receive, response, total, wakeup, planned;\n"
	  "default: all but planned" },
	{ 'm', "mlockall", TW_NO_ARGUMENT, NULL, tw_option_flag, AT(mlockall),
	  0, 0, "lock the memory of every process" },
	{ 'N', "nsecs", TW_NO_ARGUMENT, NULL, tw_option_flag, AT(nsecs), 0, 0,
	  "print nanoseconds instead of microseconds" },
	{ 0, "percentiles", TW_OPTIONAL_ARGUMENT, "LIST",
	  tw_option_percentiles, 0, 0, 0,
	  "print percentiles after the results; default\n"
	  "50,90,99,99.9,99.99,99.999" },
	{ 0, "policy", TW_ARGUMENT, "NAME", tw_option_policy, 0, 0, 0,
	  "scheduling policy: other, normal, batch, idle,\n"
	  "fifo, rr; default fifo with -p, else other" },
	{ 0, "port", TW_ARGUMENT, "N", tw_option_number, AT(port), 0, 65535,
	  "TCP port of the server; 0 (default): any" },
	{ 'p', "priority", TW_ARGUMENT, "PRIO", tw_option_priority,
	  AT(priority), TW_PRIORITY_MIN, 99,
	  "real-time priority of the client; the server's is\n"
	  "one less, that of the parent process two less" },
	{ 'q', "quiet", TW_NO_ARGUMENT, NULL, tw_option_flag, AT(quiet), 0, 0,
	  "print the results only, at the end" },
	{ 'M', "refresh_on_max", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  AT(refresh_on_max), 0, 0,
	  "redraw the display only when a maximum has grown" },
	{ 0, "rt-runtime", TW_ARGUMENT, "US", tw_option_runtime,
	  AT(rt_runtime_us), 0, 1000000, "set sched_rt_runtime_us for the run, and restore\n"
	  "it; -1, 0: no limit" },
	{ 0, "server-affinity", TW_ARGUMENT, "CPUSET", tw_option_role,
	  0, TW_SERVER, 0, "run the server on CPUSET" },
	{ 0, "size", TW_ARGUMENT, "BYTES", tw_option_number, AT(size),
	  TW_REQUEST_MIN, TW_REQUEST_MAX, "size of a request, default 8" },
	{ 0, "sleep", TW_ARGUMENT, "US", tw_option_number, AT(sleep_us),
	  0, 10000000, "the server's sleep in microseconds, default 100;\n"
	  "0: no call" },
	{ 0, "spike", TW_ARGUMENT, "[METRIC:]US", tw_option_spike,
	  AT(spike_us), 1, 1000000000,
	  "keep and print every cycle whose METRIC, default\n"
	  "response, exceeds US" },
	{ 0, "spike-nodes", TW_ARGUMENT, "N", tw_option_number,
	  AT(spike_nodes), 1, 10000000,
	  "how many of them are kept, default 1024" },
	{ 0, "steps", TW_ARGUMENT, "N", tw_option_number, AT(steps),
	  1, TW_LOAD_MAX, "ramp: measure N times, with 0 to N-1 workers,\n"
	  "groups or copies" },
	{ 0, "timer", TW_ARGUMENT, "KIND", tw_option_timer, 0, 0, 0,
	  "what wakes the client: nanosleep (default), posix,\n"
	  "timerfd" },
	{ 0, "total", TW_ARGUMENT, "NAME", tw_option_total, 0, 0, 0,
	  "formula of total: documented (default), trltp3" },
	{ 0, "trace", TW_OPTIONAL_ARGUMENT, "EVENTS", tw_option_trace, 0, 0, 0,
	  "with -b: trace the kernel in an instance of our own,\n"
	  "save the last 20 ms and say what caused the delay" },
	{ 0, "trace-file", TW_ARGUMENT, "FILE", tw_option_file,
	  AT(trace_file), 0, 0,
	  "where to, default twowaytest-trace.txt" },
	{ 0, "tracemark", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  AT(tracemark), 0, 0,
	  "with -b: mark the cycle in the kernel's trace, and\n"
	  "stop the tracing" },
	{ 0, "trltp", TW_NO_ARGUMENT, NULL, tw_option_trltp, 0, 0, 0,
	  "the reference set-up: -m -p 98 -a -x -i 1000\n"
	  "-l 100000 --sleep=100 --load=fft --steps=16\n"
	  "--warmup=1; later options override" },
	{ 0, "trltp-log", TW_ARGUMENT, "FILE", tw_option_file, AT(trltp_log),
	  0, 0, "write the reference program's log to FILE" },
	{ 'u', "unbuffered", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  AT(unbuffered), 0, 0, "do not buffer the output" },
	{ 'v', "verbose", TW_NO_ARGUMENT, NULL, tw_option_flag, AT(verbose),
	  0, 0, "print every value as n:c:v, column, cycle, value" },
	{ 0, "version", TW_NO_ARGUMENT, NULL, tw_option_flag, AT(version),
	  0, 0, "print the version" },
	{ 0, "wait", TW_ARGUMENT, "KIND", tw_option_wait, 0, 0, 0,
	  "how the server waits: poll (default), select,\n"
	  "epoll, read, busy" },
	{ 0, "warmup", TW_ARGUMENT, "N", tw_option_number, AT(warmup),
	  0, 1000000, "cycles run before the measured ones, default 2" },
	{ 0, "worst", TW_NO_ARGUMENT, NULL, tw_option_flag, AT(worst), 0, 0,
	  "print the worst cycle of each metric: its phases,\n"
	  "and which of them caused it" },
	{ 'x', "posix_timers", TW_NO_ARGUMENT, NULL, tw_option_posix, 0, 0, 0,
	  "the same as --timer=posix" },
};

#define OPTIONS	ARRAY_SIZE(options)

/* getopt's two views of the table. */
struct getopt_tables {
	char letters[3 * OPTIONS + 2];
	struct option names[OPTIONS + 1];
};

static void fill_tables(struct getopt_tables *tables)
{
	char *letter = tables->letters;
	size_t i;
	int colons;

	memset(tables, 0, sizeof(*tables));
	*letter++ = ':';	/* tell a missing argument from the unknown */
	for (i = 0; i < OPTIONS; i++) {
		tables->names[i].name = options[i].name;
		tables->names[i].has_arg = options[i].argument;
		tables->names[i].val = OWN + (int)i;
		if (!options[i].letter)
			continue;
		*letter++ = options[i].letter;
		for (colons = options[i].argument; colons > 0; colons--)
			*letter++ = ':';
	}
}

static const struct tw_option *find_option(int code)
{
	size_t i;

	if (code >= OWN)
		return &options[code - OWN];
	for (i = 0; i < OPTIONS; i++)
		if (options[i].letter == code)
			return &options[i];
	return NULL;
}

/* As cyclictest: the set of -a may also stand as the next word. */
static const char *next_word_set(int argc, char *argv[])
{
	const char *word = optind < argc ? argv[optind] : NULL;

	if (!word || !(isdigit((unsigned char)*word) || *word == '!' ||
		       *word == '+' || !strncmp(word, "all", 3)))
		return NULL;
	optind++;
	return word;
}

/* Whether a long option that getopt does not take begins several names. */
static bool is_ambiguous(const char *word)
{
	size_t len = strcspn(word + 2, "=");
	int found = 0;
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		found += !strncmp(options[i].name, word + 2, len);
	return found > 1;
}

static int bad_option(int code, char *argv[], char *error)
{
	const struct tw_option *option = optopt ? find_option(optopt) : NULL;
	const char *word = argv[optind - 1];
	const char *hint = option ? NULL : tw_option_hint(word, optopt);

	if (code == ':' && option)
		return tw_option_error(option, NULL, error,
				       "a value is needed: %s",
				       option->metavar);
	if (option)
		return tw_refuse(error, "%.100s: takes no value; --help lists the options",
				 word);
	if (!hint)
		hint = "--help lists the options";
	if (optopt)
		return tw_refuse(error, "-%c: unknown option; %s", optopt,
				 hint);
	return tw_refuse(error, "%.100s: %s; %s", word, is_ambiguous(word) ?
			 "ambiguous option" : "unknown option", hint);
}

/* A word that is no option, perhaps meant as the value of @option. */
static int unexpected(const struct tw_option *option, const char *word,
		      char *error)
{
	if (option)
		return tw_refuse(error, "%.100s: unexpected argument; write --%s=%.100s, see --help",
				 word, option->name, word);
	return tw_refuse(error, "%.100s: unexpected argument; all input is given by options, see --help",
			 word);
}

static int parse_options(struct tw_config *config, int argc, char *argv[],
			 char *error)
{
	const struct tw_option *without_value = NULL;
	const char *next_word = NULL;
	struct getopt_tables tables;
	int code, err = 0;

	fill_tables(&tables);
	opterr = 0;
	optind = 0;	/* glibc: start afresh, for who parses twice */
	while (!err && (code = getopt_long(argc, argv, tables.letters,
					   tables.names, NULL)) != -1) {
		const struct tw_option *option = find_option(code);
		const char *value = optarg;

		if (code == '?' || code == ':' || !option)
			return bad_option(code, argv, error);
		if (!value && option->parse == tw_option_affinity)
			value = next_word_set(argc, argv);
		else if (!value && option->argument == TW_OPTIONAL_ARGUMENT) {
			without_value = option;
			next_word = argv[optind];
		}
		err = option->parse(option, value, config, error);
	}
	if (!err && optind < argc)
		err = unexpected(argv[optind] == next_word ? without_value :
				 NULL, argv[optind], error);
	return err;
}

/* With isolcpus=, nobody runs on isolated CPUs who did not ask for them. */
static int read_cpus(struct tw_config *config)
{
	const size_t size = sizeof(cpu_set_t);
	cpu_set_t all;

	if (sched_getaffinity(0, size, &config->allowed))
		return -errno;
	config->reachable = config->allowed;
	memset(&all, 0xff, size);
	/* The kernel leaves those of it that a cpuset grants. */
	if (sched_setaffinity(0, size, &all))
		return 0;
	sched_getaffinity(0, size, &config->reachable);
	sched_setaffinity(0, size, &config->allowed);
	return 0;
}

/* EINVAL: the kernel's own sets of CPUs are larger than ours. */
static int refuse_cpus(int err, char *error)
{
	const char *cause = strerror(-err);

	if (err == -EINVAL)
		return tw_refuse(error, "the CPUs that this process may use cannot be read: %s; there may be %d of them at the most",
				 cause, CPU_SETSIZE);
	return tw_refuse(error, "the CPUs that this process may use cannot be read: %s",
			 cause);
}

static void set_defaults(struct tw_config *config)
{
	memset(config, 0, sizeof(*config));
	config->interval_us = 1000;
	config->sleep_us = 100;
	config->size = TW_REQUEST_MIN;
	config->warmup = 2;
	config->clock = tw_clock_name(0);
	config->timer = tw_timer_kind(0);
	config->wait = tw_wait_kind(0);
	config->policy = SCHED_OTHER;
	config->steps = 1;
	config->break_on = TW_RESPONSE;
	config->spike_on = TW_RESPONSE;
	config->rt_runtime_us = TW_KEEP;
}

int tw_config_parse(struct tw_config *config, int argc, char *argv[],
		    char error[TW_ERROR_MAX])
{
	int err, cpus_err;

	set_defaults(config);
	/* Now: main may be about to pin itself. */
	cpus_err = read_cpus(config);
	error[0] = '\0';
	err = parse_options(config, argc, argv, error);
	if (!err && (config->help || config->version))
		return 0;
	if (cpus_err)
		return refuse_cpus(cpus_err, error);
	if (err)
		return err;
	return tw_config_check(config, error);
}

#define HELP_COLUMN	27

static void help_option(FILE *file, const struct tw_option *option)
{
	bool optional = option->argument == TW_OPTIONAL_ARGUMENT;
	const char *line = option->help;
	int column, len;

	if (option->letter)
		column = fprintf(file, "  -%c, --%s", option->letter,
				 option->name);
	else
		column = fprintf(file, "      --%s", option->name);
	if (option->metavar)
		column += fprintf(file, "%s=%s%s", optional ? "[" : "",
				  option->metavar, optional ? "]" : "");
	if (column >= HELP_COLUMN)
		column = fprintf(file, "\n") - 1;
	while (*line) {
		len = (int)strcspn(line, "\n");
		fprintf(file, "%*s%.*s\n", HELP_COLUMN - column, "", len,
			line);
		line += len + (line[len] == '\n');
		column = 0;
	}
}

void tw_config_help(FILE *file)
{
	size_t i;

	fprintf(file, "usage: twowaytest [options]\n"
		"Measures the latency of a request and its answer over TCP/IP "
		"on this host:\na timer wakes a client, which wakes a server, "
		"which sleeps and replies.\n\n");
	for (i = 0; i < OPTIONS; i++)
		help_option(file, &options[i]);
}
