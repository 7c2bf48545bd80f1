/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --help, and --options. Called by main. */
#ifndef TW_HELP_H
#define TW_HELP_H

void tw_help_print(void);
void tw_help_options(void);

/* Of a row; if its help ends in a colon, with the words allowed. For free(). */
struct tw_option;
char *tw_help_text(const struct tw_option *row);

#endif /* TW_HELP_H */
