#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the scripts beside it share, which source it: options, installation,
# a measurement and its results.

LIB=../../lib
[ -e "${LIB}/sh-test-lib" ] || LIB=./lib

# shellcheck disable=SC1090,SC1091
. "${LIB}/sh-test-lib"

# Another one is named before this file is sourced.
PROGRAM="${PROGRAM:-twowaytest}"
OUTPUT="$(pwd)/output"
LOGFILE="${OUTPUT}/${PROGRAM}.json"
RESULT_FILE="${OUTPUT}/result.txt"

RT_PRIORITY="98"
INTERVAL="1000"
AFFINITY=""
DURATION="5m"
LOAD="none"
ARGS=""
BACKGROUND_CMD=""
SKIP_INSTALL="false"

LETTERS="p:i:a:D:L:A:w:s:"
USAGE="[-p priority] [-i interval] [-a affinity] [-D duration]
	[-L load] [-A arguments] [-w background_cmd] [-s true|false]"

# A script with options of its own says their letters and their usage, and
# takes them in own(), which fails for others.
OWN_LETTERS=""
OWN_USAGE=""
own()
{
	false
}

usage()
{
	cat >&2 <<END
Usage: $0 ${OWN_USAGE}${USAGE}
END
	exit 1
}

options()
{
	while getopts ":${OWN_LETTERS}${LETTERS}" opt; do
		case "${opt}" in
		p) RT_PRIORITY="${OPTARG}" ;;
		i) INTERVAL="${OPTARG}" ;;
		a) AFFINITY="${OPTARG}" ;;
		D) DURATION="${OPTARG}" ;;
		L) LOAD="${OPTARG}" ;;
		A) ARGS="${OPTARG}" ;;
		w) BACKGROUND_CMD="${OPTARG}" ;;
		s) SKIP_INSTALL="${OPTARG}" ;;
		*) own "${opt}" || usage ;;
		esac
	done
	shift $((OPTIND - 1))
	[ $# -eq 0 ] || usage
}

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

find_binary()
{
	BINARY=$(command -v "${PROGRAM}") && return
	detect_abi
	# shellcheck disable=SC2154 # abi: by detect_abi
	BINARY="./bin/${abi}/${PROGRAM}"
}

measure()
{
	find_binary
	set -- -q -i "${INTERVAL}" "-a${AFFINITY}" -D "${DURATION}" \
		"--load=${LOAD}" "--json=${LOGFILE}"
	[ -z "${RT_PRIORITY}" ] || set -- "$@" -m -p "${RT_PRIORITY}"
	# shellcheck disable=SC2086 # a list of words
	"${BINARY}" "$@" ${ARGS}
}

# Prints a line a value and the verdict; fails if there is none.
results()
{
	[ -s "${LOGFILE}" ] || return
	"${LIB}/parse_rt_tests_results.py" "${PROGRAM}" "${LOGFILE}" \
		>"${OUTPUT}/parsed.txt" || return
	# The parser knows the status alone, which is 0 after a signal.
	! grep -q '"interrupted": true' "${LOGFILE}" ||
		sed -i "s/^${PROGRAM} pass$/${PROGRAM} fail/" "${OUTPUT}/parsed.txt"
	tee -a "${RESULT_FILE}" <"${OUTPUT}/parsed.txt"
}

# finish STATUS: a measurement that could not start, and one whose results cannot
# be read, is a failed test, not a missing one.
finish()
{
	results || report_fail "${PROGRAM}"
	echo "${PROGRAM}: exit status $1"
}

measure_beside_load()
{
	trap 'background_process_stop bgcmd' EXIT
	trap 'exit 1' HUP INT TERM
	background_process_start bgcmd --cmd "${BACKGROUND_CMD}"
	measure
	status=$?
	background_process_stop bgcmd
	trap - EXIT
	finish "${status}"
}
