// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/tw_clock.h"
#include "frame/tw_run.h"

int tw_option_clock(const struct tw_option *option, const char *value,
		    struct tw_run *run)
{
	bool number = !strcmp(value, "0") || !strcmp(value, "1");
	const struct tw_clock_kind *kind;
	struct tw_option entry = *option;

	entry.to = &kind;
	if (number)
		value = tw_clock_kinds[*value - '0']->name;
	if (tw_option_kind(&entry, value, run))
		return -EINVAL;
	*(const char **)option->to = kind->name;
	return 0;
}
