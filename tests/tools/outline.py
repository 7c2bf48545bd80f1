# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts and figures as a reader has them: kept whole in a file whole.txt.

A figure is told in a few lines: what is drawn how, and where.
"""

import re
import xml.etree.ElementTree as tree

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
LINK = "{http://www.w3.org/1999/xlink}href"
NEAR = 0.7              # pt: what other versions of matplotlib round


def points(text):
    """Of a path, or of an element."""
    found = [float(one) for one in NUMBER.findall(text)]
    return list(zip(found[::2], found[1::2]))


def box(found):
    across, down = zip(*found)
    return " ".join(f"{one:g}" for one in (min(across), min(down),
                                           max(across), max(down)))


def of(svg):
    """Lines: its size; each style with how many have it, where they lie, and
    each text of it with its place."""
    root = tree.fromstring(svg.encode())
    found, texts = {}, {}
    defined = {one.get("id"): one for defs in root.iter()
               if defs.tag.endswith("}defs") for one in defs.iter()
               if one.get("id")}
    inside = {id(one) for defs in root.iter() if defs.tag.endswith("}defs")
              for one in defs.iter()}
    for one in root.iter():
        tag, style = one.tag.rpartition("}")[2], one.get("style", "")
        style = re.sub(r"url\(#.*?\)", "hatched", style)
        if id(one) in inside:
            continue
        if tag == "path":
            found.setdefault(style, []).append(points(one.get("d")))
        elif tag == "use":
            path = defined[one.get(LINK)[1:]].get("d", "")
            shape = re.sub(r"[.\d]+|[\s-]", "", path)
            across = [x for x, _ in points(path)]
            size = max(across) - min(across)
            found.setdefault(
                f"{style}; marker {shape} {size:.0f}", []).append(
                [(float(one.get("x")), float(one.get("y")))])
        elif tag == "text":
            at = one.get("transform") or f"{one.get('x')} {one.get('y')}"
            at = re.sub(r"(\.\d)\d+", r"\1", at)
            texts.setdefault(style, []).append(
                f"{''.join(one.itertext())} @ {at}")
    yield f"size {root.get('viewBox')}, {root.get('stroke-linejoin')}"
    for style, places in found.items():
        yield f"{len(places)} {style}: {box(sum(places, []))}"
    for style, shown in texts.items():
        yield f"{style}: {' | '.join(shown)}"


def links(html):
    """The lines of a page's navigation."""
    return re.search(r"(?s)<nav>.*?</nav>[^\n]*", html)[0].splitlines()


def same(one, other):
    """Whether two lines are the same, but for places in figures, which are
    nearly the same."""
    if " @ " not in one and not one[:1].isdigit():
        return one == other
    (words, there), (others, here) = (
        (NUMBER.sub("#", line.rpartition(": ")[2]),
         [float(text) for text in NUMBER.findall(line.rpartition(": ")[2])])
        for line in (one, other))
    return words == others and one.rpartition(": ")[0] == \
        other.rpartition(": ")[0] and all(
            abs(a - b) <= NEAR for a, b in zip(there, here))


def check(file, name, found, directory):
    """The lines found are those below the name in the file.

    found.txt in the directory gets them, in the form that the file has.
    """
    found = list(found)
    (directory / "found.txt").write_text("\n".join(
        [f"==== {name}", *found, ""]), "utf-8")
    parts = file.read_text("utf-8").split("==== ")
    expected = next((part.splitlines()[1:] for part in parts
                     if part.startswith(f"{name}\n")), [])
    unlike = [(here, there) for here, there in zip(found, expected)
              if not same(here, there)]
    assert not unlike, unlike[0]
    assert len(found) == len(expected)
