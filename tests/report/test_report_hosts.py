# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server on two hosts: what is read, and what the tables say."""

import contextlib
import socket
import subprocess

import made
import made_hosts
import pytest
from made_hosts import ROWS, TABLE, results, shifted, write

import twoway

HOSTS = "Hosts of client and server"


@pytest.mark.parametrize("metric", ["network", "sleep", "response", "total",
                                    "wakeup", "planned"])
def test_dump(report, hosts_dump, metric):
    """The server's clock is elsewhere; only its differences count."""
    found = results(report, hosts_dump)
    label = dict(zip(made.METRICS, made.LABELS)) | {
        "network": "Network Time"}
    [row] = found[label[metric]]
    values = made_hosts.values(ROWS)[metric]
    assert row["cycles"] == str(len(values))
    assert (row["min"], row["avg"], row["max"]) == (
        made.us(min(values)), made.us(made.mean(values)),
        made.us(max(values)))
    assert row["p90"] == made.us(made.percentile(values, "90"))


@pytest.mark.parametrize("file", ["hosts_json", "hosts_dump"])
def test_no_one_way_times(report, request, file):
    """Nothing compares the two clocks."""
    path = request.getfixturevalue(file)
    found = results(report, path)
    assert "Network Time" in found
    assert not {"Send Time", "Receive Time"} & set(found)


def test_server_whose_clock_is_behind(report):
    rows = made_hosts.cycles(2000, ahead=-10**12 + 5)
    write(report, "y.csv", made_hosts.dump(rows))
    [row] = results(report, "y.csv")["Network Time"]
    assert row["max"] == made.us(max(made_hosts.values(rows)["network"]))


def test_one_host(report):
    write(report, "y.csv", made.dump(made.cycles(300)))
    found = results(report, "y.csv")
    assert TABLE not in found and HOSTS not in found


def test_network_is_beside_the_others(report, hosts_json):
    """Where it stands for send and receive, and only there."""
    import tr_args
    import tr_figures
    import tr_read
    write(report, "y.csv", made.dump(made.cycles(300)))
    for names, shown in (([hosts_json], True), (["y.csv"], False),
                         ([hosts_json, "y.csv"], True)):
        options = tr_args.parse(["-t", "-", *map(str, names)])
        runs, _ = tr_read.read_all(options.files, options)
        assert ("network" in tr_figures.few(runs)) == shown


def test_both_agree(report, hosts_json, hosts_dump):
    """JSON and dump are one run."""
    found = results(report, hosts_json, hosts_dump)
    assert [row["system"] for row in found["Network Time"]] == ["x"]


def facts(found, side, system="x"):
    return {row["what"]: row[system] for row in found[HOSTS]
            if row["of"] == side}


def test_both_hosts(report, hosts_json):
    found = results(report, hosts_json)
    assert facts(found, "client") == {
        "host": "host", "kernel": "6.1", "version of the kernel": "#1",
        "machine": "x86_64", "twowaytest": "0.10", "online CPUs": "?",
        "CPUs": "1", "policy": "fifo", "priority": "98",
        "memory locked": "no", "involuntary switches": "3",
        "segments sent again": "4",
        "faults": "1 minor, 2 major", "findings of --check": "smt"}
    assert facts(found, "server") == {
        "host": "far", "kernel": "6.12-rt", "version of the kernel": "#7",
        "machine": "aarch64", "twowaytest": "0.11",
        "online CPUs": "4 in all", "CPUs": "3", "policy": "rr",
        "priority": "40", "memory locked": "yes",
        "involuntary switches": "8", "segments sent again": "0",
        "faults": "5 minor, 6 major",
        "findings of --check": "idle, governor"}


def test_several_systems_side_by_side(report, hosts_json):
    far = made_hosts.peer(priority=[50, 51], cpus=["2", "2"])
    write(report, "y.json", made_hosts.twoway(ROWS, far=far))
    found = results(report, hosts_json, "y.json")
    assert facts(found, "server", "y")["priority"] == "50 51"
    assert facts(found, "server", "y")["CPUs"] == "2"
    assert facts(found, "server")["priority"] == "40"
    rows = {row["what"]: row for row in found["What differs between the runs"]}
    assert rows["server priority"]["x"] == "40"
    assert rows["server priority"]["y"] == "50 51"


def test_hosts_that_differ(report, hosts_json):
    """Of the server's host, too."""
    far = made_hosts.peer()
    far["host"]["kernel"] = "6.13"
    write(report, "y.json", made_hosts.twoway(ROWS, far=far))
    found = results(report, hosts_json, "y.json")
    rows = found["What differs between the runs"]
    [row] = [row for row in rows if row["what"] == "server's kernel"]
    assert (row["of"], row["x"], row["y"]) == ("system", "6.12-rt", "6.13")


def remarks(report, far):
    write(report, "x.json", made_hosts.twoway(ROWS, far=far))
    return [row["remark"] for row in results(report, "x.json")["Remarks"]]


def test_findings_on_the_servers_host(report):
    far = made_hosts.peer()
    assert "server's host: idle, governor" in remarks(report, far)
    far["host"]["finding"] = []
    assert not any("server's host" in text for text in remarks(report, far))


@pytest.mark.parametrize("key, wanted, given, said", [
    ("policy", "fifo", "other", "policy other instead of fifo"),
    ("priority", 98, 50, "priority 50 instead of 98"),
    ("lock_memory", True, False, "lock memory no instead of yes")])
def test_less_than_asked_for(report, key, wanted, given, said):
    far = made_hosts.peer()
    far["asked"][key], far["granted"][key] = wanted, given
    assert any(said in text for text in remarks(report, far))
    far["granted"][key] = wanted
    assert not any("less" in text for text in remarks(report, far))


def test_disturbances_of_the_server(report):
    found = remarks(report, made_hosts.peer(retransmitted=[2, -1, 3],
                                            changed=[False, True]))
    assert "retransmitted by the server: 5" in found
    assert any("setting of a server changed" in text for text in found)
    found = remarks(report, made_hosts.peer())
    assert not any("by the server" in text or "changed" in text
                   for text in found)
    assert "retransmitted by the client: 4" in found


def test_server_that_told_nothing(report):
    far = made_hosts.peer() | {"host": None, "servers": None}
    assert "the server's host did not send its results" in \
        remarks(report, far)
    found = results(report, "x.json")
    assert set(facts(found, "server").values()) == {"?"}
    assert facts(found, "client")["priority"] == "98"


def test_bad_members_are_named(refused):
    for key, value, where in (
            ("priority", ["high", 1.5], "twoway.peer.servers.priority[1]"),
            ("retransmitted", "none", "twoway.peer.servers.retransmitted"),
            ("changed", [1], "twoway.peer.servers.changed[0]")):
        write(refused, "x.json", made_hosts.twoway(
            ROWS, far=made_hosts.peer(**{key: value})))
        assert f"member {where}" in refused("-t", "-", "x.json")


def test_gate_of_network(report, hosts_json):
    """One host and two are not to be compared; two runs of two hosts are."""
    slower = [shifted(row, 0, 60_000, 0) for row in ROWS]
    for name, rows in (("x", ROWS), ("y", slower)):
        write(report, f"{name}.csv", made_hosts.dump(rows))
    assert "WORSE" in report("--gate", "-m", "network", "x.csv", "y.csv",
                             status=2).stdout.upper()
    report("--gate", "-m", "network", "-d", "30", "a=x.csv", "b=x.csv")


def test_gate_refuses_one_clock_beside_two(refused):
    """Of a dump, its columns tell."""
    write(refused, "x.json", made_hosts.twoway(ROWS))
    write(refused, "x.csv", made_hosts.dump(ROWS))
    write(refused, "y.json", made.twoway(made.cycles(2000), clocks="one"))
    for name in ("x.json", "x.csv"):
        assert "clocks two / one" in refused("--gate", name, "y.json")


def test_dump_alone_is_of_two_clocks(report, hosts_dump):
    write(report, "y.csv", made.dump(made.cycles(300)))
    write(report, "z.json", made_hosts.twoway(ROWS, total="trltp3"))
    found = results(report, hosts_dump, "y.csv", "z.json")
    [row] = [row for row in found["What differs between the runs"]
             if row["what"] == "total"]
    assert row["x"] == "documented"
    # What is not known of y is no difference.
    assert "clocks" not in str(found["What differs between the runs"])


def test_page_has_figure_and_tables(report, hosts_json):
    report("-o", "r.html", hosts_json)
    page = (report.directory / "r.html").read_text()
    assert '<figure id="hosts">' in page
    for title in (TABLE, HOSTS):
        assert title in page


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@contextlib.contextmanager
def server(port):
    """Listening; ended in any case."""
    with subprocess.Popen(
            [twoway.binary(), f"--server=127.0.0.1:{port}"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            line = process.stdout.readline()
            assert "Listening" in line, line
            yield
        finally:
            process.kill()


@pytest.mark.parametrize("more", [
    (), ("--stamps=all", "--oneway=bound", "--clock=realtime")])
def test_real_run(report, more):
    """Both hosts are this one; two pairs."""
    port = free_port()
    with server(port):
        done = subprocess.run(
            [twoway.binary(), f"--connect=127.0.0.1:{port}", "-q", "-l",
             "1200", "-t", "2", "-h", "10000", "--json=r.json",
             "--dump=r.csv", *more], cwd=report.directory,
            capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    text = report("-t", "-", "r.json", "r.csv", "b=r.csv", "c=r.json").stdout
    found = made.tables(text.replace("virtual, ", ""))
    system = "r (2 pairs)"
    far = facts(found, "server", system)
    near = facts(found, "client", system)
    for key in ("host", "kernel", "version of the kernel", "machine",
                "twowaytest"):
        assert far[key] == near[key] != "?"
    for name in ("average", "cycles at p99", "longest cycle"):
        row = row_of(found, name, system)
        assert row == row_of(found, name, "b (2 pairs)")
        whole, *parts = (float(row[key])
                         for key in ("whole", *made_hosts.PARTS))
        assert whole == pytest.approx(sum(parts), abs=0.2)
        if more:
            assert sum(map(float, list(row.values())[4:])) == pytest.approx(
                float(row["network"]), abs=0.3)
    # The program divides network as its dump does.
    for one, other in zip(row_of(found, "average", system).values(),
                          row_of(found, "average", "c (2 pairs)").values()):
        assert float(one) == pytest.approx(float(other), abs=0.11)


def row_of(found, name, system):
    """Of the table of parts, without what it is of."""
    [row] = [row for row in found[TABLE]
             if (row["system"], row["of"]) == (system, name)]
    return {key: cell for key, cell in row.items()
            if key not in ("system", "of")}
