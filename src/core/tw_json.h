/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --json writes. Called by main. */
#ifndef TW_JSON_H
#define TW_JSON_H

#include "tw_member.h"
#include "tw_run.h"

bool tw_json_is_wanted(void);

/* All of it; and if nothing was measured. Returns 0 or -errno. */
int tw_json_write(const struct tw_run *run, int status);
int tw_json_write_checked(const struct tw_run *run, int status);

/* The member of the program alone, as a line or several. */
void tw_json_own(FILE *file, const struct tw_run *run);

/* All that there is; and what other programs add to that. */
extern const struct tw_member tw_json_root, tw_json_added[];

/* What is written if nothing was measured, too: by --check. */
extern const struct tw_member tw_json_checked[];

/* A process of a run, from its begin to its end. */
struct tw_side {
	struct tw_process process;
	struct tw_process begun, left;
	struct tw_usage usage;
};

/* What the schema says of a column, besides. */
extern const char tw_json_column[];
#define TW_JSON_COLUMN 	"'dependentRequired': { 'histogram': [ 'overflows' ], 'overflows': [ 'histogram' ] }"

extern const struct tw_member tw_process_members[], tw_side_members[];

#endif /* TW_JSON_H */
