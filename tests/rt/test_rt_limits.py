# SPDX-License-Identifier: GPL-2.0-or-later
"""Rights, limits and resources that are not there: what is said of it."""

import contextlib
import os
import pathlib
import re
import resource
import shutil
import socket

import hosts
import outside
import pytest

CPUS = sorted(os.sched_getaffinity(0))
KIB = 1024
ENOUGH = 8 * KIB * KIB      # for the program, not for all that it could keep
CAP_SYS_RESOURCE = 24


def limited(**limits):
    """nobody's preexec_fn, where these limits can be given."""
    may_raise = int(outside.status("self", "CapEff"), 16) >> CAP_SYS_RESOURCE
    for name, value in limits.items():
        _, hard = resource.getrlimit(getattr(resource, "RLIMIT_" + name))
        lower = hard == resource.RLIM_INFINITY or 0 <= value <= hard
        if not lower and not may_raise & 1:
            pytest.skip(f"needs CAP_SYS_RESOURCE: RLIMIT_{name} is {hard}")
    return outside.nobody(**limits)


@contextlib.contextmanager
def cgroup(controller):
    """A new group of a version 1 hierarchy that has that controller."""
    for line in outside.read("/proc/mounts").splitlines():
        _, mount, kind, options = line.split()[:4]
        if kind == "cgroup" and controller in options.split(","):
            break
    else:
        pytest.skip(f"no version 1 cgroup hierarchy with {controller} here")
    group = pathlib.Path(mount, f"twowaytest-{os.getpid()}")
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"{group}: {error.strerror}")
    try:
        yield group
    finally:
        # Whoever is in it may still be on the way out.
        outside.wait_for(lambda: not (group / "tasks").read_text())
        group.rmdir()


def join(group):
    """A preexec_fn: enters a control group."""
    def enter():
        (group / "cgroup.procs").write_text(str(os.getpid()))
    return enter


@pytest.fixture
def refused(start, public):
    """Runs what must fail before anything is started; its one message."""
    def run(*options, **popen):
        run = start("-q", "-l", 10, *options, cwd=public,
                    program="./twowaytest", **popen)
        assert run.finish() == 1
        assert run.out == ""
        assert run.err.startswith("twowaytest: ")
        assert run.err.count("\n") == 1
        assert os.listdir(public) == ["twowaytest"]
        return run.err
    return run


@pytest.fixture
def works(start, public):
    """Runs what must measure all of its cycles."""
    def run(*options, program="./twowaytest", **popen):
        run = start(*options, "-q", "-l", 10, "-m", cwd=public,
                    program=program, **popen)
        assert run.finish() == 0, run.err
        assert "C:     10 " in run.out
        return run
    return run


def test_unprivileged(works, public):
    """Without any right it still measures, and says what it did without."""
    run = works("--json=json", preexec_fn=limited(MEMLOCK=ENOUGH))
    try:
        settings = outside.load_json(public / "json")["twoway"]["settings"]
    finally:
        os.unlink(public / "json")
    assert settings["latency_us"] is None
    assert "# /dev/cpu_dma_latency set to" not in run.out
    if os.path.exists(outside.CPU_DMA_LATENCY):
        assert "/dev/cpu_dma_latency: " in run.err
        assert os.strerror(13) in run.err


@pytest.mark.parametrize("limit", [0, 64 * KIB])
def test_memlock(refused, limit):
    error = refused("-m", preexec_fn=limited(MEMLOCK=limit))
    assert "--mlockall" in error
    assert f"RLIMIT_MEMLOCK is {limit // KIB} KiB" in error
    for way in ("root", "ulimit -l", "limits.conf"):
        assert way in error


@pytest.fixture
def far(start, public):
    """A run whose server may lock so much memory; its results, or message."""
    def run(limit, *options):
        server = hosts.Server(program=public / "twowaytest",
                              preexec_fn=limited(MEMLOCK=limit))
        try:
            server.listens()
            run = start("--default-system", "-q", "-l", 10, "-i", 10000, "-m",
                        "--json=json", f"--connect={server.where}", *options,
                        cwd=public)
            if run.finish():
                assert run.out == "" and not (public / "json").exists()
                return run.err
            assert run.err == ""
            peer = hosts.results((public / "json").read_text())[
                "twoway"]["peer"]
            (public / "json").unlink()
            assert peer["asked"]["lock_memory"]
            locked = peer["granted"]["lock_memory"]
            assert set(peer["servers"]["locked"]) == {locked}
            assert locked != ("\n# Granted less: the server's memory is not "
                              "locked\n" in run.out)
            return locked
        finally:
            server.end()
    return run


@pytest.mark.parametrize("limit, pairs", [(0, 1), (64 * KIB, 2),
                                          (ENOUGH, 8)])
def test_memlock_of_a_server(far, limit, pairs):
    """It may lack the right, or have it for less than all the pairs need."""
    error = far(limit, f"-t{pairs}")
    assert error.startswith("twowaytest: the server on ")
    assert f"RLIMIT_MEMLOCK is {limit // KIB} KiB" in error
    assert error.endswith("; or give --accept to measure with memory that is "
                          "not locked there\n")
    assert far(limit, f"-t{pairs}", "--accept") is False


def test_memlock_of_a_server_suffices(far):
    assert far(ENOUGH) is True
    assert far(ENOUGH, "--accept") is True


def test_memlock_does_not_hide_what_else_is_wrong(far):
    """What was refused is named, not that memory would be, too."""
    error = far(0, "--accept", "--transport=udp", "--size=65536")
    assert "--size=65536" in error and "--mlockall" not in error
    error = far(0, "-p", 50)
    assert "it gives no real-time priorities" in error


def test_memlock_for_histogram(refused):
    error = refused("-m", "-h", 1000000,
                    preexec_fn=limited(MEMLOCK=ENOUGH))
    assert "no memory for the results" in error
    assert "-h" in error and "ulimit" in error


@pytest.mark.parametrize("limit", [0, 50, 97])
@pytest.mark.parametrize("policy", ["fifo", "rr"])
def test_rtprio(refused, limit, policy):
    error = refused("-p", 98, f"--policy={policy}",
                    preexec_fn=limited(RTPRIO=limit))
    assert "--priority=98" in error
    assert f"policy {policy}" in error
    assert f"at least 98, which is {limit} here" in error
    for way in ("root", "CAP_SYS_NICE", "RLIMIT_RTPRIO", "ulimit -r"):
        assert way in error


def test_rtprio_suffices(works):
    works("-p", 98, preexec_fn=limited(RTPRIO=98, MEMLOCK=ENOUGH))


def test_capability_suffices(works, public):
    """CAP_SYS_NICE and CAP_IPC_LOCK do instead of limits and of root."""
    setpriv = shutil.which("setpriv")
    if not setpriv:
        pytest.skip("setpriv is not installed")
    works("--reuid", outside.NOBODY, "--clear-groups",
          "--inh-caps", "+sys_nice,+ipc_lock",
          "--ambient-caps", "+sys_nice,+ipc_lock",
          "./twowaytest", "-p", 98, program=setpriv)


def test_cgroup_without_runtime(refused, works):
    """Its advice is followed, and helps."""
    with cgroup("cpu") as group:
        runtime = group / "cpu.rt_runtime_us"
        if not runtime.exists():
            pytest.skip("this kernel does not schedule real time by group")
        assert runtime.read_text() == "0\n"
        error = refused("-p", 98, preexec_fn=join(group))
        assert f"write microseconds, such as 100000, to {runtime}" in error
        try:
            runtime.write_text("100000")
        except OSError as error:
            pytest.skip(f"{runtime}: {error.strerror}")
        works("-p", 98, preexec_fn=join(group))


@pytest.mark.parametrize("options", [(), ("-a",)])
def test_cpuset(works, refused, public, options):
    """On one CPU all run there, with and without the placement plan."""
    with cgroup("cpuset") as group:
        root = group.parent
        (group / "cpuset.mems").write_text((root / "cpuset.mems").read_text())
        (group / "cpuset.cpus").write_text(str(CPUS[-1]))
        if CPUS[0] != CPUS[-1]:
            assert f"a set of CPUs out of {CPUS[-1]}," in \
                refused(f"-a{CPUS[0]}", preexec_fn=join(group))
        works("-p", 50, *options, "--json=json", preexec_fn=join(group))
    try:
        twoway = outside.load_json(public / "json")["twoway"]
    finally:
        os.unlink(public / "json")
    assert {process["cpus"] for process in twoway["processes"].values()} == \
        {str(CPUS[-1])}


@pytest.mark.parametrize("option", [
    "--affinity", "--server-affinity", "--client-affinity", "--mainaffinity"])
@pytest.mark.parametrize("value", ["other", "all"])
def test_cpu_of_no_caller(works, option, value):
    """As after isolcpus=: the caller runs elsewhere, but may name it."""
    if len(CPUS) < 2:
        pytest.skip("needs two CPUs")
    value = CPUS[1] if value == "other" else f"{CPUS[0]},{CPUS[1]}"
    works(f"{option}={value}",
          preexec_fn=lambda: os.sched_setaffinity(0, {CPUS[0]}))


@pytest.mark.parametrize("option", [
    "--affinity", "--server-affinity", "--client-affinity", "--mainaffinity"])
def test_cpu_not_there(refused, option):
    error = refused(f"{option}={CPUS[-1] + 1}")
    assert f"{option}={CPUS[-1] + 1}: " in error
    assert "a set of CPUs out of " in error


@pytest.fixture
def taken():
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_port_in_use(refused, taken):
    error = refused(f"--port={taken}")
    assert f"--port={taken}: " in error
    assert "Address already in use" in error


def test_port_needs_right(refused):
    path = "/proc/sys/net/ipv4/ip_unprivileged_port_start"
    first = int(outside.read(path) or 1024)
    if first < 2:
        pytest.skip(f"{path} lets anybody use any port")
    error = refused("--port=1", preexec_fn=outside.nobody())
    assert "--port=1: " in error
    assert "Permission denied" in error
    assert "CAP_NET_BIND_SERVICE" in error


def test_too_few_descriptors(start, public):
    """One by one more: what cannot be had is named, until all can."""
    for limit in range(4, 32):
        run = start("-q", "-l", 10, "--json=json", "--dump=dump", cwd=public,
                    program="./twowaytest",
                    preexec_fn=limited(NOFILE=limit))
        if run.finish() == 0:
            break
        assert run.process.returncode == 1
        assert "T: 0" not in run.out
        assert re.search(r"^twowaytest: (\S.*: )?cannot (write|listen|connect"
                         "|start:|start the server|start the client).*"
                         "Too many open files", run.err, re.MULTILINE)
        assert run.processes() == []
        assert os.listdir(public) == ["twowaytest"]
    else:
        raise AssertionError("31 descriptors are not enough")
    for name in "json", "dump":
        os.unlink(public / name)


def test_no_process(start, public):
    run = start("-q", "-l", 10, cwd=public, program="./twowaytest",
                preexec_fn=limited(NPROC=0))
    assert run.finish() == 1
    assert "twowaytest: cannot start the server: " in run.err
    assert "T: 0" not in run.out
    assert run.processes() == []
