/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_ARRAY_H
#define TW_ARRAY_H

/* How many elements an array has that is not a pointer. */
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#endif /* TW_ARRAY_H */
