/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the unit tests of primitivetest share: a case without its tasks. */
#ifndef PT_UNIT_H
#define PT_UNIT_H

#include "unit.h"

#include "pt_record.h"

/* A case of @test of the kind @kind (or NULL), as processes on one CPU. */
static inline struct pt_case *pt_unit_case(const struct pt_test *test,
					   const struct pt_kind *kind)
{
	struct pt_case *c = pt_case_map(&(struct pt_choice) {
		.test = test, .kind = kind, .process = true,
	});

	assert_non_null(c);
	pt_case_open(c);
	return c;
}

#endif /* PT_UNIT_H */
