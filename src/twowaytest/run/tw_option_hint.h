/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replacements for options of cyclictest that twowaytest does not have. */
#ifndef TW_OPTION_HINT_H
#define TW_OPTION_HINT_H

/*
 * Returns what to use instead, for an error message; NULL: no such option.
 * @word: the option as given, such as "-t5" or "--threads=5". @letter: the
 * letter where getopt stopped, or 0.
 */
const char *tw_option_hint(const char *word, int letter);

#endif /* TW_OPTION_HINT_H */
