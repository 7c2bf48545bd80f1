// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands for a tool that is there already. */
int main(void)
{
	return 0;
}
