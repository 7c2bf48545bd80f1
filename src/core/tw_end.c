// SPDX-License-Identifier: GPL-2.0-or-later
#include "tw_end.h"
#include "tw_part.h"

void tw_end_print(FILE *file, const struct tw_run *run)
{
	int i;

	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->tells_end && tw_parts[i]->text)
			tw_parts[i]->text(file, run);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->tells_end && tw_parts[i]->remark)
			tw_parts[i]->remark(file, run);
}

void tw_end_table(FILE *file, const struct tw_run *run, uint64_t rows)
{
	tw_end_print(file, run);
	fprintf(file, "# End: %" PRIu64 " row%s\n", rows,
		rows == 1 ? "" : "s");
}
