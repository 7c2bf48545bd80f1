# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what primitivetest --help prints.

_primitivetest_cpus()
{
	local range

	echo all
	for range in $(tr ',' ' ' 2>/dev/null </sys/devices/system/cpu/online); do
		seq "${range%-*}" "${range#*-}"
	done
}

# PREFIX VALUE WORD...: offers the words that begin as VALUE does. What can go
# on behind a word ends in a colon.
_primitivetest_words()
{
	local prefix=$1 value=$2 word

	for word in "${@:3}"; do
		[[ $word == "$value"* ]] || continue
		COMPREPLY+=("$prefix$word")
		[[ $word != *: ]] || compopt -o nospace
	done
}

# As _primitivetest_words, for a list of words with commas between.
_primitivetest_list()
{
	local prefix=$1 value=$2 before='' word

	[[ $value != *,* ]] || before=${value%,*},
	for word in "${@:3}"; do
		[[ ,$before == *,"$word",* ]] ||
			_primitivetest_words "$prefix$before" \
				"${value#"$before"}" "$word"
	done
	compopt -o nospace
}

# PREFIX OPTION VALUE: offers what the option's value may be.
_primitivetest_value()
{
	local prefix=$1 value=$3

	case $2 in
	-a|--affinity|--load-affinity)
		# shellcheck disable=SC2046 # words
		_primitivetest_list "$prefix" "$value" $(_primitivetest_cpus)
		;;
	-c|--clock)
		_primitivetest_words "$prefix" "$value" \
			monotonic \
			realtime \
			monotonic_raw \
			tai \
			boottime \
			tsc
		;;
	--cpus)
		_primitivetest_list "$prefix" "$value" \
			same \
			cross
		;;
	--dump|--histfile|--json|--trace-file)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -f -- "$value")
		;;
	--load)
		_primitivetest_words "$prefix" "$value" \
			none \
			fft \
			hackbench \
			command:
		;;
	--order)
		_primitivetest_words "$prefix" "$value" \
			higher \
			lower \
			equal
		;;
	--policy)
		_primitivetest_words "$prefix" "$value" \
			other \
			normal \
			batch \
			idle \
			fifo \
			rr
		;;
	--tasks)
		_primitivetest_list "$prefix" "$value" \
			thread \
			process
		;;
	--test)
		_primitivetest_list "$prefix" "$value" \
			aegis \
			samples \
			pcserver \
			notes \
			overheads \
			rhealstone \
			all \
			timer \
			alarm \
			sleep \
			clock \
			bintime \
			delay \
			work \
			copy \
			sync1 \
			sync2 \
			sync3 \
			message \
			stream \
			signal \
			switch \
			monopoly \
			yield \
			preempt \
			shuffle \
			order \
			trap \
			thread \
			syscall \
			pipe \
			unix \
			alloc
		;;
	esac
}

_primitivetest()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	# Bash takes --option=value apart at the characters in COMP_WORDBREAKS.
	if [[ $cur == : || $prev == : ]]; then
		:
	elif [[ $cur == '=' ]]; then
		_primitivetest_value '' "$prev" ''
	elif [[ $prev == '=' ]]; then
		_primitivetest_value '' "${COMP_WORDS[COMP_CWORD - 2]}" "$cur"
	elif [[ $cur == --*=* ]]; then
		_primitivetest_value "${cur%%=*}=" "${cur%%=*}" "${cur#*=}"
	elif [[ $cur =~ ^(-[mNqMuv]*[abcDHhilp])(.+)$ ]]; then
		_primitivetest_value "${BASH_REMATCH[1]}" \
			"-${BASH_REMATCH[1]: -1}" "${BASH_REMATCH[2]}"
	elif [[ $cur != -* && $prev =~ ^-[mNqMuv]*([abcDHhilp])$ ]]; then
		_primitivetest_value '' "-${BASH_REMATCH[1]}" "$cur"
	elif [[ $cur != -* && $prev =~ ^--(affinity|bin|breaktrace|clock|copies|cpus|dump|duration|histfile|histofall|histogram|hog|hold|interval|json|latency|limit|load|load-affinity|load-args|loops|order|period|policy|priority|rt-runtime|size|tasks|test|trace-file|warmup|work)$ ]]; then
		_primitivetest_value '' "$prev" "$cur"
	else
		_primitivetest_words '' "$cur" \
			-a \
			--affinity \
			--affinity= \
			--bin= \
			-b \
			--breaktrace= \
			--check \
			-c \
			--clock= \
			--copies= \
			--cpus= \
			--default-system \
			--dump= \
			-D \
			--duration= \
			--help \
			--histfile= \
			-H \
			--histofall= \
			-h \
			--histogram= \
			--hog= \
			--hold= \
			-i \
			--interval= \
			--json= \
			--latency= \
			--limit= \
			--list \
			--load= \
			--load-affinity= \
			--load-args= \
			-l \
			--loops= \
			-m \
			--mlockall \
			-N \
			--nsecs \
			--order= \
			--percentiles \
			--percentiles= \
			--period= \
			--policy= \
			-p \
			--priority= \
			-q \
			--quiet \
			-M \
			--refresh_on_max \
			--rt-runtime= \
			--size= \
			--tasks= \
			--test= \
			--trace \
			--trace= \
			--trace-file= \
			-u \
			--unbuffered \
			--us \
			-v \
			--verbose \
			--version \
			--warmup= \
			--work= \
			--worst
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
	fi
}

complete -F _primitivetest primitivetest
