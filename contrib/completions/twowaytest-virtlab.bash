# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what twowaytest-virtlab --help prints.

_twowaytest-virtlab_cpus()
{
	local range

	echo all
	for range in $(tr ',' ' ' 2>/dev/null </sys/devices/system/cpu/online); do
		seq "${range%-*}" "${range#*-}"
	done
}

# PREFIX VALUE WORD...: offers the words that begin as VALUE does. What can go
# on behind a word ends in a colon.
_twowaytest-virtlab_words()
{
	local prefix=$1 value=$2 word

	for word in "${@:3}"; do
		[[ $word == "$value"* ]] || continue
		COMPREPLY+=("$prefix$word")
		[[ $word != *: ]] || compopt -o nospace
	done
}

# As _twowaytest-virtlab_words, for a list of words with commas between.
_twowaytest-virtlab_list()
{
	local prefix=$1 value=$2 before='' word

	[[ $value != *,* ]] || before=${value%,*},
	for word in "${@:3}"; do
		[[ ,$before == *,"$word",* ]] ||
			_twowaytest-virtlab_words "$prefix$before" \
				"${value#"$before"}" "$word"
	done
	compopt -o nospace
}

# PREFIX OPTION VALUE: offers what the option's value may be.
_twowaytest-virtlab_value()
{
	local prefix=$1 value=$3

	case $2 in
	-r|--arch)
		_twowaytest-virtlab_words "$prefix" "$value" \
			amd64 \
			arm64 \
			riscv64
		;;
	-d|--directory|-k|--kernel|-o|--output|-a|--add|-b|--binary|-J|--json)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -f -- "$value")
		;;
	-m|--mode)
		_twowaytest-virtlab_words "$prefix" "$value" \
			exact \
			smp
		;;
	esac
}

_twowaytest-virtlab()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	# Bash takes --option=value apart at the characters in COMP_WORDBREAKS.
	if [[ $cur == : || $prev == : ]]; then
		:
	elif [[ $cur == '=' ]]; then
		_twowaytest-virtlab_value '' "$prev" ''
	elif [[ $prev == '=' ]]; then
		_twowaytest-virtlab_value '' "${COMP_WORDS[COMP_CWORD - 2]}" "$cur"
	elif [[ $cur == --*=* ]]; then
		_twowaytest-virtlab_value "${cur%%=*}=" "${cur%%=*}" "${cur#*=}"
	elif [[ $cur =~ ^(-[hvw]*[srdkmojabAMtslScJ])(.+)$ ]]; then
		_twowaytest-virtlab_value "${BASH_REMATCH[1]}" \
			"-${BASH_REMATCH[1]: -1}" "${BASH_REMATCH[2]}"
	elif [[ $cur != -* && $prev =~ ^-[hvw]*([srdkmojabAMtslScJ])$ ]]; then
		_twowaytest-virtlab_value '' "-${BASH_REMATCH[1]}" "$cur"
	elif [[ $cur != -* && $prev =~ ^--(suite|arch|directory|kernel|mode|output|jobs|add|binary|append|memory|timeout|settle|limit|series|cycles|json)$ ]]; then
		_twowaytest-virtlab_value '' "$prev" "$cur"
	elif [[ $cur != -* && $COMP_CWORD == 1 ]]; then
		_twowaytest-virtlab_words '' "$cur" \
			fetch \
			run \
			compare \
			bisect-step \
			bisect \
			history \
			functions \
			study
	elif [[ $cur != -* ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames
	else
		_twowaytest-virtlab_words '' "$cur" \
			-h \
			--help \
			-v \
			--version \
			-s \
			--suite= \
			-r \
			--arch= \
			-d \
			--directory= \
			-k \
			--kernel= \
			-m \
			--mode= \
			-o \
			--output= \
			-j \
			--jobs= \
			-a \
			--add= \
			-b \
			--binary= \
			-A \
			--append= \
			-M \
			--memory= \
			-t \
			--timeout= \
			-s \
			--settle= \
			-l \
			--limit= \
			-S \
			--series= \
			-c \
			--cycles= \
			-w \
			--worst \
			-J \
			--json=
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
	fi
}

complete -F _twowaytest-virtlab twowaytest-virtlab
