/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A task sends bytes to another, which sends them back: what pipe and unix have
 * in common. A test opens the descriptors; the size is the kind's value.
 */
#ifndef PT_STREAM_H
#define PT_STREAM_H

#include "core/pt_case.h"

#define PT_STREAM_MAX	65536	/* bytes of a message; see --size */

struct pt_stream {
	int from[2], to[2];	/* descriptors of each side */
	bool end;
	uint64_t out, in;	/* messages */
	uint64_t changed;	/* that came back so */
	unsigned char buffer[2][PT_STREAM_MAX];
};

/* For a test's kinds, metrics, roles and verify(). */
extern const struct pt_kind pt_stream_kinds[];
extern const struct pt_metric pt_stream_metrics[];
extern const struct pt_role pt_stream_roles[];
void pt_stream_verify(struct pt_case *c);

#endif /* PT_STREAM_H */
