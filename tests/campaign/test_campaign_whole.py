# SPDX-License-Identifier: GPL-2.0-or-later
"""A campaign's help and messages as a reader has them: see
tests/tools/outline.py."""

import pathlib

import outline
import pytest

import cm_args
import cm_probe
import cm_state

KNOWN = pathlib.Path(__file__).with_name("whole.txt")


def test_help(campaign, tmp_path):
    outline.check(KNOWN, "help", filter(None, campaign(
        "--help", COLUMNS="80").stdout.splitlines()), tmp_path)


def test_missing(tmp_path, monkeypatch):
    """Nothing is installed: what is to be done about each program."""
    monkeypatch.setattr(cm_probe, "BUILD", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(cm_state.Failure) as failure:
        cm_probe.find(cm_args.parse([]))
    outline.check(KNOWN, "missing", str(failure.value).splitlines(), tmp_path)
