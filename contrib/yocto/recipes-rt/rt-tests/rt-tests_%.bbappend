# SPDX-License-Identifier: GPL-2.0-or-later
#
# Not tested: no bitbake was at hand.
#
# For a layer of your own, beside a directory rt-tests that holds
# twowaytest.patch, made as contrib/distro.md says. Needs a TCLIBC of glibc.

FILESEXTRAPATHS:prepend := "${THISDIR}/${BPN}:"
SRC_URI += "file://twowaytest.patch"
