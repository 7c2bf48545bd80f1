// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load "hackbench" of rt-tests: groups of processes that send messages to each
 * other as fast as possible. One hackbench process runs all groups of a step;
 * it is started again when it has sent all its messages.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tw_kfile.h"
#include "base/tw_system.h"
#include "load/tw_load_exec.h"

#define LOOPS		"5000"	/* a run takes some seconds */
#define WORDS		32	/* maximum, of our own and --load-args */

static int hackbench_exec(const struct tw_load *load, int index, int count)
{
	static char arguments[1024];
	char groups[16], *words[WORDS + 1], *rest = NULL, *word;
	int n = 0, err;

	(void)index;
	/* One process runs all groups, so it may use all CPUs of the load. */
	err = tw_system_pin(&load->params.cpus);
	if (err)
		return err;
	snprintf(groups, sizeof(groups), "%d", count);
	snprintf(arguments, sizeof(arguments), "%s",
		 load->params.arguments ? load->params.arguments :
					  "-l " LOOPS);
	words[n++] = "hackbench";
	words[n++] = "-g";
	words[n++] = groups;
	for (word = strtok_r(arguments, " ", &rest); word && n < WORDS;
	     word = strtok_r(NULL, " ", &rest))
		words[n++] = word;
	words[n] = NULL;
	execvp(words[0], words);
	return -errno;
}

/* Searches as execvp() does. */
static bool in_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[512];
	size_t len;

	for (path = path ? path : "/usr/bin:/bin"; ; path += len + 1) {
		len = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)len, path, name);
		if (!access(file, X_OK))
			return true;
		if (!path[len])
			return false;
	}
}

static int hackbench_probe(struct tw_load *load)
{
	if (in_path("hackbench"))
		return 0;
	snprintf(load->shared->why, TW_LOAD_WHY,
		 "hackbench is not in PATH; it is part of rt-tests: install that package");
	return -ENOENT;
}

static int hackbench_run(struct tw_load *load, int step, int count)
{
	return tw_load_exec_run(load, step, count, 1,
				hackbench_exec);
}

/* Number of write() calls of process @pid and of the children it reaped. */
static uint64_t writes_of(pid_t pid)
{
	int64_t writes = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	tw_kfile_field("", &writes, path, "syscw");
	return writes;
}

/*
 * The number of messages; each is a write(). Completed runs are no measure,
 * because a run may take minutes.
 */
static uint64_t hackbench_done(const struct tw_load *load)
{
	pid_t group = load->shared->slots[0].child.pid;
	uint64_t done = writes_of(load->shared->supervisor);
	struct dirent *entry;
	DIR *proc = group ? opendir("/proc") : NULL;
	pid_t pid;

	while (proc && (entry = readdir(proc))) {
		pid = atoi(entry->d_name);
		if (pid > 0 && getpgid(pid) == group)
			done += writes_of(pid);
	}
	if (proc)
		closedir(proc);
	return done;
}

const struct tw_load_ops tw_load_hackbench = {
	"hackbench", "group", "groups", "messages", 10,
	.usage = "hackbench[:GROUPS]", .takes_arguments = true,
	.probe = hackbench_probe, .prepare = tw_load_exec_prepare,
	.run = hackbench_run, .done = hackbench_done,
	.died = tw_load_exec_died, .stop = tw_load_exec_stop
};
