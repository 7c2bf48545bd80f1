# SPDX-License-Identifier: GPL-2.0-or-later
"""What twowayreport, campaign and virtlab share. Python's own modules only.

A program finds it in the directory above its own: contrib in a checkout,
/usr/share/twowaytest where it is installed, with a symbolic link to the
program in /usr/bin. So each has this line before it imports it:

    sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
"""

VERSION = "0.10"
