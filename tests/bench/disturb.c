// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A neighbour of the load: follows pointers through more memory than the
 * second-level cache holds, for a while, and prints how many ns a step takes.
 * usage: bench_disturb CPU MILLISECONDS
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "tw_time.h"

#define LINE	64
#define LINES	((size_t)8 * 1024 * 1024 / LINE)
#define BATCH	100000

struct line {
	struct line *next;
	char rest[LINE - sizeof(struct line *)];
};

/* One cycle through all lines, in an order that no prefetcher foresees. */
static struct line *new_chain(void)
{
	struct line *lines = aligned_alloc(LINE, LINES * sizeof(*lines));
	size_t *order = malloc(LINES * sizeof(*order));
	size_t i, j, swap;

	if (!lines || !order)
		exit(1);
	for (i = 0; i < LINES; i++)
		order[i] = i;
	for (i = LINES - 1; i > 0; i--) {
		j = (size_t)lrand48() % (i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (i = 0; i < LINES; i++)
		lines[order[i]].next = &lines[order[(i + 1) % LINES]];
	free(order);
	return lines;
}

int main(int argc, char *argv[])
{
	struct line *at = new_chain();
	int64_t begin_ns, end_ns;
	long long steps = 0;
	cpu_set_t cpus;
	int i;

	if (argc != 3)
		return 1;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	do {
		for (i = 0; i < BATCH; i++)
			at = at->next;
		steps += BATCH;
		end_ns = tw_now_ns(CLOCK_MONOTONIC);
	} while (end_ns - begin_ns < atoll(argv[2]) * TW_NS_PER_MS);
	/* Used, or the compiler would see that nobody needs the way there. */
	printf("%.2f%s\n", (double)(end_ns - begin_ns) / (double)steps,
	       at ? "" : " ");
	return 0;
}
