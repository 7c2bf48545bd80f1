# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures, drawn by matplotlib.

plots keeps matplotlib's advice silent, so it is imported before matplotlib is.
"""

from twtools import plots

__all__ = ["plots"]
