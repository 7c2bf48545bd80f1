/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --schema: what the rows of members say, as a JSON Schema. Called by main. */
#ifndef TW_SCHEMA_H
#define TW_SCHEMA_H

#include "tw_member.h"

void tw_schema_print(void);

/*
 * A depth of describe(): only the names are listed, of members that are not
 * optional.
 */
#define TW_SCHEMA_NAMES	(-1)

/* For describe(): a member of the object that is printed. */
void tw_schema_member(const char *name, const struct tw_member *row, int depth);

/* The describe() of the settings. */
void tw_schema_settings(int depth);

#endif /* TW_SCHEMA_H */
