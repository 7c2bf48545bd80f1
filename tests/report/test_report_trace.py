# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of a broken cycle, and its export, from traces made here."""

import dataclasses
import json
import re
import xml.etree.ElementTree as tree

import made
import made_trace
import pytest

BASE_NS = made_trace.BASE_S * 10**9
RESULTS = ("r.json", "t.txt")


@pytest.fixture
def files(report):
    """Where r.json and t.txt lie; the trace and the break may be others."""
    def write(trace=None, **more):
        made.write(report.directory, "r.json", made_trace.twoway(**more))
        made.write(report.directory, "t.txt",
                   made_trace.trace() if trace is None else trace)
        return report.directory

    write()
    return write


def picture(directory, *names):
    """The first that a report of these files has."""
    import tr_args
    import tr_read
    import tr_trace_cause
    runs, _ = tr_read.read_all([str(directory / name) for name in names],
                               tr_args.parse(list(names)))
    return tr_trace_cause.pictures(runs)[0]


def seen(pieces, *what):
    """Of pieces of the playback: begin and end in us, then these members."""
    return [((one.begin_ns - BASE_NS) / 1000, (one.end_ns - BASE_NS) / 1000,
             *(getattr(one, name) for name in what)) for one in pieces]


def test_who_had_the_cpu(files):
    play = picture(files(), *RESULTS).play
    hog, server = "a [002] hog-1-300", "twoway-server-200"
    assert seen(play.cpus[2], "who", "kind", "depth") == [
        (100, 1020, hog, "task", 0), (1020, 1036, server, "task", 0),
        (1036, 1401, hog, "task", 0),
        (1200, 1206, "interrupt 36 (eth0)", "interrupt", 1),
        (1202, 1204, "softirq NET_RX", "softirq", 2),
        (1397, 1400, "local_timer interrupt", "interrupt", 1),
        (1401, 1415, server, "task", 0),
        (1405, 1411, "softirq NET_RX", "softirq", 1),
        (1415, 1424, hog, "task", 0)]
    assert [one.prio for one in play.cpus[2] if one.kind == "task"] == \
        [120, 10, 120, 10, 120]
    assert [one.pid for one in play.cpus[3] if one.kind == "task"] == \
        [100, 0, 100, 0, 100]


def test_stacks_change_nothing(files):
    """A stack has no say in who has a CPU: at a switch, it names who left."""
    plain = picture(files(), *RESULTS).play
    lines = []
    for one in made_trace.events():
        lines.append(one)
        if "sched_switch" in one:
            lines.append(one.split("sched_switch")[0] + "<stack trace>\n"
                         " => __schedule\n")
    assert picture(files(trace=made_trace.trace(lines=lines)),
                   *RESULTS).play == plain


def test_what_client_and_server_did(files):
    play = picture(files(), *RESULTS).play
    assert play.pids == {"client": 100, "server": 200}
    assert seen(play.sides["server"], "state", "cpu") == [
        (100, 1016, "waits", 2), (1016, 1020, "runnable", 2),
        (1020, 1036, "runs", 2), (1036, 1399, "waits", 2),
        (1399, 1401, "runnable", 2), (1401, 1405, "runs", 2),
        (1405, 1411, "interrupted", 2), (1411, 1415, "runs", 2),
        (1415, 1424, "waits", 2)]
    assert seen(play.sides["client"], "state")[-3:] == [
        (1022, 1408, "waits"), (1408, 1412, "runnable"),
        (1412, 1424, "runs")]
    assert [((at_ns - BASE_NS) // 1000, role)
            for at_ns, role in play.wakeups] == [
        (1003, "client"), (1016, "server"), (1399, "server"),
        (1408, "client")]


def test_preempted_and_woken_early(files):
    """Who loses the CPU is runnable; who is woken while it runs, runs on."""
    more = [made_trace.waking(1023, 3, made_trace.IDLE, made_trace.SERVER, 2),
            made_trace.switch(1025, 2, made_trace.SERVER, "R+",
                              made_trace.HOG),
            made_trace.switch(1028, 2, made_trace.HOG, "R",
                              made_trace.SERVER)]
    play = picture(files(made_trace.trace(
        lines=made_trace.events() + more)), *RESULTS).play
    assert seen(play.sides["server"], "state")[2:5] == [
        (1020, 1025, "runs"), (1025, 1028, "runnable"),
        (1028, 1036, "runs")]


def test_the_culprit_is_that_of_the_json(files):
    """Its spans, on the trace's clock, where the trace has it, too."""
    found = picture(files(), *RESULTS)
    begin_ns = BASE_NS + made_trace.STAMPS_NS["t1"]
    assert [(begin - begin_ns, end - begin_ns, span.who)
            for begin, end, span in found.marks] == [
        (one["at_ns"], one["at_ns"] + one["ns"], one["who"])
        for one in made_trace.analysis()["timeline"]
        if one["state"] == "timer late"]
    for begin_ns, end_ns, span in found.marks:
        middle = (begin_ns + end_ns) / 2
        assert span.who == [one.who for one in found.play.cpus[span.cpu]
                            if one.begin_ns <= middle < one.end_ns][-1]


def test_one_frame(files):
    """Around what is to blame from its begin to its end."""
    import tr_figures_trace
    import tr_style
    lanes = tr_figures_trace.Lanes(tr_style.Look(True),
                                   picture(files(), *RESULTS))
    assert [(lane, (begin - BASE_NS) / 1000, (end - BASE_NS) / 1000)
            for lane, begin, end in lanes.frames()] == [
        (2, 1130.3, 1399.0)]


def texts_of(path):
    root = tree.parse(path).getroot()
    return ["".join(element.itertext()).strip() for element in root.iter()
            if element.tag.endswith("}text")]


def test_figure(files, report):
    directory = files()
    report("-f", "figs", "-m", "response", *RESULTS)
    path = directory / "figs/broken-cycle.svg"
    texts = texts_of(path)
    for text in ("phases", "client", "server", "CPU 2", "CPU 3",
                 "planned, t0, t1", "t2", "t3",
                 "r: the cycle 7 that broke: response 410.3 us, limit 200.0 "
                 "us", "sleep 372.1 us",
                 "cause: a [002] hog-1-300, 260.7 us, and 3 more"):
        # Client and server are in the legend, too.
        assert texts.count(text) == 1 + (text in ("client", "server"))
    titles = re.findall("<title>(.*?)</title>", path.read_text())
    assert "a [002] hog-1-300 on CPU 2, 365.0 us" in titles
    assert "softirq NET_RX on CPU 2, 2.0 us" in titles
    assert "server runnable on CPU 2, 2.0 us" in titles
    assert (directory / "figs/broken-cycle.png").read_bytes() \
        .startswith(b"\x89PNG")


def test_page(files, report):
    """The figure has the cause as its text, and a link; a table has it."""
    directory = files()
    report("-m", "send", *RESULTS)
    page = (directory / "twowayreport.html").read_text()
    root = tree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    [figure] = [e for e in root.iter("figure")
                if e.get("id") == "broken-cycle"]
    assert f"Cause: {made_trace.CAUSE}." in \
        "".join(figure.find("figcaption").itertext())
    assert [e.text for e in root.iter("a")
            if e.get("href") == "#broken-cycle"] == \
        ["Figure: r: the cycle 7 that broke"]
    found = made.tables(report("-t", "-", *RESULTS).stdout)
    rows = found["r: sleep of the cycle that broke"]
    assert [(row["at us"], row["for us"], row["the server"],
             row["who had the CPU"]) for row in rows
            if row["cause"] == "yes"] == [
        (made.us(one["at_ns"]), made.us(one["ns"]), one["state"], one["who"])
        for one in made_trace.analysis()["timeline"]
        if one["state"] == "timer late"]
    assert len(rows) == len(made_trace.analysis()["timeline"])
    assert {"remark": f"cause of the broken cycle: {made_trace.CAUSE}",
            "system": "r"} in found["Remarks"]


STACKS = [      # in the JSON; the sentence; in the figure
    ({}, None, ""), ({"stack": [], "stack_at": "interrupt"},
                     "was interrupted in user mode.", ""),
    ({"stack": ["clear_user", "read_zero"], "stack_at": "interrupt"},
     "was interrupted in clear_user < read_zero.", " in clear_user"),
    ({"stack": ["schedule_timeout"], "stack_at": "switch"},
     "left the CPU in schedule_timeout.", " in schedule_timeout")]


@pytest.mark.parametrize("stack,sentence,shown", STACKS)
def test_stack(files, report, stack, sentence, shown):
    """What the culprit did, in the figure and in the table."""
    who = "a [002] hog-1-300"
    directory = files(analysis={**made_trace.analysis(), "who": who, **stack})
    report("-m", "send", *RESULTS)
    page = (directory / "twowayreport.html").read_text()
    for told in (one[1] for one in STACKS if one[1]):
        assert (f"{who} {told}".replace("<", "&lt;") in page) == \
            (told == sentence)
    report("-m", "send", "-f", "figs", *RESULTS)
    [text] = [one for one in texts_of(directory / "figs/broken-cycle.svg")
              if one.startswith("cause: ")]
    assert text == f"cause: {who}, 260.7 us{shown}, and 3 more"


def test_causes(files, report):
    """The table of --breaks."""
    data = made_trace.twoway()
    rows = [("sleep", "server running", 12, 500, 0.25, 61.04),
            ("send", None, 3, 410, 7, 7)]
    data["twoway"]["causes"] = [
        dict(zip(("phase", "cause", "count", "longest", "first_s", "last_s"),
                 row)) for row in rows]
    made.write(files(), "r.json", data)
    found = made.tables(report("-t", "-", *RESULTS).stdout)
    unit = 1 if data.get("resolution_in_ns") else 1000
    assert [list(row.values()) for row in found[
        "r: causes of the cycles above the limit"]] == [
        [phase, cause or "-", str(count), made.us(longest * unit),
         f"{first:.1f}", f"{last:.1f}"]
        for phase, cause, count, longest, first, last in rows]
    assert {"remark": "15 cycles above the limit of -b", "system": "r"} in \
        found["Remarks"]


def exported(report, *args):
    report("-P", "p.json", *args)
    return json.loads((report.directory / "p.json").read_text())


def test_perfetto(files, report):
    """Every piece has its process and thread, whose names are told."""
    files()
    events = exported(report, *RESULTS)["traceEvents"]
    names = {kind: {(e["pid"], e["tid"]): e["args"]["name"] for e in events
                    if e["ph"] == "M" and e["name"] == f"{kind}_name"}
             for kind in ("process", "thread")}
    assert list(names["process"].values()) == ["CPUs: r", "cycle 7: r"]
    pieces = {}
    for one in events:
        if one["ph"] == "X":
            pieces.setdefault(names["thread"][one["pid"], one["tid"]],
                              []).append((one["ts"], one["dur"],
                                          one["name"]))
            assert one["dur"] > 0
        assert one["ph"] == "M" or one["ts"] >= 0
    assert not [one for one in events if one["name"] == "the idle task"]
    assert set(pieces) == {"CPU 2", "CPU 3", "phases", "cause", "client 100",
                           "server 200"}
    # From the trace's first line on, which is at 100 us.
    assert (936, 365, "a [002] hog-1-300") in pieces["CPU 2"]
    assert pieces["phases"] == [
        (900, 10.2, "wakeup"), (910.2, 20.1, "send"),
        (930.3, 372.1, "sleep"), (1302.4, 18.1, "receive")]
    assert pieces["cause"][0] == (1030.3, 69.7, "a [002] hog-1-300")
    assert (1299, 2, "runnable") in pieces["server 200"]
    moments = [(one["ts"], one["name"]) for one in events
               if one["ph"] == "i"]
    assert {(900, "planned"), (910.2, "t0"), (1320.5, "t3"),
            (1299, "woken")} <= set(moments)


def test_perfetto_nests(files, report):
    """Pieces of a thread lie within or beside each other, as it demands."""
    files()
    events = exported(report, *RESULTS)["traceEvents"]
    threads = {}
    for one in events:
        if one["ph"] == "X":
            threads.setdefault((one["pid"], one["tid"]), []).append(
                (one["ts"], one["ts"] + one["dur"]))
    for pieces in threads.values():
        for i, (begin, end) in enumerate(pieces):
            for other, last in pieces[i + 1:]:
                assert end <= other + 1e-6 or last <= begin + 1e-6 or \
                    (begin <= other and last <= end + 1e-6)


def test_perfetto_of_two_runs(files, report):
    """They have their own processes; their cycles begin together."""
    directory = files()
    later = re.sub(r"(?<=[ #] )100\.", "900.", made_trace.trace())
    made.write(directory, "q.txt", later)
    events = exported(report, "a=r.json", "a=t.txt", "q=q.txt")["traceEvents"]
    begins = [(one["pid"], one["ts"]) for one in events
              if one["ph"] == "i" and one["name"] == "planned"]
    assert len(dict(begins)) == 2 and len({at for _, at in begins}) == 1
    processes = {one["pid"]: one["args"]["name"] for one in events
                 if one["name"] == "process_name"}
    assert sorted(processes.values()) == [
        "CPUs: a", "CPUs: q", "cycle 7: a", "cycle 7: q"]


def test_trace_alone(files, report):
    """Who is to blame is not in it, and the caption says where it is."""
    directory = files()
    report("-f", "figs", "-F", "svg", "-o", "r.html", "t.txt")
    assert [path.name for path in (directory / "figs").iterdir()] == \
        ["broken-cycle.svg"]
    texts = texts_of(directory / "figs/broken-cycle.svg")
    assert "t: the cycle 7 that broke: response 410 us, limit 200 us" in \
        texts
    assert not [text for text in texts if text.startswith("cause")]
    assert "is in the JSON of this run" in (directory / "r.html").read_text()
    assert "<h2>Files" in (directory / "r.html").read_text()


def test_whose_trace_it_is(files, report):
    """That of the run whose cycle it is to the ns; a name must not lie."""
    directory = files()
    other = made_trace.twoway(sleep_ns=made_trace.duration("sleep") + 1)
    made.write(directory, "o.json", other)
    made.write(directory, "n.json", made_trace.twoway(cycle=8))
    report("-f", "figs", "-F", "svg", "-m", "send", "o.json", "r.json",
           "n.json", "t.txt")
    [title] = [text for text in texts_of(directory / "figs/broken-cycle.svg")
               if "that broke" in text]
    assert title.startswith("r: ")
    for name in ("o", "n"):
        err = report(f"{name}.json", f"{name}=t.txt", status=1).stderr
        assert "t.txt: the trace of cycle 7, which is not the one that -b " \
            f"ended {name}.json at; name them apart" in err


def test_without_a_break(files, report):
    directory = files()
    made.write(directory, "x.json", made.twoway(made.cycles(40)))
    err = report("x.json", "x=t.txt", status=1).stderr
    assert "is not the one that -b ended x.json at" in err


STATES = [
    # state of all, whose lane is marked, what its name says
    ("runnable", "server", 2, "hog"), ("peer runnable", "client", 2, "hog"),
    ("runs", "server", 2, "hog"),
    ("blocked", "server", "server", "server: blocked, 50.0 us"),
    ("peer blocked", "server", "client", "client: blocked, 50.0 us"),
    ("unknown", "client", "client", "client: unknown, 50.0 us")]


@pytest.mark.parametrize("state, side, lane, name", STATES)
def test_where_the_mark_is(files, report, state, side, lane, name):
    """On the CPU of who ran; who is blocked has no CPU, but a lane."""
    import tr_figures_trace
    import tr_style
    spans = [made_trace.span(0, 90_000, "asleep", "idler-9", 9),
             made_trace.span(90_000, 50_000, state, "hog-300", 300)]
    directory = files(analysis=made_trace.analysis() | {
        "side": side, "timeline": spans, "contributors": spans[::-1],
        "cause": "sleep +9 us: x for 50.0 us"})
    found = picture(directory, *RESULTS)
    lanes = tr_figures_trace.Lanes(tr_style.Look(True), found)
    assert lanes.mark_lane == lane
    lanes.draw()
    [text] = [one.get_text() for one in lanes.ax.texts
              if one.get_text().startswith("cause: ")]
    assert name in text and "idler" not in text
    frames = [box for box in lanes.ax.patches if box.get_linewidth() == 2]
    assert [(box.get_x(), box.get_width()) for box in frames] == \
        [(pytest.approx(120.3), 50)]
    assert lanes.top[lane] == pytest.approx(frames[0].get_y() + 0.08)


def test_woken_on_its_way_to_sleep(files):
    """It is runnable although its switch says that it sleeps."""
    more = [made_trace.waking(1410, 3, made_trace.IDLE, made_trace.SERVER, 2),
            made_trace.switch(1420, 2, made_trace.HOG, "R",
                              made_trace.SERVER)]
    play = picture(files(made_trace.trace(
        lines=made_trace.events() + more)), *RESULTS).play
    assert seen(play.sides["server"], "state")[-2:] == [
        (1415, 1420, "runnable"), (1420, 1424, "runs")]


@pytest.mark.parametrize("state", ["runnable", "peer blocked"])
def test_mark_without_a_lane(files, report, state):
    """Of a CPU or a side that the trace does not show."""
    spans = [made_trace.span(0, 50_000, state, "?", -1) | {"cpu": -1}]
    directory = files(made_trace.trace(lines=[
        line for line in made_trace.events()
        if "twoway-client" not in line]), analysis=made_trace.analysis() | {
            "timeline": spans, "contributors": spans,
            "cause": "sleep +9 us: x for 50.0 us"})
    assert not picture(directory, *RESULTS).marks
    report("-f", "figs", "-F", "svg", "-m", "send", *RESULTS)
    assert not [text for text in texts_of(
        directory / "figs/broken-cycle.svg") if text.startswith("cause")]


def test_sentence_has_the_last_word(files, report):
    """If the largest sum is not what it is about, nothing is marked."""
    directory = files(analysis=made_trace.analysis() | {
        "cause": "sleep +270 us: server running on CPU 2 for 7.1 us"})
    assert not picture(directory, *RESULTS).marks
    report("-o", "r.html", "-m", "send", *RESULTS)
    assert "No piece of the time line is marked." in \
        (directory / "r.html").read_text()


def test_cause_on_the_other_host(files, report):
    """This trace does not show it: nothing here is marked."""
    trace = made_trace.trace(stamps=("planned", "t0", "t3"))
    directory = files(trace)
    data = made_trace.twoway(analysis=None)
    data["twoway"]["peer"] = {"breaks": [{"cause": made_trace.analysis() | {
        "host": "far", "side": "server"}}]}
    made.write(directory, "r.json", data)
    found = picture(directory, *RESULTS)
    assert not found.marks
    assert [name for name, *_ in found.phases] == ["wakeup", "network"]
    assert set(found.play.sides) == {"client"}
    report("-o", "r.html", "-m", "send", *RESULTS)
    text = (directory / "r.html").read_text()
    assert "On the server&#x27;s host, which this trace does not show: " + \
        made_trace.analysis()["cause"] in text
    assert "of the cycle that broke on host far" in text


def test_of_several_pairs(files):
    """Of two servers, the one that the client woke."""
    more = [made_trace.switch(1300, 5, 0, "R", 0).replace(
        "next_comm=swapper/5 next_pid=0", "next_comm=twoway-server "
        "next_pid=222"),
        # Before this cycle, as the run began.
        made_trace.waking(105, 3, made_trace.CLIENT, made_trace.SERVER, 5)
        .replace("pid=200", "pid=222")]
    trace = made_trace.trace(lines=made_trace.events() + more)
    directory = files(trace, analysis=None)
    assert picture(directory, *RESULTS).play.pids["server"] == 200


NAMES = [
    ("   twoway-client-100     [003] d..2.   100.000110: x: y",
     ("twoway-client", 100, 3)),
    ("  kworker/2:1-5-77  (     77) [011] d.h1. 100.000110: x: y",
     ("kworker/2:1-5", 77, 11)),
    (" a-1 [002] b-22      [001] ..... 100.000110: x: y",
     ("a-1 [002] b", 22, 1)),
    ("          <idle>-0       [000] dN.2. 100.000110: x:",
     ("<idle>", 0, 0))]


@pytest.mark.parametrize("line, expected", NAMES)
def test_lines(line, expected):
    import tr_trace_text
    event = tr_trace_text.read_event(line)
    assert (event.comm, event.pid, event.cpu) == expected
    assert event.time_ns == BASE_NS + 110_000


@pytest.mark.parametrize("line", [
    "", "#", "CPU:2 [LOST 3 EVENTS]", "x-1 [000] d..2. 1.5: x: y",
    "x [000] d..2. 1.000005: x: y", "x-1 [a] d..2. 1.000005: x: y"])
def test_no_events(line):
    import tr_trace_text
    assert tr_trace_text.read_event(line) is None


def test_names_that_the_kernel_forgot(files):
    """Are those of the switches."""
    lines = [line.replace("   a [002] hog-1-300", "           <...>-300")
             for line in made_trace.events()]
    found = picture(files(made_trace.trace(lines=lines)), *RESULTS)
    assert not [one for one in found.play.cpus[2] if "<...>" in one.who]


def bad_traces():
    whole = made_trace.trace()
    yield "no stamps", made_trace.trace(stamps=()), \
        "no cycle of twowaytest is marked in this trace"
    yield "no t3", made_trace.trace(stamps=("t0",)), "no cycle of twowaytest"
    yield "two cycles", whole.replace("cycle 7: t2", "cycle 8: t2"), \
        "line 27: cycle 8 after cycle 7"
    yield "no switches", "".join(
        line for line in whole.splitlines(True) if "switch" not in line), \
        "no sched_switch"
    yield "out of order", whole.replace(
        "# 100.001402400", "# 100.002402400"), "not in order of time"
    yield "crlf", whole.replace("\n", "\r\n"), "CR LF"


@pytest.mark.parametrize("text, why", [
    pytest.param(text, why, id=name) for name, text, why in bad_traces()])
def test_what_is_no_trace_of_a_cycle(refused, text, why):
    with open(refused.directory / "t.txt", "w", newline="",
              encoding="ascii") as file:
        file.write(text)
    err = refused("t.txt")
    assert err.startswith("twowayreport: t.txt: ") and why in err


@pytest.mark.parametrize("member, value, why", [
    ("phase", "nap", "analysis.phase: 'nap' is none of"),
    ("side", "main", "analysis.side: 'main' is none of"),
    ("cause", 7, "analysis.cause: 7 is no string"),
    ("timeline", [1], "analysis.timeline[0]: no object")])
def test_bad_analysis(refused, member, value, why):
    made.write(refused.directory, "r.json", made_trace.twoway(
        analysis=made_trace.analysis() | {member: value}))
    assert why in refused("r.json")


@pytest.mark.parametrize("option", ["-P", "--perfetto"])
def test_perfetto_without_a_trace(refused, option):
    made.write(refused.directory, "r.json", made.twoway(made.cycles(40)))
    assert "--perfetto: there is no trace to write; give the file that " \
        "--trace-file" in refused(option, "p.json", "r.json")


def test_perfetto_onto_an_input(refused):
    made.write(refused.directory, "t.txt", made_trace.trace())
    assert "--perfetto=t.txt: this is an input" in \
        refused("--perfetto=t.txt", "t.txt")
    assert "--html and --perfetto name one file" in refused(
        "--perfetto=x", "--html=x", "t.txt")
    assert "must not be empty" in refused("-P", "", "t.txt")


def test_many_pieces(files, monkeypatch):
    """The shortest are not drawn, so that the page stays small."""
    import tr_figures_trace
    import tr_style
    monkeypatch.setattr(tr_figures_trace, "MOST_SLICES", 20)
    lines = [line for i in range(60)
             for line in made_trace.timer(1040 + 2 * i, 1041 + 2 * i, 2,
                                          made_trace.HOG)]
    found = picture(files(made_trace.trace(
        lines=made_trace.events() + lines)), *RESULTS)
    lanes = tr_figures_trace.Lanes(tr_style.Look(True), found)
    lanes.draw()
    drawn = [tip for tip in lanes.tips.values() if " on CPU 2, " in tip]
    assert 5 < len(drawn) < 25
    assert not [tip for tip in drawn if tip.endswith(" 1.0 us")]


def test_many_cpus(files):
    """Those of client, server and culprit come first, then the busiest."""
    import tr_figures_trace
    lines = made_trace.events() + [made_trace.switch(
        1100 + cpu, cpu, 0, "R", 0).replace("next_pid=0", f"next_pid={cpu}")
        for cpu in range(10, 30)]
    found = picture(files(made_trace.trace(lines=lines)), *RESULTS)
    cpus, left = tr_figures_trace.chosen(found)
    assert cpus == [2, 3, 10, 11, 12, 13, 14, 15] and left == 14
    assert "14 more CPUs are not shown" in \
        tr_figures_trace.figures_of([found])[0][1]


def test_many_marked_cpus(files, monkeypatch):
    """What is to blame longest is drawn, on however many CPUs that was."""
    import tr_figures_trace
    import tr_style
    import tr_trace_cause
    monkeypatch.setattr(tr_figures_trace, "MOST_CPUS", 1)
    monkeypatch.setattr(tr_figures_trace, "lane_of",
                        lambda picture, span: span.cpu)
    found = picture(files(made_trace.trace()), *RESULTS)
    begin_ns, end_ns, span = found.marks[0]
    assert len(found.play.cpus) > 1
    for longest in found.play.cpus:
        monkeypatch.setattr(tr_trace_cause.Picture, "marks", [
            (begin_ns, end_ns, dataclasses.replace(
                span, cpu=cpu, ns=span.ns + (cpu == longest)))
            for cpu in found.play.cpus])
        assert tr_figures_trace.chosen(found)[0] == [longest]
        tr_figures_trace.Lanes(tr_style.Look(True), found).draw()
