# SPDX-License-Identifier: GPL-2.0-or-later
"""--check of a network device: lo, with the files and answers of a card."""

import json

import pytest

import device
import results
import schema
import test_core_check as system

fake = system.fake

NET = "sys/class/net/lo/"
IRQ = "sys/kernel/irq/"


def thread(pid, name, priority):
    return {f"proc/{pid}/task/{pid}/stat":
            f"{pid} ({name}) S " + 36 * "0 " + f"{priority} 1 0"}


# A card without a finding: two interrupts of four are its own.
CARD = {
    **system.GOOD, NET + "device/msi_irqs/25": "msi", NET + "speed": "1000",
    NET + "threaded": "1", NET + "gro_flush_timeout": "0",
    NET + "napi_defer_hard_irqs": "0",
    IRQ + "25/actions": "x",
    IRQ + "26/actions": "shared-by-another,i40e-lo-TxRx-0",
    IRQ + "27/actions": "lo1-rx", IRQ + "28/actions": "silo",
    "proc/irq/25/effective_affinity_list": "70",
    "proc/irq/26/effective_affinity_list": "71",
    "proc/irq/27/effective_affinity_list": "72",
    "proc/irq/28/effective_affinity_list": "73",
    **thread(80, "irq/25-x", 60), **thread(81, "irq/26-lo", 55),
    **thread(82, "irq/27-lo1", 1), **thread(83, "ksoftirqd/71", 53),
    **thread(84, "ksoftirqd/72", 0), **thread(85, "napi/lo-3", 52),
    **thread(86, "napi/lo1-3", 0),
}
GOOD = {
    "device": "lo", "speed_mbit": 1000, "rx_delay_us": 0,
    "saves_energy": False, "irq_cpus": "70-71", "irq_priority": 55,
    "softirq_priority": 53, "threaded": True, "napi_priority": 52,
    "gro_flush_ns": 0, "deferred_irqs": 0, "qdisc": "noqueue",
}
ON_OURS = {"proc/irq/26/effective_affinity_list": f"{system.CPU}",
           "proc/irq/25/effective_affinity_list": f"{system.CPU}"}

# (findings, a value, changed files, how the card answers)
BAD = [
    ({"speed_mbit"}, 100, {NET + "speed": "100"}, "good"),
    ({"rx_delay_us", "saves_energy"}, 50, {}, "card"),
    ({"rx_delay_us"}, -1, {}, "adaptive"),
    ({"irq_priority"}, 49, thread(81, "irq/26-lo", 49), "good"),
    ({"irq_priority"}, 0, thread(80, "irq/25-s-x", 0), "good"),
    ({"irq_priority"}, 0, thread(81, "irq/26-lo", 0), "good"),
    ({"softirq_priority"}, 0, thread(83, "ksoftirqd/70", 0), "good"),
    ({"napi_priority"}, 0, thread(85, "napi/lo-3", 0), "good"),
    ({"gro_flush_ns"}, 20000, {NET + "gro_flush_timeout": "20000"}, "good"),
    ({"deferred_irqs"}, 2, {NET + "napi_defer_hard_irqs": "2"}, "good"),
]
UNKNOWN = [
    ("speed_mbit", {NET + "speed": "-1"}),
    ("gro_flush_ns", {NET + "gro_flush_timeout": None}),
    ("threaded", {NET + "threaded": None}),
    ("napi_priority", thread(85, "napi", 0)),
]


@pytest.fixture
def made(fake, amiss, monkeypatch):
    """--check in a system of these files, whose card answers like this: the
    run, findings, facts. @before: words before the program."""
    def check(files, *args, answers="good", before=()):
        monkeypatch.setenv("LD_PRELOAD", amiss["LD_PRELOAD"])
        monkeypatch.setenv("TW_AMISS", answers)
        done = fake({**system.GOOD, **files}, "--default-system",
                    "--json=json", *args, before=before)
        return (done, *system.check(done))
    return check


@pytest.fixture
def card(made):
    """What --check finds of lo if it has these files: findings, facts."""
    def check(changes, answers, *args):
        _, found, facts = made({**CARD, **changes}, *system.ARGS, *args,
                               answers=answers)
        own = {name.removeprefix("network_"): value
               for name, value in facts.items() if name[:8] == "network_"}
        return {name.removeprefix("network_") for name in found}, own
    return check


@pytest.mark.parametrize("args", [
    ("--check=lo",), ("--check", "--connect=127.0.0.1"),
    ("--check", "--connect=127.0.0.1:9", "--reflect=udp"),
    ("--check=lo", "--connect=192.0.2.1")], ids=" ".join)
def test_good_card(card, args):
    assert card({}, "good", *args) == (set(), GOOD)


@pytest.mark.parametrize("names,value,changes,answers", BAD,
                         ids=[str(n) for n in range(len(BAD))])
def test_findings(card, names, value, changes, answers):
    found, own = card(changes, answers, "--check=lo")
    assert found == names
    assert own[sorted(names)[0]] == value


def test_its_interrupts_on_our_cpus(card):
    found, own = card(ON_OURS, "good", "--check=lo")
    assert found == {"irqs", "irq_cpus"}
    assert own["irq_cpus"] == f"{system.CPU}"
    assert own["softirq_priority"] is None


def test_an_interrupt_with_the_name_on_the_bus(card):
    assert card({NET + "device/msi_irqs/25": None,
                 NET + "device": "../0000:01:00.0",
                 NET + "../0000:01:00.0/vendor": "0x8086",
                 IRQ + "25/actions": "x@0000:01:00.0"}, "good",
                "--check=lo") == (set(), GOOD)


@pytest.mark.parametrize("name,changes", UNKNOWN,
                         ids=[row[0] for row in UNKNOWN])
def test_not_known(card, name, changes):
    found, own = card(changes, "good", "--check=lo")
    assert not found and own == {**GOOD, name: None}


def test_no_hardware(run):
    done = run("--check=lo", "--json=json")
    facts = schema.check(done.text("json"), results.SCHEMA)["twoway"]
    assert facts["settings"]["check"] == "lo"
    assert [(name, value) for name, value in facts["system"].items()
            if name[:8] == "network_"] == [
        ("network_device", "lo: no hardware, nothing to set")]


def test_veth(run):
    """The route decides, by either version of IP; half of the other's address
    is that of the wire."""
    with device.wire() as (near, _):
        for words in ("link add other type veth", "link set other up",
                      "address add fd77:0:0:1::1/64 dev other"):
            device.within(near, "ip", *words.split())
        for version in (4, 6):
            done = run(f"--net=/run/netns/{near}", system.outside.binary(),
                       "--check", f"--connect={device.FAR[version]}"
                       if version == 4 else
                       f"--connect=[{device.FAR[version]}]:9",
                       program="nsenter")
            assert "  wire: no hardware, nothing to set\n" in done.stdout


def test_no_device(run):
    for args in (("--check",), ("--check", "--connect=no.such.invalid")):
        assert "network_" not in run(*args).stdout
    done = run("--check=nix")
    assert done.returncode == 1 and done.stderr == \
        "FATAL: --check=nix: allowed is a network device of this system\n"


def test_a_run_records_it(run):
    with device.Device() as far:
        run("-q", "-l", 3, *far.options(), "--json=json")
    result = json.loads((run.directory / "json").read_text())
    assert result["twoway"]["system"]["network_device"][:3] == "lo:"
