// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of tests. A test is in a file of rows/, and in pt_rows.h. */
#include "pt_rows.h"

#define ADDRESS(name)	&pt_##name,

const struct pt_test *const pt_tests[] = { PT_ROWS(ADDRESS) NULL };
