# SPDX-License-Identifier: GPL-2.0-or-later
"""The columns that --stamps adds to a dump; a stamp that is missing is empty.

What they make of a cycle's network takes the place of the stamps: each part is
a difference of times of one host.
"""

import re

import numpy

from twoway.series.model import STAMPED

NAMES = b",client_sched_ns,client_snd_ns,server_rx_ns,server_sched_ns," \
    b"server_snd_ns,client_rx_ns"
COLUMNS = 6
FIELDS = rb"(?:,\d{0,19}){6}"
EMPTY = ((b",,", b",0,"), (b",,", b",0,"), (b",\n", b",0\n"))


def pattern(row):
    """Of whole lines; row: a pattern of the columns before."""
    return re.compile(b"(?:" + row + FIELDS + rb"\n)*")


def filled(chunk):
    """With 0 for each stamp that is missing."""
    for before, after in EMPTY:
        chunk = chunk.replace(before, after)
    return chunk


def split(rows):
    """What the network of each cycle is made of; 0 if it lacks a stamp."""
    t0, t1, t2, t3 = rows[:, 3:7].T
    _, client_snd, server_rx, _, server_snd, client_rx = rows[:, 8:].T
    parts = (client_snd - t0 + t3 - client_rx,
             client_rx - client_snd - (server_snd - server_rx),
             t1 - server_rx + server_snd - t2)
    there = (rows[:, 8:] > 0).all(axis=1)
    return {name: numpy.where(there, part, 0)
            for name, part in zip(STAMPED, parts)}
