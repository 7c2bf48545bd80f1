// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tw_cgroup.h"
#include "base/tw_kfile.h"
#include "base/tw_time.h"
#include "check/tw_throttle.h"

#define FAIR_SERVER_NS	(50 * TW_NS_PER_MS)	/* unless it was changed */

/* The fair server's share of a second; 0: there is none, or it is off. */
static int64_t fair_server_ns(const char *root, const char *release)
{
	int major = 0, minor = 0;
	int64_t share_ns;

	if (tw_kfile_number(root, &share_ns,
			    "/sys/kernel/debug/sched/fair_server/cpu0/runtime"))
		return share_ns;
	/* That tree is seldom mounted. */
	return sscanf(release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 12)) ? FAIR_SERVER_NS : 0;
}

void tw_throttle_read(struct tw_throttle *throttle, const char *root,
		      const char *release)
{
	struct tw_cgroup cgroup;
	int64_t share_ns;
	bool stops;

	memset(throttle, 0, sizeof(*throttle));
	throttle->known =
		tw_kfile_number(root, &throttle->runtime_us,
				TW_THROTTLE_FILE) &&
		tw_kfile_number(root, &throttle->period_us,
				"/proc/sys/kernel/sched_rt_period_us");
	if (!throttle->known)
		return;
	tw_cgroup_read(&cgroup, root);
	throttle->group = *cgroup.file;
	share_ns = fair_server_ns(root, release);
	throttle->fair_server = share_ns > 0;

	stops = throttle->group || !throttle->fair_server;
	/* With 0 there is nothing to be used up: the kernel stops nobody. */
	if (stops && throttle->runtime_us > 0 &&
	    throttle->runtime_us < throttle->period_us) {
		throttle->bypass = TW_BYPASS_LIMIT;
		throttle->stall_ns = (throttle->period_us -
				      throttle->runtime_us) * TW_NS_PER_US;
	} else if (throttle->fair_server) {
		throttle->bypass = TW_BYPASS_FAIR;
		throttle->stall_ns = share_ns;
	}
}

int tw_throttle_listen(const char *root)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/dev/kmsg", root);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || lseek(fd, 0, SEEK_END) < 0)
		return fd < 0 ? -errno : fd;
	return fd;
}

bool tw_throttle_heard(int fd)
{
	char record[8192];	/* the kernel's largest */
	bool heard = false;
	ssize_t len;

	if (fd < 0)
		return false;
	while ((len = read(fd, record, sizeof(record) - 1)) > 0 ||
	       (len < 0 && errno == EPIPE)) {	/* some were overwritten */
		record[len > 0 ? len : 0] = '\0';
		if (strstr(record, "RT throttling activated"))
			heard = true;
	}
	close(fd);
	return heard;
}
