/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POSIX message queues of two tasks, and messages whose content tells whether
 * any was lost, cut or changed.
 */
#ifndef PT_QUEUE_H
#define PT_QUEUE_H

#include <mqueue.h>

#include "core/pt_case.h"

#define PT_QUEUE_DEPTH	10
#define PT_QUEUE_SIZE	65536	/* the largest message */

/* A task has its own buffer, and its own counts. */
struct pt_queue_side {
	int64_t sent, received;
	int64_t wrong;		/* received, with other content than sent */
	unsigned char buffer[PT_QUEUE_SIZE];
};

/* The room of a test. */
struct pt_queue {
	mqd_t out, back;
	sem_t done;
	struct pt_queue_side asks, answers;
};

/* The sizes: the kinds of the tests of queues. */
extern const struct pt_kind pt_queue_kinds[];

/* open(), close() and verify() of the tests. */
int pt_queue_open(struct pt_case *c);
void pt_queue_close(struct pt_case *c);
void pt_queue_verify(struct pt_case *c);

static inline size_t pt_queue_size(const struct pt_case *c)
{
	return (size_t)pt_kind_value(c);
}

/*
 * A message is its number, of as many bytes of 8 as fit, and then a pattern
 * that follows from its size.
 */
void pt_queue_fill(unsigned char *message, size_t size, uint64_t number);
bool pt_queue_is_filled(const unsigned char *message, size_t size,
			uint64_t number);

/* The same of the number only, for messages that were filled before. */
void pt_queue_count(unsigned char *message, size_t size, uint64_t number);
bool pt_queue_is_counted(const unsigned char *message, size_t size,
			 uint64_t number);

/* These count. Return 0 or -errno; -EMSGSIZE: not @size were received. */
int pt_queue_send(struct pt_task *task, mqd_t queue,
		  struct pt_queue_side *side);
int pt_queue_receive(struct pt_task *task, mqd_t queue,
		     struct pt_queue_side *side);

#endif /* PT_QUEUE_H */
