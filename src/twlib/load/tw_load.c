// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/tw_system.h"
#include "load/tw_load.h"

const struct tw_load_ops *const tw_load_kinds[] = {
	&tw_load_fft,
	&tw_load_hackbench,
	&tw_load_command,
	NULL
};

const void *const tw_load_usages[] = {
	&tw_load_fft.usage,
	&tw_load_hackbench.usage,
	&tw_load_command.usage,
	NULL
};

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
		tw_load_close(load, NULL);
	}
	return err;
}

int tw_load_close(struct tw_load *load, char *why)
{
	int err;

	if (!load->shared)
		return 0;
	err = load->ops->stop(load);
	if (err && why)
		snprintf(why, TW_LOAD_WHY, "%s", load->shared->why);
	munmap(load->shared, load->shared_size);
	load->shared = NULL;
	return err;
}

struct tw_load_slot tw_load_progress(const struct tw_load *load)
{
	struct tw_load_slot sum = { .done = 0 };
	int i;

	for (i = 0; i < load->prepared; i++) {
		sum.done += load->shared->slots[i].done;
		sum.errors += load->shared->slots[i].errors;
		sum.busy_ns += load->shared->slots[i].busy_ns;
	}
	if (load->ops->done)
		sum.done = load->ops->done(load);
	return sum;
}

/* CPU number @index of the load's set; after the last CPU the first again. */
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
	/* The same order as in tw_side_settle(). */
	err = tw_system_schedule(params->policy, params->priority);
	if (!err)
		err = tw_system_pin(&cpus);
	if (!err && params->lock_memory)
		err = tw_system_lock_memory();
	return err;
}
