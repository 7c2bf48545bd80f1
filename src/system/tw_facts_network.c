// SPDX-License-Identifier: GPL-2.0-or-later
/* The network device that messages to another host take. */
#include <arpa/inet.h>
#include <ctype.h>
#include <glob.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tw_check.h"
#include "tw_cpus.h"
#include "tw_proc.h"
#include "tw_reach.h"
#include "tw_read.h"

#define NET_DIR		"/sys/class/net/"
#define IRQ_DIR		"/sys/kernel/irq"
#define IRQS_MAX	4096
#define ADAPTIVE	-1	/* a delay that the driver chooses itself */

/* The device, and what was found of it when its first row was read. */
static struct {
	const char *name;
	char bus[128];		/* its name on the bus */
	bool irq[IRQS_MAX];
	cpu_set_t cpus;		/* of these interrupts */
	/* The lowest priority of its threads; -1: there are none. */
	int64_t irq_priority, softirq_priority, napi_priority;
} card;

static const char *path_of(const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), NET_DIR "%s/%s", card.name, file);
	return path;
}

/* @name stands in @text, and not as a part of a longer name. */
static bool has_name(const char *text, const char *name)
{
	const char *at = text;

	while (*name && (at = strstr(at, name))) {
		char before = at == text ? ' ' : at[-1];
		char after = at[strlen(name)];

		if (!isalnum((unsigned char)before) &&
		    !isalnum((unsigned char)after))
			return true;
		at++;
	}
	return false;
}

/* By the list of its bus, or by the name that the driver has given it. */
static bool find_irq(int irq, void *arg)
{
	char path[128], actions[256] = "";
	cpu_set_t cpus;

	snprintf(path, sizeof(path), IRQ_DIR "/%d/actions", irq);
	tw_read_text(actions, sizeof(actions), path);
	snprintf(path, sizeof(path), "device/msi_irqs/%d", irq);
	if (irq >= IRQS_MAX || !*actions ||
	    (access(path_of(path), F_OK) && !has_name(actions, card.name) &&
	     !has_name(actions, card.bus)))
		return true;
	card.irq[irq] = true;
	snprintf(path, sizeof(path), "/proc/irq/%d/effective_affinity_list",
		 irq);
	if (tw_cpus_read(&cpus, path))
		CPU_OR(&card.cpus, &card.cpus, &cpus);
	return true;
}

static void lower(int64_t *least, int64_t priority)
{
	if (*least < 0 || priority < *least)
		*least = priority;
}

static bool find_thread(int pid, void *arg)
{
	char napi[IF_NAMESIZE + 8];
	struct tw_stat stat;
	int64_t priority;
	int number;

	if (!tw_proc_stat(&stat, pid, pid))
		return true;
	priority = stat.field[TW_STAT_PRIORITY];
	snprintf(napi, sizeof(napi), "napi/%s-", card.name);
	if (!strncmp(stat.name, napi, strlen(napi)))
		lower(&card.napi_priority, priority);
	else if (sscanf(stat.name, "irq/%d-", &number) == 1 && number >= 0 &&
		 number < IRQS_MAX && card.irq[number])
		lower(&card.irq_priority, priority);
	else if (sscanf(stat.name, "ksoftirqd/%d", &number) == 1 &&
		 number >= 0 && number < CPU_SETSIZE &&
		 CPU_ISSET(number, &card.cpus))
		lower(&card.softirq_priority, priority);
	return true;
}

static void read_device(struct tw_value *value)
{
	char text[128];
	ssize_t len;

	card.name = value->of->device;
	card.irq_priority = card.softirq_priority = card.napi_priority = -1;
	CPU_ZERO(&card.cpus);
	if (!tw_check_is_hardware(card.name)) {
		snprintf(text, sizeof(text), "%s: no hardware, nothing to set",
			 card.name);
		tw_check_text(value, text);
		return;
	}
	len = readlink(path_of("device"), text, sizeof(text) - 1);
	text[len < 0 ? 0 : len] = '\0';
	snprintf(card.bus, sizeof(card.bus), "%s", strrchr(text, '/') ?
		 strrchr(text, '/') + 1 : text);
	tw_proc_each(IRQ_DIR, find_irq, NULL);
	tw_proc_each("/proc", find_thread, NULL);
	tw_check_text(value, card.name);
}

static void read_number(struct tw_value *value)
{
	value->known = tw_read_number(&value->number, path_of(value->from));
}

/* -1: it is not known, as that of a virtual machine's device. */
static void read_speed(struct tw_value *value)
{
	read_number(value);
	value->known &= value->number > 0;
}

static bool is_slow(const struct tw_value *value)
{
	return value->number < 1000;
}

static bool ask(void *data)
{
	struct ifreq request = { .ifr_data = data };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool answered;

	snprintf(request.ifr_name, IF_NAMESIZE, "%s", card.name);
	answered = fd >= 0 && !ioctl(fd, SIOCETHTOOL, &request);
	if (fd >= 0)
		close(fd);
	return answered;
}

static void read_delay(struct tw_value *value)
{
	struct ethtool_coalesce of = { .cmd = ETHTOOL_GCOALESCE };

	if (ask(&of))
		tw_check_number(value, of.use_adaptive_rx_coalesce ? ADAPTIVE :
				(int64_t)of.rx_coalesce_usecs);
}

static void read_saving(struct tw_value *value)
{
	struct ethtool_eee of = { .cmd = ETHTOOL_GEEE };

	if (ask(&of))
		tw_check_number(value, of.eee_enabled != 0);
}

static void read_qdisc(struct tw_value *value)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg info;
		char answer[16384];
	} of = {
		.head = { .nlmsg_len = NLMSG_LENGTH(sizeof(of.info)),
			  .nlmsg_type = RTM_GETLINK,
			  .nlmsg_flags = NLM_F_REQUEST },
		.info.ifi_index = (int)if_nametoindex(card.name),
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct rtattr *row = IFLA_RTA(&of.info);
	int left = 0;

	/* The kernel answers within the call of send(). */
	if (fd >= 0 && of.info.ifi_index &&
	    send(fd, &of, of.head.nlmsg_len, 0) > 0 &&
	    recv(fd, &of, sizeof(of), MSG_DONTWAIT) > 0 &&
	    of.head.nlmsg_type == RTM_NEWLINK)
		left = (int)IFLA_PAYLOAD(&of.head);
	for (; RTA_OK(row, left); row = RTA_NEXT(row, left))
		if (row->rta_type == IFLA_QDISC)
			tw_check_text(value, RTA_DATA(row));
	if (fd >= 0)
		close(fd);
}

static bool is_shaping(const struct tw_value *value)
{
	return has_name("netem tbf htb hfsc cake", value->text);
}

static void read_cpus(struct tw_value *value)
{
	if (CPU_COUNT(&card.cpus))
		tw_check_cpus(value, &card.cpus);
}

static bool is_on_ours(const struct tw_value *value)
{
	cpu_set_t both;

	CPU_AND(&both, &card.cpus, &value->of->cpus);
	return value->of->pinned && CPU_COUNT(&both);
}

/* @from: which of them. */
static void read_priority(struct tw_value *value)
{
	const int64_t priority = *value->from == 'i' ? card.irq_priority :
		*value->from == 's' ? card.softirq_priority :
		card.napi_priority;

	if (priority >= 0)
		tw_check_number(value, priority);
}

static bool is_below(const struct tw_value *value)
{
	return value->number < value->of->priority;
}

const struct tw_fact tw_facts_device[] = {
	{ "network_device", TW_FACT_TEXT, "The network device of --connect, or that was named, and whether it is none of hardware; absent without one, the others also for one without hardware.",
	  .read = read_device, .why = "" },
	{ .name = NULL }
};

const struct tw_fact tw_facts_network[] = {
	{ "network_speed_mbit", TW_FACT_NUMBER, "Of its link, in Mbit/s.",
	  "speed", read_speed, is_slow,
	  "a frame of 1500 bytes takes more than 12 us on the link, at 100 Mbit/s 123 us, and a message waits for one that is being sent",
	  "ethtool % shows what both ends offer; a cable or a switch may be slower" },
	{ "network_rx_delay_us", TW_FACT_NUMBER, "How long it waits for more messages before it interrupts; -1: the driver adapts it.",
	  NULL, read_delay, tw_facts_is_set,
	  "the card waits this long for more messages before it interrupts (interrupt coalescing); -1: a time that the driver adapts",
	  "ethtool -C % adaptive-rx off rx-usecs 0" },
	{ "network_saves_energy", TW_FACT_FLAG, "Whether it has Energy-Efficient Ethernet on.",
	  NULL, read_saving, tw_facts_is_set,
	  "between messages the link sleeps (Energy-Efficient Ethernet); the next one waits some 10 us until it is awake",
	  "ethtool --set-eee % eee off" },
	{ "network_irq_cpus", TW_FACT_CPUS, "CPUs of its interrupts.",
	  NULL, read_cpus, is_on_ours,
	  "all that the card receives is worked on there, and delays the measured tasks",
	  "write another CPU to /proc/irq/*/smp_affinity_list of those that grep % /proc/interrupts shows" },
	{ "network_irq_priority", TW_FACT_NUMBER, "The lowest real-time priority of its interrupts' threads; 0: not real-time.",
	  "irq", read_priority, is_below,
	  "messages are received in these threads (irq/), which tasks of a priority between it and -p delay",
	  "for p in $(pgrep 'irq/.*%'); do chrt -f -p 99 $p; done" },
	{ "network_softirq_priority", TW_FACT_NUMBER, "The same of ksoftirqd on these CPUs.",
	  "softirq", read_priority,
	  is_below,
	  "when there is much to receive, this thread does it (ksoftirqd on the CPUs of the interrupts), which tasks of a priority between it and -p delay",
	  "for p in $(pgrep ksoftirqd/); do chrt -f -p 99 $p; done; or threaded NAPI: echo 1 >" NET_DIR "%/threaded" },
	{ "network_threaded", TW_FACT_FLAG, "Whether threads receive (threaded NAPI).",
	  .from = "threaded", .read = read_number, .why = "" },
	{ "network_napi_priority", TW_FACT_NUMBER, "The lowest real-time priority of these.",
	  "napi", read_priority,
	  is_below,
	  "messages are received in these threads (threaded NAPI), which tasks of a priority between it and -p delay; 0 is an ordinary task",
	  "for p in $(pgrep napi/%-); do chrt -f -p 99 $p; done" },
	{ "network_gro_flush_ns", TW_FACT_NUMBER, "How long received segments wait for others to join, in ns.",
	  "gro_flush_timeout",
	  read_number, tw_facts_is_set,
	  "the kernel holds received segments this long to join them with the next ones",
	  "echo 0 >" NET_DIR "%/gro_flush_timeout; only busy polling needs it" },
	{ "network_deferred_irqs", TW_FACT_NUMBER, "Rounds of polling without interrupts.",
	  "napi_defer_hard_irqs",
	  read_number, tw_facts_is_set,
	  "the card's interrupts stay off for some rounds of polling; a message then waits for a timer",
	  "echo 0 >" NET_DIR "%/napi_defer_hard_irqs; only busy polling needs it" },
	{ "network_qdisc", TW_FACT_TEXT, "Its queueing discipline.",
	  NULL, read_qdisc, is_shaping,
	  "this queue holds messages back on purpose",
	  "tc qdisc del dev % root" },
	{ .name = NULL }
};

bool tw_check_is_hardware(const char *device)
{
	char path[256];

	snprintf(path, sizeof(path), NET_DIR "%s/device", device);
	return !access(path, F_OK);
}

/* That of the address which the kernel chooses for messages to @to. */
static void find_route(char device[IF_NAMESIZE], const struct addrinfo *to)
{
	int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifaddrs *all = NULL, *one;
	struct sockaddr_in6 own = { .sin6_port = 0 };
	socklen_t len = sizeof(own);
	bool six = to->ai_family == AF_INET6;

	if (fd >= 0 && !connect(fd, to->ai_addr, to->ai_addrlen) &&
	    !getsockname(fd, (struct sockaddr *)&own, &len))
		getifaddrs(&all);
	for (one = all; one; one = one->ifa_next) {
		const void *found = one->ifa_addr, *ours = &own;
		size_t at = six ? offsetof(struct sockaddr_in6, sin6_addr) :
			    offsetof(struct sockaddr_in, sin_addr);

		if (found && one->ifa_addr->sa_family == to->ai_family &&
		    !memcmp((const char *)found + at, (const char *)ours + at,
			    six ? 16 : 4))
			snprintf(device, IF_NAMESIZE, "%s", one->ifa_name);
	}
	freeifaddrs(all);
	if (fd >= 0)
		close(fd);
}

/* A VLAN or a bond of one: the device below it is the hardware. */
static void go_down(char device[IF_NAMESIZE])
{
	char pattern[64];
	glob_t found;

	snprintf(pattern, sizeof(pattern), NET_DIR "%s/lower_*", device);
	if (tw_check_is_hardware(device) || glob(pattern, 0, NULL, &found))
		return;
	if (found.gl_pathc == 1)
		snprintf(device, IF_NAMESIZE, "%s",
			 strstr(found.gl_pathv[0], "/lower_") + 7);
	globfree(&found);
}

void tw_check_route(char device[IF_NAMESIZE], const char *host)
{
	struct addrinfo *to = NULL;
	struct tw_host parsed;
	const char *why;

	if (tw_reach_parse(host, &parsed))
		to = tw_reach_find(parsed.name, &why);
	if (!to)
		return;
	find_route(device, to);
	freeaddrinfo(to);
	go_down(device);
}
