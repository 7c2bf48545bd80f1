// SPDX-License-Identifier: GPL-2.0-or-later
/* --smi: how many SMIs there were on the CPUs of each pair. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/tw_json.h"
#include "check/tw_smi.h"
#include "frame/tw_run.h"
#include "result/tw_part_result.h"
#include "run/tw_session.h"

static struct {
	bool wanted;
	uint32_t before[CPU_SETSIZE], after[CPU_SETSIZE];
	bool known;		/* both were read */
} set;
static const __typeof__(set) initial;

static const struct tw_option options[] = {
	{ 0, "smi", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.wanted,
	  .help = "count system management interrupts (Intel only)" },
	{ .name = NULL }
};

/* Of all clients and servers; false: one of them is not pinned. */
static bool find_cpus(const struct tw_config *config, cpu_set_t *all)
{
	cpu_set_t servers;
	bool clients_pinned = tw_config_all_cpus(config, TW_CLIENT, all);
	bool servers_pinned = tw_config_all_cpus(config, TW_SERVER, &servers);

	CPU_OR(all, all, &servers);
	return clients_pinned && servers_pinned;
}

static int read_all(const struct tw_config *config, uint32_t *counts)
{
	cpu_set_t cpus;
	int cpu, err = 0;

	find_cpus(config, &cpus);
	for (cpu = 0; !err && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			err = tw_smi_read("", cpu, &counts[cpu]);
	return err;
}

static int check(struct tw_run *run)
{
	cpu_set_t cpus;

	if (!set.wanted || find_cpus(tw_config, &cpus))
		return 0;
	return tw_fail(run, -EINVAL, "--smi: SMIs are counted by CPU, and client and server may move; give -a or -S too");
}

static int open_smi(struct tw_run *run)
{
	int err = set.wanted ? read_all(tw_config, set.before) : 0;

	return err ? tw_fail(run, err, "--smi: %s", tw_smi_why(err)) : 0;
}

static void finish(struct tw_run *run)
{
	(void)run;
	if (set.wanted)
		set.known = !read_all(tw_config, set.after);
}

/* The most that a CPU of the pair has had: one SMI stops them all. */
static uint32_t smis_of(const struct tw_config *config, unsigned int pair)
{
	uint32_t most = 0, smis;
	cpu_set_t cpus;
	int role, cpu;

	for (role = TW_SERVER; role <= TW_CLIENT; role++) {
		tw_config_cpus(config, role, pair, &cpus);
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			smis = CPU_ISSET(cpu, &cpus) ?
			       set.after[cpu] - set.before[cpu] : 0;
			if (smis > most)
				most = smis;
		}
	}
	return most;
}

/* As cyclictest: a number for each column. */
static void remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_columns columns = run->program->columns(run);
	const struct tw_config *config = tw_session(run)->config;
	int i;

	if (!set.known)
		return;
	fprintf(file, "# SMIs:");
	for (i = 0; i < columns.count; i++)
		fprintf(file, " %05" PRIu32,
			smis_of(config, columns.column[i].pair));
	fprintf(file, "\n");
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_config *config = tw_session(run)->config;
	unsigned int k;

	if (!set.known) {
		tw_json_null(json, "smis");
		return;
	}
	tw_json_begin_line(json, "smis", '[');
	for (k = 0; k < config->pairs.count; k++)
		tw_json_uint(json, NULL, smis_of(config, k));
	tw_json_end(json);
}

const struct tw_part tw_part_smi = {
	.name = "smi", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_smi, .finish = finish,
	.remarks = remarks, .json = json,
};
