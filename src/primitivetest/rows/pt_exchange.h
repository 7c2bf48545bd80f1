/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A task asks, and leads; another answers. Tests and kinds differ in the way
 * that request and answer take.
 */
#ifndef PT_EXCHANGE_H
#define PT_EXCHANGE_H

#include "pt_channel.h"

#define PT_SIZE_MAX	65536	/* bytes of a message; see --size */

enum { PT_ASKS, PT_ANSWERS };	/* the numbers of the two tasks */

/* The room of these tests. */
struct pt_exchange {
	struct pt_channel channel[2];	/* there, and back */
	int to[2], from[2];	/* descriptors of each side */
	sem_t go, done;
	struct pt_side {
		int64_t sent, received;
		int64_t wrong;	/* received, with other content than sent */
		int value;	/* of a signal */
		int signal_fd;
		unsigned char buffer[PT_SIZE_MAX];
	} side[2];
	int64_t standard;	/* signal.queue: SIGUSR1 that arrived... */
	int64_t taken_ns;	/* ...and when the last one was taken */
};

/* Of a kind, or of a test. All return 0 or -errno. */
struct pt_way {
	/* Called by each task first; NULL: there is nothing to do. */
	int (*enter)(struct pt_task *task);
	/* Prepares a content that @number tells; NULL: there is none. */
	void (*fill)(struct pt_task *task, uint64_t number);
	int (*give)(struct pt_task *task);
	/* Also stores the timestamp of the arrival. */
	int (*take)(struct pt_task *task, int64_t *at_ns);
	/* Whether the content is that of @number. */
	bool (*is_filled)(struct pt_task *task, uint64_t number);
};

static inline struct pt_side *pt_side(const struct pt_task *task)
{
	struct pt_exchange *room = task->in->room;

	return &room->side[task->number];
}

/* These count. */
int pt_exchange_give(struct pt_task *task);
int pt_exchange_take(struct pt_task *task, int64_t *at_ns);

/* The answering loop: @serve is called for each request, until pt_over(). */
int pt_answer(struct pt_task *task, int (*take)(struct pt_task *task),
	     int (*serve)(struct pt_task *task));

/* out, back, roundtrip; the two tasks; whether all arrived as it was sent. */
extern const struct pt_metric pt_exchange_metrics[];
extern const struct pt_role pt_exchange_roles[];
void pt_exchange_verify(struct pt_case *c);

/*
 * A message is its number, of as many bytes of 8 as fit, and then a pattern
 * that follows from its size.
 */
void pt_content_fill(unsigned char *message, size_t size, uint64_t number);
bool pt_content_is(const unsigned char *message, size_t size, uint64_t number);
/* The same of the number only, for messages that were filled before. */
void pt_content_count(unsigned char *message, size_t size, uint64_t number);
bool pt_content_is_counted(const unsigned char *message, size_t size,
			   uint64_t number);

/* fill() and is_filled() of messages whose size is the kind's value. */
void pt_message_fill(struct pt_task *task, uint64_t number);
bool pt_message_is_filled(struct pt_task *task, uint64_t number);

#endif /* PT_EXCHANGE_H */
