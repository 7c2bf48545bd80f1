# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what twowaytest-campaign --help prints.

_twowaytest-campaign_cpus()
{
	local range

	echo all
	for range in $(tr ',' ' ' 2>/dev/null </sys/devices/system/cpu/online); do
		seq "${range%-*}" "${range#*-}"
	done
}

# PREFIX VALUE WORD...: offers the words that begin as VALUE does. What can go
# on behind a word ends in a colon.
_twowaytest-campaign_words()
{
	local prefix=$1 value=$2 word

	for word in "${@:3}"; do
		[[ $word == "$value"* ]] || continue
		COMPREPLY+=("$prefix$word")
		[[ $word != *: ]] || compopt -o nospace
	done
}

# As _twowaytest-campaign_words, for a list of words with commas between.
_twowaytest-campaign_list()
{
	local prefix=$1 value=$2 before='' word

	[[ $value != *,* ]] || before=${value%,*},
	for word in "${@:3}"; do
		[[ ,$before == *,"$word",* ]] ||
			_twowaytest-campaign_words "$prefix$before" \
				"${value#"$before"}" "$word"
	done
	compopt -o nospace
}

# PREFIX OPTION VALUE: offers what the option's value may be.
_twowaytest-campaign_value()
{
	local prefix=$1 value=$3

	case $2 in
	-P|--placements)
		_twowaytest-campaign_list "$prefix" "$value" \
			one \
			plan
		;;
	-l|--loads)
		_twowaytest-campaign_list "$prefix" "$value" \
			none \
			fft \
			hackbench \
			command
		;;
	-t|--tools)
		_twowaytest-campaign_list "$prefix" "$value" \
			cyclictest \
			twowaytest
		;;
	-o|--output|-T|--twowaytest|-C|--cyclictest)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -f -- "$value")
		;;
	esac
}

_twowaytest-campaign()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	# Bash takes --option=value apart at the characters in COMP_WORDBREAKS.
	if [[ $cur == : || $prev == : ]]; then
		:
	elif [[ $cur == '=' ]]; then
		_twowaytest-campaign_value '' "$prev" ''
	elif [[ $prev == '=' ]]; then
		_twowaytest-campaign_value '' "${COMP_WORDS[COMP_CWORD - 2]}" "$cur"
	elif [[ $cur == --*=* ]]; then
		_twowaytest-campaign_value "${cur%%=*}=" "${cur%%=*}" "${cur#*=}"
	elif [[ $cur =~ ^(-[LRnhv]*[DPltpiawcHxoTC])(.+)$ ]]; then
		_twowaytest-campaign_value "${BASH_REMATCH[1]}" \
			"-${BASH_REMATCH[1]: -1}" "${BASH_REMATCH[2]}"
	elif [[ $cur != -* && $prev =~ ^-[LRnhv]*([DPltpiawcHxoTC])$ ]]; then
		_twowaytest-campaign_value '' "-${BASH_REMATCH[1]}" "$cur"
	elif [[ $cur != -* && $prev =~ ^--(duration|placements|loads|tools|priority|interval|cpu|workers|command|connect|limit|output|twowaytest|cyclictest)$ ]]; then
		_twowaytest-campaign_value '' "$prev" "$cur"
	else
		_twowaytest-campaign_words '' "$cur" \
			-D \
			--duration= \
			-L \
			--long \
			-P \
			--placements= \
			-l \
			--loads= \
			-t \
			--tools= \
			-p \
			--priority= \
			-i \
			--interval= \
			-a \
			--cpu= \
			-w \
			--workers= \
			-c \
			--command= \
			-H \
			--connect= \
			-x \
			--limit= \
			-o \
			--output= \
			-T \
			--twowaytest= \
			-C \
			--cyclictest= \
			-R \
			--no-report \
			-n \
			--dry-run \
			-h \
			--help \
			-v \
			--version
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
	fi
}

complete -F _twowaytest-campaign twowaytest-campaign
