# SPDX-License-Identifier: GPL-2.0-or-later
"""A member added to other programs' JSON."""

import json

import pytest

from twtools import mark


@pytest.mark.parametrize("text", [
    '{"a": 1}', '{\n  "a": 1,\n  "b": {"{": "}"}\n}\n', "{}", "{ }\n",
    '\n {"a": 1.0e3, "c": "\u20ac"}'])
def test_object(text):
    """The member is the first; what was there stays, to the byte."""
    data = mark.marked(text, "m", {"x": [1, None]})
    assert json.loads(data) == {"m": {"x": [1, None]}, **json.loads(text)}
    assert data.endswith(text.split("{", 1)[1])
    assert data.startswith('{\n  "m": {\n    "x": [\n      1,\n')


@pytest.mark.parametrize("text", ["", "17", "null", "[]", "T: 0", "{ no"])
def test_no_object(text):
    assert mark.marked(text, "m", 1) is None
