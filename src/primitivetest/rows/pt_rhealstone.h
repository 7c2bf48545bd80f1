/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PT_RHEALSTONE_H
#define PT_RHEALSTONE_H

#include "core/pt_report.h"

#define PT_RHEALSTONES	6	/* parts of the figure */

/* The figure, a second, of the parts' means. */
double pt_rhealstone(const double part_ns[PT_RHEALSTONES]);

/* For pt_derive_alls: told only if all parts were measured. */
pt_derive_all pt_rhealstone_derive;

#endif /* PT_RHEALSTONE_H */
