// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/tw_check.h"

#define ROW(name)	&tw_check_##name,
const struct tw_check *const tw_checks[TW_CHECKS] = { TW_CHECK_LIST(ROW) };

void tw_check_is(struct tw_finding *finding, enum tw_check_result result,
		 const char *format, ...)
{
	va_list args;

	finding->result = result;
	va_start(args, format);
	vsnprintf(finding->read, sizeof(finding->read), format, args);
	va_end(args);
}

void tw_check_fix(struct tw_finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->fix, sizeof(finding->fix), format, args);
	va_end(args);
}

int tw_check(const struct tw_environ *env,
	     const struct tw_environ_params *params,
	     struct tw_finding findings[TW_CHECKS])
{
	struct tw_finding *finding = findings;
	int i, count = 0;

	for (i = 0; i < TW_CHECKS; i++, finding++) {
		memset(finding, 0, sizeof(*finding));
		finding->name = tw_checks[i]->name;
		finding->why = tw_checks[i]->why;
		finding->metrics = tw_checks[i]->metrics;
		snprintf(finding->where, sizeof(finding->where), "%s",
			 tw_checks[i]->where);
		tw_checks[i]->judge(env, params, finding);
		count += finding->result == TW_CHECK_FINDING;
	}
	return count;
}
