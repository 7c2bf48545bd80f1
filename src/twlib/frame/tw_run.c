// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/tw_system.h"
#include "frame/tw_run.h"

int tw_fail(struct tw_run *run, int err, const char *format, ...)
{
	va_list args;

	if (run->err)
		return err;
	run->err = err;
	va_start(args, format);
	vsnprintf(run->error, sizeof(run->error), format, args);
	va_end(args);
	return err;
}

void tw_run_tick_at(struct tw_run *run, int ms)
{
	if (!run->tick_ms || ms < run->tick_ms)
		run->tick_ms = ms;
}

static int count_parts(const struct tw_run *run)
{
	int count = 0;

	while (run->parts[count])
		count++;
	return count;
}

int tw_run_open(struct tw_run *run)
{
	int i, err = 0;

	for (i = 0; !err && run->parts[i]; i++)
		if (run->parts[i]->open)
			err = run->parts[i]->open(run);
	return err;
}

/* Of the first @count parts. */
static void end_parts(struct tw_run *run, int count)
{
	while (count--)
		if (run->parts[count]->end)
			run->parts[count]->end(run);
}

static int run_step(struct tw_run *run)
{
	int i, err = 0;

	for (i = 0; run->parts[i]; i++) {
		if (run->parts[i]->begin)
			err = run->parts[i]->begin(run);
		if (err)
			break;
	}
	if (!err)
		err = run->program->run(run);
	end_parts(run, i);
	return err ? err : run->err;
}

int tw_run_steps(struct tw_run *run)
{
	int err = 0;

	for (run->step = 0; run->step < run->steps; run->step++) {
		err = run_step(run);
		if (err || run->over)
			return err;
	}
	run->step--;	/* the last one */
	return err;
}

int tw_run_tick(struct tw_run *run)
{
	int i, err = 0;

	for (i = 0; !err && run->parts[i]; i++)
		if (run->parts[i]->tick)
			err = run->parts[i]->tick(run);
	return err;
}

int tw_run_woken(struct tw_run *run)
{
	int i, err = 0;

	for (i = 0; !err && run->parts[i]; i++)
		if (run->parts[i]->woken)
			err = run->parts[i]->woken(run);
	return err;
}

void tw_run_finish(struct tw_run *run)
{
	int i;

	for (i = 0; run->parts[i]; i++)
		if (run->parts[i]->finish)
			run->parts[i]->finish(run);
}

void tw_run_close(struct tw_run *run)
{
	int i = count_parts(run);

	while (i--)
		if (run->parts[i]->close)
			run->parts[i]->close(run);
}

bool tw_run_exceeded(const struct tw_run *run)
{
	int i;

	for (i = 0; run->parts[i]; i++)
		if (run->parts[i]->exceeded && run->parts[i]->exceeded(run))
			return true;
	return false;
}

/* Rounded up: what a part writes is not in another part's cache line. */
static size_t room_of(const struct tw_part *part, const struct tw_run *run)
{
	return part->room ? tw_size_in_lines(part->room(run)) : 0;
}

size_t tw_run_room(const struct tw_run *run)
{
	size_t size = 0;
	int i;

	for (i = 0; run->parts[i]; i++)
		size = tw_size_add(size, room_of(run->parts[i], run));
	return size;
}

void tw_run_attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	char *at = memory;
	int i;

	for (i = 0; run->parts[i]; i++) {
		if (run->parts[i]->attach)
			run->parts[i]->attach(run, pair, at);
		at += room_of(run->parts[i], run);
	}
}

void tw_run_merge(const struct tw_run *run, struct tw_pair *sum,
		  const struct tw_pair *pair)
{
	int i;

	for (i = 0; run->parts[i]; i++)
		if (run->parts[i]->merge)
			run->parts[i]->merge(sum, pair);
}
