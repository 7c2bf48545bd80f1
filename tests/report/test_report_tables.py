# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables: rankings, differences, marks, and the published study."""

import csv
import io
import pathlib
import shlex

import made
import pytest

DATA = made.REPORT / "data"


def settings_of(report, *files):
    text = report("-t", "-", *files).stdout
    found = made.tables(text)
    assert list(found)[:3] == ["The systems", "What was measured",
                               "What differs between the runs"]
    return {(row["of"], row["what"]): row
            for row in found["What differs between the runs"]}, text


def test_what_differs_comes_first(report):
    rows = made.cycles(200)
    one, two = made.twoway(rows), made.twoway(rows, size=64)
    two["twoway"]["system"]["governor"] = "powersave"
    two["twoway"]["pairs"][0]["client"]["priority"] = 50
    two["sysinfo"]["release"] = "6.12-rt"
    two["twoway"]["settings"]["port"] = 5     # of no importance
    for name, data in (("one", one), ("two", two)):
        made.write(report.directory, f"{name}.json", data)
    found, _ = settings_of(report, "one.json", "two.json")
    assert set(found) == {
        ("settings", "size"), ("settings", "client priority"),
        ("system", "governor"), ("system", "kernel release")}
    row = found["settings", "size"]
    assert (row["one"], row["two"]) == ("8", "64")


def test_nothing_differs_and_nothing_is_known(report):
    rows = made.cycles(200)
    for name in ("one", "two"):
        made.write(report.directory, f"{name}.json", made.twoway(rows))
    found, text = settings_of(report, "one.json", "two.json")
    assert not found and "No known setting differs" in text
    made.write(report.directory, "h.txt",
               made.text(made.values(rows)["wakeup"]))
    _, text = settings_of(report, "one.json", "h.txt")
    assert "Nothing is known of: h" in text


def test_common_remarks_stand_once(report):
    data = made.twoway(made.cycles(200), missed=3)
    for name in "abc":
        made.write(report.directory, f"{name}.json", data)
        data["twoway"]["throttled"] = 5
    text = report("-t", "-", "a.json", "b.json", "c.json").stdout
    assert made.tables(text)["Remarks"] == [
        {"system": "all", "remark": "missed expiries: 3"},
        {"system": "b, c", "remark": "throttled cycles: 5"}]


def test_counts_that_differ_stand_once(report):
    """As figures of findings do; other remarks stay apart."""
    data = made.twoway(made.cycles(200))
    for name, missed in (("a", 100), ("b", 9), ("c", 0)):
        data["twoway"]["pairs"][0]["missed"] = missed
        data["twoway"]["limits"] = [made.limit(f"total:{missed}", 10**6)]
        made.write(report.directory, f"{name}.json", data)
    text = report("-t", "-", "a.json", "b.json", "c.json").stdout
    assert made.tables(text)["Remarks"] == [
        {"system": "a, b", "remark": "missed expiries: 9 to 100"},
        {"system": "a", "remark": "limit total:100 exceeded"},
        {"system": "b", "remark": "limit total:9 exceeded"},
        {"system": "c", "remark": "limit total:0 exceeded"}]


@pytest.mark.parametrize("member, begin", [
    ("missed", "missed expiries: "), ("throttled", "throttled cycles: "),
    ("not_dumped", "cycles not dumped: "),
    ("left_out", "left out, as the clock was set: "),
    ("lost", "cycles lost on their way: ")])
def test_each_count_stands_once(report, member, begin):
    data = made.twoway(made.cycles(200))
    twoway = data["twoway"]
    pair = twoway["pairs"][0]
    within = {"left_out": twoway.setdefault("clock_set", {}),
              "lost": pair.setdefault("datagrams", {}),
              "missed": pair}.get(member, twoway)
    for name, count in (("a", 12), ("b", 7)):
        within[member] = count
        made.write(report.directory, f"{name}.json", data)
    remarks = made.tables(report("-t", "-", "a.json", "b.json").stdout)[
        "Remarks"]
    assert {"system": "all", "remark": f"{begin}7 to 12"} in remarks
    assert len(remarks) == 1


def test_remarks(report):
    data = made.twoway(made.cycles(200), missed=3)
    data["twoway"] |= {
        "throttled": 4, "interrupted": True,
        "breaks": [{"metric": "total", "cycle": 1, "values": {"total": 9}}], "limits": [
            made.limit("total:9", 12345), made.limit("send:9", 9000)]}
    data["twoway"]["system"]["findings"] = [
        {"name": "governor", "read": "powersave on CPU 1"}]
    path = made.write(report.directory, "r.json", data)
    text = report("-t", "-", path).stdout
    for remark in ("missed expiries: 3", "throttled cycles: 4",
                   "ended by a signal", "ended by -b",
                   "limit total:9 exceeded", "governor: powersave on CPU 1"):
        assert f"| {remark} | r |" in text
    assert "send:9" not in text


def test_targets_that_differ(report):
    """Each is told with its runs; a closed loop has none."""
    data = made.twoway(made.cycles(200))
    for name, target in (("a", 1000), ("b", 500), ("c", 1000), ("d", 0)):
        data["thread"]["0"]["interval_us"] = target
        made.write(report.directory, f"{name}.json", data)
    text = report("-t", "-", "a.json", "c.json").stdout
    assert "t0 to t0. The target is 1000. " in text
    text = report("-t", "-", *(f"{name}.json" for name in "abcd")).stdout
    assert "t0 to t0. The target is 1000 in a, c; 500 in b. " in text
    assert "t2 - t1. The target is 100. " in text
    assert text.count("std is from the mean, rms from what was asked for.") == 1


def test_large_counts_of_a_ramp(report):
    """They are counts, to the last digit; a step without cycles has no row."""
    data = made.twoway(made.cycles(200))
    step = {"phases": made.phases(made.values(made.cycles(200))),
            "missed": 123456, "rate": 1234567.8}
    data["twoway"]["steps"] = [{"units": i} | step for i in range(2)] + [
        {"units": 2} | step | {"phases": {}}]
    made.write(report.directory, "r.json", data)
    row, _ = made.tables(report("-t", "-", "r.json").stdout)[
        "Total Jitter against the load"]
    assert (row["missed"], row["work/s"]) == ("123456", "1234568")


def test_csv_says_what_markdown_says(report):
    rows = made.cycles(200)
    made.write(report.directory, "a.csv", made.dump(rows))
    made.write(report.directory, "b.csv", made.dump(rows[:150]))
    report("-t", "t.csv", "a.csv", "b.csv")
    report("-t", "t.md", "a.csv", "b.csv")
    found = {}
    blocks = (report.directory / "t.csv").read_text().split("\n\n")[1:-1]
    for block in blocks:
        title, _, body = block.partition("\n")
        found[title.removeprefix("# ")] = list(
            csv.DictReader(io.StringIO(body)))
    assert found == made.plain_tables(
        (report.directory / "t.md").read_text())


def test_worst_and_spikes_of_a_json(report):
    data = made.twoway(made.cycles(200))
    cycle = {"cycle": 5, "step": 0, "since_start_ns": 5_000_000, "values": {
        "wakeup": 9000, "send": 20_000, "sleep": 150_000,
        "receive": 900_000, "response": 1_070_000, "total": 970_000,
        "interval": 1_000_000, "planned": 1_079_000}}
    data["twoway"]["worst"] = {"total": cycle, "planned": cycle}
    data["twoway"]["spikes"] = {
        "metric": "total", "limit_us": 1, "seen": 1, "kept": [cycle]}
    path = made.write(report.directory, "r.json", data)
    rows = made.tables(report("-t", "-", path).stdout)["Worst cycles"]
    assert rows == [
        {"system": "r", "metric": "total, planned", "at s": "0.005",
         "step": "0", "wakeup": "9.0", "send": "20.0", "sleep": "150.0",
         "receive": "900.0"}]


def test_worst_cycle_of_the_most_exact_file(report):
    """That of the dump, not that of the JSON, comes first."""
    rows = made.cycles(200)
    data = made.twoway(rows)
    data["twoway"]["worst"] = {"response": {
        "cycle": 5, "step": 0, "since_start_ns": 5_000_000, "values": {
            "send": 1000, "sleep": 2000, "receive": 3000,
            "response": 6000, "wakeup": 9000}}}
    made.write(report.directory, "a.json", data)
    made.write(report.directory, "a.csv", made.dump(rows))
    [row] = made.tables(report("-t", "-", "-m", "response", "a.json",
                               "a.csv").stdout)["Worst cycles"]
    _, _, _, t0, t1, *_ = max(rows, key=lambda row: row[6] - row[3])
    assert row["send"] == made.us(t1 - t0)


def test_worst_cycles_are_those_of_the_metrics(report):
    path = made.write(report.directory, "a.csv", made.dump(made.cycles(200)))
    for metric in ("wakeup", "response"):
        rows = made.tables(report("-t", "-", "-m", metric, path).stdout)[
            "Worst cycles"]
        assert [row["metric"] for row in rows] == [metric]
    assert "Worst cycles" not in made.tables(
        report("-t", "-", "-m", "send", path).stdout)


def test_load_of_a_json(report):
    parts = [made.cycles(100, seed) for seed in (1, 2)]
    data = made.twoway(made.cycles(200),
                       list(enumerate(parts)))
    path = made.write(report.directory, "r.json", data)
    rows = made.tables(report("-t", "-", path).stdout)[
        "Total Jitter against the load"]
    for k, (row, part) in enumerate(zip(rows, parts)):
        total = made.values(part)["total"]
        assert row == {
            "workers": str(k), "system": "r",
            "min": str(min(total) // 1000), "avg": made.us(made.mean(total)),
            "max": str(max(total) // 1000), "std":
            made.us(made.deviation(total)), "missed": "0",
            "work/s": "1.5"}


def published_rows(name):
    lines = [line for line in (DATA / name).read_text().splitlines()
             if not line.startswith("#")]
    return list(csv.DictReader(lines))


def test_published_study(report):
    """Its tables are made again from its data, number by number."""
    text = report("-t", "-", DATA / "trltp-published-load.csv",
                  DATA / "trltp-published-metrics.csv").stdout
    found = made.tables(text)
    for row in published_rows("trltp-published-metrics.csv"):
        label = made.LABELS[made.METRICS.index(row["metric"])]
        mine = next(r for r in found[label] if r["system"] == row["system"])
        std = "rms" if row["metric"] == "sleep" else "std"
        for ours, theirs in (("min", "min"), ("avg", "avg"), ("max", "max"),
                             (std, "stddev")):
            assert float(mine[ours]) == float(row[theirs])
    load = {(r["workers"], r["system"]): r
            for r in found["Total Jitter against the load"]}
    rows = published_rows("trltp-published-load.csv")
    assert len(load) == len(rows) == 48
    for row in rows:
        mine = load[row["workers"], row["system"]]
        for ours, theirs in (("min", "min"), ("avg", "avg"), ("max", "max"),
                             ("std", "stddev")):
            assert float(mine[ours]) == float(row[theirs])
    ranking = {(r["metric"], r["figure"]): r["best first"]
               for r in found["Ranking"]}
    assert ranking["total", "average"] == "RedHawk <= PREEMPT_RT <= kernel.org"
    assert ("total", "maximum") not in ranking


def test_published_figures(report, monkeypatch):
    """The commands of published/README.md make what it shows."""
    monkeypatch.chdir(made.REPORT)
    out = pathlib.Path(report.directory) / "figures"
    folder = pathlib.Path("published")
    commands = [shlex.split(line) for line in
                (folder / "README.md").read_text().splitlines()
                if line.startswith("    ./twowayreport ")]
    for command in commands:
        report(*(word.replace("figures", str(out), 1)
                 for word in command[1:]))
    names = {path.name for path in out.iterdir()}
    assert {"tables.md", "campaign.md",
            *(path.name for path in folder.glob("*.svg"))} <= names
    assert "ranges-cores-multi-load-none.svg" in names


def test_published_campaign(report):
    """Set-ups are kept apart, and every CPU is a row of its own."""
    text = report("-t", "-", DATA / "rtos-campaign-published.csv",
                  DATA / "pc-server-published.csv").stdout
    found = made.tables(text)
    rows = published_rows("rtos-campaign-published.csv")
    assert len(rows) == 22
    for row in rows:
        title = f"Wakeup Time (cores {row['cores']}, load {row['load']})"
        name = row["system"] + (f" CPU {row['cpu']}"
                                if row["cores"] == "multi" else "")
        mine = [one for one in found[title] if one["system"] == name]
        assert mine == [{"system": name, "std": "-"} | {
            key: row[key] for key in ("cycles", "min", "avg", "max")}]
    assert sum(len(rows) for title, rows in found.items()
               if title.startswith("Wakeup")) == 22
    ranking = {row["figure"]: row["best first"] for row in
               found["Ranking (cores single, load none)"]}
    assert "maximum" not in ranking
    assert ranking["average"] == "SylixOS <= Linux+RT <= Linux"
    assert "| every period 1 ms; " in text


def test_names_become_no_tags_and_no_formulas(report):
    """Of files, and of the rows of a table."""
    made.write(report.directory, "p.csv", made.table_csv([
        "send,=1+1,1,2,3,1", "send,@SUM(A1),1,2,3,1", "send,-2+3,1,2,3,1"]))
    name = "<img src=x onerror=alert(1)>"
    made.write(report.directory, f"{name}\n.json",
               made.twoway(made.cycles(60)))
    files = "p.csv", f"{name}\n.json"
    report("-t", "t.csv", *files)
    text = (report.directory / "t.csv").read_text()
    assert text.count("\n# ") == text.count("\n\n") - 1
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert {"'=1+1", "'@SUM(A1)", "'-2+3"} <= set(cells)
    assert not [cell for cell in cells if cell[:1] in ("=", "@", "+") or
                cell[:1] == "-" and len(cell) > 1 and
                not cell[1:].replace(".", "").isdigit()]
    text = report("-t", "-", *files).stdout
    assert name.replace("<", "&lt;") in text and "<img" not in text


def test_cpus_of_a_system_share_its_colour(report, monkeypatch):
    from report.draw import figures
    colours = {}
    draw_range = figures.draw_range

    def seen(look, ax, runs, metric):
        colours.update((run.title, look.fill(run.index)) for run in runs)
        draw_range(look, ax, runs, metric)

    monkeypatch.setattr(figures, "draw_range", seen)
    report("-f", "figures", "-F", "svg", DATA / "rtos-campaign-published.csv")
    assert len(colours) == 11 and len(set(colours.values())) == 3
    for name, colour in colours.items():
        assert colour == colours[name.split(" CPU ")[0]]
