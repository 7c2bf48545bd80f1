# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure of a broken cycle: who ran when, and who is to blame."""


from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter

import tr_trace_play
from twtools.units import us

KEY = "broken-cycle"
WIDTH_IN = 9.6
LEFT_IN, RIGHT_IN = 0.72, 0.12
MARGIN = 0.03           # of the cycle, on either side
LETTER_IN = 0.072       # of a text in a lane
MOST_CPUS = 8
MOST_SLICES = 3000      # beyond, the shortest are left out
LEAST_IN = 0.012        # what is shorter is drawn as long
# Heights in lines of text, and what lies between lanes.
LANE, GAP, LINE_IN = 1.0, 0.45, 0.2
INTERRUPTS = 0.42       # of a CPU's lane
# Role of who has a CPU: fill, edge.
OF_TASK = {"client": ("fill0", "run0"), "server": ("fill1", "run1"),
           "other": ("fill2", "muted")}
OF_KIND = {"interrupt": ("fill3", "phase1"), "softirq": ("fill4", "phase5")}
LEGEND = (("client", OF_TASK["client"]), ("server", OF_TASK["server"]),
          ("another task", OF_TASK["other"]),
          ("interrupt", OF_KIND["interrupt"]),
          ("softirq", OF_KIND["softirq"]))


def window(picture):
    """What is shown: the cycle, and a little on either side."""
    more = max(1000, int(MARGIN * (picture.end_ns - picture.begin_ns)))
    return picture.begin_ns - more, picture.end_ns + more


def within(pieces, begin_ns, end_ns):
    return [one for one in pieces
            if one.end_ns > begin_ns and one.begin_ns < end_ns]


def chosen(picture):
    """Numbers of the CPUs that are shown, and how many are not."""
    begin_ns, end_ns = window(picture)
    own = {one.cpu for states in picture.play.sides.values()
           for one in within(states, begin_ns, end_ns)}
    marked = {span.cpu: span.ns for _, _, span in sorted(
        picture.marks, key=lambda mark: mark[2].ns)}

    def order(cpu):
        busy = within(picture.play.cpus[cpu], begin_ns, end_ns)
        return -marked.get(cpu, 0), cpu not in own, -sum(
            one.end_ns - one.begin_ns for one in busy if one.pid)
    found = sorted(picture.play.cpus, key=order)
    return sorted(found[:MOST_CPUS]), max(0, len(found) - MOST_CPUS)


def shortest(pieces):
    """Where there are too many, what is shorter is not shown, in ns."""
    lengths = sorted((one.end_ns - one.begin_ns for one in pieces),
                     reverse=True)
    return lengths[MOST_SLICES] + 1 if len(lengths) > MOST_SLICES else 0


def role_of(picture, one):
    return next((role for role, pid in picture.play.pids.items()
                 if pid == one.pid), "other")


def lane_of(picture, span):
    """Where a span of who is to blame is marked."""
    return picture.broken.analysis.role or span.cpu


def blamed(picture):
    """Who is to blame, and for how long."""
    analysis = picture.broken.analysis
    if analysis.role:
        total = sum(span.ns for _, _, span in picture.marks)
        return f"{analysis.role}: " \
            f"{analysis.state.removeprefix('peer ')}, {us(total)} us"
    names = [f"{who}, {us(ns)} us" + (
        f" in {analysis.stack[0]}" if analysis.stack and
        who == analysis.who else "") for who, ns in analysis.culprits]
    return names[0] + (f", and {len(names) - 1} more"
                       if len(names) > 1 else "")


class Lanes:
    """The drawing: time in us from the begin of the cycle, lanes downward."""

    def __init__(self, look, picture):
        self.look, self.picture = look, picture
        self.begin_ns, self.end_ns = window(picture)
        self.cpus, _ = chosen(picture)
        self.roles = [role for role in tr_trace_play.ROLES
                      if role in picture.play.sides]
        marks = picture.marks
        self.mark_lane = lane_of(picture, max(
            marks, key=lambda mark: mark[2].ns)[2]) if marks else None
        self.tips = {}
        self.place()
        self.figure, [self.ax] = look.figure(
            title_of(picture), [name for name, _ in self.legend()],
            LINE_IN * self.height,
            left_in=LEFT_IN, right_in=RIGHT_IN, width_in=WIDTH_IN,
            titled=True)
        self.figure.tips = self.tips
        ax = self.ax
        ax.set_xlim(self.us(self.begin_ns), self.us(self.end_ns))
        ax.set_ylim(self.height, 0)
        ax.xaxis.set_major_formatter(FuncFormatter(
            lambda value, _: f"{value:g}"))
        ax.grid(False, axis="y")
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)

    def place(self):
        """The top of each lane; one with the culprit has a line more."""
        self.top, at = {}, GAP / 2
        for lane in ["phases", *self.roles, *self.cpus]:
            at += LINE_MORE * (lane == self.mark_lane)
            self.top[lane] = at
            at += (LANE + INTERRUPTS if lane in self.cpus else LANE) + GAP
        self.height = at

    def us(self, time_ns):
        return (time_ns - self.picture.begin_ns) / 1000

    def width_in(self, begin_ns, end_ns):
        return (min(end_ns, self.end_ns) - max(begin_ns, self.begin_ns)) / \
            (self.end_ns - self.begin_ns) * (WIDTH_IN - LEFT_IN - RIGHT_IN)

    def box(self, begin_ns, end_ns, top, height, **how):
        """Within the window; what is very short stays visible."""
        begin_ns = max(begin_ns, self.begin_ns)
        end_ns = min(end_ns, self.end_ns)
        least = LEAST_IN / (WIDTH_IN - LEFT_IN - RIGHT_IN) * \
            (self.end_ns - self.begin_ns) / 1000
        box = Rectangle((self.us(begin_ns), top),
                        max((end_ns - begin_ns) / 1000, least), height,
                        **{"linewidth": 0.6} | how)
        self.ax.add_patch(box)
        return box

    def tip(self, box, text):
        """What a pointer that rests on it is told."""
        name = f"tip-{len(self.tips)}"
        box.set_gid(name)
        self.tips[name] = text

    def text(self, begin_ns, end_ns, middle, texts, **how):
        """In a box: the first that fits."""
        begin_ns = max(begin_ns, self.begin_ns)
        end_ns = min(end_ns, self.end_ns)
        room = self.width_in(begin_ns, end_ns) / LETTER_IN - 1
        text = next((text for text in texts if len(text) <= room), None)
        if text:
            self.ax.text(self.us((begin_ns + end_ns) / 2), middle, text,
                         ha="center", va="center", fontsize=8,
                         color=self.look.colour["ink"], **how)

    def colours(self, fill, edge):
        return {"facecolor": self.look.colour[fill],
                "edgecolor": self.look.colour[edge]}

    def draw_phases(self):
        analysis = self.picture.broken.analysis if self.picture.broken else None
        for name, begin_ns, end_ns in self.picture.phases:
            blamed = bool(analysis) and name == analysis.phase
            edge = "cause" if blamed else "muted"
            box = self.box(begin_ns, end_ns, self.top["phases"], LANE,
                           **self.colours("paper", edge),
                           linewidth=1.6 if blamed else 0.8,
                           zorder=3 if blamed else 2)
            text = f"{name} {us(end_ns - begin_ns)} us"
            self.tip(box, text)
            self.text(begin_ns, end_ns, self.top["phases"] + LANE / 2,
                      (text, name), zorder=4,
                      fontweight="bold" if blamed else "normal")

    def draw_side(self, role):
        fill, edge = OF_TASK[role]
        top, middle = self.top[role], self.top[role] + LANE / 2
        how = {
            tr_trace_play.RUNS: self.colours(fill, edge),
            tr_trace_play.INTERRUPTED: self.colours(*OF_KIND["interrupt"]),
            tr_trace_play.RUNNABLE: self.colours("paper", edge)
            | {"hatch": "////"}}
        for one in within(self.picture.play.sides[role], self.begin_ns,
                          self.end_ns):
            text = f"{role} {one.state}" + (
                f" on CPU {one.cpu}" if one.cpu >= 0 else "") + \
                f", {us(one.end_ns - one.begin_ns)} us"
            high = one.state in how
            box = self.box(
                one.begin_ns, one.end_ns, top if high else middle - 0.04,
                LANE if high else 0.08,
                **how.get(one.state, self.colours("muted", "muted")))
            self.tip(box, text)
            if one.state == tr_trace_play.RUNS:
                self.text(one.begin_ns, one.end_ns, middle, [one.state])
        woken = [self.us(at_ns) for at_ns, who in self.picture.play.wakeups
                 if who == role and self.begin_ns < at_ns < self.end_ns]
        self.ax.plot(woken, [middle] * len(woken), "v", markersize=5,
                     color=self.look.colour["ink"], zorder=5)

    def draw_cpu(self, cpu, least_ns):
        top = self.top[cpu]
        for one in within(self.picture.play.cpus[cpu], self.begin_ns,
                          self.end_ns):
            if one.end_ns - one.begin_ns < least_ns or (
                    one.kind == "task" and not one.pid):
                continue
            if one.kind == "task":
                at, height = top + INTERRUPTS, LANE
                colours = OF_TASK[role_of(self.picture, one)]
            else:
                height = INTERRUPTS / 2 ** (one.depth - 1)
                at, colours = top, OF_KIND[one.kind]
            box = self.box(one.begin_ns, one.end_ns, at, height,
                           **self.colours(*colours), zorder=2 + one.depth)
            self.tip(box, f"{one.who} on CPU {cpu}, "
                          f"{us(one.end_ns - one.begin_ns)} us")
            if one.kind == "task":
                self.text(one.begin_ns, one.end_ns, at + height / 2,
                          (one.who, one.who.rpartition("-")[0]), zorder=4)

    def frames(self):
        """(lane, begin, end) of what is to blame, as long as it lasts."""
        found = []
        for begin_ns, end_ns, span in self.picture.marks:
            lane = lane_of(self.picture, span)
            if found and found[-1][0] == lane and found[-1][2] == begin_ns:
                found[-1][2] = end_ns
            elif lane in self.top:
                found.append([lane, begin_ns, end_ns])
        return found

    def draw_marks(self):
        """A frame around what is to blame, and its name above."""
        if self.mark_lane is None:
            return
        colour = self.look.colour["cause"]
        frames = self.frames()
        for lane, begin_ns, end_ns in frames:
            height = LANE + INTERRUPTS * (lane in self.cpus)
            self.box(begin_ns, end_ns, self.top[lane] - 0.08, height + 0.16,
                     facecolor="none", edgecolor=colour, linewidth=2,
                     zorder=6)
        _, begin_ns, end_ns = max(
            (frame for frame in frames if frame[0] == self.mark_lane),
            key=lambda frame: frame[2] - frame[1])
        middle = (self.us(begin_ns) + self.us(end_ns)) / 2
        low, high = self.ax.get_xlim()
        text = f"cause: {blamed(self.picture)}"
        half = len(text) * 0.045 / (WIDTH_IN - LEFT_IN - RIGHT_IN) * \
            (high - low)
        self.ax.text(min(max(middle, low + half), high - half),
                     self.top[self.mark_lane] - 0.26, text, ha="center",
                     va="bottom", fontsize=9, fontweight="bold",
                     color=colour, zorder=7, bbox={
                         "facecolor": self.look.colour["paper"],
                         "edgecolor": "none", "pad": 1})

    def draw_stamps(self):
        """A line each, through all lanes; names that are close are one."""
        names = []
        for name, at_ns in sorted(self.picture.trace.stamps.items(),
                                  key=lambda item: item[1]):
            self.ax.axvline(self.us(at_ns), color=self.look.colour["ink"],
                            linewidth=0.8, linestyle=(0, (3, 2)), zorder=5)
            if names and self.width_in(names[-1][1], at_ns) < \
                    0.08 * len(", ".join(names[-1][0])) + 0.1:
                names[-1][0].append(name)
            else:
                names.append(([name], at_ns))
        for found, at_ns in names:
            self.ax.annotate(", ".join(found), (self.us(at_ns), 0),
                             xytext=(0, 2), textcoords="offset points",
                             ha="left", va="bottom", fontsize=9,
                             color=self.look.colour["ink"])

    def draw(self):
        shown = [one for cpu in self.cpus for one in within(
            self.picture.play.cpus[cpu], self.begin_ns, self.end_ns)]
        least_ns = shortest(shown)
        self.draw_phases()
        for role in self.roles:
            self.draw_side(role)
        for cpu in self.cpus:
            self.draw_cpu(cpu, least_ns)
        self.draw_marks()
        self.draw_stamps()
        self.ax.set_yticks(
            [top + (LANE + INTERRUPTS * (lane in self.cpus)) / 2
             for lane, top in self.top.items()],
            [f"CPU {lane}" if lane in self.cpus else lane
             for lane in self.top])
        names, handles = zip(*self.legend())
        self.look.legend(self.figure, handles, names)
        self.look.x_label(self.figure, "us from the begin of the cycle")
        return self.figure

    def legend(self):
        """Rows of name and handle."""
        colour = self.look.colour
        rows = [(name, Patch(**self.colours(*colours)))
                for name, colours in LEGEND]
        return rows + [
            ("runnable", Patch(**self.colours("paper", "muted"),
                               hatch="////")),
            ("waits", Line2D([], [], color=colour["muted"], linewidth=2)),
            ("woken", Line2D([], [], color=colour["ink"], marker="v",
                             linestyle="none", markersize=5))]


LINE_MORE = 0.9         # for the culprit's name


def title_of(picture):
    broken, trace = picture.broken, picture.trace
    what = f"{broken.metric} {us(broken.value_ns)} us, limit " \
        f"{us(broken.limit_ns)} us" if broken else \
        f"{trace.metric} {trace.value_us} us, limit {trace.limit_us} us" \
        if trace.metric else "its trace"
    return f"{picture.name}: the cycle {trace.cycle} that broke: {what}"


def cause_of(picture):
    broken = picture.broken
    if not broken:
        return "Who is to blame is in the JSON of this run, which was not " \
            "given."
    far = f" On the server's host, which this trace does not show: " \
        f"{broken.far.cause}." if broken.far else ""
    if not broken.analysis:
        return f"The JSON of this run tells no cause here.{far}"
    text = f"Cause: {broken.analysis.cause}. " \
        f"{broken.analysis.stack_text}".rstrip()
    if not picture.marks:
        text += " No piece of the time line is marked."
    return text + far


def caption_of(picture, left_out):
    text = f"{title_of(picture)}. {cause_of(picture)} Each CPU has a lane " \
        "of the tasks that had it, interrupts above them; an empty lane is " \
        "an idle CPU. Times are of the trace, which has whole us."
    if left_out:
        text += f" {left_out} more CPUs are not shown."
    return text


def figures_of(pictures):
    """As tr_figures.figures_of()."""
    return [(KEY, caption_of(picture, chosen(picture)[1]),
             lambda look, picture=picture: Lanes(look, picture).draw())
            for picture in pictures]
