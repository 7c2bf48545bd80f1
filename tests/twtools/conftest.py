# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules that twowayreport, campaign and virtlab share."""

import pathlib
import sys

CONTRIB = pathlib.Path(__file__).resolve().parents[2] / "contrib"

sys.dont_write_bytecode = True
sys.path.insert(0, str(CONTRIB))
