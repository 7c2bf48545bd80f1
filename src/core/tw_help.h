/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --help, and --options. Called by main. */
#ifndef TW_HELP_H
#define TW_HELP_H

void tw_help_print(void);
void tw_help_options(void);

#endif /* TW_HELP_H */
