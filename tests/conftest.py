# SPDX-License-Identifier: GPL-2.0-or-later
"""What all Python tests share: the modules in tests/tools."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "tools"))
