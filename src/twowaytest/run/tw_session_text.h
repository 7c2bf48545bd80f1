/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the session adds to the text and to the JSON: see struct tw_part. */
#ifndef TW_SESSION_TEXT_H
#define TW_SESSION_TEXT_H

#include <stdio.h>

#include "run/tw_place.h"

struct tw_json;
struct tw_pair;
struct tw_run;
struct tw_session;

void tw_session_remarks(FILE *file, const struct tw_run *run);

/* Parts in a million that the counter runs fast. */
double tw_session_drift_ppm(const struct tw_session *session);

/* The processes of a pair: "server", null if it is elsewhere, and "client". */
void tw_session_json_sides(struct tw_json *json,
			   const struct tw_session *session,
			   const struct tw_pair *pair);

#endif /* TW_SESSION_TEXT_H */
