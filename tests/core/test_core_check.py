# SPDX-License-Identifier: GPL-2.0-or-later
"""--check and the environment in the JSON: systems made of files."""

import os
import re
import shutil
import subprocess

import pytest

import outside
import results
import schema

CPU = max(os.sched_getaffinity(0))
ARGS = ("-p", 50, f"-a{CPU}")
ROW = re.compile(r"(ok|FINDING)  +(\w+) +(\S.*)")
BELOW = re.compile(r"         (why|fix): (\S.*)")
HEAD = re.compile(r"# Checked for (real-time tasks|ordinary tasks \(no -p\)) "
                  r"on CPU [\d,-]+(, not pinned to one each \(-a\))?")
KERNEL = "proc/sys/kernel/"
CPUS = "sys/devices/system/cpu/"
OURS = f"{CPUS}cpu{CPU}/"
FAIR = "sys/kernel/debug/sched/fair_server/cpu0/runtime"
CLOCK = "sys/devices/system/clocksource/clocksource0/"
TRACE = "sys/kernel/tracing/"
# proc(5): 37 fields between the state and the priority.
THREAD = f"70 (ktimers/{CPU}) S " + 36 * "0 " + "60 1 0"
IRQBALANCE = "71 (irqbalance) S " + 40 * "0 "

# A system without a finding.
GOOD = {
    "proc/version": "Linux version 6.9.1 (gcc) #1 SMP PREEMPT_RT Mon",
    "proc/cmdline": f"quiet isolcpus={CPU} rcu_nocbs=77 rcu-nocbs={CPU} "
                    "-- rcu_nocbs=78",
    "proc/cpuinfo": "processor : 0\nflags\t: fpu tsc\n",
    "proc/self/timerslack_ns": "50000",
    "proc/self/cgroup": "3:cpuset:/x\n2:cpuacct,cpu:/our\n",
    "proc/70/task/70/stat": THREAD,
    "proc/71/task/71/stat": "71 (irqbalance) x) S " + 40 * "0 ",
    "proc/irq/24/effective_affinity_list": "77",
    "proc/irq/24/smp_affinity_list": f"{CPU}",
    KERNEL + "osrelease": "6.9.1",
    KERNEL + "numa_balancing": "0",
    KERNEL + "watchdog": "1", KERNEL + "nmi_watchdog": "0",
    KERNEL + "watchdog_cpumask": "77",
    KERNEL + "sched_rt_runtime_us": "950000",
    KERNEL + "sched_rt_period_us": "1000000",
    "sys/kernel/realtime": "1",
    "sys/kernel/debug/sched/preempt": "none voluntary (full)",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/kernel/irq/24/actions": "eth0", "sys/kernel/irq/24/hwirq": "40",
    "sys/kernel/irq/24/chip_name": "GICv3",
    "sys/fs/cgroup/cpu/our/cpu.rt_runtime_us": "950000",
    CLOCK + "current_clocksource": "tsc",
    CLOCK + "available_clocksource": "tsc hpet",
    TRACE + "tracing_on": "1", TRACE + "current_tracer": "nop",
    TRACE + "events/enable": "0",
    CPUS + "online": "0-77", CPUS + "isolated": f"{CPU}",
    CPUS + "nohz_full": "(null)", CPUS + "smt/active": "0",
    CPUS + "cpuidle/current_driver": "intel_idle",
    OURS + "cpufreq/scaling_governor": "performance",
    OURS + "cpuidle/state0/latency": "0",
    OURS + "cpuidle/state1/latency": "9",
    OURS + "cpuidle/state1/disable": "1",
    OURS + "topology/thread_siblings_list": f"{CPU}",
    OURS + "node3/x": "",
    CPUS + "cpu0/microcode/version": "0x1f",
    "sys/class/dmi/id/sys_vendor": "Maker \x1b[2J",
    "sys/class/dmi/id/product_name": "Machine",
    "dev": "\1\0\0\0",
}
NO_RT = {"proc/version": "Linux version 6.9.1 #1 SMP PREEMPT_DYNAMIC Mon",
         "sys/kernel/realtime": None}

# (finding, what is printed of it, changed files, other words); a word of None
# drops -p.
BAD = [
    ("preemption", "PREEMPT_DYNAMIC", NO_RT, ()),
    ("preemption", "PREEMPT", {**NO_RT, "proc/version": "#1 SMP PREEMPT x"},
     ()),
    ("preemption", "PREEMPT_NONE or PREEMPT_VOLUNTARY",
     {**NO_RT, "proc/version": "#1 SMP"}, ()),
    ("preempt_mode", "voluntary", {
        **NO_RT, "sys/kernel/debug/sched/preempt": "none (voluntary) full"},
     ("preemption",)),
    ("preempt_mode", "none", {
        **NO_RT, "sys/kernel/debug/sched/preempt": None,
        "proc/cmdline": GOOD["proc/cmdline"].replace("quiet", "preempt=none")},
     ("preemption",)),
    ("preempt_mode", "lazy", {
        "sys/kernel/debug/sched/preempt": "full (lazy)"},
     (None, "timer_slack_ns")),
    ("clocksource", "hpet", {CLOCK + "current_clocksource": "hpet"}, ()),
    ("timer_slack_ns", "50000", {}, (None,)),
    ("timer_slack_ns", "2", {"proc/self/timerslack_ns": "2"},
     (None, "--load=fft:1")),
    ("huge_pages", "always", {"sys/kernel/mm/transparent_hugepage/enabled":
                              "[always] madvise never"}, ()),
    ("numa_balancing", "yes", {KERNEL + "numa_balancing": "1"}, ()),
    ("watchdog", "yes", {KERNEL + "watchdog_cpumask": f"{CPU},77"}, ()),
    ("watchdog", "yes", {KERNEL + "watchdog_cpumask": None}, ()),
    ("tracing", "yes", {TRACE + "current_tracer": "function"}, ()),
    ("tracing", "yes", {TRACE + "events/enable": "X"}, ()),
    ("cgroup_rt_runtime_us", "1000",
     {"sys/fs/cgroup/cpu/our/cpu.rt_runtime_us": "1000"}, ()),
    ("cgroup_rt_runtime_us", "950000", {KERNEL + "sched_rt_runtime_us": "-1"},
     ("--load=hackbench:1",)),
    ("rt_runtime_us", "950000", {}, ("--load=fft:1", "--load-policy=rr")),
    ("fair_server", "yes", {KERNEL + "osrelease": "6.12",
                            KERNEL + "sched_rt_runtime_us": "-1",
                            "sys/fs/cgroup/cpu/our/cpu.rt_runtime_us": "-1"},
     ("--load=fft:1", "--load-policy=rr")),
    ("fair_server", "yes", {FAIR: "7", KERNEL + "sched_rt_runtime_us": "1000000",
                            "sys/fs/cgroup/cpu/our/cpu.rt_runtime_us": "-1"},
     ("--load=fft:1", "--load-policy=rr")),
    ("isolated_cpus", "none", {
        "proc/71/task/71/stat": IRQBALANCE, CPUS + "isolated": "",
        CPUS + "nohz_full": f"{CPU}"}, ()),
    ("irqbalance", "yes", {"proc/71/task/71/stat": IRQBALANCE,
                           CPUS + "isolated": "77"}, ("isolated_cpus",)),
    ("timer_thread_priority", "1",
     {"proc/72/task/72/stat": THREAD.replace(" 60 ", " 1 "),
      "proc/73/task/73/stat": THREAD.replace(f"/{CPU}", "/77").replace(
          " 60 ", " 0 ")}, ("-x",)),
    ("isolated_cpus", "77", {CPUS + "isolated": "77"}, ()),
    ("isolated_cpus", "none", {CPUS + "isolated": ""}, ()),
    ("rcu_nocbs_cpus", "77", {"proc/cmdline": "rcu_nocbs=77"}, ()),
    ("rcu_nocbs_cpus", "77", {"proc/cmdline": "rcu_nocbs=N",
                              CPUS + "possible": "0-77"}, ()),
    ("governor", "powersave",
     {OURS + "cpufreq/scaling_governor": "powersave"}, ()),
    ("idle_latency_us", "9", {OURS + "cpuidle/state1/disable": "0"}, ()),
    ("idle_latency_us", "20", {OURS + "cpuidle/state0/latency": "20",
                               OURS + "cpuidle/state1/disable": "0"}, ()),
    ("sibling_cpus", "77", {
        OURS + "topology/thread_siblings_list": f"{CPU},77,99"}, ()),
    ("irqs", "24 eth0", {"proc/irq/24/effective_affinity_list": f"0-{CPU}"}, ()),
    ("irqs", "24 eth0", {"proc/irq/24/effective_affinity_list": ""}, ()),
    ("irqs", "24 eth0", {"proc/irq/24/effective_affinity_list": f"{CPU}",
                         "sys/kernel/irq/24/hwirq": "32"}, ()),
    ("irqs", "24 eth0", {"proc/irq/24/effective_affinity_list": f"{CPU}",
                         "sys/kernel/irq/24/hwirq": "31",
                         "sys/kernel/irq/24/chip_name": "GICv2m"}, ()),
    ("virtual", "yes", {"proc/cpuinfo": "x\nflags : fpu hypervisor\n",
                        "sys/class/dmi/id/sys_vendor": None,
                        "sys/class/dmi/id/product_name": None}, ()),
    ("virtual", "yes", {"sys/class/dmi/id/product_name": "KVM"}, ()),
    ("virtual", "yes", {"sys/hypervisor/type": "xen"}, ()),
]
# What would be a finding, were it not for something else.
FINE = [
    {KERNEL + "watchdog": "0", KERNEL + "watchdog_cpumask": None},
    {KERNEL + "watchdog": "0", KERNEL + "watchdog_cpumask": f"{CPU}"},
    {TRACE + "tracing_on": "0", TRACE + "current_tracer": "function"},
    {"proc/71/task/71/stat": IRQBALANCE},
    {"proc/cmdline": "", CPUS + "nohz_full": f"{CPU}"},
    {CPUS + "isolated": "", "sys/fs/cgroup/cpuset.cpus.isolated": f"{CPU}"},
    {OURS + "cpuidle/state1/disable": "0", "dev": "\0\0\0\0"},
    {"proc/70/task/70/stat": THREAD.replace(" 60 ", " 1 ")},
    {"proc/irq/24/effective_affinity_list": f"{CPU}",
     "sys/kernel/irq/24/hwirq": "31"},
    {"proc/irq/24/effective_affinity_list": f"{CPU}",
     "sys/kernel/irq/24/actions": ""},
    {"proc/irq/24/effective_affinity_list": f"{CPU}",
     "sys/kernel/irq/24/actions": "arch_timer"},
    {"proc/irq/24/effective_affinity_list": f"{CPU}",
     "sys/kernel/irq/24/chip_name": "xen-percpu"},
    {"sys/kernel/realtime": None},
    {"proc/version": "x"},
    {"proc/cmdline": "rcu_nocbs=x"},
    {OURS + "cpuidle/state0/latency": None,
     CPUS + "cpuidle/current_driver": "none"},
]
# The files of @1 stand where those of the system were.
SCRIPT = """
for dir in sys proc
do mount --bind "$1/$dir" /$dir || exit 77
done
shift
exec "$@"
"""
DEVICE = 'mount --bind "$1/dev" /dev/cpu_dma_latency || exit 77;'


def make(directory, files):
    for name in ("sys", "proc"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    # libnuma wants the first; a file to mount must be there.
    always = {"proc/self/status": outside.read("/proc/self/status"),
              "dev": "\0"}
    for name, text in {**always, **files}.items():
        if text is None:
            continue
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("../"):
            path.symlink_to(text)
            continue
        path.write_text(text + "\n" * (name != "dev"), encoding="latin-1")


@pytest.fixture
def fake(run, tmp_path):
    """Runs it in a system that has these files alone in /proc and /sys."""
    unshare = shutil.which("unshare")
    if os.geteuid() or not unshare or subprocess.run(
            [unshare, "-m", "true"], check=False,
            capture_output=True).returncode:
        pytest.skip("needs root, and unshare -m")

    def run_there(files, *args, before=()):
        make(tmp_path / "fake", files)
        return run("-m", "sh", "-c", DEVICE + SCRIPT, "sh", tmp_path / "fake",
                   *before, outside.binary(), *args, program=unshare)
    return run_there


def parse(text):
    """{name: value}, {name of a finding: value}, names of the unknown."""
    lines = [line for line in text.splitlines()
             if not line.startswith("# /dev/cpu_dma_latency")]
    assert HEAD.fullmatch(lines.pop(0))
    rows, findings, below, unknown = {}, {}, {}, []
    for line in lines:
        row, more = ROW.fullmatch(line), BELOW.fullmatch(line)
        if row:
            name = row[2]
            assert name not in rows
            rows[name] = row[3]
            if row[1] == "FINDING":
                findings[name], below[name] = row[3], {}
        elif more:
            assert more[1] not in below[name]
            below[name][more[1]] = more[2]
        else:
            assert line.startswith("# Not known: "), line
            unknown.append(line.split()[-1])
    return rows, findings, below, unknown


def check(done):
    """The text and the JSON are one; returns the findings, the facts."""
    assert done.returncode != 77 and done.stdout, done.stderr
    rows, findings, below, unknown = parse(done.stdout)
    assert done.returncode == (2 if findings else 0), done.stderr
    json = schema.check(done.text("json"), results.SCHEMA)
    assert (json["return_code"], json["num_threads"]) == (done.returncode, 0)
    facts = json["twoway"]["system"]
    assert {one["name"]: one["read"] for one in facts["findings"]} == findings
    assert all(sorted(one) == ["fix", "why"] for one in below.values())
    assert "@" not in done.stdout
    for name in unknown:
        assert facts[name] is None
    for name, value in rows.items():
        assert value == {True: "yes", False: "no", "": "none"}.get(
            facts[name], str(facts[name])) if not isinstance(
                facts[name], int) or isinstance(facts[name], bool) \
            else value == str(facts[name])
    return findings, facts


def test_good_system(fake):
    done = fake(GOOD, "--check", "--default-system", "--json=json", *ARGS)
    findings, facts = check(done)
    assert not findings and not done.stderr
    assert "Not known" not in done.stdout
    expected = {
        "release": "6.9.1", "realtime": True, "preemption": "PREEMPT_RT",
        "boot_isolcpus": f"{CPU}", "boot_rcu_nocbs": f"{CPU}",
        "boot_idle": None, "clocksources": "tsc hpet",
        "rcu_nocbs_cpus": f"{CPU}", "nohz_full_cpus": "",
        "used_nodes": "3", "cpu_dma_latency_us": 1, "rt_group_sched": True,
        "cgroup_rt_runtime_us": 950000, "irqs": "", "fair_server": False,
        "timer_thread_priority": 60, "microcode": "0x1f", "virtual": False,
        "machine_vendor": "Maker ?[2J", "irqbalance": False,
        "online_cpus": "0-77", "watchdog_cpus": "77"}
    assert {name: facts[name] for name in expected} == expected


@pytest.mark.parametrize("name,value,changes,words", BAD,
                         ids=[str(n) for n in range(len(BAD))])
def test_findings(fake, name, value, changes, words):
    """This one, and those that follow from it."""
    also = {word for word in words if word and word[0] != "-"}
    args = [word for word in words if word and word[0] == "-"]
    found, _ = check(fake(
        {**GOOD, **changes}, "--check", "--default-system", "--json=json",
        *ARGS[2 if None in words else 0:], *args))
    assert set(found) == {name, *also}
    assert found[name] == value


@pytest.mark.parametrize("changes", FINE,
                         ids=[str(n) for n in range(len(FINE))])
def test_no_findings(fake, changes):
    assert not check(fake({**GOOD, **changes}, "--check", "--json=json",
                          "--default-system", *ARGS))[0]


@pytest.mark.parametrize("changes,fix", [
    ({**NO_RT, "proc/version": "#1 SMP"},
     "boot a kernel built with CONFIG_PREEMPT_RT"),
    ({"proc/71/task/71/stat": IRQBALANCE, CPUS + "isolated": "77"},
     f"IRQBALANCE_BANNED_CPULIST={CPU} in its environment")])
def test_fix(fake, changes, fix):
    done = fake({**GOOD, **changes}, "--check", "--default-system", *ARGS)
    assert re.search(f"{fix}$", done.stdout, re.M)


def test_boot_parameter_of_idle(fake):
    _, facts = check(fake(
        {**GOOD, "proc/cmdline": GOOD["proc/cmdline"].replace(
            "quiet", "idle=halt")}, "--check", "--default-system",
        "--json=json", *ARGS))
    assert facts["boot_idle"] == "halt"


@pytest.mark.parametrize("release,own_ns,there", [
    ("6.11.9", None, False), ("6.12-rc1", None, True), ("7.0", None, True),
    ("5.15.0", None, False), ("6.13", "0", False), ("x", None, None)])
def test_fair_server(fake, release, own_ns, there):
    """As its file says; without one, by the version."""
    _, facts = check(fake({**GOOD, KERNEL + "osrelease": release, FAIR: own_ns},
                          "--check", "--default-system", "--json=json", *ARGS))
    assert facts["fair_server"] is there


def test_many_interrupts(fake):
    """As many as a line takes, and how many more."""
    more = {f"{name}/{irq}/{file}": text for irq in range(100, 120)
            for name, file, text in (
                ("sys/kernel/irq", "actions", "eth0-rx"),
                ("proc/irq", "smp_affinity_list", f"{CPU}"))}
    _, facts = check(fake({**GOOD, **more}, "--check", "--default-system",
                          "--json=json", *ARGS))
    *named, others = facts["irqs"].split(", ")
    assert all(re.fullmatch(r"1\d\d eth0-rx", one) for one in named)
    assert len(set(named)) > 9
    assert others == f"and {20 - len(named)} more"


def test_two_cpus(fake):
    """The worst of each is told."""
    if CPU < 1:
        pytest.skip("needs two CPUs")
    first = f"{CPUS}cpu{CPU - 1}/"
    found, facts = check(fake(
        {**GOOD, first + "cpufreq/scaling_governor": "powersave",
         first + "node0/x": "", first + "cpuidle/state0/latency": "3",
         "proc/71/task/71/stat": IRQBALANCE}, "--check", "--default-system",
        "--json=json", "-p", 50, f"-a{CPU - 1},{CPU}"))
    assert found["governor"] == "powersave" and found["used_nodes"] == "0,3"
    assert found["idle_latency_us"] == "3" and "irqbalance" in found
    assert facts["sibling_cpus"] == ""


def test_not_pinned(fake):
    """Nobody promised these CPUs to the run."""
    changes = {CPUS + "isolated": "", "proc/cmdline": "",
               "proc/irq/24/effective_affinity_list": f"{CPU}"}
    done = fake({**GOOD, **changes}, "--check", "--default-system",
                "--json=json", "-p", 50)
    found, _ = check(done)
    if len(os.sched_getaffinity(0)) > 1:
        assert ", not pinned to one each (-a)" in done.stdout
        assert not found
    else:
        assert set(found) == {"isolated_cpus", "rcu_nocbs_cpus", "irqs"}


HOSTILE = [
    None, "", "\0" * 5000, "-1", "9" * 30, "\x1b[31m\xff" * 99, ")(" * 9,
    f"[({CPU}", "0-99999", "5-3", "x" * 100000, "\n" * 70000]


def test_run_in_a_hostile_system(fake):
    """Nothing is known, but it measures."""
    done = fake({name: "9" * 30 for name in GOOD} | {
        "proc/stat": "cpu1 " + "9" * 30 + " 5 -7 x\ncpu99999 1\ncpu",
        "proc/71/task/71/stat": "71 ((x) S " + "-9" * 99}, "-q", "-l", 5,
        "--default-system", "--json=json")
    assert (done.returncode, done.stderr) == (0, "")
    assert results.loaded(done)["twoway"]["others"] is None


@pytest.mark.parametrize("text", HOSTILE,
                         ids=[str(n) for n in range(len(HOSTILE))])
def test_hostile_files(fake, text):
    """Whatever they have: it ends, and what it writes is JSON."""
    done = fake({name: text for name in GOOD if text is not None},
                "--check", "--default-system", "--json=json", "-p", 50)
    check(done)
    assert done.stdout.isascii() and "\x1b" not in done.stdout


def test_odd_files(fake, tmp_path):
    """Directories, FIFOs and endless files in the place of files."""
    odd = tmp_path / "fake"
    make(odd, {"dev": ""})
    # These are read by glibc, and by the library of rt-tests.
    other = {"dev", CPUS + "online", "sys/kernel/realtime"}
    for at, name in enumerate(sorted({*GOOD} - other)):
        path = odd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.mkdir, lambda p=path: os.mkfifo(p),
         lambda p=path: p.symlink_to("/dev/zero"))[at % 3]()
    check(fake({}, "--check", "--default-system", "--json=json", "-p", 50))
