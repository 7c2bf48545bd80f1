// SPDX-License-Identifier: GPL-2.0-or-later
/* --latency and --default-system, with a device by script. */
#include <fcntl.h>
#include <unistd.h>

#include "report.h"
#include "base/tw_system.h"
#include "frame/tw_say.h"

static struct {
	int err;		/* of the device; 0: none */
	int requests, fd;
	int32_t requested_us;
	char warning[200];
} world;

static int limit_by_script(int32_t latency_us)
{
	world.requests++;
	world.requested_us = latency_us;
	if (world.err)
		return world.err;
	world.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return world.fd;
}

static int access_by_script(const char *path, int mode)
{
	assert_string_equal(path, "/dev/cpu_dma_latency");
	assert_int_equal(mode, W_OK);
	return world.err ? -1 : 0;
}

static void warn_by_script(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(world.warning, sizeof(world.warning), format, args);
	va_end(args);
}

#define tw_system_limit_latency limit_by_script
#define access access_by_script
#define tw_warn warn_by_script
#include "frame/tw_part_latency.c"
#undef tw_system_limit_latency
#undef access
#undef tw_warn

static int set_up_world(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	return 0;
}

static void open_with(const char *line)
{
	new_run(line);
	assert_int_equal(tw_part_latency.open(&session.run), 0);
}

/* What it writes before step @step, from 0. */
static void begins_with(int step, const char *want)
{
	char text[100] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	assert_non_null(file);
	session.run.step = step;
	session.run.output.text.flow.stream = file;
	assert_int_equal(tw_part_latency.begin(&session.run), 0);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, want);
}

static void has_setting(const char *want)
{
	assert_non_null(strstr(written_json(tw_part_latency.json_settings),
			       want));
}

static void test_limited(void **state)
{
	(void)state;
	open_with("--latency=7");
	assert_int_equal(world.requests, 1);
	assert_int_equal(world.requested_us, 7);
	assert_string_equal(world.warning, "");
	assert_int_equal(tw_latency_us(&session.run), 7);
	begins_with(0, "# /dev/cpu_dma_latency set to 7us\n");
	begins_with(1, "");
	has_setting("\"latency_us\": 7");
	/* Held to the end. */
	assert_true(fcntl(world.fd, F_GETFD) >= 0);
	tw_part_latency.close(&session.run);
	assert_int_equal(fcntl(world.fd, F_GETFD), -1);
	tw_part_latency.close(&session.run);
	drop_run();
}

static void test_limited_to_zero(void **state)
{
	(void)state;
	open_with("");
	assert_int_equal(world.requested_us, 0);
	assert_int_equal(tw_latency_us(&session.run), 0);
	begins_with(0, "# /dev/cpu_dma_latency set to 0us\n");
	has_setting("\"latency_us\": 0");
	tw_part_latency.close(&session.run);
	drop_run();
}

static void check_not_limited(void)
{
	assert_int_equal(tw_latency_us(&session.run), -1);
	begins_with(0, "");
	has_setting("\"latency_us\": null");
	tw_part_latency.close(&session.run);
	drop_run();
}

static void test_default_system(void **state)
{
	(void)state;
	open_with("--default-system");
	assert_int_equal(world.requests, 0);
	assert_string_equal(world.warning, "");
	check_not_limited();
}

/* Users without privileges can measure, too. */
static void test_refused(void **state)
{
	(void)state;
	world.err = -EACCES;
	open_with("--latency=7");
	assert_string_equal(world.warning, "");
	assert_int_equal(tw_part_latency.begin(&session.run), 0);
	assert_string_equal(world.warning, "/dev/cpu_dma_latency: cannot limit the latency of power management: Permission denied");
	check_not_limited();
}

/* What would be, of a run that does not measure. */
static void test_expected(void **state)
{
	(void)state;
	new_run("--check --latency=50");
	assert_int_equal(tw_latency_us(&session.run), 50);
	world.err = -EACCES;
	assert_int_equal(tw_latency_us(&session.run), -1);
	world.err = 0;
	new_run("--check --default-system");
	assert_int_equal(tw_latency_us(&session.run), -1);
	assert_int_equal(world.requests, 0);
	drop_run();
}

#define IN_WORLD(test)	cmocka_unit_test_setup(test, set_up_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_limited),
		IN_WORLD(test_limited_to_zero),
		IN_WORLD(test_default_system),
		IN_WORLD(test_refused),
		IN_WORLD(test_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
