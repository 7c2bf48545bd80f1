# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures of the tests that need no privilege."""

import os

import pytest

import outside
import primitives
import twowaytest

PRIORITY = 50


def pytest_sessionstart():
    if not os.access(twowaytest.binary(), os.X_OK):
        pytest.exit(f"{twowaytest.binary()}: set TWOWAYTEST to the program", 1)


@pytest.fixture
def primitive(tmp_path):
    """Runs a primitivetest in a directory of the test's own."""
    def run_here(*args, **options):
        return primitives.run(*args, directory=tmp_path, **options)

    run_here.directory = tmp_path
    return run_here


@pytest.fixture
def realtime(primitive):
    """The same at a real-time priority, which main exceeds."""
    if not outside.may(PRIORITY + 2):
        pytest.skip("no right to real-time priorities")

    def run_here(*args, **options):
        return primitive("-p", PRIORITY, *args, **options)

    run_here.directory = primitive.directory
    return run_here


@pytest.fixture
def bare(tmp_path):
    """The same with no other options than those given, as run() has it."""
    def run_here(*args, **options):
        return twowaytest.run(*args, directory=tmp_path,
                              program=primitives.binary(), **options)

    run_here.directory = tmp_path
    return run_here
