// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine, real or not. */
#include <stdlib.h>
#include <string.h>

#include "tw_array.h"
#include "tw_check.h"
#include "tw_read.h"

#define DMI_DIR		"/sys/class/dmi/id/"

/* x86 has a flag of the CPU for it; else only names show it. */
static void read_virtual(struct tw_value *value)
{
	static const char *const names[] = {
		"QEMU", "KVM", "Virtual", "VMware", "Xen", "HVM domU",
		"Google Compute Engine", "Bochs", "Parallels",
	};
	static const char *const files[] = {
		DMI_DIR "sys_vendor", DMI_DIR "product_name",
		"/sys/hypervisor/type",
	};
	char *text = tw_read_all("/proc/cpuinfo"), name[256];
	char *flags = text ? strstr(text, "\nflags") : NULL;
	bool is = false;
	size_t i, n;

	if (flags) {
		flags[1 + strcspn(flags + 1, "\n")] = '\0';
		is = strstr(flags, " hypervisor");
		tw_check_number(value, is);
	}
	free(text);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (!tw_read_text(name, sizeof(name), files[i]))
			continue;
		is |= i == 2 && *name;
		for (n = 0; n < ARRAY_SIZE(names); n++)
			is |= strstr(name, names[n]) != NULL;
		tw_check_number(value, is);
	}
}

const struct tw_fact tw_facts_machine[] = {
	{ "virtual", TW_FACT_FLAG, "Whether this is a virtual machine.",
	  NULL, read_virtual, tw_facts_is_set,
	  "the host may stop a virtual CPU at any time, and its scheduling is part of every measured value",
	  "measure on the host itself, or pin the guest's virtual CPUs to isolated CPUs of the host" },
	{ "hypervisor", TW_FACT_TEXT, "The kind of hypervisor, if it tells.",
	  .from = "/sys/hypervisor/type" },
	{ "machine_vendor", TW_FACT_TEXT, "Who made the machine.",
	  .from = DMI_DIR "sys_vendor" },
	{ "machine_product", TW_FACT_TEXT, "What they call it.",
	  .from = DMI_DIR "product_name" },
	{ "machine_model", TW_FACT_TEXT, "The machine's name in the device tree, such as on ARM.",
	  .from = "/proc/device-tree/model" },
	{ "microcode", TW_FACT_TEXT, "Version of the CPU's microcode (x86).",
	  .from = "/sys/devices/system/cpu/cpu0/microcode/version" },
	{ "firmware_vendor", TW_FACT_TEXT, "Who made the firmware (BIOS, UEFI).",
	  .from = DMI_DIR "bios_vendor" },
	{ "firmware_version", TW_FACT_TEXT, "The firmware's version.",
	  .from = DMI_DIR "bios_version" },
	{ "firmware_date", TW_FACT_TEXT, "The firmware's date, as it says it.",
	  .from = DMI_DIR "bios_date" },
	{ .name = NULL }
};
