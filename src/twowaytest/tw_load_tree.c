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

#include "tw_child.h"
#include "tw_load_tree.h"
#include "tw_time.h"

#define ROUND_NS	(20 * TW_NS_PER_MS)	/* for those killed to go */

/* A child that is there, and why it was not even killed (-errno), or 0. */
struct left {
	pid_t pid;
	int err;
};

/* The parent of process @pid; 0 if there is no such process. */
static pid_t parent_of(pid_t pid)
{
	char path[64], line[512];
	const char *end = NULL;
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	/* The name, in brackets, may hold anything: look for its end. */
	if (fgets(line, sizeof(line), file))
		end = strrchr(line, ')');
	if (!end || sscanf(end, ") %*c %d", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

static struct left kill_child(pid_t pid)
{
	struct left left = { .pid = pid };

	/* Its group first: that is most of them at one blow. */
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

/* True once there is no child any more. */
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
	char obstacle[128], name[32] = "?", path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)left->pid);
	file = fopen(path, "r");
	if (file) {
		if (fgets(name, sizeof(name), file))
			name[strcspn(name, "\n")] = '\0';
		fclose(file);
	}
	tw_child_obstacle(left->pid, obstacle, sizeof(obstacle));
	snprintf(why, size, "its process %d (%s) cannot be ended: %s",
		 (int)left->pid, name,
		 left->err ? strerror(-left->err) : obstacle);
}

int tw_load_kill_tree(int limit_ms, char *why, size_t size)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + limit_ms * TW_NS_PER_MS;
	struct left left = { .pid = 0 };

	/* The orphans of those killed are ours then: until none is left. */
	do {
		kill_children(&left);
		if (reap_children())
			return 0;
	} while (tw_now_ns(CLOCK_MONOTONIC) < end_ns);
	tell(&left, why, size);
	return -EBUSY;
}
