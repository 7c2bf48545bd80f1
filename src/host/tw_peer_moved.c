// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "tw_config.h"
#include "tw_hosts.h"
#include "tw_place.h"

#define BEGIN	"\"server\": { \"pid\": "
/* Policy, priority and CPUs; a list is shorter than TW_PLACE_LIST. */
#define SETTINGS \
	"\"policy\": \"%15[a-z]\", \"priority\": %9d, \"cpus\": \"%4095[0-9,-]\""

struct settings {
	char policy[16];
	int priority;
	char cpus[TW_PLACE_LIST];
};

static void print_settings(FILE *file, const struct settings *of)
{
	fprintf(file, "policy %s, priority %d, CPUs %s", of->policy,
		of->priority, of->cpus);
}

void tw_peer_moved_print(FILE *file, const char *results)
{
	const char *at = strstr(results, "\"pairs\": [");
	struct settings begun, left;
	int i;

	for (i = 0; at && i < tw_config.pairs && (at = strstr(at, BEGIN));
	     i++) {
		at += strlen(BEGIN);
		if (sscanf(at, "%*d, " SETTINGS ", \"changed\": { " SETTINGS,
			   begun.policy, &begun.priority, begun.cpus,
			   left.policy, &left.priority, left.cpus) < 6)
			continue;
		fprintf(file, "# Changed while it ran: pair %d: server on %s, ",
			i, tw_talk_way.host.name);
		print_settings(file, &begun);
		fprintf(file, " to ");
		print_settings(file, &left);
		fprintf(file, "\n");
	}
}
