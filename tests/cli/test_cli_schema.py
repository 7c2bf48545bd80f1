# SPDX-License-Identifier: GPL-2.0-or-later
"""The schema of the JSON results: it allows them, and nothing else."""

import copy
import re

import jsonschema
import pytest

import hosts
import schema
import twoway

QUICK = ("--default-system", "-q", "-l", 30, "-i", 500,
         "--metrics=interval,send")


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    result = twoway.run(*QUICK, "-h", 9, "--json=json", "--load=fft",
                        "--stamps=all",
                        "--steps=2", "--spike=1", "--spike-nodes=2",
                        "--limit=missed:0", "--limit=send:p10:9",
                        directory=tmp_path_factory.mktemp("run"))
    return schema.check(result.text("json"))


SPAN = {"at_ns": 0, "ns": 7000, "state": "runnable", "cpu": 1,
        "who": "kworker/1:0-31", "pid": 31, "prio": 120, "interrupt": False}
# What a trace tells; the tests that have one compare it with the schema.
ANALYSIS = {"phase": "send", "side": "server", "pid": 5, "ns": 7000,
            "mean_ns": 4.5, "wakeup_ns": 6000, "cause": "send +7 us: ...",
            "contributors": [SPAN], "timeline": [SPAN, {
                **SPAN, "who": "timer softirq", "interrupt": True}]}


@pytest.fixture(scope="module")
def broken_run(tmp_path_factory):
    """The same of a run that -b has ended, as if there were a trace."""
    result = twoway.run(*QUICK, "-b", 1, "--limit=total:p10:9",
                        "--limit=total:0", "--json=json", "--clock=tsc",
                        directory=tmp_path_factory.mktemp("run"))
    if result.returncode == 1:
        result = twoway.run(*QUICK, "-b", 1, "--limit=total:p10:9",
                            "--limit=total:0", "--json=json",
                            directory=tmp_path_factory.mktemp("run"))
    assert result.returncode == 2, result.stderr
    json = schema.check(result.text("json"))
    assert [limit["verdict"] for limit in json["twoway"]["limits"]] == [
        "undecided", "exceeded"]
    json["twoway"]["break"]["analysis"] = copy.deepcopy(ANALYSIS)
    json["twoway"]["break"].update(marked=True, trace_file="trace")
    assert not schema.errors(json)
    return json


@pytest.fixture(scope="module")
def two_hosts(tmp_path_factory):
    """The same of a run whose server is another program."""
    server = hosts.Server()
    try:
        server.listens()
        result = twoway.run("--default-system", "-q", "-l", 30,
                            "--metrics=interval,network",
                            f"--connect={server.where}", "--json=json",
                            directory=tmp_path_factory.mktemp("run"))
        assert (result.returncode, result.stderr) == (0, "")
    finally:
        server.end()
    return hosts.results(result.text("json"))


def test_schema_knows_where_the_server_was(valid, two_hosts):
    """With a peer, no process of a server is here; else, there is one."""
    for json, other in ((valid, two_hosts), (two_hosts, valid)):
        for name in ("peer", "processes", "pairs"):
            mixed = copy.deepcopy(json)
            mixed["twoway"][name] = other["twoway"][name]
            assert schema.errors(mixed), name
    for name in ("host", "servers"):
        silent = copy.deepcopy(two_hosts)
        silent["twoway"]["peer"][name] = None
        assert not schema.errors(silent)


@pytest.fixture(scope="module",
                params=["valid", "broken_run", "check", "two_hosts"])
def any_valid(request, tmp_path_factory):
    if request.param == "check":
        result = twoway.run("--check", "--json=json",
                            directory=tmp_path_factory.mktemp("run"))
        return schema.check(result.text("json"))
    return request.getfixturevalue(request.param)


def columns_of(path):
    """What stands behind the last "thread" of a path; None: it has none."""
    names = list(path)
    if "thread" not in names:
        return None
    return names[len(names) - names[::-1].index("thread"):]


def test_schema_needs_every_member(any_valid):
    """The schema is no sieve: without any one member, it complains."""
    optional = ("histogram", "percentiles", "worst", "all")
    for path in schema.every_member(any_valid):
        # A closed loop has no wake-ups.
        if path[-2:-1] and path[-2] in optional or \
                path[-1] == "wakeup_ns" and "analysis" not in path:
            continue
        # Of a step any number of columns may be there, but the first.
        if path[0] != "thread" and (columns_of(path) or ["0"])[0] != "0":
            continue
        broken = copy.deepcopy(any_valid)
        del schema.parent_of(broken, path)[path[-1]]
        assert not schema.validator().is_valid(broken), path


def test_schema_knows_every_type(any_valid):
    for path in schema.every_member(any_valid):
        if "histogram" in path[:-1] and columns_of(path)[0] != "0":
            continue
        broken = copy.deepcopy(any_valid)
        schema.parent_of(broken, path)[path[-1]] = ["not this"]
        assert path == ("twoway", "argv") or \
            not schema.validator().is_valid(broken), path


def test_schema_allows_nothing_else(any_valid):
    """But in sysinfo, which all tests share: others may add to that."""
    for path in schema.objects(any_valid):
        if path[:1] != ("sysinfo",):
            broken = copy.deepcopy(any_valid)
            inner = schema.parent_of(broken, (*path, "another"))
            inner["another"] = 1
            assert not schema.validator().is_valid(broken), path


def test_partial(valid):
    """What a file says that was not written at the end; others do not."""
    marked = copy.deepcopy(valid)
    assert "partial" not in marked["twoway"]
    marked["twoway"]["partial"] = True
    assert not schema.errors(marked)
    marked["twoway"]["partial"] = False
    assert schema.errors(marked)


LIMITS = {
    "undecided with a value": (0, {"value_ns": 5}),
    "decided without a value": (1, {"value_ns": None}),
    "missed in ns": (1, {"metric": "missed"}),
    "missed with a percentile": (0, {"metric": "missed"}),
    "no such percentile": (0, {"percentile": 100}),
    "another verdict": (1, {"verdict": "passed"}),
    "less than nothing": (1, {"most_ns": -1}),
}


@pytest.mark.parametrize("index, change", LIMITS.values(), ids=LIMITS)
def test_schema_knows_each_kind_of_limit(broken_run, index, change):
    json = copy.deepcopy(broken_run)
    json["twoway"]["limits"][index].update(change)
    assert schema.errors(json)


LAB = {
    "mode": ("exact", "other"), "arch": ("arm64", 64), "release": ("6.12", 6),
    "kernel_sha256": ("0a" * 32, "0a"), "initramfs_sha256": ("0a" * 32, ""),
    "qemu": ("8.2", 8), "cpus": (2, 0), "memory_mib": (512, "512"),
    "qemu_arguments": ("-icount 0", []), "kernel_arguments": ("", None)}


def test_schema_knows_the_virtual_lab(valid):
    """Every member of its own, good and bad; it may add others."""
    good = {**{key: pair[0] for key, pair in LAB.items()}, "another": 1}
    assert not schema.errors({**valid, "lab": good})
    assert not schema.errors({**valid, "lab": {"mode": "smp"}})
    for key, (_, bad) in LAB.items():
        assert schema.errors({**valid, "lab": {**good, key: bad}}), key
    for bad in ({}, {"release": "6.12"}, "exact", None):
        assert schema.errors({**valid, "lab": bad}), bad


CAMPAIGN = {"placement": ("plan", "two"), "load": ("fft", "other"),
            "load_command": (None, [])}


def test_schema_knows_the_campaign(valid):
    good = {key: pair[0] for key, pair in CAMPAIGN.items()}
    assert not schema.errors({**valid, "campaign": good})
    for key, (_, bad) in CAMPAIGN.items():
        assert schema.errors({**valid, "campaign": {**good, key: bad}}), key
        less = {name: good[name] for name in good if name != key}
        assert schema.errors({**valid, "campaign": less}), key


MEASURED = {
    "no thread": ("thread", {}), "a thread less": ("num_threads", 0),
    "fewer than there are": ("num_threads", 6),
    "more than there are": ("num_threads", 8),
    "no results": ("twoway", None),
}


@pytest.mark.parametrize("name, value", MEASURED.values(), ids=MEASURED)
def test_schema_tells_a_check_from_a_measurement(valid, name, value):
    json = copy.deepcopy(valid)
    if value is None:
        value = {key: json["twoway"][key] for key in (
            "schema", "version", "argv", "environment", "error")}
    json[name] = value
    assert schema.errors(json)


def test_schema_names_every_state():
    """Those of the time line; a new one has to be described."""
    source = (schema.PATH.parents[1] / "src" / "twlib" / "cause" /
              "tw_analysis_text.c").read_text()
    states = re.findall(r'^\t\[TW_[A-Z_]+\] = "([a-z ]+)",$', source,
                        re.MULTILINE)
    span = schema.validator().schema["$defs"]["span"]["properties"]
    assert sorted(span["state"]["enum"]) == sorted(states)


LOADS = {
    "none with a command": ("none", {"command": "x"}),
    "none with workers": ("none", {"workers": 2}),
    "fft with a command": ("fft", {"command": "x"}),
    "fft with arguments": ("fft", {"arguments": "-l 3"}),
    "fft's unit": ("fft", {"work_unit": "completed runs"}),
    "another kind": ("fft", {"kind": "other"}),
    "hackbench with fft's unit": ("fft", {"kind": "hackbench"}),
    "command without a command": (
        "fft", {"kind": "command", "work_unit": "completed runs"}),
    "too many": ("fft", {"workers": 1025}),
    "no list of CPUs": ("fft", {"cpus": "all"}),
}


@pytest.mark.parametrize("kind, change", LOADS.values(), ids=LOADS)
def test_schema_knows_each_kind_of_load(valid, kind, change):
    json = copy.deepcopy(valid)
    if kind == "none":
        load = json["twoway"]["load"]
        for name in ("command", "arguments", "policy", "priority", "cpus",
                     "work_unit"):
            del load[name]
        load.update(kind="none", workers=0, work=0)
    assert not schema.errors(json)
    json["twoway"]["load"].update(change)
    assert schema.errors(json)


TWO_CLOCKS = {
    "as with one clock": (False, {}), "one way": (True, {"send_ns": 1}),
    "the other": (True, {"receive_ns": 1}),
    "both and their sum": (False, {"network_ns": 1})}


@pytest.mark.parametrize("gone, more", TWO_CLOCKS.values(), ids=TWO_CLOCKS)
def test_schema_knows_what_two_clocks_lack(valid, gone, more):
    """A kept cycle has either both ways or their sum."""
    json = copy.deepcopy(valid)
    json["twoway"]["settings"]["clocks"] = "two"
    kept = next(iter(json["twoway"]["worst"].values()))
    ways = {name: kept.pop(name) for name in ("send_ns", "receive_ns")}
    assert schema.errors(json)
    kept["network_ns"] = sum(ways.values())
    assert not schema.errors(json)
    if not gone:
        kept.update(ways)
        del kept["network_ns"]
        assert not schema.errors(json)
    kept.update(more)
    assert bool(schema.errors(json)) == bool(more)
    json["twoway"]["settings"]["clocks"] = "three"
    assert schema.errors(json)


def test_schema_describes_every_member():
    schema.assert_described(schema.validator().schema)
    with pytest.raises(jsonschema.ValidationError):
        schema.validator().validate({})
