/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the unit tests of primitivetest share: a case without its tasks. */
#ifndef PT_UNIT_H
#define PT_UNIT_H

#include <string.h>

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

/* The kind and the role of a test that have this name; NULL: no kind. */
static inline const struct pt_kind *pt_unit_kind(const struct pt_test *test,
						 const char *name)
{
	const struct pt_kind *kind = name ? test->kinds : NULL;

	while (kind && strcmp(kind->name, name))
		kind++;
	return kind;
}

static inline const struct pt_role *pt_unit_role(const struct pt_test *test,
						 const char *name)
{
	const struct pt_role *role = test->roles;

	while (strcmp(role->name, name))
		role++;
	return role;
}

#endif /* PT_UNIT_H */
