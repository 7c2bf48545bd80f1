# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what primitivetest --help prints.

function __primitivetest_cpus
    echo all
    for range in (string split , </sys/devices/system/cpu/online 2>/dev/null)
        seq (string split - $range)[1] (string split - $range)[-1]
    end
end

# Offers words for a list with commas between, but those that it has.
function __primitivetest_list
    set -l value (commandline -ct | string replace -r '^(--[^=]*=|-[^-])' '')
    set -l before (string replace -rf '[^,]*$' '' -- "$value")
    for word in $argv
        contains -- $word (string split , -- $before)
        or echo "$before$word"
    end
end

complete -c primitivetest -f
complete -c primitivetest -s a -l affinity -x -a '(__primitivetest_list (__primitivetest_cpus))' -d 'pin the tasks to the first CPU of CPUSET, with --cpus=cross also to the second'
complete -c primitivetest -l bin -x -d 'a row of a histogram is NS nanoseconds wide'
complete -c primitivetest -s b -l breaktrace -x -d 'end at the first value above US, of an interval at the first that is that much longer than its period, with exit status 2'
complete -c primitivetest -l check -d 'print what in this system disturbs real-time results and what to do'
complete -c primitivetest -s c -l clock -x -a 'monotonic realtime monotonic_raw tai boottime tsc' -d 'take timestamps from'
complete -c primitivetest -l copies -x -d 'copy: N threads'
complete -c primitivetest -l cpus -x -a '(__primitivetest_list same cross)' -d 'where the tasks of a test run, one or both'
complete -c primitivetest -l default-system -d 'leave power management alone: no request to /dev/cpu_dma_latency'
complete -c primitivetest -l dump -r -F -d 'write the timestamps of every trial to FILE, as CSV'
complete -c primitivetest -s D -l duration -x -d 'measure each test for TIME seconds, or with m, h, d appended minutes, hours, days'
complete -c primitivetest -l help -d 'print this help'
complete -c primitivetest -l histfile -r -F -d 'write the histogram to FILE instead of stdout'
complete -c primitivetest -s H -l histofall -x -d 'as -h, with one more column, the sum of each row'
complete -c primitivetest -s h -l histogram -x -d 'print a histogram of each metric after the run: rows of 1 us, range US'
complete -c primitivetest -l hog -x -d 'sync3: work of the middle task in microseconds'
complete -c primitivetest -l hold -x -d 'sync3: how long the low task works with the lock held, in microseconds'
complete -c primitivetest -s i -l interval -x -d 'period of the trials of two tasks in microseconds'
complete -c primitivetest -l json -r -F -d 'write the results to FILE, as JSON'
complete -c primitivetest -l latency -x -d 'value written to /dev/cpu_dma_latency, default 0'
complete -c primitivetest -l limit -x -d 'exit status 2 if a value is above US microseconds: TEST.METRIC:US its maximum, :avg:US its average, :p99.9:US that percentile'
complete -c primitivetest -l list -d 'print the tests and their kinds'
complete -c primitivetest -l load -x -a 'none fft hackbench command:' -d 'load the system meanwhile'
complete -c primitivetest -l load-affinity -x -a '(__primitivetest_list (__primitivetest_cpus))' -d 'run the load on CPUSET, a worker on each in turn'
complete -c primitivetest -l load-args -x -d 'hackbench\'s arguments but -g'
complete -c primitivetest -s l -l loops -x -d 'measure N trials of each test'
complete -c primitivetest -s m -l mlockall -d 'lock the tasks\' memory, so that none is paged out'
complete -c primitivetest -s N -l nsecs -d 'print nanoseconds instead of microseconds'
complete -c primitivetest -l order -x -a 'higher lower equal' -d 'priority of the task that answers'
complete -c primitivetest -l percentiles -d 'print percentiles after the results'
complete -c primitivetest -l period -x -d 'timer: period in microseconds'
complete -c primitivetest -l policy -x -a 'other normal batch idle fifo rr' -d 'scheduling policy'
complete -c primitivetest -s p -l priority -x -d 'real-time priority of the highest task'
complete -c primitivetest -s q -l quiet -d 'print the results only, at the end'
complete -c primitivetest -s M -l refresh_on_max -d 'redraw the display only when a maximum has grown'
complete -c primitivetest -l rt-runtime -x -d 'set sched_rt_runtime_us for the run, and restore it'
complete -c primitivetest -l size -x -d 'message, pipe, unix: bytes'
complete -c primitivetest -l tasks -x -a '(__primitivetest_list thread process)' -d 'what the tasks of a test are, one or both'
complete -c primitivetest -l test -x -a '(__primitivetest_list aegis samples pcserver notes overheads rhealstone all timer alarm sleep clock bintime delay work copy sync1 sync2 sync3 message stream signal switch monopoly yield preempt shuffle order trap thread syscall pipe unix alloc)' -d 'run these groups, or tests as sync2 or sync2.cond'
complete -c primitivetest -l trace -d 'with -b: trace the kernel in an instance of our own, save the last 20 ms and say what caused the delay'
complete -c primitivetest -l trace-file -r -F -d 'where to, default primitivetest-trace.txt'
complete -c primitivetest -s u -l unbuffered -d 'do not buffer the output'
complete -c primitivetest -l us -d 'print microseconds instead of nanoseconds'
complete -c primitivetest -s v -l verbose -d 'print every value as n:c:v, column, cycle, value'
complete -c primitivetest -l version -d 'print the version'
complete -c primitivetest -l warmup -x -d 'trials before the measured ones, default 2'
complete -c primitivetest -l work -x -d 'work: N iterations'
complete -c primitivetest -l worst -d 'print the worst trial of each metric: its number, and all of its values'
