# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure of a cycle that broke: what delayed its longest phase."""

from matplotlib.patches import Patch

PALE = 0.45             # what delays nobody
# State: index of its colour; others have the last.
COLOURS = {"runs": 0, "asleep": 2, "awaits the other": 2, "runnable": 3,
           "timer late": 4, "interrupted": 1}
REST = 7


def colour_of(look, state):
    return look.colour[f"phase{COLOURS.get(state, REST)}"]


def lanes_of(spans):
    """Who had the CPU, in the order of appearance: a lane each."""
    return list(dict.fromkeys(span.who for span in spans))


def drawing(run, analysis):
    spans, _ = analysis.shown()
    lanes = lanes_of(spans)
    states = list(dict.fromkeys(span.state for span in spans))

    def draw(look):
        figure, [ax] = look.figure(
            f"{run.title}: {analysis.phase} of the cycle that broke", states,
            0.22 * (len(lanes) + 1), left_in=0.2)
        for span in spans:
            blamed = span.state == analysis.state
            ax.barh(lanes.index(span.who), span.ns / 1000, 0.42,
                    span.at_ns / 1000, color=colour_of(look, span.state),
                    alpha=1 if blamed else PALE,
                    edgecolor=look.colour["cause" if blamed else "paper"],
                    linewidth=1.2 * blamed)
        for row, who in enumerate(lanes):
            ax.annotate(who, (0, row - 0.26), fontsize=8,
                        color=look.colour["ink"], xytext=(2, 0),
                        textcoords="offset points", va="bottom")
        ax.set_ylim(len(lanes) - 0.6, -0.9)
        ax.set_yticks([])
        ax.grid(False, axis="y")
        look.x_label(figure, f"us from the begin of {analysis.phase}")
        look.legend(figure, [Patch(color=colour_of(look, state),
                                   alpha=1 if state == analysis.state
                                   else PALE) for state in states], states)
        return figure
    return draw


def figures_of(runs):
    """As figures: (key, caption, drawing); one of each run."""
    for run in runs:
        analysis = next(iter(run.broken.analyses), None) if run.broken else None
        if analysis and analysis.spans:
            yield ("broken-cycle", f"Who had the CPU of the "
                   f"{analysis.side} in its {analysis.phase}, and by its "
                   f"colour the state of the {analysis.side}. The cause is "
                   "framed.", drawing(run, analysis))
