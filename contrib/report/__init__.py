# SPDX-License-Identifier: GPL-2.0-or-later
"""twowayreport. Each folder uses those before it, and none behind it; all use
the package twoway.

judge   the gate, the verdict, what makes runs unlike
draw    figures; these alone need matplotlib
page    tables, and files of every kind
"""
