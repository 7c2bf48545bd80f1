// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/tw_child.h"
#include "base/tw_kfile.h"
#include "base/tw_time.h"
#include "load/tw_load_tree.h"

#define ROUND_NS	(20 * TW_NS_PER_MS)	/* time to end after SIGKILL */

/* A child that exists, and the error of kill() (-errno) or 0. */
struct left {
	pid_t pid;
	int err;
};

/* The parent of process @pid; 0 if there is no such process. */
static pid_t parent_of(pid_t pid)
{
	int64_t parent = 0;

	tw_kfile_stat("", &parent, pid, 4);
	return (pid_t)parent;
}

static struct left kill_child(pid_t pid)
{
	struct left left = { .pid = pid };

	/* Its group first: that ends most descendants with one call. */
	if (getpgid(pid) == pid)
		kill(-pid, SIGKILL);
	if (kill(pid, SIGKILL))
		left.err = -errno;
	return left;
}

static void kill_children(struct left *left)
{
	struct dirent *entry;
	pid_t pid;
	DIR *proc;

	proc = opendir("/proc");
	if (!proc)
		return;
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid = atoi(entry->d_name);
		if (parent_of(pid) == getpid())
			*left = kill_child(pid);
	}
	closedir(proc);
}

/* Returns true if no child is left. */
static bool reap_children(void)
{
	const struct timespec pause = { .tv_nsec = TW_NS_PER_MS / 2 };
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + ROUND_NS;
	pid_t pid;

	do {
		do {
			pid = waitpid(-1, NULL, WNOHANG);
		} while (pid > 0);
		if (pid < 0 && errno == ECHILD)
			return true;
		nanosleep(&pause, NULL);
	} while (tw_now_ns(CLOCK_MONOTONIC) < end_ns);
	return false;
}

static void tell(const struct left *left, char *why, size_t size)
{
	char obstacle[128], name[32] = "?";

	tw_kfile_text("", name, sizeof(name), "/proc/%d/comm", (int)left->pid);
	tw_child_obstacle(left->pid, obstacle, sizeof(obstacle));
	snprintf(why, size, "its process %d (%s) cannot be ended: %s",
		 (int)left->pid, name,
		 left->err ? strerror(-left->err) : obstacle);
}

int tw_load_kill_tree(int limit_ms, char *why, size_t size)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + limit_ms * TW_NS_PER_MS;
	struct left left = { .pid = 0 };

	/* Orphans of killed processes become ours: repeat until all are gone. */
	do {
		kill_children(&left);
		if (reap_children())
			return 0;
	} while (tw_now_ns(CLOCK_MONOTONIC) < end_ns);
	tell(&left, why, size);
	return -EBUSY;
}
