# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server on two hosts: what is read, and what the tables say."""

import contextlib
import socket
import subprocess

import made
import made_hosts
import pytest

import twoway

ROWS = made_hosts.cycles(2000)
PARTS, HOSTS = "Client, network and server", "Hosts of client and server"


def results(report, *args):
    return made.tables(report("-t", "-", *args).stdout)


def write(report, name, content):
    return made.write(report.directory, name, content)


@pytest.fixture
def json(report):
    return write(report, "x.json", made_hosts.twoway(ROWS))


@pytest.fixture
def dump(report):
    return write(report, "x.csv", made_hosts.dump(ROWS))


def bar_of(found, name, system="x"):
    """Whole and parts of a bar."""
    [row] = [row for row in found[PARTS]
             if row["system"] == system and row["of"] == name]
    return [row[key] for key in ("whole", *made_hosts.PARTS)]


def check(cells, parts):
    assert cells == [made.us(sum(parts)), *map(made.us, parts)]


@pytest.mark.parametrize("metric", ["network", "sleep", "response", "total",
                                    "wakeup", "planned"])
def test_dump(report, dump, metric):
    """The server's clock is elsewhere; only its differences count."""
    found = results(report, dump)
    label = dict(zip(made.METRICS, made.LABELS)) | {
        "network": "Network Time"}
    [row] = found[label[metric]]
    values = made_hosts.values(ROWS)[metric]
    assert row["cycles"] == str(len(values))
    assert (row["min"], row["avg"], row["max"]) == (
        made.us(min(values)), made.us(made.mean(values)),
        made.us(max(values)))
    assert row["p90"] == made.us(made.percentile(values, "90"))


@pytest.mark.parametrize("file", ["json", "dump"])
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
    assert PARTS not in found and HOSTS not in found


def test_network_is_beside_the_others(report, json):
    """Where it stands for send and receive, and only there."""
    import tr_args
    import tr_figures
    import tr_read
    write(report, "y.csv", made.dump(made.cycles(300)))
    for names, shown in (([json], True), (["y.csv"], False),
                         ([json, "y.csv"], True)):
        options = tr_args.parse(["-t", "-", *map(str, names)])
        runs, _ = tr_read.read_all(options.files, options)
        assert ("network" in tr_figures.few(runs)) == shown


def test_both_agree(report, json, dump):
    """JSON and dump are one run."""
    found = results(report, json, dump)
    assert [row["system"] for row in found["Network Time"]] == ["x"]


def test_average_adds_up(report, json, dump):
    for path in (json, dump):
        check(bar_of(results(report, path), "average"),
              made_hosts.mean(ROWS))


def test_cycles_at_p99(report, json, dump):
    """Of 2000, those of rank 1978 to 1982: 0.1 % on either side."""
    order = sorted(ROWS, key=lambda row: sum(made_hosts.parts(row)))
    check(bar_of(results(report, json, dump), "cycles at p99"),
          made_hosts.mean(order[1977:1982]))


def test_p99_needs_the_dump(report, json):
    found = results(report, json)
    assert bar_of(found, "cycles at p99 (no dump)") == ["-"] * 4


def test_p99_needs_cycles(report):
    """Ten beyond it: 999 do not have them, 1000 do."""
    for count, name in ((999, "cycles at p99 (too few cycles)"),
                        (1000, "cycles at p99")):
        path = write(report, "x.csv", made_hosts.dump(ROWS[:count]))
        assert ("-" in bar_of(results(report, path), name)) == (count < 1000)


def longest(rows):
    return made_hosts.parts(max(rows, key=lambda row: sum(
        made_hosts.parts(row))))


def test_longest_cycle_of_a_dump(report, dump):
    """It is neither that of the longest wakeup nor of any other part."""
    rows = list(ROWS)
    rows[500] = shifted(rows[500], 200_000, 200_000, 200_000)
    rows[700] = shifted(rows[700], 500_000, 0, 0)
    rows[800] = shifted(rows[800], 0, 500_000, 0)
    rows[900] = shifted(rows[900], 0, 0, 500_000)
    assert longest(rows) == made_hosts.parts(rows[500])
    path = write(report, "x.csv", made_hosts.dump(rows))
    check(bar_of(results(report, path), "longest cycle"),
          made_hosts.parts(rows[500]))


def shifted(row, wakeup, network, sleep):
    pair, i, planned, t0, t1, t2, t3, missed = row
    return (pair, i, planned, t0 + wakeup, t1 + wakeup,
            t2 + wakeup + sleep, t3 + wakeup + network + sleep, missed)


def test_longest_cycle_of_those_kept(report):
    """The JSON keeps another than the longest, and says so."""
    rows = list(ROWS)
    rows[500] = shifted(rows[500], 200_000, 150_000, 150_000)
    rows[700] = shifted(rows[700], 400_000, 0, 0)
    rows[800] = shifted(rows[800], 0, 400_000, 0)
    rows[900] = shifted(rows[900], 0, 0, 400_000)
    path = write(report, "x.json", made_hosts.twoway(rows))
    kept = [made_hosts.parts(rows[i]) for i in (700, 800, 900)]
    check(bar_of(results(report, path), "longest cycle (of the cycles kept)"),
          max(kept, key=sum))
    path = write(report, "x.json", made_hosts.twoway(
        rows, (*made_hosts.METRICS, "planned")))
    check(bar_of(results(report, path), "longest cycle"),
          made_hosts.parts(rows[500]))


def test_nothing_kept(report):
    data = made_hosts.twoway(ROWS)
    data["twoway"]["worst"] = {}
    path = write(report, "x.json", data)
    assert bar_of(results(report, path), "longest cycle (no cycle was kept "
                  "whole)") == ["-"] * 4


def test_parts_for_themselves(report, dump):
    """They have no sum."""
    found = results(report, dump)
    values = made_hosts.values(ROWS)
    assert bar_of(found, "maximum of each") == ["-"] + [
        made.us(max(values[part])) for part in made_hosts.PARTS]
    assert bar_of(found, "p99 of each") == ["-"] + [
        made.us(made.percentile(values[part], "99"))
        for part in made_hosts.PARTS]


def test_closed_loop(report):
    """There is no expiry, and so no wakeup."""
    metrics = ("network", "sleep", "response")
    path = write(report, "x.json", made_hosts.twoway(ROWS, metrics,
                                                     interval_us=0))
    whole, wakeup, *parts = bar_of(results(report, path), "average")
    _, *mean = made_hosts.mean(ROWS)
    assert wakeup == "-" and parts == list(map(made.us, mean))
    assert whole == made.us(sum(mean))
    # Without a timer, response is the whole cycle.
    bar_of(results(report, path), "longest cycle")


def facts(found, side, system="x"):
    return {row["what"]: row[system] for row in found[HOSTS]
            if row["of"] == side}


def test_both_hosts(report, json):
    found = results(report, json)
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


def test_several_systems_side_by_side(report, json):
    far = made_hosts.peer(priority=[50, 51], cpus=["2", "2"])
    write(report, "y.json", made_hosts.twoway(ROWS, far=far))
    found = results(report, json, "y.json")
    assert facts(found, "server", "y")["priority"] == "50 51"
    assert facts(found, "server", "y")["CPUs"] == "2"
    assert facts(found, "server")["priority"] == "40"
    rows = {row["what"]: row for row in found["What differs between the runs"]}
    assert rows["server priority"]["x"] == "40"
    assert rows["server priority"]["y"] == "50 51"


def test_hosts_that_differ(report, json):
    """Of the server's host, too."""
    far = made_hosts.peer()
    far["host"]["kernel"] = "6.13"
    write(report, "y.json", made_hosts.twoway(ROWS, far=far))
    rows = results(report, json, "y.json")["What differs between the runs"]
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


def test_gate_of_network(report, json):
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


def test_dump_alone_is_of_two_clocks(report, dump):
    write(report, "y.csv", made.dump(made.cycles(300)))
    write(report, "z.json", made_hosts.twoway(ROWS, total="trltp3"))
    found = results(report, dump, "y.csv", "z.json")
    [row] = [row for row in found["What differs between the runs"]
             if row["what"] == "total"]
    assert row["x"] == "documented"
    # What is not known of y is no difference.
    assert "clocks" not in str(found["What differs between the runs"])


def drawn(report, *args):
    """Figure of the runs, or None."""
    import tr_args
    import tr_figures_hosts
    import tr_read
    options = tr_args.parse(["-t", "-", *map(str, args)])
    runs, _ = tr_read.read_all(options.files, options)
    return tr_figures_hosts.hosts(runs)


def bars_of(ax):
    """(left, length, row) of each, in the order of drawing."""
    return [(bar.get_x(), bar.get_width(), round(bar.get_y() + 0.25))
            for bar in ax.patches]


def test_figure(report, json, dump):
    """Three panels; each part begins where the one before ends."""
    import tr_style
    write(report, "y.json", made_hosts.twoway(ROWS))
    key, caption, draw = drawn(report, json, dump, "y.json")
    assert key == "hosts" and "network" in caption
    figure = draw(tr_style.Look(True))
    assert [ax.get_xlabel() for ax in figure.axes] == [
        "us, average", "us, cycles at p99", "us, longest cycle"]
    mean = [float(part) / 1000 for part in made_hosts.mean(ROWS)]
    for ax, rows in zip(figure.axes, ((0, 1), (0,), (0, 1))):
        bars = bars_of(ax)
        assert [row for *_, row in bars] == [r for r in rows for _ in mean]
        for row in rows:
            own = [bar for bar in bars if bar[2] == row]
            assert own[0][0] == 0
            assert own[1][0] == pytest.approx(own[0][1])
            assert own[2][0] == pytest.approx(own[0][1] + own[1][1])
    for bar, value in zip(bars_of(figure.axes[0]), mean):
        assert bar[1] == pytest.approx(value, rel=1e-6)
    longest = max(map(sum, map(made_hosts.parts, ROWS))) / 1000
    assert sum(bar[1] for bar in bars_of(figure.axes[2])[:3]) == \
        pytest.approx(longest)
    texts = [text.get_text() for text in figure.axes[1].texts]
    assert "y: not known" in texts[1]
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "client's host (wakeup)", "network", "server's host (sleep)"]


def test_no_figure_of_one_host(report):
    write(report, "y.json", made.twoway(made.cycles(300)))
    assert drawn(report, "y.json") is None


def test_page_has_figure_and_tables(report, json):
    report("-o", "r.html", json)
    page = (report.directory / "r.html").read_text()
    assert '<figure id="hosts">' in page
    for title in (PARTS, HOSTS):
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


def test_real_run(report):
    """Both hosts are this one; two pairs."""
    port = free_port()
    with server(port):
        done = subprocess.run(
            [twoway.binary(), f"--connect=127.0.0.1:{port}", "-q", "-l",
             "1200", "-t", "2", "-h", "10000", "--json=r.json",
             "--dump=r.csv"], cwd=report.directory, capture_output=True,
            text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    text = report("-t", "-", "r.json", "r.csv", "b=r.csv").stdout
    found = made.tables(text.replace("virtual, ", ""))
    system = "r (2 pairs)"
    far = facts(found, "server", system)
    near = facts(found, "client", system)
    for key in ("host", "kernel", "version of the kernel", "machine",
                "twowaytest"):
        assert far[key] == near[key] != "?"
    for name in ("average", "cycles at p99", "longest cycle"):
        whole, *parts = map(float, bar_of(found, name, system))
        assert whole == pytest.approx(sum(parts), abs=0.2)
        assert bar_of(found, name, system) == \
            bar_of(found, name, "b (2 pairs)")
