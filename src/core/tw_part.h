/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part is a feature: its options, and what it does in a run. It has files of
 * its own, a declaration below, and a row in tw_parts. All members may be NULL.
 * main calls all but record(), in the order of the table, end() and write() in
 * the reverse order. What fails before the start ends the program, and so all
 * children; what fails later sets tw_run.failed, after a message.
 */
#ifndef TW_PART_H
#define TW_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tw_member.h"
#include "tw_option.h"
#include "tw_run.h"
#include "tw_say.h"

struct tw_part {
	const struct tw_option *options;	/* the last has no name */
	enum tw_option_group group;
	/* All options are read: completes them, refuses contradictions. */
	void (*check)(struct tw_run *run);
	/* The checks of all parts are done, and so all defaults are known. */
	void (*checked)(struct tw_run *run);
	/* Called once in a step; a run without a ramp has one step. */
	void (*begin)(struct tw_run *run);	/* before clients and servers */
	void (*woken)(struct tw_run *run);	/* see tw_run.tick_ms */
	void (*end)(struct tw_run *run);
	/*
	 * Memory that a client shares with main, zeroed: its size for each
	 * pair, and how to fill it in. tw_pair_room() finds it. For a part that
	 * wants some, the client calls record() for each measured cycle, after
	 * t3, with the values of all metrics; true ends the step of all pairs.
	 * Before end(), main calls it for a cycle that the run's end has cut
	 * short, if that counts, see tw_cut.h: with TW_NO_VALUE for what is not
	 * known of it. A part that needs all values is whole.
	 */
	size_t (*room)(const struct tw_run *run);
	void (*attach)(void *room, int pair);
	bool (*record)(void *room, const struct tw_cycle *cycle,
		       const int64_t values_ns[]);
	bool whole;
	/*
	 * In place of record(), for a cycle whose reply was lost; or, without
	 * t0, in which the clock was set.
	 */
	void (*lose)(void *room, const struct tw_cycle *cycle);
	bool (*exceeded)(const struct tw_run *run);	/* exit status 2 */
	/*
	 * text() prints results at the end, remark() below all of them what
	 * may have disturbed the run.
	 */
	void (*text)(FILE *file, const struct tw_run *run);
	void (*remark)(FILE *file, const struct tw_run *run);
	bool tells_end;	/* other files have these lines, too: see tw_file_end() */
	/*
	 * Its members of the JSON: of "twoway", whose object is the run; of
	 * "thread", "twoway.pairs" and "thread.phases": of a struct tw_spot;
	 * of "twoway.breaks"; of "twoway.limits": of an int, the number of
	 * the result.
	 */
	const struct tw_member *members[TW_MEMBERS_OF];
	/* The results are complete; @status: of the program. */
	int (*write)(const struct tw_run *run, int status);	/* -errno */
};

/*
 * The program: what --help says it does, the groups of its options in the order
 * of the man page, its member of the JSON, and its parts, of which the last is
 * NULL.
 */
extern const char tw_program_name[], tw_program_about[], tw_program_member[];
extern const char tw_program_words[];	/* behind the options; "": none */
extern const struct tw_program_group {
	enum tw_option_group group;
	const char *heading;	/* NULL: the last */
} tw_program_groups[];
extern const struct tw_part *const tw_parts[];

/* Calls this function of all parts that have it; in the reverse order. */
#define TW_PARTS(call, ...) \
	for (const struct tw_part *const *of = tw_parts; *of; of++) \
		if ((*of)->call) \
			(*of)->call(__VA_ARGS__)
#define TW_PARTS_BACK(call, ...) \
	for (int i = tw_parts_count(); i--;) \
		if (tw_parts[i]->call) \
			tw_parts[i]->call(__VA_ARGS__)

static inline int tw_parts_count(void)
{
	int count = 0;

	while (tw_parts[count])
		count++;
	return count;
}

extern const struct tw_part tw_part_serve;
extern const struct tw_part tw_part_far;
extern const struct tw_part tw_part_connect;
extern const struct tw_part tw_part_peer;
extern const struct tw_part tw_part_oneway;
extern const struct tw_part tw_part_config;
extern const struct tw_part tw_part_place;
extern const struct tw_part tw_part_wait;
extern const struct tw_part tw_part_deadline;
extern const struct tw_part tw_part_text;
extern const struct tw_part tw_part_display;
extern const struct tw_part tw_part_help;
extern const struct tw_part tw_part_idle;
extern const struct tw_part tw_part_histogram;
extern const struct tw_part tw_part_blocks;
extern const struct tw_part tw_part_percentiles;
extern const struct tw_part tw_part_kept;
extern const struct tw_part tw_part_worst;
extern const struct tw_part tw_part_limit;
extern const struct tw_part tw_part_dump;
extern const struct tw_part tw_part_timeline;
extern const struct tw_part tw_part_json;
extern const struct tw_part tw_part_members;
extern const struct tw_part tw_part_cut;
extern const struct tw_part tw_part_columns;
extern const struct tw_part tw_part_break;
extern const struct tw_part tw_part_trace;
extern const struct tw_part tw_part_breaks;
extern const struct tw_part tw_part_verbose;
extern const struct tw_part tw_part_runtime;
extern const struct tw_part tw_part_load;
extern const struct tw_part tw_part_throttle;
extern const struct tw_part tw_part_suspend;
extern const struct tw_part tw_part_ramp;
extern const struct tw_part tw_part_trltp;
extern const struct tw_part tw_part_clock;
extern const struct tw_part tw_part_reflect;
extern const struct tw_part tw_part_transport;
extern const struct tw_part tw_part_gone;
extern const struct tw_part tw_part_servers;
extern const struct tw_part tw_part_stamps;
extern const struct tw_part tw_part_check;
extern const struct tw_part tw_part_others;
extern const struct tw_part tw_part_quota;

/*
 * The memory of the parts, for a pair or, in primitivetest, a row: its size in
 * bytes; zeroed, and on a boundary of 64, the parts fill it in; that of a part,
 * NULL: it has none. Called by main.
 */
size_t tw_part_rooms(const struct tw_run *run);
void tw_part_attach(void *rooms, const struct tw_run *run, int owner);
void *tw_part_room(const void *rooms, const struct tw_run *run,
		   const struct tw_part *part);

#endif /* TW_PART_H */
