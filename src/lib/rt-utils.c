// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Policies, times, trace marks, power management and JSON reports.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
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
#define MARK_BYTES	1024
#define TRACEFS		"/sys/kernel/tracing"
#define DMA_LATENCY	"/dev/cpu_dma_latency"

static const struct {
	const char *word, *name;
	int policy;
} policies[] = {
	{ "other", "SCHED_OTHER", SCHED_OTHER },
	{ "fifo", "SCHED_FIFO", SCHED_FIFO },
	{ "rr", "SCHED_RR", SCHED_RR },
	{ "batch", "SCHED_BATCH", SCHED_BATCH },
	{ "idle", "SCHED_IDLE", SCHED_IDLE },
	{ "deadline", "SCHED_DEADLINE", SCHED_DEADLINE },
};

static char cmdline[CMDLINE_BYTES + 1];
static time_t start_time;

/* Open while marks are enabled. */
static int marker_fd = -1, tracing_on_fd = -1;

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

int parse_time_string(char *val)
{
	char *unit;
	long long seconds = strtol(val, &unit, 10), factor = 1;

	switch (*unit) {
	case 'm':
	case 'M':
		factor = 60;
		break;
	case 'h':
	case 'H':
		factor = 60 * 60;
		break;
	case 'd':
	case 'D':
		factor = 24 * 60 * 60;
		break;
	}
	if (seconds > INT_MAX / factor)
		return INT_MAX;
	if (seconds < INT_MIN / factor)
		return INT_MIN;
	return seconds * factor;
}

static int open_tracefs_file(const char *directory, const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		err_msg_n(errno, "WARN: cannot open %s", path);
	return fd;
}

/* Where tracefs is mounted, if that is not its usual place. */
static void find_tracefs(char directory[PATH_MAX])
{
	FILE *mounts = NULL;
	struct mntent *mount;

	strcpy(directory, TRACEFS);
	if (access(TRACEFS "/trace_marker", F_OK))
		mounts = setmntent("/proc/self/mounts", "re");
	while (mounts && (mount = getmntent(mounts))) {
		if (strcmp(mount->mnt_type, "tracefs"))
			continue;
		snprintf(directory, PATH_MAX, "%s", mount->mnt_dir);
		break;
	}
	if (mounts)
		endmntent(mounts);
}

void enable_trace_mark(void)
{
	char directory[PATH_MAX];

	find_tracefs(directory);
	if (marker_fd < 0)
		marker_fd = open_tracefs_file(directory, "trace_marker");
	if (marker_fd >= 0 && tracing_on_fd < 0)
		tracing_on_fd = open_tracefs_file(directory, "tracing_on");
}

void tracemark(char *fmt, ...)
{
	char mark[MARK_BYTES];
	va_list args;
	int len;

	if (marker_fd < 0)
		return;
	va_start(args, fmt);
	len = vsnprintf(mark, sizeof(mark), fmt, args);
	va_end(args);
	if (len >= MARK_BYTES)
		len = MARK_BYTES - 1;
	if (len > 0 && write(marker_fd, mark, len) != len)
		warn("cannot write a trace mark\n");
}

void tracing_stop(void)
{
	if (tracing_on_fd >= 0 && write(tracing_on_fd, "0\n", 2) != 2)
		warn("cannot stop tracing\n");
}

void disable_trace_mark(void)
{
	if (marker_fd >= 0)
		close(marker_fd);
	if (tracing_on_fd >= 0)
		close(tracing_on_fd);
	marker_fd = -1;
	tracing_on_fd = -1;
}

int set_latency_target(int32_t latency_us)
{
	int fd = open(DMA_LATENCY, O_WRONLY | O_CLOEXEC);
	ssize_t written = 0;

	if (fd >= 0) {
		errno = EIO;	/* if less is written than was asked for */
		written = write(fd, &latency_us, sizeof(latency_us));
	}
	if (written != sizeof(latency_us)) {
		err_msg_n(errno, "WARN: cannot set " DMA_LATENCY " to %dus",
			  latency_us);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	printf("# " DMA_LATENCY " set to %dus\n", latency_us);
	return fd;
}

void rt_init(int argc, char *argv[])
{
	size_t used = 0;
	int i;

	for (i = 0; i < argc; i++) {
		size_t len = strlen(argv[i]);
		size_t gap = i > 0;

		/* Half an argument would be another argument. */
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

/* The bytes of the character at @s; 0 if that is not valid UTF-8. */
static int utf8_bytes(const unsigned char *s)
{
	/* Each row: the first byte, the second, and how many there are. */
	static const struct {
		unsigned char first, last, second_first, second_last;
		int bytes;
	} forms[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	size_t row = 0;
	int i;

	if (*s < 0x80)
		return 1;
	while (row < ARRAY_SIZE(forms) &&
	       (*s < forms[row].first || *s > forms[row].last))
		row++;
	if (row == ARRAY_SIZE(forms) || s[1] < forms[row].second_first ||
	    s[1] > forms[row].second_last)
		return 0;
	for (i = 2; i < forms[row].bytes; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return forms[row].bytes;
}

void rt_json_string(FILE *f, const char *str)
{
	const unsigned char *s = (const unsigned char *)str;
	int bytes;

	fputc('"', f);
	for (; *s; s += bytes) {
		bytes = utf8_bytes(s);
		if (!bytes) {
			fputs("\\ufffd", f);
			bytes = 1;
		} else if (*s == '"' || *s == '\\') {
			fprintf(f, "\\%c", *s);
		} else if (*s < 0x20 || *s == 0x7f) {
			fprintf(f, "\\u%04x", *s);
		} else {
			fwrite(s, bytes, 1, f);
		}
	}
	fputc('"', f);
}

static void write_string(FILE *f, const char *key, const char *value)
{
	fprintf(f, "%s: ", key);
	rt_json_string(f, value);
	fputs(",\n", f);
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
	write_string(f, "    \"sysname\"", uts.sysname);
	write_string(f, "    \"nodename\"", uts.nodename);
	write_string(f, "    \"release\"", uts.release);
	write_string(f, "    \"version\"", uts.version);
	write_string(f, "    \"machine\"", uts.machine);
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
	write_string(f, "  \"cmdline:\"", cmdline);
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
