# SPDX-License-Identifier: GPL-2.0-or-later
"""A running twowaytest, as the system sees it from outside."""

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import platform
import re
import resource
import signal
import struct
import subprocess
import time
import uuid

SIDES = ("server", "client")
NOBODY = 65534
CPU_DMA_LATENCY = "/dev/cpu_dma_latency"
RT_RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"
RT_PERIOD = "/proc/sys/kernel/sched_rt_period_us"
POLICIES = {
    os.SCHED_OTHER: "other",
    os.SCHED_FIFO: "fifo",
    os.SCHED_RR: "rr",
    os.SCHED_BATCH: "batch",
    os.SCHED_IDLE: "idle",
}

# More often than a side blocks to start and in the eight cycles of warm-up, at
# most four times in each.
STEADY_SWITCHES = 60


def may(priority):
    """Whether the kernel lets us have this real-time priority."""
    policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
        os.sched_setscheduler(0, policy, param)
    except PermissionError:
        return False
    return True


def why_not():
    """What these tests lack here: root, real time; None if nothing."""
    if os.geteuid():
        return "needs root"
    return None if may(1) else "real-time scheduling is refused, even to root"


def binary():
    return os.path.abspath(os.environ.get("TWOWAYTEST", "build/twowaytest"))


def read(path):
    """The file's text; empty if its process has ended meanwhile."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def status(pid, field):
    """One field of /proc/PID/status."""
    for line in read(f"/proc/{pid}/status").splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return value.strip()
    return ""


def signals(path=None):
    """The masks of those that are ignored and blocked: in a copy of a status in
    /proc, or of a program that somebody starts."""
    text = read(path) if path else subprocess.run(
        ["cat", "/proc/self/status"], check=True, text=True,
        stdout=subprocess.PIPE).stdout
    return tuple(int(re.search(rf"{name}:\s(\w+)", text)[1], 16)
                 for name in ("SigIgn", "SigBlk"))


def alive(pid):
    """Whether it is there; one that waits to be reaped is not."""
    return status(pid, "State")[:1] not in ("", "Z", "X")


def children(pid):
    """In the order of their start; then orphans that came to it."""
    return [int(child) for child in
            read(f"/proc/{pid}/task/{pid}/children").split()]


def usable_cpus():
    """Those that the kernel gives to a process of ours that asks."""
    own = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, range(max(own) + os.cpu_count()))
        return os.sched_getaffinity(0)
    finally:
        os.sched_setaffinity(0, own)


def cpu_list(cpus):
    """A set of CPUs as the kernel writes it, such as 0-2,5."""
    ranges = []
    for cpu in sorted(cpus):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(f"{first}-{last}" if last > first else str(first)
                    for first, last in ranges)


def settings(pid):
    """What the kernel says of a process, in the JSON's words."""
    policy = os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK
    return {
        "cpus": status(pid, "Cpus_allowed_list"),
        "policy": POLICIES[policy],
        "priority": os.sched_getparam(pid).sched_priority,
        "locked": status(pid, "VmLck") not in ("", "0 kB"),
    }


def cpu_ticks(pid):
    """The CPU time that a process has used, in clock ticks."""
    # The name, in brackets, may hold anything.
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]) if fields else 0


def has_counter():
    """Whether --clock=tsc can be used: the kernel trusts the CPU's counter."""
    return bool({"tsc", "arch_sys_counter"} & set(read(
        "/sys/devices/system/clocksource/clocksource0/available_clocksource")
        .split())) and not os.environ.get("TWOWAY_EMULATOR")


def rt_runtime():
    return int(read(RT_RUNTIME))


def set_rt_runtime(value_us):
    with open(RT_RUNTIME, "w", encoding="ascii") as file:
        file.write(f"{value_us}\n")


def takes_rt_runtime(value_us):
    """Whether this kernel takes it now; a cgroup's share may forbid it."""
    before = rt_runtime()
    try:
        set_rt_runtime(value_us)
        return True
    except OSError:
        return False
    finally:
        set_rt_runtime(before)


def unlocked(pid):
    """Mappings that are not locked, but for the kernel's own."""
    found = []
    for line in read(f"/proc/{pid}/smaps").splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            name = words[5] if len(words) > 5 else "anonymous"
        elif words[0] == "VmFlags:" and "lo" not in words:
            if not name.startswith(("[v", "[u")):
                found.append(name)
    return found


def open_files(pid):
    """What a process's descriptors lead to."""
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            pass
    return found


def stolen_s():
    """The CPU time that a hypervisor has taken from this system's CPUs."""
    fields = read("/proc/stat").partition("\n")[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK") if fields else 0


class Limit:
    """Of a wait: in seconds of a system that has nothing else to do.

    It is put off, up to tenfold, by what a hypervisor has stolen, and while
    more tasks want to run than there are CPUs. It is long, as other tests may
    have the CPUs: a shorter one is for what is to happen at once.
    """

    def __init__(self, seconds):
        self.left = seconds
        self.at, self.stolen = time.monotonic(), stolen_s()
        self.end = self.at + 10 * seconds

    def is_over(self):
        at, stolen = time.monotonic(), stolen_s()
        had = max(at - self.at - (stolen - self.stolen), 0)
        self.left -= had * min(os.cpu_count() / runnable(), 1)
        self.at, self.stolen = at, stolen
        return self.left <= 0 or at > self.end


def runnable():
    """How many tasks have a CPU or want one: this one, whatever is read."""
    found = re.match(r"(?:\S+ ){3}(\d+)/", read("/proc/loadavg"))
    return max(int(found[1]) if found else 1, 1)


def wait_for(condition, timeout=30.0):
    """What condition() returns once that is true; None: it never was within
    this limit."""
    limit = Limit(timeout)
    while True:
        begin = time.thread_time()
        result = condition()
        if result:
            return result
        if limit.is_over():
            return None
        # What is waited for needs the CPU, too.
        time.sleep(max(0.002, 4 * (time.thread_time() - begin)))


def fifo(path):
    """Makes one; its reader, which waits for nothing, as a descriptor."""
    os.mkfifo(path)
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK)


def communicate(process, timeout):
    """As subprocess has it, but with such a limit."""
    limit = Limit(timeout)
    while True:
        try:
            return process.communicate(timeout=0.1)
        except subprocess.TimeoutExpired:
            if limit.is_over():
                raise


def switches(pid):
    """How often it has blocked; 0 if it is gone."""
    return int(status(pid, "voluntary_ctxt_switches") or 0)


def measuring(pids):
    """Whether these are both sides, and in steady state."""
    found = list(map(switches, pids))
    return len(found) == len(SIDES) and min(found) > STEADY_SWITCHES


# Of sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr.
SCHEDULING = {"x86_64": (142, 144, 203, 314), "s390x": (154, 156, 239, 345),
              "aarch64": (118, 119, 122, 274), "riscv64": (118, 119, 122, 274)}


def sandbox():
    """A preexec_fn: from now on, no such call is permitted, as to a service
    with SystemCallFilter=~@resources."""
    numbers = SCHEDULING[platform.machine()]
    lines = [(0x20, 0, 0, 0)]           # load the number of the call
    for left, number in enumerate(reversed(numbers)):
        lines.insert(1, (0x15, left + 1, 0, number))    # is it this one?
    lines += [(0x06, 0, 0, 0x7fff0000),                 # allowed
              (0x06, 0, 0, 0x00050000 | errno.EPERM)]
    code = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", *line) for line in lines))
    program = ctypes.create_string_buffer(
        struct.pack("HL", len(lines), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or \
            libc.prctl(22, 2, ctypes.c_void_p(ctypes.addressof(program))):
        raise OSError(ctypes.get_errno(), "no filter of system calls")


def nobody(**limits):
    """A preexec_fn: takes limits such as RTPRIO=50, gives up being root."""
    def become():
        # Whoever exceeds NPROC as setuid() finds it may not even exec, and
        # another program of nobody's is enough for that.
        processes = limits.pop("NPROC", None)
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name),
                               (value, value))
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        if processes is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    return become


class Turn:
    """Programs of tests that change sched_rt_runtime_us, or look whether it
    was changed, do so in turn. One program may be in its turn several times
    over."""
    entered = 0
    file = None

    def __enter__(self):
        Turn.entered += 1
        if Turn.entered == 1 and os.path.exists(RT_PERIOD):
            Turn.file = open(RT_PERIOD, encoding="ascii")
            fcntl.flock(Turn.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        Turn.entered -= 1
        if not Turn.entered and Turn.file:
            Turn.file.close()
            Turn.file = None


class Run:
    """A twowaytest in the background; options go to subprocess.Popen."""

    def __init__(self, *args, program=None, env=None, **options):
        # Children inherit it: whoever carries it is ours.
        self.mark = f"TWOWAY_TEST_RUN={uuid.uuid4()}"
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        name, value = self.mark.split("=")
        self.turn = contextlib.ExitStack()
        if any("--rt-runtime" in str(arg) for arg in args):
            self.turn.enter_context(Turn())
        try:
            self.process = subprocess.Popen(
                [program or binary(), *map(str, args)], text=True,
                env={**os.environ, "LC_ALL": "C", **(env or {}), name: value},
                **options)
        except BaseException:
            self.turn.close()
            raise
        self.pid = self.process.pid
        self.out = self.err = None

    def processes(self, name=None):
        """The pids of main and of all that came from it: of those that have
        this name, if one is given."""
        mark = self.mark.encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            if name and read(f"/proc/{pid}/comm").strip() != name:
                continue
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    ours = mark in file.read().split(b"\0")
            except OSError:
                continue
            if ours and alive(pid):
                found.append(int(pid))
        return found

    def named(self, name):
        """The pids of those of its processes that have this name."""
        return sorted(self.processes(name))

    def children(self):
        """Main's, in the order of their start."""
        return children(self.pid)

    def sides(self):
        """The pids by role, of those that have their name already."""
        names = {f"twoway-{role}": role for role in SIDES}
        found = {}
        for pid in self.children():
            role = names.get(read(f"/proc/{pid}/comm").strip())
            if role:
                found[role] = pid
        return found

    def steady(self):
        """Waits until cycles are being measured; the pids by role."""
        def steady():
            found = self.sides()
            return found if measuring(found.values()) else None

        found = wait_for(steady)
        if not found:
            self.end()
            raise AssertionError(f"not measuring: {self.err}")
        return {"main": self.pid, **found}

    def signal(self, number):
        self.process.send_signal(number)

    def finish(self, timeout=60.0):
        """Waits for its end; the exit status."""
        self.out, self.err = communicate(self.process, timeout)
        self.turn.close()
        return self.process.returncode

    def gone(self, timeout=10.0):
        """Whether no process of it is left in time."""
        self.process.poll()
        return wait_for(lambda: self.process.poll() is not None and
                        not self.processes(), timeout) is True

    def end(self):
        """Ends what a failed test has left running."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.out is None:
            self.finish()


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def load_json(path):
    """A JSON file, without the NaN that Python's parser would let pass."""
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=refuse_constant)
