/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to use instead of cyclictest's options that are not there. */
#ifndef TW_OPTION_HINT_H
#define TW_OPTION_HINT_H

/*
 * @word is the option as given, "-t5" or "--threads=5", @letter what getopt
 * stopped at in it, or 0. A clause for the message; NULL: none of them.
 */
const char *tw_option_hint(const char *word, int letter);

#endif /* TW_OPTION_HINT_H */
