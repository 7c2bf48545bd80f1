#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs primitivetest in test-definitions, see README.md. Its place there is
# automated/linux/twowaytest; elsewhere ./lib stands in for that project's.

PROGRAM=primitivetest
# shellcheck source=contrib/lava/twowaytest-lib.sh
. ./twowaytest-lib.sh

TESTS="aegis"
LOOPS="0"
LETTERS="p:a:L:A:s:"
USAGE="[-p priority] [-a affinity] [-L load]
	[-A arguments] [-s true|false]"
OWN_LETTERS="t:l:"
OWN_USAGE="[-t tests] [-l loops] "

own()
{
	case "$1" in
	t) TESTS="${OPTARG}" ;;
	l) LOOPS="${OPTARG}" ;;
	*) false ;;
	esac
}

measure()
{
	find_binary
	set -- -q "--test=${TESTS}" -l "${LOOPS}" "--load=${LOAD}" \
		"--json=${LOGFILE}"
	[ -z "${AFFINITY}" ] || set -- "$@" "-a${AFFINITY}"
	[ -z "${RT_PRIORITY}" ] || set -- "$@" -m -p "${RT_PRIORITY}"
	# shellcheck disable=SC2086 # a list of words
	"${BINARY}" "$@" ${ARGS}
}

options "$@"
create_out_dir "${OUTPUT}"
install
measure
finish $?

# Or the step that sends the results would not be run.
exit 0
