/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All tests, each in a file of its own. */
#ifndef PT_ROWS_H
#define PT_ROWS_H

#include "core/pt_test.h"

extern const struct pt_test pt_alarm;
extern const struct pt_test pt_alloc;
extern const struct pt_test pt_bintime;
extern const struct pt_test pt_clock;
extern const struct pt_test pt_copy;
extern const struct pt_test pt_delay;
extern const struct pt_test pt_message;
extern const struct pt_test pt_message_stream;
extern const struct pt_test pt_monopoly;
extern const struct pt_test pt_order;
extern const struct pt_test pt_pipe;
extern const struct pt_test pt_preempt;
extern const struct pt_test pt_shuffle;
extern const struct pt_test pt_signal;
extern const struct pt_test pt_sleep;
extern const struct pt_test pt_switch;
extern const struct pt_test pt_sync1;
extern const struct pt_test pt_sync2;
extern const struct pt_test pt_sync3;
extern const struct pt_test pt_syscall;
extern const struct pt_test pt_thread;
extern const struct pt_test pt_timer;
extern const struct pt_test pt_trap;
extern const struct pt_test pt_unix;
extern const struct pt_test pt_work;
extern const struct pt_test pt_yield;

#endif /* PT_ROWS_H */
