# SPDX-License-Identifier: GPL-2.0-or-later
"""twowayreport. Each folder uses those before it, and none behind it.

read    from files to runs and primitives, all times in ns
judge   how sure a figure is; the gate, the verdict, what makes runs unlike
draw    figures; these alone need matplotlib
page    tables, and files of every kind
"""
