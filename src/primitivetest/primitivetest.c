// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * primitivetest: measures the primitives of a real-time system one by one:
 * timers, semaphores, queues, signals, switches. pt_tests.c has the tests.
 */
#include "core/pt_session.h"
#include "pt_parts.h"

int main(int argc, char *argv[])
{
	static struct pt_session session;

	pt_session_init(&session);
	return tw_run_main(&session.run, &pt_program, argc, argv);
}
