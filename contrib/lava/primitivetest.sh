#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs primitivetest in test-definitions, see README.md. Its place there is
# automated/linux/twowaytest; elsewhere ./lib stands in for that project's.

LIB=../../lib
[ -e "${LIB}/sh-test-lib" ] || LIB=./lib

# shellcheck disable=SC1090,SC1091
. "${LIB}/sh-test-lib"

OUTPUT="$(pwd)/output"
LOGFILE="${OUTPUT}/primitivetest.json"
RESULT_FILE="${OUTPUT}/result.txt"

RT_PRIORITY="98"
TESTS="aegis"
LOOPS="0"
AFFINITY=""
LOAD="none"
ARGS=""
SKIP_INSTALL="false"

usage()
{
	cat >&2 <<END
Usage: $0 [-p priority] [-t tests] [-l loops] [-a affinity] [-L load]
	[-A arguments] [-s true|false]
END
	exit 1
}

while getopts ":p:t:l:a:L:A:s:" opt; do
	case "${opt}" in
	p) RT_PRIORITY="${OPTARG}" ;;
	t) TESTS="${OPTARG}" ;;
	l) LOOPS="${OPTARG}" ;;
	a) AFFINITY="${OPTARG}" ;;
	L) LOAD="${OPTARG}" ;;
	A) ARGS="${OPTARG}" ;;
	s) SKIP_INSTALL="${OPTARG}" ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || usage

# hackbench, libnuma and what reads the results.
install()
{
	dist_name
	# shellcheck disable=SC2154 # dist: by dist_name
	case "${dist}" in
	fedora|centos) install_deps "realtime-tests python3" "${SKIP_INSTALL}" ;;
	*) install_deps "rt-tests python3" "${SKIP_INSTALL}" ;;
	esac
}

measure()
{
	if ! binary=$(command -v primitivetest); then
		detect_abi
		# shellcheck disable=SC2154 # abi: by detect_abi
		binary="./bin/${abi}/primitivetest"
	fi
	set -- -q "--test=${TESTS}" -l "${LOOPS}" "--load=${LOAD}" \
		"--json=${LOGFILE}"
	[ -z "${AFFINITY}" ] || set -- "$@" "-a${AFFINITY}"
	[ -z "${RT_PRIORITY}" ] || set -- "$@" -m -p "${RT_PRIORITY}"
	# shellcheck disable=SC2086 # a list of words
	"${binary}" "$@" ${ARGS}
}

# Prints a line a value and the verdict; fails if there is none.
results()
{
	[ -s "${LOGFILE}" ] || return
	"${LIB}/parse_rt_tests_results.py" primitivetest "${LOGFILE}" \
		>"${OUTPUT}/parsed.txt" || return
	tee -a "${RESULT_FILE}" <"${OUTPUT}/parsed.txt"
}

create_out_dir "${OUTPUT}"
install
measure
status=$?

# A measurement that could not start, and one whose results cannot be read, is
# a failed test, not a missing one.
results || report_fail primitivetest
echo "primitivetest: exit status ${status}"

# Or the step that sends the results would not be run.
exit 0
