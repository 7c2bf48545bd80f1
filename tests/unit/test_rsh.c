// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands that start the program on another host. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/tw_rsh.h"
#include "open_files.h"
#include "unit.h"

#define LONG_MS	20000	/* no test waits as long */

static struct tw_rsh rsh;
static int files;

static int set_up(void **state)
{
	(void)state;
	memset(&rsh, 0, sizeof(rsh));
	files = count_open_files();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return count_open_files() == files && waitpid(-1, NULL, 0) == -1 ?
	       0 : -1;
}

static void begin(const char *command)
{
	assert_int_equal(tw_rsh_start(&rsh, command, "prog", ""), 0);
	assert_true(rsh.child.pid > 0);
	assert_true(fcntl(rsh.in_fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(rsh.out_fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(rsh.in_fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(rsh.out_fd, F_GETFD) & FD_CLOEXEC);
}

static int end(int limit_ms)
{
	close(rsh.in_fd);
	close(rsh.out_fd);
	return tw_rsh_end(&rsh, limit_ms);
}

/* All that comes, until the end or as long as @text. */
static void reads(const char *text)
{
	struct pollfd ready = { .fd = rsh.in_fd, .events = POLLIN };
	char buf[512] = "";
	size_t used = 0;
	ssize_t len = 1;

	while (len && used < strlen(text)) {
		assert_int_equal(poll(&ready, 1, LONG_MS), 1);
		len = read(rsh.in_fd, buf + used, sizeof(buf) - 1 - used);
		assert_true(len >= 0);
		used += (size_t)len;
	}
	assert_string_equal(buf, text);
}

static void test_what_is_called(void **state)
{
	int status;

	(void)state;
	begin("echo 'far host'");
	reads("far host prog --server=stdio\n");
	status = end(LONG_MS);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_speaks(void **state)
{
	(void)state;
	begin("cat #");
	assert_int_equal(write(rsh.out_fd, "hello", 5), 5);
	reads("hello");
	assert_int_equal(write(rsh.out_fd, "again", 5), 5);
	reads("again");
	/* Ends as its input does. */
	assert_int_equal(end(LONG_MS), 0);
}

static void test_ends(void **state)
{
	int status;

	(void)state;
	begin("exit 7;");
	reads("");
	status = end(LONG_MS);
	assert_int_equal(WEXITSTATUS(status), 7);
	begin("kill -9 $$;");
	status = end(LONG_MS);
	assert_true(WIFSIGNALED(status));
	begin("/no/such/command 2>/dev/null");
	status = end(LONG_MS);
	assert_int_equal(WEXITSTATUS(status), 127);
}

static void test_hangs(void **state)
{
	(void)state;
	begin("exec sleep 1000 #");
	assert_int_equal(end(30), -1);
	assert_int_equal(kill(rsh.child.pid, 0), -1);
	begin("trap '' TERM HUP INT; exec sleep 1000 #");
	assert_int_equal(end(30), -1);
}

/* What a terminal sends to all ends the run by main; TERM ends it. */
static void test_signals(void **state)
{
	int status;

	(void)state;
	begin("kill -INT $$; echo alive; read line; kill -TERM $$; echo #");
	reads("alive\n");
	assert_int_equal(write(rsh.out_fd, "\n", 1), 1);
	reads("");
	status = end(LONG_MS);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* What main ignores or blocks is as usual there. */
static void test_usual_signals(void **state)
{
	sigset_t all, before;
	int status;

	(void)state;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	signal(SIGPIPE, SIG_IGN);
	begin("kill -PIPE $$; echo #");
	sigprocmask(SIG_SETMASK, &before, NULL);
	reads("");
	status = end(LONG_MS);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGPIPE);
}

/* No other descriptor of ours gets there. */
static void test_descriptors(void **state)
{
	int fd = open("/dev/null", O_RDONLY);

	(void)state;
	begin("for fd in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; echo none #");
	reads("none\n");
	assert_int_equal(end(LONG_MS), 0);
	close(fd);
}

/* What the far program is given beside that; nothing is no empty word. */
static void test_option(void **state)
{
	(void)state;
	begin("echo");
	reads("prog --server=stdio\n");
	assert_int_equal(end(LONG_MS), 0);
	assert_int_equal(tw_rsh_start(&rsh, "printf '<%s>'", "prog", "--trace"),
			 0);
	reads("<prog><--server=stdio><--trace>");
	assert_int_equal(end(LONG_MS), 0);
}

static void test_too_long(void **state)
{
	char command[8192];

	(void)state;
	memset(command, 'x', sizeof(command));
	command[sizeof(command) - 1] = '\0';
	assert_int_equal(tw_rsh_start(&rsh, command, "prog", ""), -E2BIG);
	assert_int_equal(rsh.child.pid, 0);
	/* That none was started is no error at the end. */
	assert_int_equal(tw_rsh_end(&rsh, 10), 0);
}

#define TEST(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_called),
		TEST(test_speaks),
		TEST(test_ends),
		TEST(test_hangs),
		TEST(test_signals),
		TEST(test_usual_signals),
		TEST(test_descriptors),
		TEST(test_option),
		TEST(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
