// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tw_kfile.h"
#include "check/tw_smi.h"

#define MSR_SMI_COUNT	0x34	/* Intel's name for it */

int tw_smi_read(const char *root, int cpu, uint32_t *count)
{
	char vendor[32] = "", path[256];
	uint64_t value = 0;
	ssize_t len;
	int fd, err;

	/* On other CPUs, the register may be anything. */
	if (!tw_kfile_field_text(root, vendor, sizeof(vendor),
				 "/proc/cpuinfo", "vendor_id\t") ||
	    strcmp(vendor, "GenuineIntel"))
		return -ENOTSUP;
	snprintf(path, sizeof(path), "%s/dev/cpu/%d/msr", root, cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = pread(fd, &value, sizeof(value), MSR_SMI_COUNT);
	err = len < 0 ? -errno : len == sizeof(value) ? 0 : -EIO;
	close(fd);
	*count = (uint32_t)value;
	return err;
}

const char *tw_smi_why(int err)
{
	static const struct {
		int err;
		const char *why;
	} reasons[] = {
		{ -ENOTSUP, "only CPUs of Intel have a counter of SMIs" },
		{ -ENOENT, "there is no /dev/cpu/*/msr; as root: modprobe msr" },
		{ -EACCES, "reading /dev/cpu/*/msr needs root" },
		{ -EPERM, "reading /dev/cpu/*/msr needs root, CAP_SYS_RAWIO, and no kernel lockdown" },
		{ -EIO, "the CPU's register cannot be read; a hypervisor often allows no guest to" },
	};
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].err == err)
			return reasons[i].why;
	return strerror(-err);
}
