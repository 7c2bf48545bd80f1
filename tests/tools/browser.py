# SPDX-License-Identifier: GPL-2.0-or-later
"""What a real browser says of pages: overflow, texts, headings, contrast."""

import html
import json
import pathlib
import re
import shutil
import subprocess

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
SCRIPT = pathlib.Path(__file__).with_name("browser.js")
WIDTHS = {"desktop": 1280, "phone": 360}
# What a page asks its reader for, and the answers.
QUESTION = "@media (prefers-color-scheme:dark)"
THEMES = {"light": "@media not all", "dark": "@media all"}
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
         "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars")


def program():
    """Skips the test where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.skip("chromium is not installed")
    return found


def frames(pages):
    """Of each page, a frame of each width in each theme."""
    for name, text in pages.items():
        assert text.count(QUESTION) == 1
        for device, width in WIDTHS.items():
            for theme, answer in THEMES.items():
                page = html.escape(text.replace(QUESTION, answer))
                yield f'<iframe title="{name}, {device}, {theme}" ' \
                    f'style="width:{width}px;height:900px;border:0" ' \
                    f'srcdoc="{page}"></iframe>'


def look(directory, pages):
    """A row a frame; pages: name -> text. Starts a browser, once."""
    chromium = program()
    path = directory / "frames.html"
    path.write_text("\n".join([
        "<!DOCTYPE html>", '<meta charset="utf-8">', "<script>",
        SCRIPT.read_text(encoding="utf-8"), "</script>", *frames(pages),
        '<pre id="found"></pre>']), encoding="utf-8")
    done = subprocess.run(
        [chromium, *QUIET, f"--user-data-dir={directory}/browser",
         "--dump-dom", f"file://{path}"], capture_output=True, text=True,
        timeout=120, check=False)
    found = re.search(r'<pre id="found">(.+?)</pre>', done.stdout, re.S)
    assert found, done.stderr
    return json.loads(html.unescape(found[1]))


def check(rows, pages):
    """Raise for what is wrong in any frame."""
    assert len(rows) == len(pages) * len(WIDTHS) * len(THEMES)
    for row in rows:
        name = row["page"]
        for kind in ("wide", "unnamed", "disordered", "faint", "small"):
                assert row[kind] == [], (name, kind, row[kind])
        assert row["texts"] and row["drawings"], name
    # Both themes were really shown.
    for light, dark in zip(rows[::2], rows[1::2]):
        assert light["paper"] != dark["paper"]
