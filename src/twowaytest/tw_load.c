// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_load.h"
#include "tw_system.h"

static const struct tw_load_ops *const kinds[] = {
	&tw_load_fft,
	&tw_load_hackbench,
	&tw_load_command,
	NULL
};

const struct tw_load_ops *tw_load_kind(size_t index)
{
	return index < sizeof(kinds) / sizeof(kinds[0]) ? kinds[index] : NULL;
}

int tw_load_open(struct tw_load *load, const struct tw_load_ops *ops,
		 const struct tw_load_params *params, int most, char *why)
{
	int err;

	memset(load, 0, sizeof(*load));
	why[0] = '\0';
	load->ops = ops;
	load->params = *params;
	load->shared_size = sizeof(*load->shared) +
			    most * sizeof(load->shared->slots[0]);
	load->shared = mmap(NULL, load->shared_size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (load->shared == MAP_FAILED) {
		load->shared = NULL;
		return -errno;
	}
	err = ops->probe(load);
	if (!err)
		err = ops->prepare(load, most);
	if (err) {
		snprintf(why, TW_LOAD_WHY, "%s", load->shared->why);
		tw_load_close(load);
	}
	return err;
}

void tw_load_close(struct tw_load *load)
{
	if (!load->shared)
		return;
	load->ops->stop(load);
	munmap(load->shared, load->shared_size);
	load->shared = NULL;
}

struct tw_load_slot tw_load_progress(const struct tw_load *load)
{
	struct tw_load_slot sum = { .pid = 0 };
	int i;

	for (i = 0; i < load->prepared; i++) {
		sum.done += load->shared->slots[i].done;
		sum.errors += load->shared->slots[i].errors;
		sum.busy_ns += load->shared->slots[i].busy_ns;
	}
	return sum;
}

/* The @index-th CPU of the load's set, counted round it. */
static void nth_cpu(const struct tw_load_params *params, int index,
		    cpu_set_t *one)
{
	int left = index % CPU_COUNT(&params->cpus);
	int cpu = 0;

	while (!CPU_ISSET(cpu, &params->cpus) || left--)
		cpu++;
	CPU_ZERO(one);
	CPU_SET(cpu, one);
}

int tw_load_settle(const struct tw_load *load, int index)
{
	const struct tw_load_params *params = &load->params;
	cpu_set_t cpus = params->cpus;
	int err;

	if (params->pinned)
		nth_cpu(params, index, &cpus);
	err = tw_system_pin(&cpus);
	if (!err && params->lock_memory)
		err = tw_system_lock_memory();
	if (!err)
		err = tw_system_schedule(params->policy, params->priority);
	return err;
}

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

static bool is_spared(pid_t pid, const pid_t *spared, int count)
{
	while (count--)
		if (spared[count] == pid)
			return true;
	return false;
}

/* Kills our children; returns how many there were. */
static int kill_once(const pid_t *spared, int count)
{
	struct dirent *entry;
	int killed = 0;
	pid_t pid;
	DIR *proc;

	proc = opendir("/proc");
	if (!proc)
		return 0;
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid = atoi(entry->d_name);
		if (parent_of(pid) != getpid() ||
		    is_spared(pid, spared, count))
			continue;
		/* Its group first: that is most of them at one blow. */
		if (getpgid(pid) == pid)
			kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		killed++;
	}
	closedir(proc);
	return killed;
}

void tw_load_kill_children(const pid_t *spared, int count)
{
	/* The orphans of those killed are ours then: until none is left. */
	while (kill_once(spared, count))
		;
}
