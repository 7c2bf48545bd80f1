# SPDX-License-Identifier: GPL-2.0-or-later
"""The series for rt-tests: its form and size, and that each step builds.

The patches of the library apply to rt-tests alone, which is not here, so they
are only read. The small tree has a library of our own with what they mend.
"""

import os
import random
import re
import shutil
import signal
import time

import pytest

import outside
import series
from series import BACKPORT, CC, COVER, LIBRARY, LISTS, PATCHES, SERIES, \
    SOURCES, TOOL, TOP

# Lines of C that each patch may add.
BUDGETS = [30, 40, 40, 60, 750, 300, 250, 0]
# Options that show which patches are there.
BRINGS = {5: "breaktrace", 6: "load", 7: "trltp"}
# What readers of an older series had to read twice.
RIDDLES = (
    "Of the names that a", "serves the oldest expiry", "A column is a pair",
    "If the client began to wait after the expiry", "all to the client's",
    "stays ignored if it was ignored", "which may also be the next word of",
    "Killed first", "are to be reaped", "has the work of each load in",
    "stack of a task to blame", "times the usual stop",
    "All clients: what they wait for ends", "the slowest, if no server is",
    "As the largest value is cut", "as long as it really was",
    "but for the first two", "if no answer took longer",
    "is about the sleep", "Later options override",
    "since the former ended", "has waited for some time", "usually that from",
    "Write \\fIUS\\fR there", "and each next one", "beside workers, it has",
    '"of idle states"', '"also of the sum"', "from 0 to US", "but the rows",
    "it is not wanted", "so it is, too, if", "Options after this one change",
    "says that nothing is real-time", "if nothing sets that clock",
    "For the caller; first", "of most numbers", "the value of a metric is",
    "then enters an idle state that it needs", "If they have none",
    "stat() goes", "Of an odd number that", "The reply wakes it",
    "If a cycle ends after the next", "adds those of each process to",
    "PATH tells", "is not claimed", "they have the time of send twice",
    "latency of 50 ms follows",
    "or, without one, than its period", "\\fIPRIO\\fR must be",
    "are the same in those of one pair", "its own number is refused",
    "lost: of", "which cycle */", "gets a message, too, also if",
    "so a run that does not end counts", "nothing can be cited")
OLDER = "-Wno-unused-parameter -Wno-sign-compare"


def check_made(script):
    return series.run(script, "--check")


def test_made():
    done = check_made(TOP / "contrib" / "mkseries")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_made_again(tmp_path):
    """A change of a file of an early patch reaches all; what was changed by hand
    is made anew, but for messages and what is not ours."""
    for part in "contrib/mkseries", "patches":
        to = tmp_path / part
        to.parent.mkdir(exist_ok=True)
        (shutil.copytree if (TOP / part).is_dir() else shutil.copy)(
            TOP / part, to)
    script = tmp_path / "contrib" / "mkseries"
    source = tmp_path / "patches" / SOURCES.relative_to(PATCHES)
    names = [path.name for path in TOOL]
    text = (source / "twowaytest.c").read_text()
    (source / "twowaytest.c").write_text(
        text.replace("static int64_t now(void)", "static int64_t time_ns(void)")
        .replace(" now()", " time_ns()"))
    done = check_made(script)
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        1, f"patches/{names[0]}: is not made from patches/rt-tests")
    assert series.run(script).returncode == 0
    assert check_made(script).returncode == 0
    first = (tmp_path / "patches" / names[0]).read_text()
    assert "\n+static int64_t time_ns(void)\n" in first
    assert first.split("\ndiff")[0] == TOOL[0].read_text().split("\ndiff")[0]
    (source / "twowaytest.c").write_text(text)
    for name in names:
        path = tmp_path / "patches" / name
        path.write_text(path.read_text() + "\n")
    assert len(check_made(script).stdout.splitlines()) == 3
    assert series.run(script).returncode == 0
    for path in TOOL:
        assert (tmp_path / "patches" / path.name).read_bytes() == \
            path.read_bytes()
    assert series.run(script, "--wrong").returncode == 1


def test_order():
    assert [int(path.name[:4]) for path in SERIES] == list(range(9))
    listed = (PATCHES / "series").read_text(encoding="ascii").split()
    assert listed == [path.name for path in LIBRARY + TOOL]


def test_size():
    """Made files and all."""
    files = [path for path in PATCHES.rglob("*") if path.is_file()]
    assert sum(path.read_bytes().count(b"\n") for path in files) <= 4200
    assert BACKPORT.read_bytes().count(b"\n") <= 250
    assert (TOP / "contrib" / "mkseries").read_bytes().count(b"\n") <= 120


@pytest.mark.parametrize("path", SERIES[1:], ids=lambda path: path.name[:4])
def test_text(path):
    """What a mailing list wants; the sign-off is the submitter's."""
    text = path.read_text(encoding="utf-8")
    head = text.split("\ndiff --git ")[0]
    number = int(path.name[:4])
    assert re.search(rf"^Subject: \[PATCH {number}/8\] ", head, re.M)
    assert all(len(line) <= 80 for line in head.splitlines()[4:])
    assert "Signed-off-by" not in text
    assert series.added(path) <= BUDGETS[number - 1]
    # Three lines of context, but at a file's end.
    for hunk in re.split(r"^@@ -(?!0,0).* @@.*\n", text, flags=re.M)[1:]:
        lines = hunk.split("\ndiff --git ")[0].splitlines()
        assert [line[:1] for line in lines[:3]] == [" "] * 3


def test_sum():
    assert sum(map(series.added, SERIES[1:])) <= 1450
    page = TOOL[0].read_text(encoding="ascii").split("twowaytest.8\n@@")[1]
    assert page.split("\ndiff")[0].count("\n+") <= 200


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.name[:4])
def test_mends(path):
    """The library's patches say what is wrong, by a command."""
    text = path.read_text(encoding="ascii")
    assert re.search(r"\n  [$#] ", text)
    assert "twowaytest" not in text.replace(
        "From: twowaytest project <twowaytest@", "")


def test_lists():
    path, = LISTS
    assert set(re.findall(r"^\+\+\+ b/(.*)", path.read_text(encoding="utf-8"),
                          re.M)) == {".gitignore", "AGENTS.md",
                                     "README.markdown"}


def test_cover():
    text = COVER.read_text(encoding="ascii")
    assert len(text.splitlines()) <= 60
    for path in SERIES[1:]:
        found = series.subject(path)
        assert " ".join(found[3].split()) in " ".join(text.split())


def test_words():
    """A line of C that has more than 80 columns ends with a string, which begins
    before them; nothing is a riddle. The manual page has a line for a
    sentence."""
    for path in *SOURCES.iterdir(), *SERIES:
        text = path.read_text(encoding="utf-8")
        assert not [riddle for riddle in RIDDLES if riddle in text]
    for path in SOURCES.glob("*.[ch]"):
        assert not [line.strip() for line in path.read_text().splitlines()
                    if len(re.sub(r'"([^"\\]|\\.)*"[,); }]*$', '"',
                                  line).expandtabs()) > 80]


def test_steps(tmp_path):
    """Each builds without a warning and measures; help and manual agree."""
    tree = tmp_path / "tree"
    series.plant(tree)
    for number, path in enumerate(TOOL, 5):
        series.git(tree, "am", "-q", path)
        for compiler in CC:
            check_step(series.build(tree, compiler, OLDER), number)
        listed = [line.split("--")[1].split()[0] for line in series.run(
            tree / "twowaytest-gcc", "--help").stdout.splitlines()
            if "  --" in line]
        assert listed == sorted(listed)
        options = set(listed)
        page = (tree / "src/twowaytest/twowaytest.8").read_text()
        assert options == {name.replace("\\", "") for line in re.findall(
            r"^\.TP\n(.*)", page, re.M)
            for name in re.findall(r"\\-\\-([a-z_\\-]+)", line)}
        for brought, option in BRINGS.items():
            assert (option in options) == (brought <= number)


# What is so without the option; of the others, it is nothing or a switch.
DEFAULTS = {"--clock": "monotonic (0), the default", "--distance":
            "default 500", "--interval": "default 1000", "--latency":
            "default 0", "--load-policy": "default other", "--loops":
            "default 0", "--policy": "default fifo", "--size":
            "from 8, the default", "--sleep": "default 100", "--threads":
            "default 1"}


def test_help(of_series):
    """It can be understood without the manual: some words each, and what is so
    without the option."""
    out, _ = of_series.run("--help")
    head, usage, *lines = out.splitlines()
    assert usage == "Usage: twowaytest <options>"
    assert re.fullmatch(r"twowaytest V \d\.\d\d", head)
    texts = {line[6:22].rstrip(): line[33:] for line in lines}
    assert len(texts) == len(lines) >= 29
    for option, text in texts.items():
        assert len(text.split()) >= 4 and len(text) <= 52, (option, text)
        assert DEFAULTS.get(option, "") in text
    assert set(DEFAULTS) <= set(texts)


def check_step(program, number):
    done = series.run(program, "-q", "-l", "20")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^T: 0 .* C: +20 ", done.stdout, re.M)
    if number >= 6:
        done = series.run(program, "-q", "-l", "20", "--load=fft")
        assert "# Load: fft, 1 worker, " in done.stdout


def test_installed(tmp_path):
    tree = tmp_path / "tree"
    series.plant(tree)
    series.git(tree, "am", "-q", *TOOL)
    done = series.run("make", "-s", "install", f"DESTDIR={tmp_path}",
                      "prefix=/usr", cwd=tree)
    assert done.returncode == 0, done.stderr
    assert {str(path.relative_to(tmp_path / "usr"))
            for path in (tmp_path / "usr").rglob("*") if path.is_file()} == {
        "bin/twowaytest", "share/man/man8/twowaytest.8"}


def test_backport(tmp_path):
    """What an older library lacks is there without it, and what later versions
    do not warn of is turned off."""
    tree = tmp_path / "tree"
    series.plant(tree)
    for name in "src/include/histogram.h", "src/lib/histogram.c":
        (tree / name).write_text("#error older\n")
    path = tree / "src/include/rt-utils.h"
    path.write_text(re.sub("(int set_latency_target|void tracing_stop).*\n",
                           "", path.read_text()).replace(
        "int rt_write_json", "void rt_write_json"))
    path = tree / "src/lib/rt-utils.c"
    text = path.read_text()
    path.write_text(text[:text.index("void tracing_stop")] + re.sub(
        r"\treturn (-1|0);\n\}$|\t\treturn 0;\n", lambda match: "\t\treturn;\n"
        if match[0].startswith("\t\t") else "}", "void rt_init" + text.replace(
            "int rt_write_json", "void rt_write_json").split(
            "void rt_init")[1].rstrip()) + "\n")
    path = tree / "Makefile"
    path.write_text(path.read_text().replace(" histogram.o)", ")"))
    series.git(tree, "commit", "-qam", "older")
    series.git(tree, "am", "-q", BACKPORT, *TOOL)
    for compiler in CC:
        program = series.build(tree, compiler,
                               "-Wno-error=unused-parameter -Wno-error")
        check_step(program, 7)
        done = series.run(program, "-q", "-l", "60", "-h", "150",
                          "--json=json", cwd=tree)
        assert done.returncode == 0
        found = outside.load_json(tree / "json")["thread"]["0"]
        rows = re.findall(r"^(\d{6}) (\d{6})$", done.stdout, re.M)
        assert {int(row): int(count) for row, count in rows} == {
            int(row): count for row, count in found["histogram"].items()}


@pytest.mark.parametrize("compiler, libatomic", [
    ("i686-linux-gnu-gcc", []), ("i686-linux-gnu-gcc", ["-D_TIME_BITS=64"]),
    ("arm-linux-gnueabi-gcc", []), ("musl-gcc", [])])
def test_other_machines(compiler, libatomic, tmp_path):
    """32 bits, with and without 64-bit times, and another C library: nothing is
    warned of, and no atomic operation needs a library."""
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    if not os.path.isfile("/usr/include/numa.h"):
        pytest.skip("there is no numa.h")
    shutil.copy("/usr/include/numa.h", tmp_path)
    for path in SOURCES.glob("*.c"):
        done = series.run(
            compiler, "-c", path, "-o", tmp_path / "object.o", "-O2",
            "-Wall", "-Wextra", "-Werror", *OLDER.split(), *libatomic,
            *(["-D_FILE_OFFSET_BITS=64"] if libatomic else []),
            "-D_GNU_SOURCE", "-DVERSION=9.99", f"-I{tmp_path}",
            f"-I{TOP}/tests/patches/tree/src/include")
        assert done.returncode == 0, done.stderr
        assert "__atomic" not in series.run("nm", "-u",
                                            tmp_path / "object.o").stdout


def test_calls(of_series):
    """Three in a cycle of the client, three in one of the server."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    process = of_series.start("-q", "-D", "1h")
    server, = of_series.servers(process)
    log = of_series.path_of("strace")
    tracer = of_series.__class__("strace", shutil.which("strace"),
                                 of_series.directory)
    threads = os.listdir(f"/proc/{process.pid}/task")
    client, = set(map(int, threads)) - {process.pid}
    for pid, calls in ((client, ["clock_nanosleep", "recvfrom", "sendto"]),
                       (server, ["clock_nanosleep", "recvfrom", "sendto"])):
        tracing = tracer.start("-qq", "-p", pid, "-o", log)
        assert outside.wait_for(
            lambda: log.is_file() and log.read_text().count("\n") > 40)
        tracing.send_signal(signal.SIGINT)
        tracing.communicate()
        lines = re.findall(r"^(\w+)\(", log.read_text(), re.M)[3:-3]
        assert sorted(set(lines)) == calls
        for name in calls:
            assert abs(lines.count(name) - len(lines) / 3) <= 2
        log.unlink()


def test_end_before_the_first_cycle(of_series):
    """A request before those that count does not count at the end, either."""
    process = of_series.start("-q", "-i", 1000000)
    assert outside.wait_for(lambda: of_series.children(process))
    server, = of_series.children(process)
    os.kill(server, signal.SIGSTOP)
    time.sleep(1.5)     # nothing tells that a client waits for its reply
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (
        1, "WARN: pair 0: no cycle was measured\n")
    assert "# Unanswered" not in out


# A signal ends the run after the client has seen that it goes on, and before
# the call that waits for the next expiry. The server has other flags.
LATE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void end(void)
{
	struct timespec left = { 0, 300000000 };

	kill(getpid(), SIGINT);
	while (nanosleep(&left, &left))
		;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *at,
		    struct timespec *left)
{
	int (*real)(clockid_t, int, const struct timespec *,
		    struct timespec *) = dlsym(RTLD_NEXT, "clock_nanosleep");

	if (flags == TIMER_ABSTIME)
		end();
	return real(id, flags, at, left);
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	int (*real)(const sigset_t *, siginfo_t *) =
		dlsym(RTLD_NEXT, "sigwaitinfo");

	end();
	return real(set, info);
}
"""


@pytest.mark.parametrize("words", [[], ["-x"]])
def test_end_just_before_the_sleep(of_series, words):
    """Nobody waits for the end of a period of a minute."""
    source, library = map(of_series.path_of, ("late.c", "late.so"))
    source.write_text(LATE)
    done = series.run("gcc", "-shared", "-fPIC", "-o", library, source, "-ldl")
    assert done.returncode == 0, done.stderr
    process = of_series.start("-q", "-i", 60000000, *words,
                              env={**os.environ, "LD_PRELOAD": str(library)})
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (
        1, "WARN: pair 0: no cycle was measured\n")


# The mask without the CPU that the program may not use.
NUMA = r"""
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <numa.h>

#define warn(...)	fprintf(stderr, __VA_ARGS__)

static void use_current_cpuset(int max_cpus, struct bitmask *mask)
{
	struct bitmask *own = numa_allocate_cpumask();
	int cpu;

	numa_sched_getaffinity(0, own);
	for (cpu = 0; cpu < max_cpus; cpu++)
		if (!numa_bitmask_isbitset(own, cpu))
			numa_bitmask_clearbit(mask, cpu);
}

FUNCTIONS

int main(int argc, char *argv[])
{
	struct bitmask *mask = numa_allocate_cpumask();
	int ret = parse_cpumask(argv[1], numa_num_configured_cpus(), &mask);

	printf("%d %d\n", ret, mask ? (int)numa_bitmask_weight(mask) : -1);
	return 0;
}
"""


def test_set_that_becomes_empty(tmp_path):
    """What patch 3 makes of parse_cpumask(): there is no mask without a CPU,
    also if it has lost them all to the CPUs of the shell."""
    if not os.path.isfile("/usr/include/numa.h"):
        pytest.skip("there is no numa.h")
    text = LIBRARY[2].read_text(encoding="ascii").split("rt-numa.c\n@@")[1]
    after = "\n".join(line[1:] for line in text.split("\ndiff")[0].splitlines()
                      if line[:1] in " +")
    source = tmp_path / "numa.c"
    assert after.endswith("\treturn 0;")
    source.write_text(NUMA.replace("FUNCTIONS", after[after.index(
        "/* libnuma takes 1-0"):] + "\n}\n"))
    done = series.run("gcc", "-Wall", "-Werror", "-o", tmp_path / "numa",
                      source, "-lnuma")
    assert done.returncode == 0, done.stderr
    first = min(os.sched_getaffinity(0))
    for words, expected in ((f"!{first}", "-22 -1\n"), (str(first), "0 1\n"),
                            ("!all", "-22 -1\n"), ("1-0", "-22 -1\n"),
                            ("4294967296", "-22 -1\n"), ("0- 1", "-22 -1\n")):
        done = series.run(tmp_path / "numa", words, preexec_fn=lambda:
                          os.sched_setaffinity(0, {first}))
        assert done.stdout == expected, (words, done.stdout)
        assert bool(done.stderr) == ("-1\n" in expected)


# As many CPUs as the variable says; nobody is moved.
CPUS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	int cpu;

	CPU_ZERO_S(size, set);
	for (cpu = 0; cpu < atoi(getenv("CPUS")); cpu++)
		CPU_SET_S(cpu, size, set);
	return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	return 0;
}

long sysconf(int name)
{
	long (*real)(int) = dlsym(RTLD_NEXT, "sysconf");

	return name == _SC_NPROCESSORS_CONF ? atoi(getenv("CPUS")) : real(name);
}
"""


@pytest.mark.parametrize("cpus, clients", [
    (1, [0, 0]), (2, [1, 1]), (3, [2, 2]), (4, [3, 3]), (5, [3, 3]),
    (6, [3, 5, 3]), (7, [3, 5, 3]), (8, [3, 5, 7, 3]), (9, [3, 5, 7, 3])])
def test_cpus_of_pairs(of_series, cpus, clients):
    """As the manual page says: of an odd number, the last one has no pair."""
    source, library = map(of_series.path_of, ("cpus.c", "cpus.so"))
    source.write_text(CPUS)
    done = series.run("gcc", "-shared", "-fPIC", "-o", library, source, "-ldl")
    assert done.returncode == 0, done.stderr
    of_series.run("-q", "-l", 3, "-a", f"-t{len(clients)}", "--json=json", env={
        **os.environ, "LD_PRELOAD": str(library), "CPUS": str(cpus)})
    found = outside.load_json(of_series.path_of("json"))["thread"]
    assert [thread["cpu"] for thread in found.values()] == clients


CLOSE = r"""
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int fclose(FILE *f)
{
	char link[32], name[256] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fileno(f));
	if (readlink(link, name, sizeof(name) - 1) < 0 || !strstr(name, "/lost"))
		return fflush(f);
	errno = EDQUOT;
	return EOF;
}
"""


@pytest.mark.parametrize("words", [
    ["-h", "100", "--histfile=lost"],
    ["-x", "--load=fft", "--steps=1", "--trltp-log=lost"]])
def test_file_that_is_lost_at_its_end(of_series, words):
    """As on NFS: what is wrong is told when it is closed."""
    source, library = map(of_series.path_of, ("close.c", "close.so"))
    source.write_text(CLOSE)
    done = series.run("gcc", "-shared", "-fPIC", "-o", library, source)
    assert done.returncode == 0, done.stderr
    out, err = of_series.run("-q", "-l", 20, *words, status=1, env={
        **os.environ, "LD_PRELOAD": str(library)})
    assert err == "WARN: cannot write lost: Disk quota exceeded\n"
    assert "T: 0" in out


ACCEPT = r"""
#include <errno.h>
#include <sys/socket.h>

int accept(int fd, struct sockaddr *address, socklen_t *length)
{
	errno = EMFILE;
	return -1;
}
"""


def test_no_connection(of_series):
    """The reason is told."""
    source, library = map(of_series.path_of, ("accept.c", "accept.so"))
    source.write_text(ACCEPT)
    done = series.run("gcc", "-shared", "-fPIC", "-o", library, source)
    assert done.returncode == 0, done.stderr
    _, err = of_series.run("-q", status=1, env={
        **os.environ, "LD_PRELOAD": str(library)})
    assert err == ("FATAL: cannot accept the connection over 127.0.0.1: Too "
                   "many open files\n")


def test_timers_of_steps(of_series):
    """A client that ends leaves no timer behind."""
    process = of_series.start("-q", "-x", "-l", 300, "--load=fft", "--steps=3")
    most = 0
    while process.poll() is None:
        most = max(most, outside.read(
            f"/proc/{process.pid}/timers").count("ClockID: "))
    assert (process.returncode, most) == (0, 1)


def vm(pid, member):
    """A line of its status, in kB."""
    return int(re.search(rf"^{member}:\s+(\d+) kB", outside.read(
        f"/proc/{pid}/status"), re.M)[1])


def test_locked_memory(of_series):
    """-m locks that of the program and its servers, with small stacks, and not
    that of a load."""
    process = of_series.start("-q", "-m", "-t", 64, "-i", 200000, "--load=fft")
    worker, = of_series.loads(process, 1)
    assert outside.wait_for(lambda: len(os.listdir(
        f"/proc/{process.pid}/task")) == 65)
    servers = [pid for pid in of_series.children(process) if pid != worker]
    assert len(servers) == 64
    assert outside.wait_for(lambda: all(vm(pid, "VmLck") for pid in servers))
    assert 0 < vm(process.pid, "VmLck") < 200000
    assert vm(worker, "VmLck") == 0


def sockets(pid):
    return [link for link in (os.readlink(f"/proc/{pid}/fd/{name}") for name in
                              os.listdir(f"/proc/{pid}/fd"))
            if link.startswith("socket:")]


def test_sockets_of_servers(of_series):
    """Each has one, its own."""
    process = of_series.start("-q", "-t", 3)
    found = [sockets(pid) for pid in of_series.servers(process, 3)]
    assert [len(links) for links in found] == [1] * 3
    assert len(set(map(tuple, found))) == 3


# Tells the first time that each thread sleeps until.
FIRST = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

int clock_nanosleep(clockid_t id, int flags, const struct timespec *at,
		    struct timespec *left)
{
	int (*real)(clockid_t, int, const struct timespec *,
		    struct timespec *) = dlsym(RTLD_NEXT, "clock_nanosleep");
	static __thread int told;
	struct timespec now;

	clock_gettime(id, &now);
	if (flags && !told++)
		dprintf(2, "%lld.%09ld %d\n", (long long)at->tv_sec,
			at->tv_nsec, at->tv_sec > now.tv_sec);
	return real(id, flags, at, left);
}
"""


def test_pairs_begin_together(of_series):
    """Their first periods end at the same time, after all have been set up."""
    source, library = map(of_series.path_of, ("first.c", "first.so"))
    source.write_text(FIRST)
    done = series.run("gcc", "-shared", "-fPIC", "-o", library, source, "-ldl")
    assert done.returncode == 0, done.stderr
    process = of_series.start("-q", "-m", "-t", 64, "-d", 0, "-i", 20000000,
                              env={**os.environ, "LD_PRELOAD": str(library)})
    lines = [process.stderr.readline() for _ in range(64)]
    assert len(set(lines)) == 1 and lines[0].endswith(" 1\n"), set(lines)


def test_memory_of_a_load(built):
    """-m locks that of workers in no other process."""
    sizes = [int(words[1], 16) for words in map(str.split, series.run(
        "nm", "-S", built.parent / "bld-gcc" / "tw_load.o").stdout.splitlines())
        if len(words) == 4 and words[2] in "bBdD"]
    assert sizes and max(sizes) < 10000


def test_random_signals(of_series):
    """Whatever comes when, it ends as it says, and nothing of it stays."""
    choice = random.Random(20)
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGUSR2,
               signal.SIGCHLD, signal.SIGRTMIN, signal.SIGCONT, signal.SIGPIPE,
               signal.SIGKILL, signal.SIGSTOP, signal.SIGHUP]
    for _ in range(25):
        words = choice.sample(["-x", "-m", "-t3", "-v", "-h100", "-b100000"], 2)
        process = of_series.start("-q", "-D", 1, *words)
        time.sleep(choice.uniform(0, 0.05))     # also while it starts
        children = set()
        for _ in range(8):
            children |= set(of_series.children(process))
            to = choice.choice([process.pid] * 4 + sorted(children))
            number = choice.choice(numbers)
            try:
                os.kill(to, number)
            except ProcessLookupError:
                break
            time.sleep(choice.uniform(0, 0.01))
            if number == signal.SIGSTOP:
                os.kill(to, signal.SIGCONT)
        process.send_signal(signal.SIGCONT)
        out, _ = process.communicate(timeout=20)
        assert process.returncode in (0, 1, *(-number for number in numbers))
        if process.returncode == 0 and "-v" not in words:
            assert re.search("^T: 0|^# Max Latencies: ", out, re.M)
        assert outside.wait_for(lambda: not any(map(outside.alive, children)))
