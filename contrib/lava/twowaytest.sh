#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs twowaytest in test-definitions, see README.md. Its place there is
# automated/linux/twowaytest; elsewhere ./lib stands in for that project's.

# shellcheck source=contrib/lava/twowaytest-lib.sh
. ./twowaytest-lib.sh

options "$@"
create_out_dir "${OUTPUT}"
install
measure_beside_load

# Or the step that sends the results would not be run.
exit 0
