# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what twowayreport --help prints.

_twowayreport_cpus()
{
	local range

	echo all
	for range in $(tr ',' ' ' 2>/dev/null </sys/devices/system/cpu/online); do
		seq "${range%-*}" "${range#*-}"
	done
}

# PREFIX VALUE WORD...: offers the words that begin as VALUE does. What can go
# on behind a word ends in a colon.
_twowayreport_words()
{
	local prefix=$1 value=$2 word

	for word in "${@:3}"; do
		[[ $word == "$value"* ]] || continue
		COMPREPLY+=("$prefix$word")
		[[ $word != *: ]] || compopt -o nospace
	done
}

# As _twowayreport_words, for a list of words with commas between.
_twowayreport_list()
{
	local prefix=$1 value=$2 before='' word

	[[ $value != *,* ]] || before=${value%,*},
	for word in "${@:3}"; do
		[[ ,$before == *,"$word",* ]] ||
			_twowayreport_words "$prefix$before" \
				"${value#"$before"}" "$word"
	done
	compopt -o nospace
}

# PREFIX OPTION VALUE: offers what the option's value may be.
_twowayreport_value()
{
	local prefix=$1 value=$3

	case $2 in
	-o|--html|-f|--figures|-t|--tables|-O|--openmetrics|-j|--junit|-P|--perfetto)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -f -- "$value")
		;;
	-F|--format)
		_twowayreport_list "$prefix" "$value" \
			svg \
			png
		;;
	-m|--metrics)
		_twowayreport_list "$prefix" "$value" \
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
	-x|--total)
		_twowayreport_words "$prefix" "$value" \
			documented \
			trltp3
		;;
	esac
}

_twowayreport()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	# Bash takes --option=value apart at the characters in COMP_WORDBREAKS.
	if [[ $cur == : || $prev == : ]]; then
		:
	elif [[ $cur == '=' ]]; then
		_twowayreport_value '' "$prev" ''
	elif [[ $prev == '=' ]]; then
		_twowayreport_value '' "${COMP_WORDS[COMP_CWORD - 2]}" "$cur"
	elif [[ $cur == --*=* ]]; then
		_twowayreport_value "${cur%%=*}=" "${cur%%=*}" "${cur#*=}"
	elif [[ $cur =~ ^(-[kguhv]*[ofFtOjPTmpVisxcad])(.+)$ ]]; then
		_twowayreport_value "${BASH_REMATCH[1]}" \
			"-${BASH_REMATCH[1]: -1}" "${BASH_REMATCH[2]}"
	elif [[ $cur != -* && $prev =~ ^-[kguhv]*([ofFtOjPTmpVisxcad])$ ]]; then
		_twowayreport_value '' "-${BASH_REMATCH[1]}" "$cur"
	elif [[ $cur != -* && $prev =~ ^--(html|figures|format|tables|openmetrics|junit|perfetto|title|metrics|percentiles|virtual|interval|sleep|total|confidence|tolerance|detect)$ ]]; then
		_twowayreport_value '' "$prev" "$cur"
	elif [[ $cur != -* ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames
	else
		_twowayreport_words '' "$cur" \
			-o \
			--html= \
			-f \
			--figures= \
			-F \
			--format= \
			-t \
			--tables= \
			-O \
			--openmetrics= \
			-j \
			--junit= \
			-P \
			--perfetto= \
			-T \
			--title= \
			-m \
			--metrics= \
			-p \
			--percentiles= \
			-V \
			--virtual= \
			-i \
			--interval= \
			-s \
			--sleep= \
			-x \
			--total= \
			-k \
			--skip-bad \
			-g \
			--gate \
			-c \
			--confidence= \
			-a \
			--tolerance= \
			-d \
			--detect= \
			-u \
			--unlike \
			-h \
			--help \
			-v \
			--version
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
	fi
}

complete -F _twowayreport twowayreport
