// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two instances: the watch has events of the watched tasks alone, which are
 * read every few ms; the window, which its ring keeps for a while, those of all.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_await.h"
#include "tw_child.h"
#include "tw_config.h"
#include "tw_mark.h"
#include "tw_on_break.h"
#include "tw_option.h"
#include "tw_output.h"
#include "tw_policy.h"
#include "tw_say.h"
#include "tw_tracefs.h"
#include "wl.h"

#define TICK_MS		10
#define WATCH_KB	1024
#define LATE		16	/* of those that one window shows */
#define KEPT_NS		(20 * TW_NS_PER_MS)	/* of the trace, before it */

uint64_t wl_watch_lost;

static struct tw_tracefs watch, window;
static int pipe_fd;
static struct wl_late late[LATE];	/* not looked into yet */
static int late_count;
static int64_t traced_ns, stopped_ns;	/* since when, until; 0: it goes on */

/* Above ordinary tasks only while little is to be done. */
static void set_urgent(bool urgent)
{
	const struct sched_param param = { .sched_priority = urgent };

	tw_policy_set(0, (urgent ? SCHED_FIFO : SCHED_OTHER) |
		      SCHED_RESET_ON_FORK, &param);
}

static void __attribute__((noreturn)) be_program(int go)
{
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(EXIT_FAILURE);
	tw_child_usual();
	execvp(tw_option_words[0], tw_option_words);
	tw_say_warn("cannot run %s: %m\n", tw_option_words[0]);
	_exit(127);
}

/* It waits until a byte is written to the pipe whose end is returned. */
static int start_program(void)
{
	int fds[2];
	pid_t pid = pipe2(fds, O_CLOEXEC) ? -1 : fork();

	if (pid < 0)
		tw_say_fatal("cannot start %s: %m\n", tw_option_words[0]);
	if (!pid) {
		close(fds[1]);
		be_program(fds[0]);
	}
	close(fds[0]);
	wl_config.pid = pid;
	return fds[1];
}

static void watch_thread(int pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	tw_tracefs_put("set_event_pid", text);
}

static void watch_threads(void)
{
	char path[32];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)wl_config.pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			watch_thread(atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

static void open_watch(const cpu_set_t *cpus)
{
	const char *events = tw_tracefs_events;
	int64_t kb = tw_tracefs_ring_kb;
	bool all = wl_config.cycles || tw_option_words;

	tw_tracefs_use(&watch);
	tw_tracefs_events = wl_config.cycles ? wl_probe_open() :
		"sched:sched_switch,sched:sched_waking,sched:sched_process_fork";
	tw_tracefs_ring_kb = WATCH_KB;
	tw_tracefs_open(cpus);
	tw_tracefs_stop();
	if (wl_config.cycles)
		watch_threads();
	else
		watch_thread((int)wl_config.pid);
	if (all)
		tw_tracefs_put("trace_options", "event-fork");
	pipe_fd = tw_tracefs_open_in("trace_pipe", O_RDONLY | O_NONBLOCK);
	if (pipe_fd < 0)
		tw_say_fatal("cannot read the trace: %m\n");
	tw_tracefs_resume();
	tw_tracefs_events = events;
	tw_tracefs_ring_kb = kb;
}

static void open_all(void)
{
	static char woken[32], next[48];
	cpu_set_t cpus;
	int cpu;

	CPU_ZERO(&cpus);
	for (cpu = 0; cpu < get_nprocs_conf(); cpu++)
		CPU_SET(cpu, &cpus);
	snprintf(woken, sizeof(woken), wl_config.realtime_only ? "prio < 100" :
		 "pid == %d", (int)wl_config.pid);
	snprintf(next, sizeof(next), "next_%s", woken);
	tw_tracefs_woken = woken;
	tw_tracefs_next = next;
	tw_tracefs_use(&window);
	tw_tracefs_open(&cpus);
	traced_ns = tw_now_ns(CLOCK_MONOTONIC) - tw_tracefs_ahead_ns();
	open_watch(&cpus);
	wl_look_begin(traced_ns);
	tw_tracefs_use(&window);
}

static void close_all(void)
{
	close(pipe_fd);
	tw_tracefs_close();
	tw_tracefs_use(&watch);
	tw_tracefs_close();
	if (wl_config.cycles)
		wl_probe_close();
}

/* The first one stops the window. */
static void note_late(const struct wl_late *one)
{
	if (!stopped_ns) {
		tw_tracefs_stop();
		stopped_ns = tw_now_ns(CLOCK_MONOTONIC) -
			     tw_tracefs_ahead_ns();
	}
	if (one->begin_ns < traced_ns || one->end_ns > stopped_ns ||
	    late_count == LATE)
		wl_look_not(one);
	else
		late[late_count++] = *one;
}

static void take_line(struct tw_run *run, const char *line)
{
	struct tw_event event;
	struct wl_late one;

	wl_watch_lost += !strncmp(line, "CPU:", 4) && strstr(line, "[LOST");
	if (run->broken || !tw_event_parse(line, &event) ||
	    !wl_follow(&event, line, &one))
		return;
	note_late(&one);
	run->broken = wl_config.most &&
		      wl_look_count() >= (uint64_t)wl_config.most;
}

static void read_watch(struct tw_run *run)
{
	static char text[16384];
	static size_t used;
	char *line, *end;
	ssize_t size;

	while ((size = read(pipe_fd, text + used,
			    sizeof(text) - 1 - used)) > 0) {
		used += size;
		text[used] = '\0';
		for (line = text; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			take_line(run, line);
		}
		used = text + used - line;
		memmove(text, line, used);
		if (used == sizeof(text) - 1)	/* no line is as long */
			used = 0;
	}
}

static void look_into_all(void)
{
	struct tw_mark marks[LATE];
	struct tw_window of;
	int i;

	if (!stopped_ns)
		return;
	set_urgent(false);
	for (i = 0; i < late_count; i++)
		marks[i] = (struct tw_mark) { late[i].end_ns, "late until here" };
	tw_window_read(&of, tw_tracefs_read(), late_count ?
		       late[0].begin_ns - KEPT_NS : INT64_MAX,
		       "whylate", marks, late_count);
	for (i = 0; i < late_count; i++)
		wl_look(&late[i], &of);
	tw_window_free(&of);
	late_count = 0;
	tw_tracefs_resume();
	traced_ns = tw_now_ns(CLOCK_MONOTONIC) - tw_tracefs_ahead_ns();
	stopped_ns = 0;
	set_urgent(true);
}

static bool has_ended(void)
{
	char path[32];

	if (tw_option_words)
		return waitpid((pid_t)wl_config.pid, NULL, WNOHANG) != 0;
	snprintf(path, sizeof(path), "/proc/%d", (int)wl_config.pid);
	return access(path, F_OK);
}

void wl_watch(struct tw_run *run)
{
	int go = tw_option_words ? start_program() : -1;
	int64_t end_ns = INT64_MAX;
	bool ended = false;

	open_all();
	if (!wl_config.cycles)
		wl_task_add((pid_t)wl_config.pid, "<...>");
	set_urgent(true);
	if (tw_config.duration_s)
		end_ns = tw_now_ns(CLOCK_MONOTONIC) +
			 tw_config.duration_s * TW_NS_PER_S;
	if (go >= 0 && write(go, "", 1) != 1)
		tw_say_fatal("cannot start %s: %m\n", tw_option_words[0]);
	while (!ended && !run->broken && !run->interrupted &&
	       tw_now_ns(CLOCK_MONOTONIC) < end_ns) {
		tw_await(run->signal_fd, POLLIN, -1, tw_await_in_ms(TICK_MS));
		ended = has_ended();	/* what it did before is there */
		read_watch(run);
		tw_output_begin();
		tw_output_take_signals(run);
		look_into_all();
		tw_on_break_watch();
		tw_output_end();
	}
	set_urgent(false);
	close_all();
}
