// SPDX-License-Identifier: GPL-2.0-or-later
#include "tw_part.h"

/* Rounded up, so that each part's memory is aligned. */
static size_t room_of(const struct tw_part *part, const struct tw_run *run)
{
	return part->room ? (part->room(run) + 63) / 64 * 64 : 0;
}

size_t tw_part_rooms(const struct tw_run *run)
{
	size_t size = 0;
	int i;

	for (i = 0; tw_parts[i]; i++)
		size += room_of(tw_parts[i], run);
	return size;
}

void *tw_part_room(const void *rooms, const struct tw_run *run,
		    const struct tw_part *part)
{
	size_t at = 0;
	int i;

	for (i = 0; tw_parts[i] != part; i++)
		at += room_of(tw_parts[i], run);
	return room_of(part, run) ? (char *)rooms + at : NULL;
}

void tw_part_attach(void *rooms, const struct tw_run *run, int owner)
{
	int i;

	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->attach && room_of(tw_parts[i], run))
			tw_parts[i]->attach(tw_part_room(rooms, run,
							  tw_parts[i]), owner);
}
