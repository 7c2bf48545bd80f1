# SPDX-License-Identifier: GPL-2.0-or-later
"""--check: the value of each fact, in systems made of files."""

import os
import re
import subprocess

import pytest

import outside
import results
import test_core_check as system
import test_core_network as network
from test_core_check import (ARGS, CLOCK, CPU, CPUS, KERNEL, OURS, THREAD,
                             TRACE)

pytestmark = results.root
fake, made = system.fake, network.made

NET, IRQ = network.NET, network.IRQ
DEBUG = "sys/kernel/debug/tracing/"
NO_RT = {"sys/kernel/realtime": None}
GROUP = "sys/fs/cgroup/cpu/our/cpu.rt_runtime_us"
OTHER = "sys/fs/cgroup/cpu,cpuacct/"
VENDOR, PRODUCT = (f"sys/class/dmi/id/{name}" for name in (
    "sys_vendor", "product_name"))
STATUS = re.sub(r"CapEff:\s*\w+", "CapEff: 000001ffffffffff",
                outside.read("/proc/self/status"))
ROOT = {GROUP: None, "proc/self/status": STATUS,
        "proc/self/uid_map": "0 0 4294967295"}
# What stands before the program.
REFUSED = ("prlimit", "--rtprio=0", "setpriv", "--inh-caps=-sys_nice",
           "--bounding-set=-sys_nice")
ORDINARY = ARGS[2:]
SHAPE = ("unshare", "-n", "sh", "-c", "tc qdisc add dev lo root tbf rate "
         "1mbit burst 10k latency 1ms && exec \"$@\"", "sh")


def irqs(number, action, chip="x"):
    return {f"{IRQ}{number}/actions": action,
            f"{IRQ}{number}/chip_name": chip,
            f"proc/irq/{number}/smp_affinity_list": f"{CPU}"}


# (changed files, {fact: value}, findings, other words, what stands before)
ROWS = [
    # Below debugfs, if it has no place of its own.
    ({**dict.fromkeys((TRACE + "tracing_on", TRACE + "current_tracer",
                       TRACE + "events/enable")),
      DEBUG + "tracing_on": "1", DEBUG + "current_tracer": "function"},
     {"tracing": True, "tracer": "function"}, "tracing"),
    ({KERNEL + "osrelease": ""}, {"release": None, "fair_server": None}, ""),
    ({CLOCK + "current_clocksource": ""}, {"clocksource": None}, ""),
    *(({CLOCK + "current_clocksource": name}, {"clocksource": name}, "")
      for name in ("arch_sys_counter", "kvm-clock", "xen", "timebase", "tod",
                   "hyperv_clocksource_tsc_page", "riscv_clocksource",
                   "Constant")),
    ({**NO_RT, "proc/version": "#1 SMP PREEMPT RT x"},
     {"preemption": "PREEMPT_RT", "realtime": False}, ""),
    ({"sys/kernel/realtime": "0", "proc/version": "#1 PREEMPT_DYNAMIC"},
     {"preemption": "PREEMPT_DYNAMIC", "realtime": False}, "preemption"),
    ({**NO_RT, "proc/version": "#1 PREEMPT_DYN"},
     {"preemption": "PREEMPT"}, "preemption"),
    ({**NO_RT, "proc/version": ""}, {"preemption": None}, ""),
    ({"sys/kernel/debug/sched/preempt": "full (lazy)"},
     {"preempt_mode": "lazy"}, ""),
    ({"proc/cmdline": f"idlex=1 rcu-nocbs={CPU} nohz_full=5 mitigations=off"},
     {"boot_idle": None, "boot_nohz_full": "5", "boot_mitigations": "off",
      "boot_isolcpus": None}, ""),
    ({"proc/self/timerslack_ns": "1", GROUP: "1000"},
     {"timer_slack_ns": 1}, "", ORDINARY),
    ({"dev": "", OURS + "cpuidle/state1/disable": "0"},
     {"cpu_dma_latency_us": None, "idle_latency_us": 9}, "idle_latency_us"),
    ({OURS + "cpuidle/state2/latency": "300",
      OURS + "cpuidle/state3/latency": "7",
      OURS + "cpuidle/state2/disable": "1"},
     {"idle_latency_us": 7}, "idle_latency_us"),
    ({OURS + "cpuidle/state0/latency": None}, {"idle_latency_us": None}, ""),
    ({OURS + "cpuidle/state0/latency": None,
      CPUS + "cpuidle/current_driver": "none"}, {"idle_latency_us": 0}, ""),
    ({OURS + "cpuidle/state0/latency": "3",
      CPUS + "cpuidle/current_driver": "none",
      CPUS + "cpuidle/current_governor": "menu"},
     {"idle_latency_us": 3, "idle_driver": "none", "idle_governor": "menu"},
     "idle_latency_us"),
    ({CPUS + "isolated": f"{CPU}", "sys/fs/cgroup/cpuset.cpus.isolated": "77"},
     {"isolated_cpus": f"{CPU},77"}, ""),
    ({"proc/cmdline": f"rcu_nocbs={CPU}", CPUS + "nohz_full": "77"},
     {"rcu_nocbs_cpus": f"{CPU},77", "nohz_full_cpus": "77"}, ""),
    *(({"proc/cmdline": f"rcu_nocbs={words}", CPUS + "possible": "0-77"},
       {"rcu_nocbs_cpus": cpus, "boot_rcu_nocbs": words}, "")
      for words, cpus in (
          ("all", "0-77"), ("0-N", "0-77"), ("0-9:2/5,0-20", "0-20"),
          ("0-60:1/1,70-N:2/4", "0-60,70-71,74-75"))),
    ({OURS + "cpufreq/scaling_governor": "", OURS + "node3/x": None,
      OURS + "topology/thread_siblings_list": None},
     {"governor": None, "sibling_cpus": None, "used_nodes": None}, ""),
    ({**irqs(30, "timer"), **irqs(31, "riscv-timer"), **irqs(32, "arm-pmu"),
      **irqs(33, "cascade"), **irqs(34, "IPI"), **irqs(36, ""),
      **irqs(35, "x", "RISC-V INTC")}, {"irqs": ""}, ""),
    (irqs(0, "x"), {"irqs": "0 x"}, "irqs"),
    (irqs(30, "timer2", "RISC-V INTC2"), {"irqs": "30 timer2"}, "irqs"),
    ({GROUP: None, OTHER + "our/cpu.rt_runtime_us": "1000"},
     {"cgroup_rt_runtime_us": 1000, "rt_group_sched": True},
     "cgroup_rt_runtime_us"),
    ({GROUP: None, OTHER + "cpu.rt_runtime_us": "950001"},
     {"cgroup_rt_runtime_us": 950001}, ""),
    ({GROUP: "7", "sys/fs/cgroup/cpu/cpu.rt_runtime_us": "950002",
      "proc/self/cgroup": "2:cpuset:/our"},
     {"cgroup_rt_runtime_us": 950002}, ""),
    (ROOT, {"rt_group_sched": None, "rt_allowed": True}, ""),
    (ROOT, {"rt_group_sched": True, "rt_allowed": False}, "rt_allowed",
     ARGS, REFUSED),
    ({**ROOT, "proc/self/uid_map": "0 0 65536"},
     {"rt_group_sched": None, "rt_allowed": False}, "rt_allowed",
     ARGS, REFUSED),
    ({**ROOT, "proc/self/status": STATUS.replace("1ffffffffff", "0")},
     {"rt_group_sched": None, "rt_allowed": False}, "rt_allowed",
     ARGS, REFUSED),
    ({"proc/self/timerslack_ns": "0"}, {"rt_allowed": False}, "",
     ORDINARY, REFUSED),
    ({"proc/70/task/70/stat": THREAD.replace(" 60 ", " 50 ")},
     {"timer_thread_priority": 50}, "", (*ARGS, "-x")),
    ({KERNEL + "osrelease": "6.12"}, {"fair_server": True}, ""),
    ({"proc/cpuinfo": "\nflags: fpu\nx: y hypervisor\n", VENDOR: None,
      PRODUCT: None}, {"virtual": False, "machine_vendor": None}, ""),
    ({"proc/cpuinfo": "", VENDOR: None, PRODUCT: None,
      "sys/hypervisor/type": ""}, {"virtual": False, "hypervisor": None}, ""),
    ({"proc/cpuinfo": "", VENDOR: None, PRODUCT: None}, {"virtual": None}, ""),
    *(({VENDOR: name}, {"virtual": True, "machine_vendor": name}, "virtual")
      for name in ("QEMU", "A Virtual B", "VMware, Inc.", "Xen", "HVM domU",
                   "Google Compute Engine", "Bochs", "Parallels")),
    ({"sys/class/dmi/id/bios_" + name: name for name in
      ("vendor", "version", "date")}, {
          "firmware_vendor": "vendor", "firmware_version": "version",
          "firmware_date": "date"}, ""),
    ({**network.CARD, **network.thread(81, "irq/26-lo", 50),
      **network.thread(83, "ksoftirqd/70", 50),
      **network.thread(85, "napi/lo-3", 50)},
     {"network_irq_priority": 50, "network_softirq_priority": 50,
      "network_napi_priority": 50}, "", (*ARGS, "--check=lo")),
    ({**network.CARD, **network.thread(83, "ksoftirqd/0", 50),
      "proc/irq/26/effective_affinity_list": "0",
      "proc/irq/25/effective_affinity_list": "0"},
     {"network_softirq_priority": 50, "network_irq_cpus": "0"}, "",
     (*ARGS, "--check=lo")),
    ({NET + "lower_eth7": "x", "sys/class/net/eth7/device": "x"},
     {"network_device": "eth7"}, "", (*ARGS, "--connect=127.0.0.1")),
    ({NET + "lower_eth7": "x", NET + "lower_eth8": "x",
      "sys/class/net/eth7/device": "x"},
     {"network_device": "lo: no hardware, nothing to set"}, "",
     (*ARGS, "--connect=127.0.0.1")),
    ({**network.CARD, NET + "lower_eth7": "x",
      "sys/class/net/eth7/device": "x"}, {"network_device": "lo"}, "",
     (*ARGS, "--connect=127.0.0.1")),
]
# Files of a cgroup: of version 1, and of version 2.
V1, V2 = "sys/fs/cgroup/cpu/our/cpu.cfs_", "sys/fs/cgroup/"
NO_SLACK = {"proc/self/timerslack_ns": "1"}
TWO = {"proc/self/cgroup": "3:cpuset:/x\n0::/a/b\n", **NO_SLACK}


def quota(used, of, where):
    return {"cpu_quota": f"{used} us in {of} us (/sys/fs/cgroup{where})"}


ROWS += [
    ({**NO_SLACK, V1 + "quota_us": "50000", V1 + "period_us": "70000"},
     quota(50000, 70000, "/cpu/our"), "cpu_quota", ORDINARY),
    ({V1 + "quota_us": "50000", V1 + "period_us": "70000"},
     quota(50000, 70000, "/cpu/our"), ""),
    ({**NO_SLACK, V1 + "quota_us": "-1", V1 + "period_us": "70000"},
     {"cpu_quota": ""}, "", ORDINARY),
    ({**NO_SLACK, V1 + "quota_us": "70000", V1 + "period_us": "70000"},
     quota(70000, 70000, "/cpu/our"), "", ORDINARY),
    ({**NO_SLACK, V1 + "quota_us": "70000", V1 + "period_us": "70000"},
     quota(70000, 70000, "/cpu/our"), "cpu_quota" * (len(
         os.sched_getaffinity(0)) > 1), ()),
    ({**TWO, V2 + "a/b/cpu.max": "max 100000", V2 + "a/cpu.max": "30 1000"},
     quota(30, 1000, "/a"), "cpu_quota", ORDINARY),
    ({**TWO, V2 + "a/b/cpu.max": "30 1000", V2 + "a/cpu.max": "50 2000",
      V2 + "cpu.max": "50 1000"}, quota(50, 2000, "/a"), "cpu_quota",
     ORDINARY),
    # A container has its own at the root of the mount.
    ({**TWO, V2 + "cpu.max": "9 1000"}, quota(9, 1000, ""), "cpu_quota",
     ORDINARY),
    ({**TWO, V2 + "a/b/cpu.max": "x 1000", V2 + "cpu.max": "5 x"},
     {"cpu_quota": ""}, "", ORDINARY),
    ({**TWO, "proc/self/cgroup": None, V2 + "cpu.max": "5 10"},
     {"cpu_quota": ""}, "", ORDINARY),
]
if {CPU - 1, CPU} <= os.sched_getaffinity(0):
    BOTH = ("-p", 50, f"-a{CPU - 1},{CPU}")
    ROWS += [
        ({CPUS + "nohz_full": f"{CPU - 1}",
          "proc/71/task/71/stat": system.IRQBALANCE},
         {"irqbalance": True, "isolated_cpus": f"{CPU}"}, "isolated_cpus",
         BOTH),
        ({CPUS + "isolated": "0-77", CPUS + "nohz_full": "0-77",
          f"{CPUS}cpu{CPU - 1}/node4/x": ""},
         {"used_nodes": "3-4"}, "used_nodes", BOTH),
        ({CPUS + "isolated": "0-77", CPUS + "nohz_full": "0-77",
          f"{CPUS}cpu{CPU - 1}/node5/x": ""},
         {"used_nodes": "3,5"}, "used_nodes", BOTH),
        ({f"{CPUS}cpu{CPU - 1}/node4/x": "", CPUS + "isolated": "",
          **irqs(30, "x")}, {"used_nodes": "3-4"}, "", ("-p", 50)),
        ({"proc/71/task/71/stat": system.IRQBALANCE},
         {"irqbalance": True}, "irqbalance", ("-p", 50)),
    ]


@pytest.mark.parametrize("row", ROWS, ids=[str(n) for n in range(len(ROWS))])
def test_facts(made, row):
    changes, expected, names, *more = row
    args, before = (*more, *(ARGS, ())[len(more):])
    _, found, facts = made(changes, "--check", *args, before=before)
    assert " ".join(found) == names
    assert {name: facts[name] for name in expected} == expected


# The system that has all findings.
WORST = {
    **network.CARD, "proc/irq/26/effective_affinity_list": f"{CPU}",
    **network.thread(80, "irq/25-x", 9),
    **network.thread(83, f"ksoftirqd/{CPU}", 8),
    **network.thread(85, "napi/lo-3", 7), **NO_RT,
    "proc/version": "#1 SMP PREEMPT_DYNAMIC", GROUP: "1000",
    "proc/cmdline": "quiet", "proc/cpuinfo": "\nflags : hypervisor \n",
    "proc/70/task/70/stat": THREAD.replace(" 60 ", " 4 "),
    "proc/71/task/71/stat": system.IRQBALANCE,
    "sys/kernel/debug/sched/preempt": "(none) voluntary full",
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
    CLOCK + "current_clocksource": "hpet", CPUS + "isolated": "",
    KERNEL + "osrelease": "6.12", KERNEL + "numa_balancing": "1",
    KERNEL + "watchdog_cpumask": f"{CPU}",
    system.TRACE + "current_tracer": "function",
    OURS + "cpufreq/scaling_governor": "powersave",
    OURS + "cpuidle/state1/disable": "0",
    OURS + "topology/thread_siblings_list": f"{CPU},77",
    NET + "speed": "100", NET + "gro_flush_timeout": "20000",
    NET + "napi_defer_hard_irqs": "2", NET + "threaded": None,
}
# Fact and value, beginnings of why and fix.
KEPT = """
preemption PREEMPT_DYNAMIC|much of the kernel|boot a kernel
preempt_mode none|in this mode, a task|echo full >/sys/kernel/debug/sched/pre
clocksource hpet|reading this clock|dmesg
timer_slack_ns 50000
huge_pages always|khugepaged|echo madvise >/sys/kernel/mm/tr
numa_balancing yes|the kernel regularly|sysctl kernel.numa_balancing=0
watchdog yes|every few seconds|sysctl kernel.watchdog=0
tracing yes|each event and|echo 0 >/sys/kernel/tracing/tracing_on
rt_allowed no|the kernel refuses|needed is root, CAP_SYS_NICE
cgroup_rt_runtime_us 1000|real-time tasks of this|run in the root
cpu_quota none
rt_runtime_us 950000|the real-time load may|keep the load off
fair_server yes|when the real-time|keep the load off
irqbalance yes|irqbalance moves|systemctl stop irqb
timer_thread_priority 4|on PREEMPT_RT|--timer=nanosleep, or
isolated_cpus none|the scheduler|boot with isolcpus=managed_irq,domain,@,
rcu_nocbs_cpus none|the kernel frees|boot with rcu_nocbs=@, and
governor powersave|the frequency|for f in /sys/devices/system/cpu/cpu*/cpufreq/
idle_latency_us 9|a CPU takes this long|let the program hold /dev/cpu_dma
sibling_cpus 77|the threads of|echo off >/sys/devices/system/cpu/smt/control;
used_nodes 3
irqs 26 shared-by-another,i40e-lo-TxRx-0|devices interrupt|write another CPU
virtual yes|the host may stop|measure on the host
network_device lo
network_speed_mbit 100|a frame of 1500|ethtool lo shows
network_rx_delay_us 50|the card waits|ethtool -C lo adaptive-rx off
network_saves_energy yes|between messages|ethtool --set-eee lo eee off
network_irq_cpus #,70|all that the card|write another CPU to
network_irq_priority 9|messages are|for p in $(pgrep 'irq/.*lo'); do
network_softirq_priority 8|when there is much|for p in $(pgrep ksoftirqd/); do
network_napi_priority 7|messages are|for p in $(pgrep napi/lo-); do
network_gro_flush_ns 20000|the kernel holds|echo 0 >/sys/class/net/lo/gro_
network_deferred_irqs 2|the card's|echo 0 >/sys/class/net/lo/napi_
network_qdisc noqueue
"""


def test_text(made):
    """Facts in their order; words of why each disturbs, and of what to do."""
    done, *_ = made(WORST, *ARGS, "-x", "--check=lo", "--load=fft:1",
                    "--load-policy=rr", before=REFUSED, answers="card")
    head, *lines, unknown = done.stdout.splitlines()
    assert head == f"# Checked for real-time tasks on CPU {CPU}"
    assert unknown == "# Not known: network_threaded"
    found = [line.split(maxsplit=1)[1] for line in lines]
    for line in KEPT.strip().splitlines():
        fact, *words = line.replace("#", f"{CPU}").replace(
            "@", f"{CPU or 'CPUS'}").split("|")
        name, value = fact.split(maxsplit=1)
        assert found.pop(0).split(maxsplit=1) == [name, value]
        assert all(found.pop(0).startswith(word) for word in words)
    assert not found


def test_fix_names_the_tracefs_that_there_is(made):
    done, *_ = made(ROWS[0][0], *ARGS, "--check")
    assert "fix: echo 0 >/sys/kernel/debug/tracing/tracing_on\n" in done.stdout


def test_text_of_a_quota(made):
    done, *_ = made({V1 + "quota_us": "500", V1 + "period_us": "900"},
                    *ORDINARY, "--check")
    at = done.stdout.index("FINDING  cpu_quota")
    assert done.stdout[at:].splitlines()[:3] == [
        "FINDING  cpu_quota                 500 us in 900 us "
        "(/sys/fs/cgroup/cpu/our)",
        "         why: ordinary tasks of this cgroup are stopped for the rest "
        "of a period once they have used so much of it",
        "         fix: run in another cgroup, or raise its quota: CPUQuota= of "
        "a unit of systemd, --cpus of a container; by hand, echo max >cpu.max "
        "there (with cgroup v1, echo -1 >cpu.cfs_quota_us)"]


@pytest.mark.parametrize("words,resolution", [((), 0), (("-N",), 1)])
def test_resolution(made, words, resolution):
    done, *_ = made({}, "--check", *ARGS, *words)
    assert done.json()["resolution_in_ns"] == resolution


def test_queue_that_holds_back(made):
    done = subprocess.run([*SHAPE, "true"], check=False)
    if done.returncode:
        pytest.skip("needs tc, and its tbf in the kernel")
    _, found, facts = made(network.CARD, *ARGS, "--check=lo", before=SHAPE)
    assert facts["network_qdisc"] == found["network_qdisc"] == "tbf"
    assert len(found) == 1
