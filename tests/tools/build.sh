#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What contrib/setup and contrib/cross share: installing, building, counting.
# For scripts at the top of the tree, which define needs().

# The distribution's tools come first: they see the packages installed here.
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export PATH

installing=true
passed=0
failed=0
skipped=0

fail()
{
	echo "FAILED $*" >&2
	failed=$((failed + 1))
}

skip()
{
	echo "SKIPPED $*" >&2
	skipped=$((skipped + 1))
}

counts()
{
	echo "$passed passed, $failed failed, $skipped skipped"
}

# How many seconds what takes on two CPUs, among what is run with it.
usual()
{
	cat <<'EOF'
25 build build
3 build lint
5 build unit
5 build kernels
5 build openssh
5 build patches, check
15 build cli, few
40 build core, few
100 build cli
400 build core, some
75 build core, measuring
310 build patches
400 build report
75 build twtools
170 build lab, some
420 build packaging
55 build-clang-san build
5 build-clang-san unit
10 build-clang-san core, some
100 build-fuzz build
12 build-fuzz fuzz
40 build rt, some
70 build runbook
360 build campaign, stubs
40 build campaign, real
10 build-aarch64 build
10 build-i386 build
10 build-s390x build
70 build-aarch64 core, some
60 build-i386 core, some
90 build-s390x core, some
EOF
}

# Who waits is told what begins and how long that usually takes; how long it has
# taken goes to the file "times" in the directory that TWOWAY_RUN names. What is
# told comes at once, in the first script's output, even if other output goes to a
# file.
if [ -z "${TWOWAY_RUN-}" ]; then
	exec 3>&1
	first=$(date +%s)
fi

# The first script makes that directory, and removes it when it ends.
own=
begin_run()
{
	trap 'give_back; [ -z "$own" ] || rm -rf "$own"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	[ -z "${TWOWAY_RUN-}" ] || return 0
	own=$(mktemp -d) || exit
	export TWOWAY_RUN="$own"
}

# timed "DIRECTORY SUITE" COMMAND...
timed()
{
	what=$1
	shift
	about=$(usual | sed -n "s/ $what\$//p")
	echo "-- $what${about:+: usually $about s}" >&3
	begun=$(date +%s)
	"$@"
	set -- $? $(($(date +%s) - begun))
	[ -z "${TWOWAY_RUN-}" ] ||
		echo "$2 ${about:--} $what" >>"$TWOWAY_RUN/times"
	return "$1"
}

# The table of all that has ended, slowest first. Some ran at the same time.
time_table()
{
	echo "seconds usually what"
	sort -rn "$TWOWAY_RUN/times" | while read -r took about what; do
		printf '%7s %7s %s\n' "$took" "$about" "$what"
	done
	printf '%7s %7s all\n' "$(($(date +%s) - first))" ""
}

# Runs a command; its output is shown if it fails. It is not told of our
# progress, and tells of its own as a first script.
quietly()
{
	output=$(unset TWOWAY_RUN; "$@" </dev/null 2>&1 3>&-) && return
	printf '%s\n' "$output"
	return 1
}

have()
{
	case $1 in
	*.h)
		echo "#include <$1>" | cc -E -
		;;
	py:*)
		python3 -c "import ${1#py:}"
		;;
	*:-*)
		# The fuzzer brings a main of its own.
		echo '__attribute__((weak)) int main(void) { return 0; }
		      int LLVMFuzzerTestOneInput(const void *p, long n)
		      { return !p && n; }' |
			"${1%%:*}" "${1#*:}" -x c -o /dev/null -
		;;
	*)
		command -v "$1"
		;;
	esac >/dev/null 2>&1
}

# among GROUP,GROUP GROUP...: one of the former is one of the latter.
among()
{
	wanted=$1
	shift
	for one; do
		case ,$wanted, in
		*",$one,"*) return ;;
		esac
	done
	return 1
}

# missing GROUP...: "need group package" of all that is not there.
missing()
{
	needs | while read -r need group package; do
		among "$group" "$@" || continue
		have "$need" </dev/null && continue
		[ "$package" = - ] || echo "$need $group $package"
	done
}

# kinds PACKAGE...: what they are, a line for each kind.
kinds()
{
	for package; do
		case $package in
		qemu*) kind=QEMU ;;
		chromium) kind=browser ;;
		python3-*) kind=Python ;;
		dpkg-dev|debhelper|dh-python|lintian|rpm*) kind=packaging ;;
		gcc*|clang*|compiler-rt|*-dev|*-devel|meson|ninja*|pkg*|binutils)
			kind=compilers ;;
		*) kind=others ;;
		esac
		echo "$kind $package"
	done | awk '
		{ list[$1] = list[$1] " " $2 }
		END { for (kind in list) print "  " kind ":" list[kind] }' |
		sort
}

# How much apt-get is about to download and to install, in its own words.
# --assume-no would install what brings no other package: apt-get asks nothing.
size()
{
	LC_ALL=C apt-get --print-uris --no-install-recommends install "$@" \
		</dev/null 2>/dev/null 3>&- |
		grep -E 'Need to get|Download size|After this operation|Space needed' |
		sed 's/^ */  /'
}

# Tells first what it installs.
install()
{
	echo "installing with $manager:"
	kinds "$@"
	case $manager in
	apt-get)
		export DEBIAN_FRONTEND=noninteractive
		quietly apt-get -q update && size "$@" &&
			quietly apt-get -qy --no-install-recommends install "$@"
		;;
	*)
		echo "no apt-get here"
		false
		;;
	esac
}

# provide GROUP...: installs what is missing; fails if more than extras are.
provide()
{
	for manager in apt-get none; do
		command -v $manager >/dev/null && break
	done
	short=$(missing "$@")
	[ -n "$short" ] || return 0

	if $installing && [ "$(id -u)" -eq 0 ]; then
		# shellcheck disable=SC2046 # a list of packages
		install $(echo "$short" | cut -d ' ' -f 3 | sort -u) ||
			fail "install: $manager"
		short=$(missing "$@")
		[ -n "$short" ] || return 0
	elif $installing; then
		fail "install: needs root; or --no-install, to do without"
	fi

	echo "$short" | while read -r need group package; do
		echo "missing: $need (package $package)"
	done
	# shellcheck disable=SC2046 # a list of packages
	$installing || [ "$manager" = none ] ||
		echo "root can install all that is missing:" "$manager install" \
			$(echo "$short" | cut -d ' ' -f 3 | sort -u)
	case $short in
	*" run "*|*" test "*) fail "install: cannot do without" ;;
	esac
	[ "$failed" -eq 0 ]
}

# configure DIRECTORY COMPILER [OPTION...]
configure()
{
	dir=$1
	compiler=$2
	shift 2
	[ ! -e "$dir/build.ninja" ] || set -- --reconfigure "$@"
	give "$dir"
	quietly as_builder env CC="$compiler" meson setup "$@" "$dir" && return
	fail "$dir: meson setup"
	return 1
}

compile()
{
	dir=$1
	shift
	quietly as_builder meson compile -C "$dir" "$@" && return
	fail "$dir: meson compile"
	return 1
}

# build DIRECTORY COMPILER [OPTION...]
build()
{
	configure "$@" && compile "$1"
}

# suites DIRECTORY SUITE...; test_args go to every test program, test_what says
# which tests these choose, and test_timeout is how many times their usual time
# they get. Many tests wait: more of them are run at a time than there are CPUs.
# Of each suite, TWOWAY_RUN has a file of what has failed, for run_again.
test_args=
test_what=some
test_timeout=1
test_jobs=$(($(getconf _NPROCESSORS_ONLN) * 2))
suites()
{
	dir=$1
	shift
	for suite; do
		later=$TWOWAY_RUN/$dir.$suite.failed
		suite "$dir" "$suite" "$later" "" --suite "$suite"
		[ ! -e "$later" ] ||
			echo "$suite: to be run again: $(cut -f 1 "$later")"
	done
}

# suite DIRECTORY SUITE LATER AGAIN CHOICE...: tests/tools/workers.py says what
# the files LATER and AGAIN are, "meson test" what CHOICE is.
suite()
{
	dir=$1
	suite=$2
	later=$3
	again=$4
	shift 4
	log=$dir/meson-logs/$suite.json
	rm -f "$log"
	timed "$dir $suite${test_args:+, $test_what}${again:+, again}" quietly \
		env TWOWAY_LATER="$later" TWOWAY_AGAIN="$again" \
		meson test -C "$dir" "$@" --logbase "$suite" \
		--num-processes "$test_jobs" --print-errorlogs \
		--test-args "$test_args" -t "$test_timeout"
	status=$?
	# shellcheck disable=SC2046 # three numbers
	set -- $(python3 tests/tools/count.py "$dir $suite" "$log" $status)
	if [ $# -ne 3 ]; then
		fail "$dir $suite: count"
		return
	fi
	echo "$suite: $1 of $(($1 + $2 + $3)) passed"
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
}

# What has failed in any suite is run once more, when nothing else is run: it may
# have lacked a CPU. Only of the suite's Python program, which has its name. The
# first script does it.
run_again()
{
	[ -n "$own" ] || return 0
	test_args=
	for list in "$own"/*.failed; do
		[ -e "$list" ] || continue
		name=$(basename "$list" .failed)
		suite "${name%.*}" "${name##*.}" "" "$list" \
			--suite "${name##*.}" "${name##*.}"
	done
}

# Who is to own what is built, so that it can be built again without root:
# sudo's user, or the checkout's owner. Empty if that is root, or cannot write
# here.
builder=
home=
find_builder()
{
	[ "$(id -u)" -eq 0 ] || return 0
	for builder in "${SUDO_UID:-0}:${SUDO_GID:-0}" "$(stat -c %u:%g .)"; do
		home=$(getent passwd "${builder%:*}" | cut -d : -f 6)
		[ "${builder%:*}" -ne 0 ] &&
			as_builder test -w "$PWD" 2>/dev/null && return
	done
	builder=
}

as_builder()
{
	if [ -z "$builder" ]; then
		"$@"
	else
		setpriv --reuid="${builder%:*}" --regid="${builder#*:}" \
			--clear-groups env HOME="${home:-/}" "$@"
	fi
}

# give DIRECTORY...: to the builder.
give()
{
	for dir; do
		[ -z "$builder" ] || [ ! -d "$dir" ] || chown -Rh "$builder" "$dir"
	done
}

# What root's tests and measurements have left.
give_back()
{
	give build build-* virtlab
}
