/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on standard error. Called by main. */
#ifndef TW_SAY_H
#define TW_SAY_H

/*
 * Prints @prefix and @message in one line; control characters, as an option's
 * value may contain them, are replaced. The reader may pause for @idle_ms; -1:
 * no limit, until a signal.
 */
void tw_say(const char *prefix, const char *message, int idle_ms);

/* The same for a warning, that waits for the reader for a moment only. */
void tw_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* TW_SAY_H */
