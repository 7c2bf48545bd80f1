/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --steps and --trltp-log: what is kept of a step, and how it is printed */
#ifndef __TW_TRLTP_H
#define __TW_TRLTP_H

#define TRLTP_METRICS	6
#define TRLTP_STEPS	1025	/* at most */

struct trltp_stats {
	unsigned long count;
	double min, avg, max, std;
};

/* After each step, in the unit that is printed, for the table */
void trltp_keep(int step, const struct trltp_stats *response,
		const struct trltp_stats *total);
void trltp_table(void);

/* A client counts each value; the log of the reference program, in us */
void trltp_count(int metric, int64_t ns);
void trltp_log(FILE *f, int step, int metric, const struct trltp_stats *us);

#endif	/* __TW_TRLTP_H */
