/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the session adds to the text and to the JSON: see struct tw_part. */
#ifndef TW_SESSION_TEXT_H
#define TW_SESSION_TEXT_H

#include <stdio.h>

#include "run/tw_place.h"

struct tw_json;
struct tw_pair;
struct tw_run;

void tw_session_remarks(FILE *file, const struct tw_run *run);
void tw_session_json(struct tw_json *json, const struct tw_run *run);
void tw_session_json_settings(struct tw_json *json, const struct tw_run *run);

/* A process of a pair: "server" or "client". */
void tw_session_json_side(struct tw_json *json, const struct tw_pair *pair,
			  enum tw_role role);

#endif /* TW_SESSION_TEXT_H */
