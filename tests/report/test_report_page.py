# SPDX-License-Identifier: GPL-2.0-or-later
"""The page and the figures: well-formed, self-contained, in both themes."""

import re
import struct
import types
import xml.etree.ElementTree as tree

import made
import made_columns
import pytest

SPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
FIGURES = {"exceeding-latency", "load", "phases", "histogram-latency",
           "ranges"}


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    """Where a report with all that can be shown lies, page and figures.

    Made once, as it takes longest. One run's name is unkind.
    """
    directory = tmp_path_factory.mktemp("page")
    parts = [made.cycles(150, seed, start=10**12 * seed) for seed in (1, 2)]
    rows = parts[0] + parts[1]
    data = made.twoway(rows, list(enumerate(parts)))
    made.write(directory, "a.json", data)
    made.write(directory, "a.csv", made.dump(rows))
    made.write(directory, "b.csv", made.dump(made.cycles(200, 3)))
    made.report(directory, "-o", "r.html", "-f", "figs", "-T",
                "<Title> & more", "a.json", "a.csv", '<b> & "c" $x_1$=b.csv')
    return directory


@pytest.fixture
def page(made_once):
    return (made_once / "r.html").read_text()


def parsed(page):
    assert page.lstrip().startswith("<!DOCTYPE html>")
    return tree.fromstring(page.strip().removeprefix("<!DOCTYPE html>"))


def test_well_formed(page):
    root = parsed(page)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    known = set(ids)
    for element in root.iter():
        for key, value in element.attrib.items():
            for name in re.findall(r"url\(#([^)]*)\)", value) + (
                    [value[1:]] if key.endswith("href") else []):
                assert name in known, name


def test_nothing_is_loaded(page):
    """No address but those that name what SVG is; no script."""
    assert set(re.findall(r"https?://[^\s\"'<]*", page)) <= SPACES
    root = parsed(page)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"script", "link", "img", "iframe", "object", "image",
                       "base", "embed"}
    for element in root.iter():
        for key, value in element.attrib.items():
            key = key.rpartition("}")[2]
            assert key not in ("src", "action", "data", "poster")
            assert key != "href" or value.startswith("#")
    assert "@import" not in page
    assert set(re.findall(r"url\((.)", page)) <= {"#"}


def test_both_themes(page):
    """Each colour has a value in both, and drawings name no other."""
    style = page[page.index("<style>"):page.index("</style>")]
    light, dark = style.split("@media (prefers-color-scheme:dark)")
    names = set(re.findall(r"(--\w+):#", light))
    assert len(names) > 10
    dark = dark[:dark.index("}}")]
    assert set(re.findall(r"(--\w+):#", dark)) == names
    rest = page[page.index("</style>"):]
    assert set(re.findall(r"var\((--\w+)\)", page)) <= names
    assert len(set(re.findall(r"var\((--\w+)\)", rest))) > 8
    assert not re.findall(r"#[0-9a-f]{6}\b", rest)


def brightness(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4
             for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    low, high = sorted((brightness(one), brightness(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast():
    """Text 4.5, lines 1.9 against the ground, in both themes."""
    from twtools import plots
    for theme in (0, 1):
        paper = plots.COLOURS["paper"][theme]
        for role, pair in plots.COLOURS.items():
            least = {"ink": 4.5, "muted": 4.5, "cause": 4.5, "paper": 1,
                     "grid": 1.2}.get(role, 1.9)
            assert contrast(pair[theme], paper) >= least, (role, theme)


def test_fits_a_phone(page):
    """Drawings take the page's width, wide tables scroll by themselves."""
    root = parsed(page)
    assert 'name="viewport" content="width=device-width' in page
    drawings = [e for e in root.iter() if e.tag.endswith("}svg")]
    assert len(drawings) == len(FIGURES)
    for drawing in drawings:
        assert not drawing.get("width") and drawing.get("aria-label")
        assert float(drawing.get("viewBox").split()[2]) <= 360
    for parent in root.iter():
        for child in parent:
            if child.tag == "table":
                assert parent.get("class") == "scroll"


def headings(root):
    return ["".join(e.itertext()) for e in root.iter("h2")]


def test_headings_differ(page):
    found = headings(parsed(page))
    assert len(found) == len(set(found))


def test_headings_of_set_ups_differ(report):
    """Of each, the load is a table, and a figure."""
    made.write(report.directory, "p.csv", "\n".join([
        "cores,workers,system,min,avg,max", "one,0,A,1,2,3", "one,1,A,1,2,4",
        "four,0,A,1,2,3", "four,1,A,1,2,3", ""]))
    report("-o", "r.html", "p.csv")
    root = parsed((report.directory / "r.html").read_text())
    found = headings(root)
    assert "Total Jitter against the load (cores four)" in found
    assert len(found) == len(set(found))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) and "load-cores-one" in ids


def test_unkind_names_are_shown_as_they_are(page):
    root = parsed(page)
    texts = ["".join(element.itertext()) for element in root.iter()]
    assert "<Title> & more" in texts
    assert '<b> & "c" $x_1$' in texts


def test_order(page):
    """A sentence, what was measured, a figure, the rest of the verdict, links, the rest."""
    order = [page.index(mark) for mark in (
        '<section id="verdict"', "<h2>The systems", "<h2>What was measured",
        '<figure id="exceeding-latency">',
        '<section id="more"', "<nav>", '<h2 id="figures">Figures',
        '<figure id="load">', '<figure id="phases">',
        '<figure id="histogram-latency">', '<figure id="ranges">',
        "<h2>What differs between", "<h2>Remarks", "<h2>Ranking",
        "<h2>Results", "<h2>Worst cycles", "<h2>Files")]
    assert order == sorted(order)
    assert page[order[0]:order[1]].count("<li>") == 1
    assert page[order[4]:order[5]].count("<li>") > 1


def test_links_to_all_tables(page):
    """And to the figures, in their order."""
    root = parsed(page)
    [nav] = [e for e in root.iter() if e.tag == "nav"]
    links = [(e.get("href"), e.text) for e in nav.iter() if e.tag == "a"]
    places = [("#" + e.get("id"), "".join(e.find("h2").itertext()))
              for e in root.iter("section") if e.find("h2") is not None
              and not e.get("id").startswith(("systems", "measured"))]
    assert links == [("#figures", "Figures"), *places]
    assert links[-1][0].startswith("#sources-")


def texts_of(root):
    """Of a page, in order, without its drawings, style and names of files."""
    if root.tag.endswith("}svg") or root.tag in ("style", "head") or \
            root.get("id", "").startswith("sources"):
        return
    yield root.text or ""
    for child in root:
        yield from texts_of(child)
        yield child.tail or ""


@pytest.mark.parametrize("dump", [True, False])
def test_page_of_two_runs(report, dump):
    """Five figures at most, and no figure of a run more than three times: in a
    sentence, and in two tables."""
    names = []
    for name, seed in (("one", 5), ("two", 6)):
        rows = made.cycles(4000, seed)
        made.write(report.directory, f"{name}.json",
                   made_columns.twoway([rows]))
        made.write(report.directory, f"{name}.csv", made.dump(rows))
        names += [f"{name}.json", f"{name}.csv"][:1 + dump]
    report("-o", "r.html", *names)
    root = parsed((report.directory / "r.html").read_text())
    assert [e.get("id") for e in root.iter("figure")] == [
        "exceeding-latency", *["time-line"] * dump, "phases",
        "histogram-latency", "ranges"]
    numbers = re.findall(r"(?<![\d.])\d+\.\d+(?![\d.])",
                         " ".join(texts_of(root)))
    several = {number: numbers.count(number) for number in numbers
               if numbers.count(number) > 3 and len(number) > 4
               and number != "1000.0"}      # the period that was set
    assert len(numbers) > 40 and not several


def test_metrics_that_are_named_have_figures(report):
    made.write(report.directory, "a.csv", made.dump(made.cycles(60)))
    report("-f", "figs", "-F", "svg", "-m", "send,wakeup", "a.csv")
    assert {path.stem for path in (report.directory / "figs").iterdir()} == {
        "exceeding-send", "exceeding-wakeup", "histogram-send",
        "histogram-wakeup", "phases", "ranges", "time-line"}


def test_figures(made_once):
    found = {path.name for path in (made_once / "figs").iterdir()}
    assert found == {f"{name}.{kind}" for name in FIGURES
                     for kind in ("svg", "png")}
    for name in FIGURES:
        path = made_once / "figs" / f"{name}.svg"
        root = tree.parse(path).getroot()
        text = path.read_text()
        assert not re.search("#0b01[0-9a-f]{2}|var\\(", text)
        assert set(re.findall(r"https?://[^\s\"'<]*", text)) <= SPACES
        texts = ["".join(e.itertext()) for e in root.iter()
                 if e.tag.endswith("}text")]
        assert any(re.search(r"\bus\b", one) for one in texts), name
        image = path.with_suffix(".png").read_bytes()
        assert image.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", image[16:24])
        assert width == 960 and 200 < height < 2000


def test_names_of_set_ups_in_figures(report):
    made.write(report.directory, "p.csv", "\n".join([
        "cores,load,system,min,avg,max", "one,none,A,1,2,3",
        "one,some,A,1,2,3", ""]))
    report("-f", "figs", "-F", "svg", "p.csv")
    assert {p.name for p in (report.directory / "figs").iterdir()} == {
        "ranges-cores-one-load-none.svg", "ranges-cores-one-load-some.svg"}


@pytest.mark.parametrize("name", sorted(made.every_format(made.cycles(60))))
def test_each_format_alone_makes_a_page(report, name):
    content = made.every_format(made.cycles(60))[name]
    made.write(report.directory, name, content)
    report("-m", "send,wakeup", name)
    page = (report.directory / "twowayreport.html").read_text()
    assert parsed(page) is not None
    figures = page.count("<figure ")
    assert page.count("<svg ") == figures > 0
    # Of a single one there is no heading, nor a link to it.
    assert page.count('<h2 id="figures">') == page.count('href="#figures"') \
        == (figures > 1)


def test_many_runs(report):
    """At most four share a drawing, and these differ in colour.

    All names are there, whole, and panels share their scales.
    """
    from twtools import plots
    names = [f"placement-{i}-cyclictest-{'x' * i}" for i in range(9)]
    for i, name in enumerate(names):
        data = made.cyclictest(made.values(made.cycles(60, i))["wakeup"])
        made.write(report.directory, f"{name}.json", data)
    report("-f", "figs", "-F", "svg", "-t", "t.md", "-V", names[0],
           *(f"{name}.json" for name in names))
    title, *_ = (report.directory / "t.md").read_text().splitlines()
    assert title == "# Latency: 9 systems"
    for figure in ("histogram-wakeup", "exceeding-wakeup", "ranges"):
        path = report.directory / "figs" / f"{figure}.svg"
        texts = ["".join(e.itertext()).strip() for e in
                 tree.parse(path).getroot().iter()
                 if e.tag.endswith("}text")]
        assert [text for text in texts if text in names] == names, figure
    look = plots.Look(True)
    for first in range(14):
        assert len({look.fill(first + i)
                    for i in range(plots.OVERLAID)}) == 4
    found = [(i, types.SimpleNamespace(title=name))
             for i, name in enumerate(names)]
    _, panels = look.panels("T", found, 1)
    assert [len(part) for _, part in panels] == [3, 3, 3]
    panels[0][0].set(xlim=(1, 7), ylim=(2, 9))
    for ax, _ in panels:
        assert (ax.get_xlim(), ax.get_ylim()) == ((1, 7), (2, 9))


def test_share_of_a_long_cycle(report):
    """A cycle that is far longer than another's does not hide it."""
    from report.draw import figures_time
    from twoway.series import model
    from twtools import plots
    runs = []
    for scale in (1, 1000):
        phases = dict(zip(model.PHASES, (1000, 2000, 3000, 4000)))
        part = model.Part("f", "json", f"r{scale}", series={
            phase: model.Series(phase, 9, 1, 5000, 9)
            for phase in model.PHASES}, worst=[model.Worst(
                "total", 5, 0, {p: v * scale for p, v in phases.items()})])
        runs.append(model.Run(part.name, "", [part]))
    _, _, draw = figures_time.phases(runs)
    average, worst = draw(plots.Look(True)).axes
    assert [bar.get_width() for bar in average.patches] == [5] * 8
    assert [bar.get_width() for bar in worst.patches] == \
        pytest.approx([10, 20, 30, 40] * 2)
    assert [text.get_text() for text in worst.texts] == \
        ["r1", "r1000"]


@pytest.mark.parametrize("start_s", [0, 1.65])
def test_single_cycles_in_time(report, start_s):
    """However near to each other they came, time begins with the run."""
    from report.draw import figures_time
    from twoway.series import model
    from twtools import plots
    runs = [model.Run(f"r{i}", "", [model.Part(
        "f", "json", f"r{i}", worst=[model.Worst(
            "total", 5000 << i, int(start_s * 1e9) + 40 * i + k, {})
            for k in (0, 1)])]) for i in range(4)]
    # A dot alone is no figure.
    alone = model.Run("r", "", [model.Part(
        "f", "json", "r", worst=[model.Worst("total", 1, 1, {})])])
    assert figures_time.time_line([alone], "total") is None
    _, _, draw = figures_time.time_line(runs, "total")
    figure = draw(plots.Look(True))
    figure.canvas.draw()
    low, high = figure.axes[-1].get_xlim()
    assert low == 0 and start_s < high < start_s + 1
    for ax in figure.axes:
        low, high = ax.get_ylim()
        assert low < 5 and 40 < high
    assert figure.axes[-1].xaxis.get_major_formatter().get_offset() == ""


def test_the_longest_of_many_is_drawn(report):
    """A share of one in a million is within the figure."""
    from report.draw import figures
    from twoway.series import model, stats
    from twtools import plots
    part = model.Part("f", "json", "r", series={"total": model.Series(
        "total", 10**6, 1000, 1000, 9000, dist=stats.Distribution(
            [1000, 9000], [10**6 - 1, 1]))})
    _, _, draw = figures.exceeding([model.Run("r", "", [part])], "total")
    [ax] = draw(plots.Look(True)).axes
    assert 1e-7 < ax.get_ylim()[0] < 1e-6 and ax.get_xlim()[1] >= 9


@pytest.mark.parametrize("values, points", [
    ([1, 2, 5], [(1, 0.5), (2, 0.2), (5, 0.2)]), ([3], [])])
def test_exceedance(report, values, points):
    """Of each value, the share of cycles above it; at last, the maximum."""
    from report.draw import figures
    from twoway.series import model, stats
    from twtools import plots
    counts = [5, 3, 2][:len(values)]
    series = model.Series(
        "total", sum(counts), values[0] * 1000, 2000, values[-1] * 1000,
        dist=stats.Distribution([value * 1000 for value in values], counts))
    part = model.Part("f", "json", "r", series={"total": series})
    _, _, draw = figures.exceeding([model.Run("r", "", [part])], "total")
    [ax] = draw(plots.Look(True)).axes
    [line] = ax.lines
    assert list(zip(*line.get_data())) == points
    assert line.get_drawstyle() == "steps-post"


def test_exceedance_of_many_values(report):
    """Fewer points are drawn; the first and the last are there."""
    from twoway.series import stats
    values, share = stats.Distribution(
        range(5000), [1] * 5000).exceeding()
    assert 300 < len(values) <= 600 and list(values) == sorted(set(values))
    assert (values[0], values[-1]) == (0, 4998)
    assert share == pytest.approx([1 - (value + 1) / 5000 for value in values])


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_ranges_of_each_metric(report, count):
    from report.draw import figures
    from twoway.series import model
    from twtools import plots
    metrics = ["interval", "send", "sleep", "receive", "response",
               "total"][:count]
    part = model.Part("f", "json", "r", series={
        metric: model.Series(metric, 9, 1000, 5000, 9000)
        for metric in metrics})
    _, _, draw = figures.ranges([model.Run("r", "", [part])], metrics)
    axes = draw(plots.Look(True)).axes
    assert [ax.get_title(loc="left") or ax.get_title() for ax in axes
            if ax.axison] == metrics
