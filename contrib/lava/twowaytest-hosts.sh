#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs twowaytest on two devices of a LAVA MultiNode job, see README.md. The
# client's device does the rest by twowaytest.sh. They tell each other, by
# lava-send and lava-wait:
#
#	twowaytest-client	address		whom the server may serve
#	twowaytest-server	address, state	it listens, or why not
#	twowaytest-end				the client has measured

LIB=../../lib
[ -e "${LIB}/sh-test-lib" ] || LIB=./lib

# shellcheck disable=SC1090,SC1091
. "${LIB}/sh-test-lib"

OUTPUT="$(pwd)/output"
RESULT_FILE="${OUTPUT}/result.txt"
# Where lava-wait writes what came with the message.
CACHE="${LAVA_CACHE:-/tmp/lava_multi_node_cache.txt}"

ROLE=""
ADDRESS=""
RT_PRIORITY="98"
INTERVAL="1000"
AFFINITY=""
DURATION="5m"
LOAD="none"
ARGS=""
BACKGROUND_CMD=""
SKIP_INSTALL="false"

usage()
{
	cat >&2 <<END
Usage: $0 [-r client|server] [-n address] [-p priority] [-i interval]
	[-a affinity] [-D duration] [-L load] [-A arguments]
	[-w background_cmd] [-s true|false]
END
	exit 1
}

while getopts ":r:n:p:i:a:D:L:A:w:s:" opt; do
	case "${opt}" in
	r) ROLE="${OPTARG}" ;;
	n) ADDRESS="${OPTARG}" ;;
	p) RT_PRIORITY="${OPTARG}" ;;
	i) INTERVAL="${OPTARG}" ;;
	a) AFFINITY="${OPTARG}" ;;
	D) DURATION="${OPTARG}" ;;
	L) LOAD="${OPTARG}" ;;
	A) ARGS="${OPTARG}" ;;
	w) BACKGROUND_CMD="${OPTARG}" ;;
	s) SKIP_INSTALL="${OPTARG}" ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || usage

# What came with the last message, by its name.
told()
{
	sed -n "s/^.*\b$1=//p" "${CACHE}" | tail -n 1
}

client()
{
	lava-send twowaytest-client "address=${ADDRESS}"
	lava-wait twowaytest-server
	server=$(told address)
	if [ "$(told state)" = ready ]; then
		case "${server}" in
		*:*) server="[${server}]:20110" ;;
		esac
		./twowaytest.sh -p "${RT_PRIORITY}" -i "${INTERVAL}" \
			-a "${AFFINITY}" -D "${DURATION}" -L "${LOAD}" \
			-A "--connect=${server} ${ARGS}" \
			-w "${BACKGROUND_CMD}" -s "${SKIP_INSTALL}"
	else
		create_out_dir "${OUTPUT}"
		report_fail twowaytest
		echo "twowaytest: the other device has no server" >&2
	fi
	lava-send twowaytest-end
}

# Its first line says that it listens.
listens()
{
	tries=0
	until grep -q '^# Listening on ' "${OUTPUT}/server.txt"; do
		kill -0 "${pid}" 2>/dev/null || return
		tries=$((tries + 1))
		[ "${tries}" -le 100 ] || return
		sleep 0.1
	done
}

server()
{
	create_out_dir "${OUTPUT}"
	lava-wait twowaytest-client
	if ! binary=$(command -v twowaytest); then
		detect_abi
		# shellcheck disable=SC2154 # abi: by detect_abi
		binary="./bin/${abi}/twowaytest"
	fi
	case "${ADDRESS}" in
	*:*) set -- "--server=[${ADDRESS}]:20110" ;;
	*) set -- "--server=${ADDRESS}" ;;
	esac
	set -- "$@" "--allow=$(told address)" "-a${AFFINITY}" --max-time=24h
	# The server's priority is one less than the client's.
	[ -z "${RT_PRIORITY}" ] || set -- "$@" -p "$((RT_PRIORITY - 1))"
	# shellcheck disable=SC2086 # a list of words
	"${binary}" "$@" ${ARGS} >"${OUTPUT}/server.txt" &
	pid=$!
	trap 'kill "${pid}" 2>/dev/null' EXIT
	trap 'exit 1' HUP INT TERM
	state=failed
	! listens || state=ready
	lava-send twowaytest-server "address=${ADDRESS}" "state=${state}"
	lava-wait twowaytest-end
	kill "${pid}" 2>/dev/null
	if wait "${pid}" && [ "${state}" = ready ]; then
		echo "twowaytest-server pass" | tee -a "${RESULT_FILE}"
	else
		report_fail twowaytest-server
	fi
	cat "${OUTPUT}/server.txt"
}

[ -n "${ROLE}" ] || ROLE=$(lava-role)
[ -n "${ADDRESS}" ] || ADDRESS=$(hostname -I | cut -d ' ' -f 1)
case "${ROLE}" in
client) client ;;
server) server ;;
*) usage ;;
esac

# Or the step that sends the results would not be run.
exit 0
