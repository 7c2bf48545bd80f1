// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that earlier versions had: they are refused with what to use now. */
#include "rt-error.h"
#include "tw_part.h"

static void refuse(const struct tw_option *option, char *value)
{
	fatal("--%s: this option is gone; %s\n", option->name, option->metavar);
}

/* Without a text for the help, they are not in it: metavar says what to use. */
#define GONE(option, instead)						\
	{ .name = option, .argument = optional_argument,		\
	  .metavar = instead, .parse = refuse }

static const struct tw_option options[] = {
	GONE("accept", "the other host must grant what is asked for: ask for less"),
	GONE("address", "one host uses 127.0.0.1, or --transport=unix"),
	GONE("break-on", "use --breaktrace=METRIC:US"),
	GONE("force", "use a longer --interval, or other --priority and --affinity"),
	GONE("interface", "one host uses lo; for another, give --connect an address of the network to be used"),
	GONE("max-pairs", "use the limits of the service manager; see systemd.resource-control(5)"),
	GONE("max-rate", "use the limits of the service manager; see systemd.resource-control(5)"),
	GONE("max-size", "--size is at most 65536 on each host"),
	GONE("max-time", "use RuntimeMaxSec= of the service manager; see systemd.service(5)"),
	GONE("port", "the kernel chooses a free one"),
	GONE("quickack", "the kernel acknowledges with the reply; use --transport=udp for none at all"),
	GONE("runs", "use timeout(1) or the service manager to end a server"),
	GONE("sessions", "start a server for each client, or use Accept=yes of systemd.socket(5)"),
	GONE("smi", "use turbostat(8) with --show SMI meanwhile"),
	GONE("timeline-every", "use --timeline=FILE:SECONDS"),
	{ .name = NULL }
};

const struct tw_part tw_part_gone = {
	.options = options,
};
