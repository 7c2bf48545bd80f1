/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of the parts, for a pair or, in primitivetest, a row. By main. */
#ifndef TW_ROOMS_H
#define TW_ROOMS_H

#include <stddef.h>

struct tw_part;
struct tw_run;

/* In bytes, and zeroed, on a boundary of 64: then the parts fill it in. */
size_t tw_rooms_size(const struct tw_run *run);
void tw_rooms_attach(void *rooms, const struct tw_run *run, int owner);

/* That of a part; NULL: it has none. */
void *tw_rooms_find(const void *rooms, const struct tw_run *run,
		    const struct tw_part *part);

#endif /* TW_ROOMS_H */
