// SPDX-License-Identifier: GPL-2.0-or-later
/* The results of --stamps as text and JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "base/tw_json.h"
#include "run/tw_part_stamps.h"
#include "run/tw_session.h"

static const char *const sides[] = { NULL, "client", "server" };

/* @side: of the object in JSON; 0: none. */
static const struct {
	enum tw_stamped_id id;
	const char *text;
	int side;
	const char *name;
} rows[] = {
	{ TW_CLIENT_APP_OUT, "client app_out", 1, "app_out" },
	{ TW_CLIENT_STACK_OUT, "client stack_out", 1, "stack_out" },
	{ TW_CLIENT_WAKE_IN, "client wake_in", 1, "wake_in" },
	{ TW_SERVER_APP_OUT, "server app_out", 2, "app_out" },
	{ TW_SERVER_STACK_OUT, "server stack_out", 2, "stack_out" },
	{ TW_SERVER_WAKE_IN, "server wake_in", 2, "wake_in" },
	{ TW_CLIENT_STACK, "client_stack", 0, "client_stack" },
	{ TW_WIRE, "wire", 0, "wire" },
	{ TW_SERVER_STACK, "server_stack", 0, "server_stack" },
	{ TW_STAMPED_NETWORK, "network", 0, "network" },
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

static const char *const stamp_names[TW_STAMPS] = {
	[TW_CLIENT_SCHED] = "client_sched", [TW_CLIENT_SND] = "client_snd",
	[TW_CLIENT_RX] = "client_rx", [TW_SERVER_RX] = "server_rx",
	[TW_SERVER_SCHED] = "server_sched", [TW_SERVER_SND] = "server_snd",
};

static double average(const struct tw_stamped_row *row)
{
	return row->count ? (double)row->sum_ns / (double)row->count : 0;
}

/* Shorter than a microsecond, most of them. */
static void print_row(FILE *file, const struct tw_run *run, const char *name,
		      const struct tw_stamped_row *row)
{
	const int digits = run->show->nsecs ? 0 : 3;
	const bool nsecs = run->show->nsecs;

	if (row->count)
		fprintf(file, "# %-18s %11.*f %11.*f %11.*f\n", name,
			digits, tw_real(nsecs, (double)row->min_ns),
			digits, tw_real(nsecs, average(row)),
			digits, tw_real(nsecs, (double)row->max_ns));
}

/* Cycles whose stamps of the server never came: the last one of each step. */
static uint64_t unfinished(const struct tw_stamped_sum *sum, uint64_t cycles)
{
	uint64_t known = sum->cycles + sum->left_out;

	return cycles > known ? cycles - known : 0;
}

static void print_missing(FILE *file, const struct tw_stamped_sum *sum)
{
	const char *before = "# Stamps missing: ";
	int id;

	for (id = 0; id < TW_STAMPS; id++) {
		if (!sum->missing[id])
			continue;
		fprintf(file, "%s%s %" PRIu64, before, stamp_names[id],
			sum->missing[id]);
		before = ", ";
	}
	if (sum->left_out)
		fprintf(file, "\n");
}

static void print_sum(FILE *file, const struct tw_run *run,
		      const struct tw_stamped_sum *sum, uint64_t cycles)
{
	size_t i;

	fprintf(file, "%" PRIu64 " of %" PRIu64 " cycles, %" PRIu64 " left out, %" PRIu64 " unfinished\n",
		sum->cycles, cycles, sum->left_out, unfinished(sum, cycles));
	print_missing(file, sum);
	fprintf(file, "# %-18s %11s %11s %11s\n",
		run->show->nsecs ? "in ns" : "in us", "min", "avg", "max");
	for (i = 0; i < ROWS; i++)
		print_row(file, run, rows[i].text, &sum->part[rows[i].id]);
	print_row(file, run, "client_work", &sum->work);
}

void tw_stamps_print(FILE *file, const struct tw_run *run,
		     const struct tw_stamps_about *about)
{
	const char *unit = run->show->nsecs ? "ns" : "us";
	const int digits = run->show->nsecs ? 0 : 3;
	const struct tw_session *session = tw_session(run);
	struct tw_stamped_sum sum;
	const struct tw_pair *pair;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		if (!pair->stamps)
			return;
		sum = tw_stamped_read(pair->stamps);
		fprintf(file, session->pairs->count > 1 ?
			"# Stamps of pair %u: " : "# Stamps: ", k);
		print_sum(file, run, &sum, pair->tally->cycles);
	}
	if (!k)
		return;
	fprintf(file, "# Stamps: system calls that they add to a cycle: client %d, server %d\n",
		about->calls_more, about->calls_more);
	if (about->without.count && about->with.count)
		fprintf(file, "# Stamps: a message there and one back, in one process, take at least %.*f %s without them, and %.*f %s with them\n",
			digits, tw_real(run->show->nsecs,
					(double)about->without.min_ns), unit,
			digits, tw_real(run->show->nsecs,
					(double)about->with.min_ns), unit);
}

static void json_row(struct tw_json *json, const char *name,
		     const struct tw_stamped_row *row)
{
	if (!row->count) {
		tw_json_null(json, name);
		return;
	}
	tw_json_begin_line(json, name, '{');
	tw_json_uint(json, "count", row->count);
	tw_json_int(json, "min_ns", row->min_ns);
	tw_json_real(json, "avg_ns", average(row), 1);
	tw_json_int(json, "max_ns", row->max_ns);
	tw_json_end(json);
}

static void json_sum(struct tw_json *json, const struct tw_stamped_sum *sum,
		     uint64_t cycles)
{
	size_t i;
	int id, side = 0;

	tw_json_uint(json, "cycles", sum->cycles);
	tw_json_uint(json, "left_out", sum->left_out);
	tw_json_uint(json, "unfinished", unfinished(sum, cycles));
	tw_json_begin_line(json, "missing", '{');
	for (id = 0; id < TW_STAMPS; id++)
		tw_json_uint(json, stamp_names[id], sum->missing[id]);
	tw_json_end(json);
	for (i = 0; i < ROWS; i++) {
		if (side && side != rows[i].side)
			tw_json_end(json);
		if (rows[i].side && side != rows[i].side)
			tw_json_begin(json, sides[rows[i].side], '{');
		side = rows[i].side;
		json_row(json, rows[i].name, &sum->part[rows[i].id]);
	}
	json_row(json, "client_work", &sum->work);
}

void tw_stamps_json(struct tw_json *json, const struct tw_run *run,
		    const struct tw_stamps_about *about)
{
	const struct tw_session *session = tw_session(run);
	struct tw_stamped_sum all = { 0 }, sum;
	const struct tw_pair *pair;
	uint64_t cycles = 0;
	unsigned int k;

	if (!about || !tw_session_pair(session, 0)) {
		tw_json_null(json, "stamps");
		return;
	}
	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		sum = tw_stamped_read(pair->stamps);
		tw_stamped_add(&all, &sum);
		cycles += pair->tally->cycles;
	}
	tw_json_begin(json, "stamps", '{');
	tw_json_text(json, "mode", about->mode);
	tw_json_begin_line(json, "calls_more", '{');
	tw_json_int(json, "client", about->calls_more);
	tw_json_int(json, "server", about->calls_more);
	tw_json_end(json);
	tw_json_begin(json, "exchange", '{');
	json_row(json, "without", &about->without);
	json_row(json, "with", &about->with);
	tw_json_end(json);
	json_sum(json, &all, cycles);
	tw_json_begin(json, "pairs", '[');
	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		sum = tw_stamped_read(pair->stamps);
		tw_json_begin(json, NULL, '{');
		tw_json_uint(json, "pair", k);
		json_sum(json, &sum, pair->tally->cycles);
		tw_json_end(json);
	}
	tw_json_end(json);
	tw_json_end(json);
}
