# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures as they are drawn: who is where, in which place and colour."""

import pytest


@pytest.mark.parametrize("count", (1, 2, 3, 7))
def test_room_for_a_legend(report, count):
    """Between title and axes; every text differs from the paper."""
    from twtools import plots
    from matplotlib.colors import to_hex
    from matplotlib.text import Text
    look = plots.Look(True)
    # Matplotlib itself leaves out what begins so.
    names = [f"_{i}-{'x' * 20}" for i in range(count)]
    figure, [ax] = look.figure("Title", names, 1)
    look.legend(figure, [ax.plot([1, 2])[0] for _ in names], names)
    look.x_label(figure, "us")
    look.y_label(figure, "cycles")
    figure.canvas.draw()
    title, legend, drawing = (one.get_window_extent() for one in (
        figure.texts[0], figure.legends[0], ax))
    assert drawing.y1 <= legend.y0 < legend.y1 <= title.y0 + 1
    assert [text.get_text() for text in figure.legends[0].get_texts()] == names
    assert {to_hex(text.get_color()) for text in figure.findobj(Text)
            if text.get_text()} == {look.colour["ink"]}


@pytest.mark.parametrize("count, times, scale", (
    (1, 1, "linear"), (6, 1, "linear"), (6, 1000, "log")))
def test_load_of_many_runs(report, count, times, scale):
    """Each is in one of the drawings, which have one scale."""
    from report.draw import figures_time
    from twoway.series import model
    from twtools import plots
    names = [f"r{i}" for i in range(count)]
    ends = [(5000 + i, 9000 + i) for i in range(count)]
    ends[0] = 5000 * times, 9000 * times
    runs = [model.Run(name, "", [model.Part(
        "f", "json", name, steps=[model.Step(at, {
            "total": model.Series("total", 9, 1, *pair)})
            for at in (1, 4)])], i)
            for i, (name, pair) in enumerate(zip(names, ends))]
    _, _, draw = figures_time.load(runs, False)
    figure = draw(plots.Look(True))
    found = [tuple(line.get_ydata()) for ax in figure.axes
             for line in ax.lines]
    assert found == [(value / 1000,) * 2 for pair in ends for value in pair]
    assert {ax.get_yscale() for ax in figure.axes} == {scale}
    assert [text.get_text() for legend in figure.legends
            for text in legend.get_texts()] == names


@pytest.mark.parametrize("low, high, scale", (
    (0, 700, "linear"), (0, 900, "log"), (100_000, 800_000, "linear"),
    (100_000, 801_000, "log")))
def test_scale_of_a_range(report, low, high, scale):
    """Beyond 8 times the least, of which 0.1 us is the smallest."""
    from report.draw import figures
    from twoway.series import model
    from twtools import plots
    part = model.Part("f", "json", "r", series={
        "total": model.Series("total", 9, low, (low + high) / 2, high)})
    _, _, draw = figures.ranges([model.Run("r", "", [part])], ["total"])
    [ax] = draw(plots.Look(True)).axes
    assert ax.get_xscale() == scale
