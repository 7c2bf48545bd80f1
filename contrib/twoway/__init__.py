# SPDX-License-Identifier: GPL-2.0-or-later
"""The reader of results. Each folder uses those before it, and none behind it.

series   what is kept of a metric, a pair, a step, a run; all times are in ns
read     from files to runs and primitives
compare  how sure a figure is; blocks and tails
results  the first pair of a result, for programs that must do without numpy
"""
