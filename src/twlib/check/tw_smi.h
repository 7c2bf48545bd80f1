/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System management interrupts (SMIs): the firmware stops all CPUs, and no
 * kernel can see or prevent that. Intel's CPUs count them.
 */
#ifndef TW_SMI_H
#define TW_SMI_H

#include <stdint.h>

/*
 * Stores in *count how many SMIs CPU @cpu has counted since it was reset; 32
 * bits, then from 0 again. @root: "", or a directory with another system's
 * /proc and /dev. Returns 0; -ENOTSUP if the CPUs have no such counter; or
 * -errno of opening or reading its register.
 */
int tw_smi_read(const char *root, int cpu, uint32_t *count);

/* Why tw_smi_read() failed with @err, and what to do. */
const char *tw_smi_why(int err);

#endif /* TW_SMI_H */
