// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether the CPU's counter is trusted. What the CPU and the kernel say stands
 * here in place of this machine's, so the source is compiled here.
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/tw_counter.h"
#include "base/tw_kfile.h"
#include "unit.h"

#ifdef TW_COUNTER_CLOCKSOURCE
#define NAME	TW_COUNTER_CLOCKSOURCE

static const char *sources;	/* NULL: the file cannot be read */

static bool read_sources(char *buf, size_t size, const char *path)
{
	assert_string_equal(path, "/sys/devices/system/clocksource/clocksource0/available_clocksource");
	if (sources)
		snprintf(buf, size, "%s", sources);
	return sources;
}

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static unsigned int highest_leaf, features;

static int ask_cpu(unsigned int leaf, unsigned int *edx)
{
	if (leaf > highest_leaf)
		return 0;
	/* Others have this bit too, with another meaning. */
	*edx = leaf == 0x80000007 ? features : 1 << 8;
	return 1;
}

#define __get_cpuid(leaf, eax, ebx, ecx, edx) \
	((void)(eax), (void)(ebx), (void)(ecx), ask_cpu(leaf, edx))
#endif

#define tw_kfile_text(root, buf, size, path) \
	read_sources(buf, size, path)
#include "base/tw_counter.c"

static int set_up(void **state)
{
	(void)state;
#if defined(__x86_64__) || defined(__i386__)
	highest_leaf = 0x80000008;
	features = 1 << 8;
#endif
	sources = NAME " other";
	return 0;
}

/* On the kernel's list, under its whole name, wherever it is there. */
static void test_list(void **state)
{
	static const struct { const char *sources; int want; } rows[] = {
		{ NAME, 0 }, { NAME " hpet acpi_pm", 0 },
		{ "hpet acpi_pm " NAME, 0 }, { "hpet acpi_pm", -ENODEV },
		{ NAME "-early hpet", -ENODEV }, { "x" NAME, -ENODEV },
		{ "t a", -ENODEV }, { "", -ENODEV }, { NULL, -ENODEV },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sources = rows[i].sources;
		assert_int_equal(tw_counter_trusted(), rows[i].want);
	}
}

#if defined(__x86_64__) || defined(__i386__)
/* Whatever the kernel's list says. */
static void test_rate(void **state)
{
	(void)state;
	features = ~(1U << 8);
	assert_int_equal(tw_counter_trusted(), -ENOTSUP);
	features = 1 << 8;
	assert_int_equal(tw_counter_trusted(), 0);
	highest_leaf = 0x80000006;
	assert_int_equal(tw_counter_trusted(), -ENOTSUP);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_list, set_up),
#if defined(__x86_64__) || defined(__i386__)
		cmocka_unit_test_setup(test_rate, set_up),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
/* A CPU whose counter the program cannot read. */
static void test_none(void **state)
{
	(void)state;
	assert_int_equal(tw_counter_trusted(), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
