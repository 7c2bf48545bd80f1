#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs twowaytest on two devices of a LAVA MultiNode job, see README.md. They
# tell each other, by lava-send and lava-wait:
#
#	twowaytest-client	address		whom the server may serve
#	twowaytest-server	address, state	it listens, or why not
#	twowaytest-end				the client has measured

# shellcheck source=contrib/lava/twowaytest-lib.sh
. ./twowaytest-lib.sh

# Where lava-wait writes what came with the message.
CACHE="${LAVA_CACHE:-/tmp/lava_multi_node_cache.txt}"

ROLE=""
ADDRESS=""
OWN_LETTERS="r:n:"
OWN_USAGE="[-r client|server] [-n address]
	"

own()
{
	case "$1" in
	r) ROLE="${OPTARG}" ;;
	n) ADDRESS="${OPTARG}" ;;
	*) false ;;
	esac
}

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
		ARGS="--connect=${server} ${ARGS}"
		measure_beside_load
	else
		report_fail twowaytest
		echo "twowaytest: the other device has no server" >&2
	fi
	lava-send twowaytest-end
}

# Its first line says that it listens.
listens()
{
	tries=0
	until grep -q '^# Listening at ' "${OUTPUT}/server.txt"; do
		kill -0 "${pid}" 2>/dev/null || return
		tries=$((tries + 1))
		[ "${tries}" -le 100 ] || return
		sleep 0.1
	done
}

server()
{
	lava-wait twowaytest-client
	find_binary
	case "${ADDRESS}" in
	*:*) set -- "--server=[${ADDRESS}]:20110" ;;
	*) set -- "--server=${ADDRESS}" ;;
	esac
	set -- "$@" "--allow=$(told address)"
	# The server's priority is one less than the client's.
	[ -z "${RT_PRIORITY}" ] || set -- "$@" -p "$((RT_PRIORITY - 1))"
	# shellcheck disable=SC2086 # a list of words
	"${BINARY}" "$@" ${ARGS} >"${OUTPUT}/server.txt" &
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

options "$@"
[ -n "${ROLE}" ] || ROLE=$(lava-role)
[ -n "${ADDRESS}" ] || ADDRESS=$(hostname -I | cut -d ' ' -f 1)
case "${ROLE}" in
client|server) ;;
*) usage ;;
esac
create_out_dir "${OUTPUT}"
install
if [ "${ROLE}" = client ]; then client; else server; fi

# Or the step that sends the results would not be run.
exit 0
