// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load "hackbench" of rt-tests: groups of processes that send messages to each
 * other as fast as possible. It is started again when it has sent them all. Our
 * processes and all of hackbench are a process group, which is killed as a whole:
 *
 *	main - load - keeper - hackbench - what it starts
 *
 * Load and keeper do that, so that one is left if the other is killed. Where we
 * may have a PID namespace, hackbench is its first process, and the kernel kills
 * the others with it, also if all of ours are killed at once.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_child.h"
#include "tw_load.h"
#include "tw_time.h"

#define WORDS		"-l 5000"	/* a run takes some seconds */
#define WORDS_MAX	64
#define SHORTEST_MS	20	/* one that ends earlier did no work */

/* By the kernel when main ends; this process is one of the group. */
static void kill_group(int signal)
{
	kill(0, SIGKILL);
}

static void __attribute__((noreturn))
become_hackbench(const struct tw_load *load)
{
	char groups[16], *word, *rest = strdup(load->words);
	char *words[WORDS_MAX + 1] = { "hackbench", "-g", groups };
	int count = 3;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(groups, sizeof(groups), "%d", load->units);
	while (count < WORDS_MAX && (word = strsep(&rest, " ")))
		if (*word)
			words[count++] = word;
	execvp(words[0], words);
	fprintf(stderr, "hackbench is not in PATH; it is part of rt-tests\n");
	_exit(EXIT_FAILURE);
}

/* Returns the status of what it has started, as from waitpid(), or -errno. */
static int start_and_await(const struct tw_load *load,
			   void (*become)(const struct tw_load *load))
{
	pid_t pid = tw_child_start(SIGTERM);
	int status;

	if (!pid)
		become(load);
	if (pid < 0)
		return pid;
	while (waitpid(pid, &status, 0) < 0)
		;
	return status;
}

static void keep_hackbench(const struct tw_load *load)
{
	if (unshare(CLONE_NEWPID))
		unshare(CLONE_NEWUSER | CLONE_NEWPID);
	_exit(start_and_await(load, become_hackbench) ? EXIT_FAILURE :
							EXIT_SUCCESS);
}

static int hackbench_live(struct tw_load *load)
{
	int64_t begin_ns;
	int status;

	signal(SIGTERM, kill_group);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	do {
		begin_ns = tw_now_ns(CLOCK_MONOTONIC);
		status = start_and_await(load, keep_hackbench);
		if (status < 0)
			return status;
	} while (!status && tw_now_ns(CLOCK_MONOTONIC) >=
		 begin_ns + SHORTEST_MS * TW_NS_PER_MS);
	return -ECHILD;
}

/* Calls of write() by the process @pid and the children that it has reaped. */
static uint64_t writes_of(const char *pid)
{
	uint64_t writes = 0;
	char path[300], line[80];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/io", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "syscw: %" SCNu64, &writes) == 1)
			break;
	if (file)
		fclose(file);
	return writes;
}

/* Each message is one write(). Completed runs say nothing: they take long. */
static uint64_t hackbench_done(const struct tw_load *load)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t done = 0;

	while (proc && (entry = readdir(proc)))
		if (atoi(entry->d_name) > 0 &&
		    getpgid(atoi(entry->d_name)) == load->process[0].pid)
			done += writes_of(entry->d_name);
	if (proc)
		closedir(proc);
	return done;
}

const struct tw_load_ops tw_load_hackbench = {
	.name = "hackbench", .unit = "groups", .one = "group",
	.work = "messages", .usual = 10,
	.single = true, .words = WORDS, .parse = tw_load_units,
	.live = hackbench_live, .done = hackbench_done,
};
