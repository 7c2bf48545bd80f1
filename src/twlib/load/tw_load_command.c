// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load "command": copies of a shell command, such as stress-ng, fio or iperf3.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "load/tw_load_exec.h"

static int command_exec(const struct tw_load *load, int index, int count)
{
	(void)index;
	(void)count;
	execl("/bin/sh", "sh", "-c", load->params.command, (char *)NULL);
	return -errno;
}

static int command_probe(struct tw_load *load)
{
	if (!load->params.command || !*load->params.command) {
		snprintf(load->shared->why, TW_LOAD_WHY,
			 "what is it to run? give command:SHELL-COMMAND");
		return -EINVAL;
	}
	return 0;
}

static int command_run(struct tw_load *load, int step, int count)
{
	return tw_load_exec_run(load, step, count, count,
				command_exec);
}

const struct tw_load_ops tw_load_command = {
	"command", "copy", "copies", "completed runs", 1,
	.usage = "command:SHELL-COMMAND", .takes_command = true,
	.probe = command_probe, .prepare = tw_load_exec_prepare,
	.run = command_run, .died = tw_load_exec_died,
	.stop = tw_load_exec_stop
};
