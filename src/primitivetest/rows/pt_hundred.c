// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync1, syscall, alloc: a hundred operations between two timestamps. sync1: a
 * task posts and waits for its own semaphore, or locks and unlocks a mutex: for
 * some kinds, Linux needs no system call for this; sysv, eventfd and futex do
 * enter the kernel. syscall: system calls that do little. alloc: 128 bytes are
 * allocated and freed, a hundred times; or a hundred times allocated, then
 * freed: the first takes the same block again from the thread's cache, the
 * second needs more than that holds.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pt_exchange.h"
#include "pt_rows.h"

#define TIMES	100
#define BYTES	128

struct room {
	struct pt_channel channel;
	/* As they are kept here, the compiler cannot do without them. */
	unsigned char *block[TIMES];
};

/* A kind. */
struct hundred {
	/* The sum of the results, the same each time; or -errno. */
	int64_t (*all)(struct room *room);
	const struct pt_way *way;	/* its channel is opened; or NULL */
	const char *path;		/* likewise */
};

/* With the call in its loop: one through a pointer would take longer. */
#define ALL(name, call) \
	static int64_t all_##name(struct room *room) \
	{ \
		int64_t result = 0, sum = 0; \
		int i; \
		for (i = 0; i < TIMES && result >= 0; i++) { \
			result = (call); \
			sum += result; \
		} \
		return result < 0 ? -(errno ? errno : EIO) : sum; \
	}

static uint64_t one = 1;
static struct sembuf up = { .sem_op = 1 }, down = { .sem_op = -1 };
static struct stat status;
static char byte;

ALL(semaphore, sem_post(room->channel.sem) ? -1 : sem_wait(room->channel.sem))
ALL(mutex, pthread_mutex_lock(&room->channel.mutex) ||
    pthread_mutex_unlock(&room->channel.mutex) ? -1 : 0)
ALL(sysv, semop(room->channel.fd[0], &up, 1) ? -1 :
    semop(room->channel.fd[0], &down, 1))
ALL(eventfd, write(room->channel.fd[1], &one, sizeof(one)) != sizeof(one) ||
    read(room->channel.fd[0], &one, sizeof(one)) != sizeof(one) ? -1 : 0)
/* Nobody waits, so that none is woken; and a wait for another value. */
ALL(futex, pt_futex(&room->channel, FUTEX_WAKE, 1) ||
    pt_futex(&room->channel, FUTEX_WAIT, 1) != -1 || errno != EAGAIN ? -1 : 0)
ALL(getppid, syscall(SYS_getppid))
ALL(read, read(room->channel.fd[0], &byte, 1) == 1 ? byte : -1)
ALL(write, write(room->channel.fd[0], &byte, 1) == 1 ? 1 : -1)
ALL(fstat, fstat(room->channel.fd[0], &status) ? -1 : (int64_t)status.st_mode)

static int open_null(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	return fd < 0 || close(fd) ? -1 : fd;
}

ALL(open, open_null())

static int allocate(struct room *room, int i)
{
	unsigned char *block = room->block[i] = malloc(BYTES);

	if (!block)
		return -1;
	block[0] = (unsigned char)i;
	block[BYTES - 1] = 1;
	return 0;
}

static int64_t release(struct room *room, int i)
{
	const unsigned char *block = room->block[i];
	int64_t sum = block[0] + block[BYTES - 1];

	free(room->block[i]);
	return sum;
}

ALL(single, allocate(room, i) ? -1 : release(room, i))
ALL(allocated, allocate(room, i))
ALL(released, release(room, i))

static int64_t all_batch(struct room *room)
{
	int64_t err = all_allocated(room);

	return err ? err : all_released(room);
}

static int once(struct pt_task *task)
{
	const struct hundred *hundred = pt_kind_ops(task->in);
	int64_t sum;

	pt_stamp(task, 0);
	sum = hundred->all(pt_room(task));
	pt_stamp(task, 1);
	return sum < 0 ? (int)sum : pt_check_sum(task, (uint64_t)sum);
}

static int open_room(struct pt_case *c)
{
	const struct hundred *hundred = pt_kind_ops(c);
	struct room *room = c->room;

	if (hundred->way)
		return hundred->way->open(c, &room->channel);
	if (!hundred->path)
		return 0;
	room->channel.fd[0] = open(hundred->path, O_RDWR | O_CLOEXEC);
	return room->channel.fd[0] < 0 ? pt_refuse(c, -errno, "%s: %s", hundred->path,
					strerror(errno)) : 0;
}

#define OF(function, ...) \
	.ops = &(const struct hundred) { .all = all_##function, __VA_ARGS__ }

#define HUNDRED(what, label, unit) \
	.flags = PT_ALONE, .once = once, .room = sizeof(struct room), \
	.metrics = PT_TABLE(metric, \
		PT_METRIC(what, label, 0, 1, PT_RUNS, .per = TIMES, \
			  .rate = unit)), \
	.open = open_room

PT_TEST(sync1, "post and wait, or lock and unlock, within one task; 100 times",
	HUNDRED("pair", "Post and wait, or lock and unlock", "pairs"),
	.groups = PT_AEGIS | PT_SAMPLES, .trials = 10000,
	.kinds = PT_TABLE(kind,
		{ "unnamed", OF(semaphore, .way = &pt_way_unnamed),
		  .words = "semaphore" },
		{ "named", OF(semaphore, .way = &pt_way_named),
		  .words = "named semaphore" },
		{ "mutex", OF(mutex, .way = &pt_way_cond), .words = "mutex" },
		{ "sysv", OF(sysv, .way = &pt_way_sysv),
		  .words = "System V semaphore" },
		{ "eventfd", OF(eventfd, .way = &pt_way_eventfd),
		  .words = "eventfd" },
		{ "futex", OF(futex, .way = &pt_way_futex),
		  .words = "futex" }),
	.close = pt_way_close);
PT_TEST(syscall, "a system call that does little; open: and close",
	HUNDRED("call", "A system call, of 100", "calls"), .trials = 1000,
	.kinds = PT_TABLE(kind,
		{ "getppid", OF(getppid) },
		{ "read", OF(read, .path = "/dev/zero") },
		{ "write", OF(write, .path = "/dev/null") },
		{ "fstat", OF(fstat, .path = "/dev/null") },
		{ "open", OF(open) }));	/* and close: two calls */
PT_TEST(alloc, "128 bytes allocated and freed; 100 times",
	HUNDRED("pair", "Allocation and release of 128 bytes", "pairs"),
	.trials = 10000,
	.kinds = PT_TABLE(kind,
		{ "single", OF(single) }, { "batch", OF(batch) }));
