# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what twowaytest --help prints.

_twowaytest_cpus()
{
	local range

	echo all
	for range in $(tr ',' ' ' 2>/dev/null </sys/devices/system/cpu/online); do
		seq "${range%-*}" "${range#*-}"
	done
}

# PREFIX VALUE WORD...: offers the words that begin as VALUE does. What can go
# on behind a word ends in a colon.
_twowaytest_words()
{
	local prefix=$1 value=$2 word

	for word in "${@:3}"; do
		[[ $word == "$value"* ]] || continue
		COMPREPLY+=("$prefix$word")
		[[ $word != *: ]] || compopt -o nospace
	done
}

# As _twowaytest_words, for a list of words with commas between.
_twowaytest_list()
{
	local prefix=$1 value=$2 before='' word

	[[ $value != *,* ]] || before=${value%,*},
	for word in "${@:3}"; do
		[[ ,$before == *,"$word",* ]] ||
			_twowaytest_words "$prefix$before" \
				"${value#"$before"}" "$word"
	done
	compopt -o nospace
}

# PREFIX OPTION VALUE: offers what the option's value may be.
_twowaytest_value()
{
	local prefix=$1 value=$3

	case $2 in
	-a|--affinity|--client-affinity|--load-affinity|--mainaffinity|--server-affinity)
		# shellcheck disable=SC2046 # words
		_twowaytest_list "$prefix" "$value" $(_twowaytest_cpus)
		;;
	--break-on)
		_twowaytest_words "$prefix" "$value" \
			interval \
			send \
			sleep \
			receive \
			response \
			total \
			wakeup \
			planned \
			network
		;;
	-c|--clock)
		_twowaytest_words "$prefix" "$value" \
			monotonic \
			realtime \
			monotonic_raw \
			tai \
			boottime \
			tsc
		;;
	--dump|--histfile|--json|--timeline|--trace-file|--trltp-log)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -f -- "$value")
		;;
	--interface)
		_twowaytest_words "$prefix" "$value" \
			lo
		;;
	--limit)
		_twowaytest_words "$prefix" "$value" \
			interval: \
			send: \
			sleep: \
			receive: \
			response: \
			total: \
			wakeup: \
			planned: \
			network: \
			avg: \
			missed: \
			throttled: \
			lost:
		;;
	--load)
		_twowaytest_words "$prefix" "$value" \
			none \
			fft \
			hackbench \
			command:
		;;
	--load-policy|--policy)
		_twowaytest_words "$prefix" "$value" \
			other \
			normal \
			batch \
			idle \
			fifo \
			rr
		;;
	--metrics)
		_twowaytest_list "$prefix" "$value" \
			interval \
			send \
			sleep \
			receive \
			response \
			total \
			wakeup \
			planned \
			network
		;;
	--oneway)
		_twowaytest_words "$prefix" "$value" \
			off \
			sync \
			bound
		;;
	--order)
		_twowaytest_words "$prefix" "$value" \
			priority \
			arrival \
			fixed
		;;
	--peer)
		_twowaytest_words "$prefix" "$value" \
			same \
			next
		;;
	--ramp)
		_twowaytest_words "$prefix" "$value" \
			load \
			pairs
		;;
	--servers)
		_twowaytest_words "$prefix" "$value" \
			each \
			one
		;;
	--spike)
		_twowaytest_words "$prefix" "$value" \
			interval: \
			send: \
			sleep: \
			receive: \
			response: \
			total: \
			wakeup: \
			planned: \
			network:
		;;
	--stamps)
		_twowaytest_words "$prefix" "$value" \
			off \
			rx \
			all
		;;
	--timer)
		_twowaytest_words "$prefix" "$value" \
			nanosleep \
			posix \
			timerfd
		;;
	--total)
		_twowaytest_words "$prefix" "$value" \
			documented \
			trltp3
		;;
	--transport)
		_twowaytest_words "$prefix" "$value" \
			tcp \
			udp \
			unix \
			seqpacket \
			vsock
		;;
	--wait)
		_twowaytest_words "$prefix" "$value" \
			poll \
			select \
			epoll \
			read \
			busy
		;;
	esac
}

_twowaytest()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	# Bash takes --option=value apart at the characters in COMP_WORDBREAKS.
	if [[ $cur == : || $prev == : ]]; then
		:
	elif [[ $cur == '=' ]]; then
		_twowaytest_value '' "$prev" ''
	elif [[ $prev == '=' ]]; then
		_twowaytest_value '' "${COMP_WORDS[COMP_CWORD - 2]}" "$cur"
	elif [[ $cur == --*=* ]]; then
		_twowaytest_value "${cur%%=*}=" "${cur%%=*}" "${cur#*=}"
	elif [[ $cur =~ ^(-[mNxqMSuv]*[aAbcdDHhilpt])(.+)$ ]]; then
		_twowaytest_value "${BASH_REMATCH[1]}" \
			"-${BASH_REMATCH[1]: -1}" "${BASH_REMATCH[2]}"
	elif [[ $cur != -* && $prev =~ ^-[mNxqMSuv]*([abcdDHhilp])$ ]]; then
		_twowaytest_value '' "-${BASH_REMATCH[1]}" "$cur"
	elif [[ $cur != -* && $prev =~ ^--(address|affinity|allow|break-on|breaktrace|busy-poll|client-affinity|clock|connect|distance|dscp|dump|duration|histfile|histofall|histogram|interface|interval|json|latency|limit|load|load-affinity|load-args|load-policy|load-priority|loops|mainaffinity|max-pairs|max-rate|max-size|max-time|metrics|oneway|order|peer|policy|port|priority|ramp|rt-runtime|runs|server-affinity|server-priority|servers|sessions|size|sleep|sock-priority|spike|spike-nodes|stamps|steps|sync-limit|timeline|timeline-every|timeout|timer|total|trace-file|transport|trltp-log|wait|warmup)$ ]]; then
		_twowaytest_value '' "$prev" "$cur"
	else
		_twowaytest_words '' "$cur" \
			--accept \
			--address= \
			-a \
			--affinity \
			--affinity= \
			-A \
			--aligned \
			--aligned= \
			--allow= \
			--break-on= \
			-b \
			--breaktrace= \
			--busy-poll= \
			--check \
			--client-affinity= \
			-c \
			--clock= \
			--connect= \
			--default-system \
			-d \
			--distance= \
			--dscp= \
			--dump= \
			-D \
			--duration= \
			--force \
			--help \
			--histfile= \
			-H \
			--histofall= \
			-h \
			--histogram= \
			--interface= \
			-i \
			--interval= \
			--json= \
			--latency= \
			--limit= \
			--load= \
			--load-affinity= \
			--load-args= \
			--load-policy= \
			--load-priority= \
			-l \
			--loops= \
			--mainaffinity= \
			--max-pairs= \
			--max-rate= \
			--max-size= \
			--max-time= \
			--metrics= \
			-m \
			--mlockall \
			-N \
			--nsecs \
			--oneway= \
			--orb \
			--orb= \
			--order= \
			--peer= \
			--percentiles \
			--percentiles= \
			--policy= \
			--port= \
			-x \
			--posix_timers \
			-p \
			--priority= \
			--priospread \
			--quickack \
			-q \
			--quiet \
			--ramp= \
			-M \
			--refresh_on_max \
			--rsh \
			--rsh= \
			--rt-runtime= \
			--runs= \
			--server \
			--server= \
			--server-affinity= \
			--server-priority= \
			--servers= \
			--sessions= \
			--size= \
			--sleep= \
			--smi \
			-S \
			--smp \
			--sock-priority= \
			--spike= \
			--spike-nodes= \
			--stamps= \
			--steps= \
			--sync-limit= \
			-t \
			--threads \
			--threads= \
			--timeline= \
			--timeline-every= \
			--timeout= \
			--timer= \
			--total= \
			--trace \
			--trace= \
			--trace-file= \
			--tracemark \
			--transport= \
			--trltp \
			--trltp-log= \
			-u \
			--unbuffered \
			-v \
			--verbose \
			--version \
			--wait= \
			--warmup= \
			--worst
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
	fi
}

complete -F _twowaytest twowaytest
