// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twowaytest: measures the latency of a request and its reply under real-time
 * scheduling. tw_parts.c says what it consists of, tw_main.c and tw_run.c in
 * what order that happens.
 */
#include "run/tw_session.h"
#include "tw_parts.h"

int main(int argc, char *argv[])
{
	static struct tw_session session;

	tw_session_init(&session);
	return tw_run_main(&session.run, &tw_program, argc, argv);
}
