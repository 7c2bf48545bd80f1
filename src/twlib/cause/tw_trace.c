// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/tw_kfile.h"
#include "base/tw_time.h"
#include "cause/tw_trace.h"

#define LOCKDOWN	"/sys/kernel/security/lockdown"

int tw_trace_find(char *dir, size_t size, const char *mounts)
{
	FILE *file = setmntent(mounts, "r");
	struct mntent entry;
	char line[PATH_MAX + 256];
	int err = -ENOENT;

	while (file && err &&
	       getmntent_r(file, &entry, line, sizeof(line))) {
		if (!strcmp(entry.mnt_type, "tracefs")) {
			snprintf(dir, size, "%s", entry.mnt_dir);
			err = 0;
		}
	}
	if (file)
		endmntent(file);
	return err;
}

static bool locked_down(void)
{
	char state[128] = "";

	tw_kfile_text("", state, sizeof(state), LOCKDOWN);
	return strstr(state, "[integrity]") ||
	       strstr(state, "[confidentiality]");
}

int tw_trace_tell(char why[TW_TRACE_WHY], const char *path, int err)
{
	if (err == -ENOENT)
		snprintf(why, TW_TRACE_WHY,
			 "there is no %.160s: tracefs is not mounted, or this kernel cannot trace; as root: mount -t tracefs nodev /sys/kernel/tracing",
			 path);
	else if ((err == -EPERM || err == -EACCES) && locked_down())
		snprintf(why, TW_TRACE_WHY,
			 "%.160s: kernel lockdown forbids tracing (%s); boot without lockdown=, or without Secure Boot",
			 path, LOCKDOWN);
	else if (err == -EPERM || err == -EACCES)
		snprintf(why, TW_TRACE_WHY, "%.160s: %s; it needs root", path,
			 strerror(-err));
	else if (err == -EROFS)
		snprintf(why, TW_TRACE_WHY,
			 "%.160s: tracefs is mounted read-only; as root: mount -o remount,rw on it",
			 path);
	else
		snprintf(why, TW_TRACE_WHY, "%.160s: %s", path,
			 strerror(-err));
	return err;
}

int tw_trace_here(char *dir, size_t size, char why[TW_TRACE_WHY])
{
	int err = tw_trace_find(dir, size, "/proc/self/mounts");

	/* Where it is mounted but not for our eyes, that is what is told. */
	return err ? tw_trace_tell(why, "/sys/kernel/tracing", err) : 0;
}

int tw_trace_open_file(const char *dir, const char *name, int flags,
		       char why[TW_TRACE_WHY])
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? tw_trace_tell(why, path, -errno) : fd;
}

int tw_trace_open_fds(struct tw_trace_fds *fds, const char *dir,
		      char why[TW_TRACE_WHY])
{
	fds->mark = tw_trace_open_file(dir, "trace_marker", O_WRONLY, why);
	if (fds->mark < 0)
		return fds->mark;
	fds->stop = tw_trace_open_file(dir, "tracing_on", O_WRONLY, why);
	if (fds->stop < 0) {
		int err = fds->stop;

		tw_trace_close_fds(fds);
		return err;
	}
	return 0;
}

static int write_all(int fd, const char *text, int len)
{
	errno = 0;
	if (fd < 0 || write(fd, text, len) == len)
		return 0;
	return errno ? -errno : -EIO;
}

int tw_trace_mark_and_stop(const struct tw_trace_fds *fds, const char *mark,
			   int len)
{
	int marked = write_all(fds->mark, mark, len);
	int stopped = write_all(fds->stop, "0", 1);

	return marked ? marked : stopped;
}

void tw_trace_print_mark_err(FILE *file, int err)
{
	/* So the kernel answers to marks while it does not trace. */
	if (err == -EBADF)
		fprintf(file, "# Break: no mark: the kernel's tracing is off (tracing_on)\n");
	else if (err)
		fprintf(file, "# Break: could not mark and stop the trace: %s\n",
			strerror(-err));
}

void tw_trace_close_fds(struct tw_trace_fds *fds)
{
	if (fds->mark >= 0)
		close(fds->mark);
	if (fds->stop >= 0)
		close(fds->stop);
	fds->mark = -1;
	fds->stop = -1;
}

int tw_trace_open_user(struct tw_trace_fds *fds, char why[TW_TRACE_WHY])
{
	char dir[PATH_MAX];
	int err = tw_trace_here(dir, sizeof(dir), why);

	return err ? err : tw_trace_open_fds(fds, dir, why);
}

int64_t tw_trace_ahead_ns(const char *root)
{
	char *text = tw_kfile_load(root, "/proc/self/timens_offsets");
	char *line = text ? strstr(text, "monotonic") : NULL;
	int64_t ahead_ns = 0, seconds, ns;

	if (line && sscanf(line, "monotonic %" SCNd64 " %" SCNd64, &seconds,
			   &ns) == 2)
		ahead_ns = seconds * TW_NS_PER_S + ns;
	free(text);
	return ahead_ns;
}
