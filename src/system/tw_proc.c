// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_proc.h"
#include "tw_read.h"

bool tw_proc_stat(struct tw_stat *stat, int pid, int tid)
{
	char path[64], text[1024] = "", *name, *at, *end;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	if (tw_read_bytes(text, sizeof(text) - 1, path) < 0)
		return false;
	/* The name is in brackets; it may have some itself, and a newline. */
	tw_read_clean(text);
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (!name || !end || end[1] != ' ' || !end[2])
		return false;
	*end = '\0';
	snprintf(stat->name, sizeof(stat->name), "%.27s", name + 1);
	end += 3;	/* also the state, a letter */
	for (i = TW_STAT_PARENT; i < TW_STAT_FIELDS; i++) {
		at = end;
		stat->field[i] = strtoll(at, &end, 10);
		if (end == at)
			return false;
	}
	return true;
}

int tw_proc_self(void)
{
	char text[16] = "";

	return readlink("/proc/self", text, sizeof(text) - 1) > 0 ?
	       atoi(text) : 0;
}

void tw_proc_each(const char *path, bool (*each)(int number, void *arg),
		  void *arg)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    !each(atoi(entry->d_name), arg))
			break;
	if (dir)
		closedir(dir);
}
