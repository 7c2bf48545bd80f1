// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owned by root and set-user-ID: whoever starts it may not end it, as with
 * sudo. Sleeps for as many seconds as its argument says.
 */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 2 || setresuid(0, 0, 0))
		return EXIT_FAILURE;
	sleep(atoi(argv[1]));
	return EXIT_SUCCESS;
}
