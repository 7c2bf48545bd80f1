// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vsock, also where the kernel has no loopback for it: the C library's calls
 * stand here, and lead to TCP with the same port numbers.
 */
#include <linux/vm_sockets.h>
#include <sys/syscall.h>

#include "link.h"

#define LOCAL	1	/* VMADDR_CID_LOCAL */

static unsigned int foreign_cid;	/* accept() tells of this one; 0: ours */
static int bind_err;

static union tw_address to_tcp(const struct sockaddr *address)
{
	const struct sockaddr_vm *vm = (const struct sockaddr_vm *)address;

	assert_int_equal(vm->svm_family, AF_VSOCK);
	assert_int_equal(vm->svm_cid, LOCAL);
	return (union tw_address) { .in = {
		.sin_family = AF_INET,
		.sin_port = vm->svm_port == VMADDR_PORT_ANY ? 0 :
			    htons((uint16_t)vm->svm_port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	} };
}

static void from_tcp(const union tw_address *tcp, unsigned int cid,
		     struct sockaddr *address, socklen_t *len)
{
	const struct sockaddr_vm vm = {
		.svm_family = AF_VSOCK, .svm_cid = cid,
		.svm_port = ntohs(tcp->in.sin_port),
	};

	assert_true(*len >= sizeof(vm));
	memcpy(address, &vm, sizeof(vm));
	*len = sizeof(vm);
}

int socket(int domain, int type, int protocol)
{
	return (int)syscall(SYS_socket, domain == AF_VSOCK ? AF_INET : domain,
			    type, protocol);
}

int bind(int fd, const struct sockaddr *address, socklen_t len)
{
	const union tw_address tcp = to_tcp(address);

	assert_int_equal(len, sizeof(struct sockaddr_vm));
	errno = bind_err;
	return errno ? -1 : (int)syscall(SYS_bind, fd, &tcp, sizeof(tcp.in));
}

int connect(int fd, const struct sockaddr *address, socklen_t len)
{
	const union tw_address tcp = to_tcp(address);

	assert_int_equal(len, sizeof(struct sockaddr_vm));
	return (int)syscall(SYS_connect, fd, &tcp, sizeof(tcp.in));
}

int getsockname(int fd, struct sockaddr *address, socklen_t *len)
{
	union tw_address tcp;
	socklen_t size = sizeof(tcp);

	if (syscall(SYS_getsockname, fd, &tcp, &size))
		return -1;
	from_tcp(&tcp, LOCAL, address, len);
	return 0;
}

int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	union tw_address tcp;
	socklen_t size = sizeof(tcp);
	int got = (int)syscall(SYS_accept4, fd, &tcp, &size, flags);

	if (got >= 0)
		from_tcp(&tcp, foreign_cid ? foreign_cid : LOCAL, address,
			 len);
	return got;
}

static int listen_and_link(void)
{
	transport.ops = &tw_transport_vsock;
	assert_int_equal(tw_transport_listen(&transport, 0, &listener), 0);
	return tw_transport_link(&transport, listener, &link_ends, &strangers);
}

static void test_link(void **state)
{
	(void)state;
	assert_int_equal(listen_and_link(), 0);
	assert_linked();
	assert_int_equal(strangers, 0);
	/* Ports of vsock are no ports of IP. */
	assert_int_equal(tw_transport_port(listener), 0);
}

static int stranger(void)
{
	struct sockaddr_vm to;
	socklen_t len = sizeof(to);
	int fd = socket(AF_VSOCK, SOCK_STREAM, 0);

	assert_int_equal(getsockname(listener, (struct sockaddr *)&to, &len),
			 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, len), 0);
	return fd;
}

/* They came first, and are served nothing. */
static void test_strangers(void **state)
{
	int fds[3], i;
	char byte;

	(void)state;
	assert_int_equal(listen_and_link(), 0);
	close_link();
	for (i = 0; i < 3; i++)
		fds[i] = stranger();
	assert_int_equal(tw_transport_link(&transport, listener, &link_ends,
					   &strangers), 0);
	assert_int_equal(strangers, 3);
	assert_linked();
	for (i = 0; i < 3; i++) {
		assert_int_equal(read(fds[i], &byte, 1), 0);
		close(fds[i]);
	}
}

/* The same port, but of another machine. */
static void test_other_machine(void **state)
{
	(void)state;
	foreign_cid = 3;
	assert_int_equal(listen_and_link(), -ETIMEDOUT);
	foreign_cid = 0;
	assert_int_equal(strangers, 1);
	assert_int_equal(link_ends.client_fd, -1);
}

static void test_turn_away(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(listen_and_link(), 0);
	fd = stranger();
	assert_int_equal(tw_transport_turn_away(&tw_transport_vsock, listener),
			 1);
	close(fd);
}

/* The module is not there. */
static void test_no_loopback(void **state)
{
	(void)state;
	transport.ops = &tw_transport_vsock;
	bind_err = EADDRNOTAVAIL;
	assert_int_equal(tw_transport_listen(&transport, 0, &listener),
			 -EADDRNOTAVAIL);
	bind_err = 0;
	assert_int_equal(listener, -1);
	assert_int_equal(count_open_files(), files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LINKED(test_link),
		LINKED(test_strangers),
		LINKED(test_other_machine),
		LINKED(test_turn_away),
		LINKED(test_no_loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
