// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Client and server on two hosts are still measured by the program before this
 * one: twowaytest-hosts, in the same directory. It is called with the same
 * command line before main() if an option asks for that.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const theirs[] = {
	"--stamps",
};

static int is_theirs(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++) {
		size_t length = strlen(theirs[i]);

		if (!strncmp(word, theirs[i], length) &&
		    (!word[length] || word[length] == '='))
			return 1;
	}
	return 0;
}

static void __attribute__((constructor)) hand_over(int argc, char **argv)
{
	char path[PATH_MAX + 16];
	ssize_t length;
	int i = 1;

	while (i < argc && !is_theirs(argv[i]))
		i++;
	if (i >= argc)
		return;
	length = readlink("/proc/self/exe", path, PATH_MAX);
	while (length > 0 && path[length - 1] != '/')
		length--;
	if (length > 0) {
		strcpy(path + length, "twowaytest-hosts");
		execv(path, argv);
	}
	fprintf(stderr, "%s: it needs twowaytest-hosts in the directory of twowaytest: %m\n",
		argv[i]);
	exit(EXIT_FAILURE);
}
