// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scheduling policies and JSON reports.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
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
#define TIME_FORMAT	"%a, %d %b %Y %T %z"

static const struct {
	const char *word;
	int policy;
} policies[] = {
	{ "other", SCHED_OTHER },
	{ "fifo", SCHED_FIFO },
	{ "rr", SCHED_RR },
	{ "batch", SCHED_BATCH },
	{ "idle", SCHED_IDLE },
	{ "deadline", SCHED_DEADLINE },
};

static char cmdline[CMDLINE_BYTES + 1];
static time_t start_time;

uint32_t string_to_policy(const char *str)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(policies[i].word, str))
			return policies[i].policy;
	return SCHED_OTHER;
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
		err_msg("cannot open %s: %s\n", filename, strerror(errno));
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
		err_msg("cannot write %s: %s\n", filename, strerror(err));
		exit(EXIT_FAILURE);
	}
}
