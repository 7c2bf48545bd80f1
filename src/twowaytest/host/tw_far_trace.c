// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cause/tw_trace_text.h"
#include "host/tw_far_trace.h"
#include "host/tw_listen.h"

/* Settings are reset for each run: these are not among them. */
static struct tw_far_trace traces[TW_SESSIONS_MAX];
static int made;

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_trace(struct tw_far_trace *trace)
{
	close_fd(&trace->pipe_fd);
	close_fd(&trace->mask_fd);
	tw_trace_close_fds(&trace->fds);
	tw_trace_close(&trace->own);
}

/* An own instance, of which nobody has the name but who can read tracefs. */
static int open_trace(struct tw_far_trace *trace, const char *events,
		      const cpu_set_t *cpus, char *why)
{
	int err;

	memset(trace, 0, sizeof(*trace));
	trace->fds = (struct tw_trace_fds) { -1, -1 };
	trace->mask_fd = -1;
	trace->pipe_fd = -1;
	err = tw_trace_open_own(&trace->own, &trace->fds, events, cpus, why);
	if (err)
		return err;
	tw_far_trace_stop(trace);
	trace->pipe_fd = tw_trace_open_file(trace->own.dir, "trace_pipe",
					    O_RDONLY | O_NONBLOCK, why);
	if (trace->pipe_fd >= 0)
		trace->mask_fd = tw_trace_open_file(trace->own.dir,
						    "tracing_cpumask",
						    O_WRONLY, why);
	if (trace->pipe_fd >= 0 && trace->mask_fd >= 0)
		return 0;
	err = trace->pipe_fd < 0 ? trace->pipe_fd : trace->mask_fd;
	close_trace(trace);
	return err;
}

int tw_far_traces_open(int count, const char *events, const cpu_set_t *cpus,
		       char why[TW_TRACE_WHY])
{
	int err = 0;

	for (made = 0; !err && made < count; made += !err)
		err = open_trace(&traces[made], events, cpus, why);
	if (err)
		tw_far_traces_close();
	return err;
}

void tw_far_traces_close(void)
{
	while (made)
		close_trace(&traces[--made]);
}

struct tw_far_trace *tw_far_trace_of(int place)
{
	return place < made ? &traces[place] : NULL;
}

void tw_far_trace_fds(const struct tw_far_trace *trace,
		      int fds[TW_FAR_TRACE_FDS])
{
	fds[0] = trace->fds.mark;
	fds[1] = trace->fds.stop;
	fds[2] = trace->pipe_fd;
	fds[3] = trace->mask_fd;
}

static int write_text(int fd, const char *text)
{
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

void tw_far_trace_stop(const struct tw_far_trace *trace)
{
	write_text(trace->fds.stop, "0");
}

void tw_far_trace_empty(const struct tw_far_trace *trace)
{
	char buf[1 << 14];

	tw_far_trace_stop(trace);
	while (read(trace->pipe_fd, buf, sizeof(buf)) > 0)
		;
}

int tw_far_trace_start(const struct tw_far_trace *trace,
		       const cpu_set_t *cpus)
{
	char mask[TW_TRACE_MASK];
	int err;

	tw_trace_mask(mask, cpus);
	err = write_text(trace->mask_fd, mask);
	return err ? err : write_text(trace->fds.stop, "1");
}

struct source {
	int fd;
	size_t left;
};

/* Nothing more is in it: that is the end of the file. */
static ssize_t read_pipe(void *cookie, char *buf, size_t size)
{
	struct source *source = cookie;
	ssize_t len;

	if (!source->left)
		return 0;
	len = read(source->fd, buf, size);
	if (len < 0)
		return errno == EAGAIN ? 0 : -1;
	source->left -= (size_t)len < source->left ? (size_t)len :
						     source->left;
	return len;
}

int tw_far_trace_read(const struct tw_far_trace *trace, size_t most,
		      int64_t from_ns, char **text, size_t *cut)
{
	static const cookie_io_functions_t functions = { .read = read_pipe };
	struct source source = { .fd = trace->pipe_fd, .left = most };
	FILE *file = fopencookie(&source, "r", functions);
	int err;

	if (!file)
		return -ENOMEM;
	setvbuf(file, NULL, _IOFBF, 1 << 16);
	err = tw_trace_filter(file, from_ns, TW_FAR_TRACE_KEPT, text, cut);
	fclose(file);
	return err;
}
