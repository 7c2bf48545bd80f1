// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages whose content tells what became of them. */
#include "rows/pt_queue.h"
#include "unit.h"

static const size_t sizes[] = { 1, 7, 8, 9, 64, 8192, PT_QUEUE_SIZE };

static unsigned char message[PT_QUEUE_SIZE + 1];

#define EACH_SIZE(i)	(i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)

/* A byte of it that is another one is found, wherever it is. */
static void test_changed(void **state)
{
	size_t i, at;

	(void)state;
	for EACH_SIZE(i) {
		pt_queue_fill(message, sizes[i], 300);
		assert_true(pt_queue_is_filled(message, sizes[i], 300));
		for (at = 0; at < sizes[i]; at += 1 + sizes[i] / 100) {
			message[at] ^= 0x10;
			assert_false(pt_queue_is_filled(message, sizes[i],
							300));
			message[at] ^= 0x10;
		}
		message[sizes[i] - 1] ^= 1;
		assert_false(pt_queue_is_filled(message, sizes[i], 300));
	}
}

/* That of another trial has another number, of as many bytes as fit. */
static void test_number(void **state)
{
	size_t i;

	(void)state;
	for EACH_SIZE(i) {
		pt_queue_fill(message, sizes[i], 300);
		assert_false(pt_queue_is_filled(message, sizes[i], 301));
		assert_true(pt_queue_is_counted(message, sizes[i], 300));
		assert_false(pt_queue_is_counted(message, sizes[i], 299));
		assert_int_equal(pt_queue_is_counted(message, sizes[i],
						     300 - 256),
				 sizes[i] == 1);
		pt_queue_count(message, sizes[i], UINT64_C(1) << 40);
		assert_true(pt_queue_is_filled(message, sizes[i],
					       UINT64_C(1) << 40));
	}
}

/* Nothing is written behind it. */
static void test_end(void **state)
{
	size_t i;

	(void)state;
	for EACH_SIZE(i) {
		message[sizes[i]] = 0xa5;
		pt_queue_fill(message, sizes[i], UINT64_MAX);
		assert_int_equal(message[sizes[i]], 0xa5);
	}
}

/* One that was cut, or longer, has another pattern. */
static void test_size(void **state)
{
	(void)state;
	pt_queue_fill(message, 64, 1);
	assert_false(pt_queue_is_filled(message, 63, 1));
	assert_false(pt_queue_is_filled(message, 65, 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
