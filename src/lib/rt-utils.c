// SPDX-License-Identifier: GPL-2.0-or-later
/* Policies, times, trace marks, power management and JSON reports. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "rt-utils.h"

#define CMDLINE_BYTES	4096
#define TIME_FORMAT	"%a, %d %b %Y %T %z"
#define MARK_BYTES	1024
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
	{ "deadline", "SCHED_DEADLINE", 6 }, /* not in every <sched.h> */
};

static char cmdline[CMDLINE_BYTES + 1];
static time_t start_time;
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

const char *find_tracefs(void)
{
	static const char usual[] = "/sys/kernel/tracing";
	static const char below_debugfs[] = "/sys/kernel/debug/tracing";
	char path[64];

	snprintf(path, sizeof(path), "%s/tracing_on", usual);
	if (!access(path, F_OK) || errno != ENOENT)
		return usual;
	snprintf(path, sizeof(path), "%s/tracing_on", below_debugfs);
	return access(path, F_OK) ? usual : below_debugfs;
}

static void open_once(int *fd, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", find_tracefs(), name);
	if (*fd < 0)
		*fd = open(path, O_WRONLY | O_CLOEXEC);
	if (*fd < 0)
		err_msg_n(errno, "WARN: cannot open %s", path);
}

void enable_trace_mark(void)
{
	open_once(&marker_fd, "trace_marker");
	if (marker_fd >= 0)
		open_once(&tracing_on_fd, "tracing_on");
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
		warn("cannot write to %s/trace_marker: %m; is tracing on?\n",
		     find_tracefs());
}

void tracing_stop(void)
{
	if (tracing_on_fd >= 0 && write(tracing_on_fd, "0\n", 2) != 2)
		warn("cannot stop tracing\n");
}

void disable_trace_mark(void)
{
	close(marker_fd);
	close(tracing_on_fd);
	marker_fd = -1;
	tracing_on_fd = -1;
}

int set_latency_target(int32_t latency_us)
{
	int fd = open(DMA_LATENCY, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, &latency_us, sizeof(latency_us)) < 0) {
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

	cmdline[0] = '\0';
	for (i = 0; i < argc; i++) {
		if (used + (i > 0) + strlen(argv[i]) > CMDLINE_BYTES)
			break;
		used += sprintf(cmdline + used, "%s%s", i ? " " : "", argv[i]);
	}
	start_time = time(NULL);
}

static void write_time(FILE *f, const char *key, time_t t)
{
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(text, sizeof(text), TIME_FORMAT, &tm);
	fprintf(f, "  \"%s\": \"%s\",\n", key, text);
}

/* The bytes of the character at @s; 0 if that is not valid UTF-8. */
static int utf8_bytes(const unsigned char *s)
{
	int bytes = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 :
		    *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;
	int i;

	for (i = 1; i < bytes; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what is above U+10FFFF. */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return bytes;
}

void rt_clean(char *str)
{
	unsigned char *s = (unsigned char *)str;
	int bytes;

	for (; *s; s += bytes) {
		bytes = utf8_bytes(s);
		if (bytes == 2 && *s == 0xc2 && s[1] < 0xa0)
			s[1] = '?';
		else if (bytes && *s != 0x7f && (*s >= ' ' || *s == '\t'))
			continue;
		*s = '?';
		bytes = 1;
	}
}

void rt_json_string(FILE *f, const char *str)
{
	const unsigned char *s = (const unsigned char *)str;
	int bytes;

	fputc('"', f);
	for (; *s; s += bytes ? bytes : 1) {
		bytes = utf8_bytes(s);
		if (!bytes)
			fputs("\\ufffd", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(f, "\\u%04x", *s);
		else
			fwrite(s, bytes, 1, f);
	}
	fputc('"', f);
}

static void write_string(FILE *f, const char *key, const char *value)
{
	fprintf(f, "%s: ", key);
	rt_json_string(f, value);
	fputs(",\n", f);
}

static void write_sysinfo(FILE *f, const char *separator)
{
	FILE *realtime = fopen("/sys/kernel/realtime", "re");
	struct utsname uts;

	if (uname(&uts))
		memset(&uts, 0, sizeof(uts));
	fputs("  \"sysinfo\": {\n", f);
	write_string(f, "    \"sysname\"", uts.sysname);
	write_string(f, "    \"nodename\"", uts.nodename);
	write_string(f, "    \"release\"", uts.release);
	write_string(f, "    \"version\"", uts.version);
	write_string(f, "    \"machine\"", uts.machine);
	fprintf(f, "    \"realtime\": %d\n  }%s\n",
		realtime && fgetc(realtime) == '1', separator);
	if (realtime)
		fclose(realtime);
}

void rt_write_json(FILE *f, int return_code, void (*cb)(FILE *, void *),
		   void *data)
{
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
}
