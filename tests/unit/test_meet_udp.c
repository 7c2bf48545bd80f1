// SPDX-License-Identifier: GPL-2.0-or-later
/* Measuring by datagrams: a socket for each pair, and greetings that get lost. */
#include "meet.h"

static int outsider(unsigned int pair)
{
	const union tw_address address = place(pair);
	int fd = tw_meet_dial(SOCK_DGRAM, &address, 2000);

	assert_true(fd >= 0);
	return fd;
}

/* All of it has arrived: over the loopback, at once. */
static void await_all(void)
{
	assert_int_equal(tw_meet_await(&meet, none, 2000), 0);
}

static void test_many(void **state)
{
	int fds[TW_FAR_PAIRS];
	unsigned int k, j;

	(void)state;
	open_meet(&tw_transport_udp, TW_FAR_PAIRS, SIZE);
	assert_int_equal(granted.ports, TW_FAR_PAIRS);
	for (k = 0; k < TW_FAR_PAIRS; k++) {
		for (j = 0; j < k; j++)
			assert_int_not_equal(granted.at[j].port,
					     granted.at[k].port);
		fds[k] = join(k);
	}
	await_all();
	assert_int_equal(meet.strangers, 0);
	for (k = 0; k < TW_FAR_PAIRS; k++)
		talk(k, fds[k]);
}

static void test_lost(void **state)
{
	const union tw_address address = loopback(9);
	int fd, lost;

	(void)state;
	open_meet(&tw_transport_udp, 2, SIZE);
	fd = join(0);
	lost = outsider(1);
	assert_int_equal(tw_meet_await(&meet, none, 50), -ETIMEDOUT);
	/* It comes again; that of the other, too, which has arrived. */
	tw_meet_greet(fd, granted.cookie, 0, SIZE);
	tw_meet_greet(lost, granted.cookie, 1, SIZE);
	tw_meet_greet(lost, granted.cookie, 1, SIZE);
	tw_meet_close(&meet);
	close(fd);
	close(lost);
	/* To nobody: no error that ends anything. */
	fd = tw_meet_connect(&tw_transport_udp, &address, granted.cookie, 0,
			     SIZE, 2000);
	assert_true(fd >= 0);
	tw_meet_greet(fd, granted.cookie, 0, SIZE);
	tw_meet_greet(fd, granted.cookie, 0, SIZE);
	close(fd);
}

/* Copies that came before the run are gone when it begins. */
static void test_doubled(void **state)
{
	int fd, i;

	(void)state;
	open_meet(&tw_transport_udp, 1, SIZE);
	fd = join(0);
	for (i = 0; i < 20; i++)
		tw_meet_greet(fd, granted.cookie, 0, SIZE);
	await_all();
	assert_int_equal(meet.strangers, 0);
	talk(0, fd);
}

/* One that comes later still is no request: its size tells. */
static void test_late(void **state)
{
	static const size_t sizes[] = { SIZE, TW_GREETING - 1, TW_GREETING,
					TW_GREETING + 1, 1000 };
	char buf[2 * TW_GREETING];
	ssize_t len;
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		tw_meet_init(&meet);
		open_meet(&tw_transport_udp, 1, sizes[i]);
		fd = join(0);
		await_all();
		tw_meet_greet(fd, granted.cookie, 0, sizes[i]);
		len = recv(meet.fds[0], buf, sizeof(buf), 0);
		assert_true(len >= TW_GREETING);
		assert_int_not_equal(len, sizes[i]);
		close(fd);
		tw_meet_close(&meet);
	}
}

/* Of each kind, and a greeting at the port of another pair. */
static void test_strangers(void **state)
{
	uint8_t wrong[TW_COOKIE];
	int fds[2], other;

	(void)state;
	open_meet(&tw_transport_udp, 2, SIZE);
	memcpy(wrong, granted.cookie, TW_COOKIE);
	wrong[TW_COOKIE - 1] ^= 1;
	other = outsider(0);
	tw_meet_greet(other, wrong, 0, SIZE);
	tw_meet_greet(other, granted.cookie, 1, SIZE);
	tw_meet_greet(other, granted.cookie, 2, SIZE);
	/* As long as if requests had the size of a greeting. */
	tw_meet_greet(other, granted.cookie, 0, TW_GREETING);
	send_text(other, "x");
	assert_int_equal(send(other, "", 0, 0), 0);
	fds[0] = join(0);
	fds[1] = join(1);
	await_all();
	assert_int_equal(meet.strangers, 6);
	talk(0, fds[0]);
	talk(1, fds[1]);
	close(other);
}

/* Who has greeted is heard alone; what came before is dropped. */
static void test_intruder(void **state)
{
	int fd, other, late;
	char byte;

	(void)state;
	open_meet(&tw_transport_udp, 1, SIZE);
	fd = join(0);
	other = outsider(0);
	send_text(other, "intrusion");
	await_all();
	assert_int_equal(meet.strangers, 1);
	send_text(other, "again");
	tw_meet_greet(other, granted.cookie, 0, SIZE);
	late = tw_meet_take(&meet, 0);
	assert_int_equal(recv(late, &byte, 1, MSG_DONTWAIT), -1);
	send_text(fd, "r");
	assert_int_equal(next_byte(late), 'r');
	close(late);
	close(fd);
	close(other);
}

static void test_woken(void **state)
{
	int wake[2] = { -1, eventfd(1, 0) };

	(void)state;
	open_meet(&tw_transport_udp, 1, SIZE);
	assert_int_equal(tw_meet_await(&meet, wake, 60000), -EINTR);
	close(wake[1]);
}

/* The operator's port, and those after it. */
static void test_ports(void **state)
{
	union tw_address local;
	struct tw_granted more;
	int tries, err = -1;

	(void)state;
	/* Others may have the next ports. */
	for (tries = 0; err && tries < 50; tries++) {
		tw_meet_close(&meet);
		open_meet(&tw_transport_udp, 1, SIZE);
		local = place(0);
		tw_meet_close(&meet);
		err = tw_meet_open(&meet, &tw_transport_udp, &local, 3, SIZE,
				   &more);
	}
	assert_int_equal(err, 0);
	assert_int_equal(more.ports, 3);
	assert_int_equal(more.at[0].port, tw_meet_port(&local));
	assert_int_equal(more.at[1].port, tw_meet_port(&local) + 1);
	assert_int_equal(more.at[2].port, tw_meet_port(&local) + 2);
}

/* If one of them is taken, none is kept. */
static void test_port_taken(void **state)
{
	union tw_address local;
	struct tw_meet again;
	struct tw_granted more;

	(void)state;
	open_meet(&tw_transport_udp, 1, SIZE);
	local = place(0);
	tw_meet_set_port(&local, (uint16_t)(tw_meet_port(&local) - 1));
	tw_meet_init(&again);
	assert_int_equal(tw_meet_open(&again, &tw_transport_udp, &local, 2,
				      SIZE, &more), -EADDRINUSE);
	assert_int_equal(again.fds[0], -1);
	assert_int_equal(again.fds[1], -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_many),
		TEST(test_lost),
		TEST(test_doubled),
		TEST(test_late),
		TEST(test_strangers),
		TEST(test_intruder),
		TEST(test_woken),
		TEST(test_ports),
		TEST(test_port_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
