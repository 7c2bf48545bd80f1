// SPDX-License-Identifier: GPL-2.0-or-later
/* The server for clients on other hosts: --server. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "rt-utils.h"
#include "base/tw_cpus.h"
#include "base/tw_system.h"
#include "cause/tw_part_trace.h"
#include "frame/tw_say.h"
#include "host/tw_host.h"
#include "host/tw_listen.h"
#include "host/tw_meet.h"
#include "host/tw_part_host.h"
#include "measure/tw_address.h"
#include "run/tw_config.h"

#define PRIORITY_MOST	98	/* the client has one more */
#define RATE_MOST	10000000
#define TIME_MOST	(100 * 365 * 86400LL)

static struct {
	bool server;
	bool stdio;
	const char *where;		/* as given; NULL: the loopback */
	union tw_address address;
	bool on_loopback;
	const char *allowed;
	struct tw_listening listening;
} set;
static const __typeof__(set) initial = {
	.on_loopback = true,
	.listening = {
		.listener = -1, .latency_fd = -1,
		.sessions = 1,
		.serving.signal_fd = -1,
		.serving.ceilings = {
			.pairs = 8, .rate = 10000, .size = 65536,
			.time_s = 3600,
		},
	},
};

/* ADDR, ADDR:PORT or :PORT; numeric, as it decides who can connect. */
static int parse_address(const char *value)
{
	uint16_t port = TW_PORT_DEFAULT;
	char host[TW_HOST_NAME] = "127.0.0.1";
	char text[TW_HOST_NAME];
	int err;

	if (*value == ':')
		snprintf(text, sizeof(text), "127.0.0.1%.200s", value);
	else
		snprintf(text, sizeof(text), "%.255s", value);
	if (tw_host_split(text, host, &port))
		return -EINVAL;
	err = tw_address_parse(host, &set.address);
	if (err && err != -EADDRNOTAVAIL)
		return err;
	set.on_loopback = !err;
	tw_meet_set_port(&set.address, port);
	return 0;
}

static int parse_server(const struct tw_option *option, const char *value,
			struct tw_run *run)
{
	set.server = true;
	set.stdio = value && !strcmp(value, "stdio");
	set.where = value;
	if (set.stdio)
		return 0;
	if (parse_address(value ? value : "127.0.0.1"))
		return tw_option_error(option, value, run,
				       "allowed is a numeric address of this host, ADDR:PORT, [ADDR]:PORT of IPv6, :PORT, or stdio");
	return 0;
}

static int parse_allow(const struct tw_option *option, const char *value,
		       struct tw_run *run)
{
	char why[256];

	set.allowed = value;
	if (tw_allow_parse(value, &set.listening.allow, why, sizeof(why)))
		return tw_option_error(option, value, run, "%s; allowed is a list of addresses and networks, such as 192.0.2.0/24,2001:db8::7",
				       why);
	return 0;
}

#define CEILINGS	set.listening.serving.ceilings

static const struct tw_option options[] = {
	{ 0, "allow", TW_ARGUMENT, "LIST", parse_allow, NULL,
	  .help = "with --server: who may connect, as a list of\n"
		  "networks and addresses; needed unless the server\n"
		  "is on the loopback" },
	{ 0, "max-pairs", TW_ARGUMENT, "N", tw_option_number,
	  &CEILINGS.pairs, .min = 1, .max = TW_FAR_PAIRS,
	  .help = "with --server: pairs that a client may ask for,\n"
		  "default 8" },
	{ 0, "max-rate", TW_ARGUMENT, "N", tw_option_number,
	  &CEILINGS.rate, .min = 1, .max = RATE_MOST,
	  .help = "with --server: requests a second of all pairs,\n"
		  "default 10000; more ends the run" },
	{ 0, "max-size", TW_ARGUMENT, "BYTES", tw_option_number,
	  &CEILINGS.size, .min = 8, .max = 65536,
	  .help = "with --server: size of a request, default 65536" },
	{ 0, "max-time", TW_ARGUMENT, "TIME", tw_option_duration,
	  &CEILINGS.time_s, .min = 1, .max = TIME_MOST,
	  .help = "with --server: how long a run may take, in seconds\n"
		  "or with m, h, d appended; default 1h" },
	{ 0, "runs", TW_ARGUMENT, "N", tw_option_number,
	  &set.listening.runs, .min = 1, .max = 1000000000,
	  .help = "with --server: end after N runs" },
	{ 0, "server", TW_OPTIONAL_ARGUMENT, "ADDR", parse_server, NULL,
	  .help = "run servers for clients on other hosts, listening\n"
		  "on ADDR or ADDR:PORT, default 127.0.0.1:20110" },
	{ 0, "sessions", TW_ARGUMENT, "N", tw_option_number,
	  &set.listening.sessions, .min = 1, .max = TW_SESSIONS_MAX,
	  .help = "with --server: clients served at the same time,\n"
		  "default 1" },
	{ .name = NULL }
};

/* Options of other parts that the operator of a server may give. */
static const char *const taken[] = {
	"affinity", "default-system", "force", "latency", "mainaffinity",
	"port", "priority", "quiet", "server-affinity", "trace", "wait",
};

static bool is_taken(const struct tw_option *option)
{
	const struct tw_option *own;
	size_t i;

	for (own = options; own->name; own++)
		if (own == option)
			return true;
	for (i = 0; i < ARRAY_SIZE(taken); i++)
		if (!strcmp(taken[i], option->name))
			return true;
	return false;
}

static int check_options(struct tw_run *run)
{
	const struct tw_option *own;
	int i;

	for (own = options; !set.server && own->name; own++)
		if (tw_option_given(run, own->name))
			return tw_fail(run, -EINVAL, "--%s: is for a server of other hosts; give --server too",
				       own->name);
	for (i = 0; set.server && i < run->option_count; i++)
		if (run->given[i] && !is_taken(run->options[i]))
			return tw_fail(run, -EINVAL, "--%s: contradicts --server: the client asks for it; see --max-pairs, --max-rate, --max-size, --max-time and --priority for what it may ask for",
				       run->options[i]->name);
	return 0;
}

/* The one who has logged in has the rights of that user, and no more. */
static void lift_ceilings(struct tw_run *run)
{
	if (!tw_option_given(run, "priority"))
		CEILINGS.priority = PRIORITY_MOST;
	if (!tw_option_given(run, "max-pairs"))
		CEILINGS.pairs = TW_FAR_PAIRS;
	if (!tw_option_given(run, "max-rate"))
		CEILINGS.rate = RATE_MOST;
	if (!tw_option_given(run, "max-time"))
		CEILINGS.time_s = TIME_MOST;
	CEILINGS.busy = true;
}

static int check(struct tw_run *run)
{
	struct tw_listening *listening = &set.listening;
	int err = check_options(run);

	if (err || !set.server)
		return err;
	if (!set.stdio && !set.on_loopback && !listening->allow.count)
		return tw_fail(run, -EINVAL, "--server=%s: everybody who reaches this address could take CPU time at a real-time priority; say who may, such as --allow=192.0.2.0/24, or let clients start it by --connect=HOST --rsh",
			       set.where);
	if (set.stdio && (set.allowed || tw_option_given(run, "runs") ||
			  tw_option_given(run, "sessions")))
		return tw_fail(run, -EINVAL, "--server=stdio: serves one client, the program that started it; leave out --allow, --runs and --sessions");
	if (tw_config->port && listening->sessions > 1)
		return tw_fail(run, -EINVAL, "--port=%d: only one session can measure there; leave it out, or leave out --sessions",
			       (int)tw_config->port);
	if (tw_config->port + CEILINGS.pairs - 1 > UINT16_MAX)
		return tw_fail(run, -EINVAL, "--port=%d: %d pairs over UDP would need ports up to %d; allowed is up to %d, or give fewer --max-pairs",
			       (int)tw_config->port, (int)CEILINGS.pairs,
			       (int)(tw_config->port + CEILINGS.pairs - 1),
			       (int)(UINT16_MAX - CEILINGS.pairs + 1));
	if (!set.stdio && tw_config->port == tw_meet_port(&set.address))
		return tw_fail(run, -EINVAL, "--port=%d: the server listens there; allowed is any other port",
			       (int)tw_config->port);
	if (!CEILINGS.time_s)
		return tw_fail(run, -EINVAL, "--max-time=0: allowed is 1 s or more; a run that takes longer is ended");
	CEILINGS.priority = tw_config->priority;
	CEILINGS.busy = tw_config->wait->spins;
	if (set.stdio)
		lift_ceilings(run);
	run->only = &tw_part_server;
	return 0;
}

static int complain(const char *what, int err)
{
	char message[512];

	snprintf(message, sizeof(message), "--server%s%s: %s: %s",
		 set.where ? "=" : "", set.where ? set.where : "", what,
		 strerror(-err));
	tw_say("twowaytest: ", message, -1);
	return EXIT_FAILURE;
}

static int open_signals(void)
{
	static const int heeded[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	struct sigaction action;
	sigset_t signals;
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&signals);
	/* nohup lets it ignore SIGHUP: it stays so. */
	for (i = 0; i < ARRAY_SIZE(heeded); i++)
		if (!sigaction(heeded[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			sigaddset(&signals, heeded[i]);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	set.listening.serving.signal_fd = signalfd(-1, &signals,
					   SFD_CLOEXEC | SFD_NONBLOCK);
	return set.listening.serving.signal_fd < 0 ? -errno : 0;
}

static void tell_ready(void)
{
	char peer[TW_FRONT_PEER_TEXT];
	union tw_address address = set.address;
	socklen_t len = sizeof(address);

	getsockname(set.listening.listener, &address.any, &len);
	tw_front_peer_text(&address, peer);
	printf("# Listening on %s for %s; real-time priorities up to %d; %s\n",
	       peer, set.allowed ? set.allowed : "this host",
	       (int)CEILINGS.priority, set.listening.serving.privileges);
	fflush(stdout);
}

static bool has_ipv6(void)
{
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The address of this host that ssh was called by; else any. */
static void find_local(void)
{
	const char *connection = getenv("SSH_CONNECTION");
	union tw_address *local = &set.listening.serving.local;
	char word[TW_ADDRESS_TEXT];

	if (connection &&
	    sscanf(connection, "%*s %*s %45s", word) == 1 &&
	    tw_address_parse(word, local) != -EINVAL)
		return;
	memset(local, 0, sizeof(*local));
	/* That of IPv6 takes both, but some kernels have none. */
	local->any.sa_family = has_ipv6() ? AF_INET6 : AF_INET;
}

/*
 * Through a login it is the client who asks for it, and who may lack the rights:
 * that is told him.
 */
static int open_traces(const struct tw_run *run)
{
	struct tw_service *serving = &set.listening.serving;
	int count = set.stdio ? 1 : (int)set.listening.sessions;
	cpu_set_t cpus;
	int err;

	/* Servers may have isolated CPUs, too. */
	tw_config_all_cpus(tw_config, TW_SERVER, &cpus);
	CPU_OR(&cpus, &cpus, &run->allowed);
	snprintf(serving->no_trace, sizeof(serving->no_trace),
		 "its operator does not allow it (--trace there)");
	if (!tw_part_trace_wanted())
		return 0;
	err = tw_far_traces_open(count, tw_part_trace_events(), &cpus,
				 serving->no_trace);
	/* The end of a child that was to remove it is nothing to heed. */
	tw_control_told_to_end(set.listening.serving.signal_fd);
	if (!err || set.stdio)
		return 0;
	tw_say("twowaytest: --trace: ", serving->no_trace, -1);
	return err;
}

/* Before root is given up: what only root may. */
static int open_all(struct tw_run *run)
{
	struct tw_listening *listening = &set.listening;
	int64_t latency_us = tw_latency_us(run);
	char seeded;

	/* Soon after boot, the first random number has to be waited for. */
	if (getrandom(&seeded, sizeof(seeded), 0) < 0)
		return -errno;
	listening->serving.program = run->program;
	listening->serving.port = tw_config->port;
	if (latency_us >= 0)
		listening->latency_fd =
			tw_system_limit_latency((int32_t)latency_us);
	listening->serving.latency_us =
		listening->latency_fd >= 0 ? latency_us : -1;
	if (listening->latency_fd < 0 &&
	    !tw_option_given(run, "default-system"))
		tw_warn("--server: /dev/cpu_dma_latency cannot be set: idle CPUs of this host may wake late");
	if (set.stdio) {
		find_local();
		return 0;
	}
	listening->listener = tw_transport_tcp.listen(&set.address);
	return listening->listener < 0 ? listening->listener : 0;
}

static void close_all(void)
{
	int *const fds[] = { &set.listening.listener,
			     &set.listening.serving.signal_fd,
			     &set.listening.latency_fd };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
}

static int serve(struct tw_run *run)
{
	struct tw_listening *listening = &set.listening;
	/* The options are parsed anew for each run. */
	static struct tw_listening kept;
	int err;

	err = tw_privileges_drop((int)CEILINGS.priority,
				 listening->serving.privileges);
	if (err)
		return complain("cannot give up privileges", err);
	CEILINGS.priority = tw_privileges_highest((int)CEILINGS.priority);
	if (!set.stdio)
		tell_ready();
	kept = *listening;
	/* Not before: its arguments are pointers into itself. */
	tw_args_own(&kept.serving.own, run);
	err = set.stdio ? tw_listen_stdio(&kept, run) : tw_listen(&kept, run);
	return err ? complain(set.stdio ? "the client" : "cannot listen", err) :
		     EXIT_SUCCESS;
}

static int instead(struct tw_run *run)
{
	/* Each run resets the settings of all parts. */
	bool stdio = set.stdio;
	int err = open_signals(), status = EXIT_FAILURE;

	if (!err)
		err = open_all(run);
	if (err)
		complain("cannot listen", err);
	else if (!open_traces(run))
		status = serve(run);
	tw_far_traces_close();
	close_all();
	/* Its output was for the client: the program has none of its own. */
	if (stdio)
		_exit(status);
	return status;
}

static void text(FILE *file, const struct tw_run *run)
{
	(void)file;
	(void)run;
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	(void)json;
	(void)run;
}

const struct tw_part tw_part_server = {
	.name = "server", .options = options, TW_SETTINGS(set, initial),
	.check = check, .instead = instead, .text = text, .json = json,
	.room = tw_serve_room, .attach = tw_serve_attach,
};
