// SPDX-License-Identifier: GPL-2.0-or-later
/* --check, and the environment in the JSON. */
#include <string.h>

#include "tw_check.h"
#include "tw_hosts.h"
#include "tw_json.h"
#include "tw_load.h"
#include "tw_part.h"
#include "tw_place.h"

#define DEVICE	4	/* from here on, the tables are of a device */

static const char *named;	/* its device; NULL: no --check */

static void parse(const struct tw_option *option, char *value)
{
	named = value ? value : "";
	if (value && !if_nametoindex(value))
		tw_option_refuse(option, value, "allowed is a network device of this system");
}

const struct tw_fact *const tw_check_tables[] = {
	tw_facts_kernel, tw_facts_realtime, tw_facts_cpus, tw_facts_machine,
	tw_facts_device, tw_facts_network, NULL
};

static const struct tw_option options[] = {
	{ 0, "check", TW_TEXT, &named, "DEVICE", .optional = true,
	  .parse = parse,
	  .help = "print what in this system, of DEVICE or to --connect, disturbs, and what to do; measure nothing" },
	{ .name = NULL }
};

static void add_side(struct tw_checked *of, enum tw_role role, int pair)
{
	cpu_set_t cpus;

	if (tw_config.absent[role])
		return;
	tw_place(role, pair, &cpus);
	of->pinned &= CPU_COUNT(&cpus) == 1;
	CPU_OR(&of->cpus, &of->cpus, &cpus);
}

/* Others have refused what is wrong. */
static void checked(struct tw_run *run)
{
	struct tw_checked of = {
		.pinned = true,
		.priority = (int)tw_config.priority,
		.ordinary = tw_config_is_ordinary(),
		.softirq_timer = tw_config.timer->start,
	};
	const char *host = tw_talk_way.text;
	const struct tw_fact *tables[DEVICE + 3] = { NULL };
	int i;

	/* A server's side sends its results. */
	if (!named && !tw_json_is_wanted() && !tw_config.absent[TW_CLIENT])
		return;
	for (i = 0; i < tw_config.pairs; i++) {
		if (tw_config.link->take)	/* else there is no server */
			add_side(&of, TW_SERVER, i);
		add_side(&of, TW_CLIENT, i);
	}
	for (i = 0; tw_load_number(i); i++)
		of.realtime_load |= tw_config.priority &&
				    tw_load_number(i)->priority;
	memcpy(tables, tw_check_tables, DEVICE * sizeof(*tables));
	if (named && *named)
		snprintf(of.device, sizeof(of.device), "%s", named);
	else if (host)
		tw_check_route(of.device, host);
	if (*of.device)
		tables[DEVICE] = tw_facts_device;
	if (tw_check_is_hardware(of.device))
		tables[DEVICE + 1] = tw_facts_network;
	tw_check_facts(run, &of, tables, named);
}

const struct tw_part tw_part_check = {
	.options = options, .group = TW_OUTPUT, .checked = checked,
	.members[TW_OF_RUN] = tw_json_checked,
};
