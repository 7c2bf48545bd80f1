// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of tests. A test is its file and its row here. */
#include "pt_rows.h"

const struct pt_test *const pt_tests[] = {
	&pt_timer,
	&pt_alarm,
	&pt_sleep,
	&pt_clock,
	&pt_bintime,
	&pt_delay,
	&pt_work,
	&pt_copy,
	&pt_sync1,
	&pt_sync2,
	&pt_sync3,
	&pt_message,
	&pt_stream,
	&pt_signal,
	&pt_switch,
	&pt_monopoly,
	&pt_yield,
	&pt_preempt,
	&pt_shuffle,
	&pt_order,
	&pt_trap,
	&pt_thread,
	&pt_syscall,
	&pt_pipe,
	&pt_unix,
	&pt_alloc,
	NULL
};
