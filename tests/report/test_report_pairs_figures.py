# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of several pairs: what is drawn, and that it can be read."""

import re
import xml.etree.ElementTree as tree

import made
import made_pairs
import numpy
import pytest

DPI, SIZE = 200, 65535      # of a PNG: pixels an inch, and in all


def part_of(count, name="r", **how):
    """A run of so many pairs: average 10 K us and so on, in ns."""
    import tr_model
    return tr_model.Run(name, "", [tr_model.Part("f", "json", name, pairs=[
        tr_model.Pair(k, {"send": tr_model.Series(
            "send", 9, 1000 * k + 1000, 2000 * k + 2000, 9000 * k + 9000,
            percentiles={99.9: 5000 * k + 5000} | how)}, cpu=k % 4)
        for k in range(count)])])


def drawn(runs):
    import tr_figures_pairs
    import tr_style
    key, caption, draw = tr_figures_pairs.side_by_side(runs, "send")
    return key, caption, draw(tr_style.Look(True))


def columns(ax):
    """Maximum, p99.9, average, minimum, as they are marked."""
    return [list(line.get_ydata()) for line in ax.lines
            if line.get_marker() not in ("None", "", None)]


def test_values_of_each_pair(report):
    key, caption, figure = drawn([part_of(3)])
    assert key == "pairs-send"
    for word in ("minimum", "average", "p99.9", "maximum", "Send Time"):
        assert word in caption
    [ax] = figure.axes
    assert columns(ax) == [[9, 18, 27], [5, 10, 15], [2, 4, 6], [1, 2, 3]]
    assert [text.get_text() for text in ax.get_xticklabels()] == \
        ["0\nCPU 0", "1\nCPU 1", "2\nCPU 2"]
    lines = [list(line.get_ydata()) for line in ax.lines
             if len(line.get_xdata()) == 2 and line.get_marker() == "None"]
    assert lines == [[1, 9], [2, 18], [3, 27]]


def test_percentile_that_is_unknown(report):
    run = part_of(2)
    run.pairs[1].series["send"].percentiles = {}
    [ax] = drawn([run])[2].axes
    high = columns(ax)[1]
    assert high[0] == 5 and numpy.isnan(high[1])


@pytest.mark.parametrize("count", [2, 8, 9, 33, 100, 256])
def test_each_pair_is_labelled_and_legible(report, count):
    """Labels do not overlap, rows have one scale, all pairs are there."""
    _, caption, figure = drawn([part_of(count), part_of(2, "other")])
    assert "not shown" not in caption
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text
    FigureCanvasAgg(figure)
    figure.canvas.draw()
    labels = []
    for ax in figure.axes:
        assert ax.get_ylim() == figure.axes[0].get_ylim()
        assert ax.get_xlim() == figure.axes[0].get_xlim()
        shown = [label for label in ax.get_xticklabels()
                 if label.get_text()]
        boxes = [label.get_window_extent() for label in shown]
        assert all(a.x1 <= b.x0 for a, b in zip(boxes, boxes[1:]))
        labels.append([re.split("[:\n] ?", label.get_text())
                       for label in shown])
    assert labels.pop() == [["0", "CPU 0"], ["1", "CPU 1"]]
    assert [label for row in labels for label in row] == [
        [str(k), f"CPU {k % 4}"] for k in range(count)]
    # No row's labels reach into the title of the next.
    for above, below in zip(figure.axes, figure.axes[1:]):
        lowest = min(label.get_window_extent().y0
                     for label in above.get_xticklabels())
        title = next(text for text in below.get_children()
                     if isinstance(text, Text) and "pairs" in text.get_text())
        assert lowest > title.get_window_extent().y1


def test_no_more_rows_than_a_png_has(report):
    import tr_figures_pairs
    _, caption, figure = drawn([part_of(256, f"r{i}") for i in range(6)])
    assert len(figure.axes) == tr_figures_pairs.ROWS
    assert "16 more rows are not shown" in caption
    assert figure.get_figheight() * DPI < SIZE


def test_one_pair_has_no_such_figure(report):
    import tr_figures_pairs
    run = part_of(0)
    assert tr_figures_pairs.side_by_side([run], "send") is None
    assert tr_figures_pairs.ramp([run]) is None
    made.write(report.directory, "x.json", made.twoway(made.cycles(100)))
    report("-f", "figs", "-F", "svg", "x.json")
    assert not [path for path in (report.directory / "figs").iterdir()
                if "pairs" in path.name]


def ramp_of(name, averages, index=0):
    import tr_model
    run = tr_model.Run(name, "", [tr_model.Part("f", "json", name, ramp=[
        tr_model.Beside(others, {"response": tr_model.Series(
            "response", 9, 1, 1000 * value, 3000 * value)})
        for others, value in enumerate(averages)])], index)
    return run


def test_ramp(report):
    """A curve a system, twice: average and maximum."""
    import tr_figures_pairs
    import tr_style
    runs = [ramp_of("a", (1, 2, 4)), ramp_of("b", (2, 2), 1)]
    key, caption, draw = tr_figures_pairs.ramp(runs)
    assert key == "ramp-pairs"
    assert "average" in caption and "maximum" in caption
    figure = draw(tr_style.Look(True))
    [ax] = figure.axes
    assert [(list(line.get_xdata()), list(line.get_ydata()))
            for line in ax.lines] == [
                ([0, 1, 2], [1, 2, 4]), ([0, 1, 2], [3, 6, 12]),
                ([0, 1], [2, 2]), ([0, 1], [6, 6])]
    colours = [line.get_color() for line in ax.lines]
    assert colours[0] == colours[1] != colours[2] == colours[3]
    names = [text.get_text() for legend in figure.legends
             for text in legend.get_texts()]
    assert names == ["a", "b"]


def test_page(report):
    """Both figures with alternative texts, and their tables."""
    made.write(report.directory, "x.json",
               made_pairs.ramp_json(made_pairs.ramp(3)))
    report("-o", "r.html", "-m", "response,total", "x.json")
    page = (report.directory / "r.html").read_text()
    root = tree.fromstring(page.strip().removeprefix("<!DOCTYPE html>"))
    found = {element.get("id"): element for element in root.iter("figure")}
    assert {"ramp-pairs", "pairs-response", "pairs-total"} <= set(found)
    for key in ("ramp-pairs", "pairs-response"):
        drawing = next(e for e in found[key].iter()
                       if e.tag.endswith("}svg"))
        caption = "".join(found[key].find("figcaption").itertext())
        assert drawing.get("aria-label") == caption
        texts = ["".join(e.itertext()) for e in drawing.iter()
                 if e.tag.endswith("}text")]
        assert any("x (1 to 3 pairs)" in text for text in texts)
        assert "us" in texts
    titles = ["".join(e.itertext()) for e in root.iter("h2")]
    for title in ("Pair 0 against the number of other clients",
                  "Pairs of client and server",
                  "Response Time of each pair", "Total Jitter of each pair"):
        assert title in titles
