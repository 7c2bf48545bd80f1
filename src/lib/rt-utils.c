// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scheduling policies, spans of time, trace marks and JSON reports.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "rt-utils.h"

/* glibc's <sched.h> has not always had this one. */
#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE	6
#endif

#define CMDLINE_BYTES	4096
#define MARK_BYTES	256
#define TIME_FORMAT	"%a, %d %b %Y %T %z"

static const struct {
	const char *word;
	const char *name;
	int policy;
} policies[] = {
	{ "other", "SCHED_OTHER", SCHED_OTHER },
	{ "fifo", "SCHED_FIFO", SCHED_FIFO },
	{ "rr", "SCHED_RR", SCHED_RR },
	{ "batch", "SCHED_BATCH", SCHED_BATCH },
	{ "idle", "SCHED_IDLE", SCHED_IDLE },
	{ "deadline", "SCHED_DEADLINE", SCHED_DEADLINE },
};

static const struct {
	char suffix;
	int seconds;
} units[] = {
	{ 'm', 60 },
	{ 'h', 60 * 60 },
	{ 'd', 24 * 60 * 60 },
};

static char cmdline[CMDLINE_BYTES + 1];
static time_t start_time;
static int mark_fd = -1;

/* SCHED_DEADLINE too: sched_setscheduler() could not go back to it. */
static bool is_realtime(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR ||
	       policy == SCHED_DEADLINE;
}

int check_privs(void)
{
	int policy = sched_getscheduler(0);
	struct sched_param old, fifo;
	int flag;

	if (policy < 0 || sched_getparam(0, &old))
		goto refused;

	/* The unprivileged cannot clear this flag: it stays as it is. */
	flag = policy & SCHED_RESET_ON_FORK;
	if (is_realtime(policy ^ flag))
		return 0;

	memset(&fifo, 0, sizeof(fifo));
	fifo.sched_priority = sched_get_priority_min(SCHED_FIFO);
	if (sched_setscheduler(0, SCHED_FIFO | flag, &fifo) ||
	    sched_setscheduler(0, policy, &old))
		goto refused;
	return 0;

refused:
	err_msg_n(errno,
		  "real-time scheduling needs CAP_SYS_NICE or RLIMIT_RTPRIO");
	return 1;
}

const char *policy_to_string(int policy)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (policies[i].policy == policy)
			return policies[i].name;
	return "unknown";
}

uint32_t string_to_policy(const char *str)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(policies[i].word, str))
			return policies[i].policy;
	return SCHED_OTHER;
}

static long long within_int(long long n)
{
	if (n > INT_MAX)
		return INT_MAX;
	return n < INT_MIN ? INT_MIN : n;
}

int parse_time_string(char *val)
{
	char *end;
	/* Cut to the range of int, no unit can make it overflow. */
	long long seconds = within_int(strtoll(val, &end, 10));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (tolower((unsigned char)*end) == units[i].suffix)
			return within_int(seconds * units[i].seconds);
	return seconds;
}

void enable_trace_mark(void)
{
	static const char *const paths[] = {
		"/sys/kernel/tracing/trace_marker",
		"/sys/kernel/debug/tracing/trace_marker",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths) && mark_fd < 0; i++)
		mark_fd = open(paths[i], O_WRONLY | O_CLOEXEC);
	if (mark_fd < 0)
		warn("cannot open %s: %s\n", paths[0], strerror(errno));
}

void tracemark(char *fmt, ...)
{
	char mark[MARK_BYTES];
	ssize_t written;
	va_list args;
	int len;

	if (mark_fd < 0)
		return;

	va_start(args, fmt);
	len = vsnprintf(mark, sizeof(mark), fmt, args);
	va_end(args);
	if (len < 0)
		return;
	if (len >= (int)sizeof(mark))
		len = sizeof(mark) - 1;
	/* A mark is refused while tracing is off: nothing to mend here. */
	written = write(mark_fd, mark, len);
	(void)written;
}

void disable_trace_mark(void)
{
	if (mark_fd < 0)
		return;
	close(mark_fd);
	mark_fd = -1;
}

void rt_init(int argc, char *argv[])
{
	size_t used = 0;
	int i;

	for (i = 0; i < argc; i++) {
		size_t len = strlen(argv[i]);
		size_t gap = i > 0;

		/* Half an argument might end within an escape sequence. */
		if (len + gap > CMDLINE_BYTES - used)
			break;
		if (gap)
			cmdline[used++] = ' ';
		memcpy(cmdline + used, argv[i], len);
		used += len;
	}
	cmdline[used] = '\0';
	start_time = time(NULL);
}

static void write_time(FILE *f, const char *key, time_t t)
{
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&t, &tm) &&
	    !strftime(text, sizeof(text), TIME_FORMAT, &tm))
		text[0] = '\0';
	fprintf(f, "  \"%s\": \"%s\",\n", key, text);
}

/* The host's name is whatever the administrator made it: it is escaped. */
static void write_sysinfo_string(FILE *f, const char *key, const char *value)
{
	fprintf(f, "    \"%s\": \"", key);
	for (; *value; value++) {
		unsigned char c = *value;

		if (c < ' ')
			fprintf(f, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else
			fputc(c, f);
	}
	fputs("\",\n", f);
}

static bool kernel_is_realtime(void)
{
	int fd = open("/sys/kernel/realtime", O_RDONLY | O_CLOEXEC);
	char c = '0';

	if (fd < 0)
		return false;
	if (read(fd, &c, 1) != 1)
		c = '0';
	close(fd);
	return c == '1';
}

static void write_sysinfo(FILE *f, const char *separator)
{
	struct utsname uts;

	if (uname(&uts))
		memset(&uts, 0, sizeof(uts));

	fputs("  \"sysinfo\": {\n", f);
	write_sysinfo_string(f, "sysname", uts.sysname);
	write_sysinfo_string(f, "nodename", uts.nodename);
	write_sysinfo_string(f, "release", uts.release);
	write_sysinfo_string(f, "version", uts.version);
	write_sysinfo_string(f, "machine", uts.machine);
	fprintf(f, "    \"realtime\": %d\n", kernel_is_realtime());
	fprintf(f, "  }%s\n", separator);
}

static int finish_file(FILE *f)
{
	int err = 0;

	if (fflush(f))
		err = errno;
	else if (ferror(f))
		err = EIO;
	if (f != stdout && fclose(f) && !err)
		err = errno;
	return err;
}

void rt_write_json(const char *filename, int return_code,
		   void (*cb)(FILE *, void *), void *data)
{
	FILE *f = stdout;
	int err;

	if (!filename || !strcmp(filename, "-"))
		filename = "standard output";
	else
		f = fopen(filename, "we");
	if (!f) {
		err_msg_n(errno, "cannot open %s", filename);
		exit(EXIT_FAILURE);
	}

	fputs("{\n  \"file_version\": 1,\n", f);
	fprintf(f, "  \"cmdline:\": \"%s\",\n", cmdline);
	fprintf(f, "  \"rt_test_version:\": \"%1.2f\",\n", (double)VERSION);
	write_time(f, "start_time", start_time);
	write_time(f, "end_time", time(NULL));
	fprintf(f, "  \"return_code\": %d,\n", return_code);
	write_sysinfo(f, cb ? "," : "");
	if (cb)
		cb(f, data);
	fputs("}\n", f);

	err = finish_file(f);
	if (err) {
		err_msg_n(err, "cannot write %s", filename);
		exit(EXIT_FAILURE);
	}
}
