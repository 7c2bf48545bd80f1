# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what twowaytest --help prints.

function __twowaytest_cpus
    echo all
    for range in (string split , </sys/devices/system/cpu/online 2>/dev/null)
        seq (string split - $range)[1] (string split - $range)[-1]
    end
end

# Offers words for a list with commas between, but those that it has.
function __twowaytest_list
    set -l value (commandline -ct | string replace -r '^(--[^=]*=|-[^-])' '')
    set -l before (string replace -rf '[^,]*$' '' -- "$value")
    for word in $argv
        contains -- $word (string split , -- $before)
        or echo "$before$word"
    end
end

complete -c twowaytest -f
complete -c twowaytest -l address -x -d 'loopback address of the server, IPv4 or IPv6, default 127.0.0.1'
complete -c twowaytest -s a -l affinity -x -a '(__twowaytest_list (__twowaytest_cpus))' -d 'pin parent process, server and client to the CPUs of the placement plan'
complete -c twowaytest -s A -l aligned -d 'all pairs share one first expiry'
complete -c twowaytest -l break-on -x -a 'interval send sleep receive response total wakeup planned' -d 'the metric that -b looks at, default response'
complete -c twowaytest -s b -l breaktrace -x -d 'end at the first cycle whose response exceeds US, with exit status 2'
complete -c twowaytest -l busy-poll -x -d 'let the kernel poll the network device for so many microseconds in a receive (SO_BUSY_POLL)'
complete -c twowaytest -l check -d 'print what in this system disturbs real-time results and what to do'
complete -c twowaytest -l client-affinity -x -a '(__twowaytest_list (__twowaytest_cpus))' -d 'run the client on CPUSET'
complete -c twowaytest -s c -l clock -x -a 'monotonic realtime monotonic_raw tai boottime tsc' -d 'take timestamps from'
complete -c twowaytest -l default-system -d 'leave power management alone: no request to /dev/cpu_dma_latency'
complete -c twowaytest -s d -l distance -x -d 'each pair has a period that is US longer than that of the pair before, default 500'
complete -c twowaytest -l dscp -x -d 'code point of the packets\' service (IP_TOS)'
complete -c twowaytest -l dump -r -F -d 'write every cycle to FILE, as CSV'
complete -c twowaytest -s D -l duration -x -d 'measure for TIME seconds, or with m, h, d appended minutes, hours, days'
complete -c twowaytest -l force -d 'do not refuse settings that may leave the parent process or the rest of the system no CPU time'
complete -c twowaytest -l help -d 'print this help'
complete -c twowaytest -l histfile -r -F -d 'write the histogram to FILE instead of stdout'
complete -c twowaytest -s H -l histofall -x -d 'as -h, with one more column, the sum of each row'
complete -c twowaytest -s h -l histogram -x -d 'print a histogram of each metric after the run: rows of 1 us, range US'
complete -c twowaytest -l interface -x -a 'lo' -d 'bind the sockets to this interface'
complete -c twowaytest -s i -l interval -x -d 'period of the requests in microseconds, default 1000'
complete -c twowaytest -l json -r -F -d 'write the results to FILE, as JSON'
complete -c twowaytest -l latency -x -d 'value written to /dev/cpu_dma_latency, default 0'
complete -c twowaytest -l limit -x -a 'interval: send: sleep: receive: response: total: wakeup: planned: avg: missed: throttled: lost:' -d 'exit status 2 if METRIC:US, METRIC:avg:US, METRIC:pPERCENT:US, missed:N, throttled:N or lost:N is exceeded by any pair, or METRIC@LIST:... by one of LIST'
complete -c twowaytest -l load -x -a 'none fft hackbench command:' -d 'load the system meanwhile'
complete -c twowaytest -l load-affinity -x -a '(__twowaytest_list (__twowaytest_cpus))' -d 'run the load on CPUSET, a worker on each in turn'
complete -c twowaytest -l load-args -x -d 'hackbench\'s arguments but -g'
complete -c twowaytest -l load-policy -x -a 'other normal batch idle fifo rr' -d 'policy of the load'
complete -c twowaytest -l load-priority -x -d 'of a load of policy fifo or rr, default 1'
complete -c twowaytest -s l -l loops -x -d 'measure N cycles'
complete -c twowaytest -l mainaffinity -x -a '(__twowaytest_list (__twowaytest_cpus))' -d 'run the parent process on CPUSET'
complete -c twowaytest -l metrics -x -a '(__twowaytest_list interval send sleep receive response total wakeup planned)' -d 'print these, in this order'
complete -c twowaytest -s m -l mlockall -d 'lock this test\'s memory, so that none is paged out'
complete -c twowaytest -s N -l nsecs -d 'print nanoseconds instead of microseconds'
complete -c twowaytest -l orb -d 'one client beside 0 to N (8) others at one server: -m -p 98 -a -i 50000,100000 --priospread -D 60 --servers=one --ramp=pairs --steps=N+1'
complete -c twowaytest -l order -x -a 'priority arrival fixed' -d 'with --servers=one, the client that is served next'
complete -c twowaytest -l peer -x -a 'same next' -d 'with -S, the server\'s CPU, seen from its client\'s'
complete -c twowaytest -l percentiles -d 'print percentiles after the results'
complete -c twowaytest -l policy -x -a 'other normal batch idle fifo rr' -d 'scheduling policy'
complete -c twowaytest -l port -x -d 'TCP or UDP port of the server'
complete -c twowaytest -s x -l posix_timers -d 'the same as --timer=posix'
complete -c twowaytest -s p -l priority -x -d 'real-time priority of the client'
complete -c twowaytest -l priospread -d 'each client has a priority that is two less than that of the client before'
complete -c twowaytest -l quickack -d 'acknowledge at once (TCP_QUICKACK), until the kernel changes that'
complete -c twowaytest -s q -l quiet -d 'print the results only, at the end'
complete -c twowaytest -l ramp -x -a 'load pairs' -d 'what grows from step to step'
complete -c twowaytest -s M -l refresh_on_max -d 'redraw the display only when a maximum has grown'
complete -c twowaytest -l rt-runtime -x -d 'set sched_rt_runtime_us for the run, and restore it'
complete -c twowaytest -l server-affinity -x -a '(__twowaytest_list (__twowaytest_cpus))' -d 'run the server on CPUSET'
complete -c twowaytest -l server-priority -x -d 'with --servers=one, the server\'s real-time priority'
complete -c twowaytest -l servers -x -a 'each one' -d 'servers for the clients'
complete -c twowaytest -l size -x -d 'size of a request, default 8'
complete -c twowaytest -l sleep -x -d 'the server\'s sleep in microseconds, default 100'
complete -c twowaytest -l smi -d 'count system management interrupts (Intel only)'
complete -c twowaytest -s S -l smp -d 'a pair on each CPU, all of the same priority'
complete -c twowaytest -l sock-priority -x -d 'priority of the packets (SO_PRIORITY)'
complete -c twowaytest -l spike -x -a 'interval: send: sleep: receive: response: total: wakeup: planned:' -d 'keep and print every cycle whose METRIC, default response, exceeds US'
complete -c twowaytest -l spike-nodes -x -d 'how many of them are kept, default 1024'
complete -c twowaytest -l steps -x -d 'ramp: measure N times, with 0 to N-1 workers, groups or copies'
complete -c twowaytest -s t -l threads -d 'N pairs of client and server, default 1'
complete -c twowaytest -l timeout -x -d 'with udp: a reply that takes longer is lost, in microseconds, rounded up to jiffies'
complete -c twowaytest -l timer -x -a 'nanosleep posix timerfd' -d 'what wakes the client'
complete -c twowaytest -l total -x -a 'documented trltp3' -d 'formula of total'
complete -c twowaytest -l trace -d 'with -b: trace the kernel in an instance of our own, save the last 20 ms and say what caused the delay'
complete -c twowaytest -l trace-file -r -F -d 'where to, default twowaytest-trace.txt'
complete -c twowaytest -l tracemark -d 'with -b: mark the cycle in the kernel\'s trace, and stop the tracing'
complete -c twowaytest -l transport -x -a 'tcp udp unix seqpacket vsock' -d 'what requests go over'
complete -c twowaytest -l trltp -d 'the reference set-up: -m -p 98 -a -x -i 1000 -l 100000 --sleep=100 --load=fft --steps=16 --warmup=1'
complete -c twowaytest -l trltp-log -r -F -d 'write the reference program\'s log to FILE'
complete -c twowaytest -s u -l unbuffered -d 'do not buffer the output'
complete -c twowaytest -s v -l verbose -d 'print every value as n:c:v, column, cycle, value'
complete -c twowaytest -l version -d 'print the version'
complete -c twowaytest -l wait -x -a 'poll select epoll read busy' -d 'how the server waits'
complete -c twowaytest -l warmup -x -d 'cycles run before the measured ones, default 2'
complete -c twowaytest -l worst -d 'print the worst cycle of each metric: its phases, and which of them caused it'
