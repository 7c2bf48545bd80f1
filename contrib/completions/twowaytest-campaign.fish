# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what twowaytest-campaign --help prints.

function __twowaytest-campaign_cpus
    echo all
    for range in (string split , </sys/devices/system/cpu/online 2>/dev/null)
        seq (string split - $range)[1] (string split - $range)[-1]
    end
end

# Offers words for a list with commas between, but those that it has.
function __twowaytest-campaign_list
    set -l value (commandline -ct | string replace -r '^(--[^=]*=|-[^-])' '')
    set -l before (string replace -rf '[^,]*$' '' -- "$value")
    for word in $argv
        contains -- $word (string split , -- $before)
        or echo "$before$word"
    end
end

complete -c twowaytest-campaign -f
complete -c twowaytest-campaign -s D -l duration -x -d 'time of each measurement, in seconds, or with s, m, h or d appended'
complete -c twowaytest-campaign -s L -l long -d 'the same for 24 hours instead of 5 minutes'
complete -c twowaytest-campaign -s P -l placements -x -a '(__twowaytest-campaign_list one plan)' -d 'where client and server run'
complete -c twowaytest-campaign -s l -l loads -x -a '(__twowaytest-campaign_list none fft hackbench command)' -d 'loads'
complete -c twowaytest-campaign -s t -l tools -x -a '(__twowaytest-campaign_list cyclictest twowaytest)' -d 'what measures'
complete -c twowaytest-campaign -s p -l priority -x -d 'real-time priority of the measuring processes, 3 to 99'
complete -c twowaytest-campaign -s i -l interval -x -d 'period in us, 200 to 1000000'
complete -c twowaytest-campaign -s a -l cpu -x -d 'CPU of the placement one'
complete -c twowaytest-campaign -s w -l workers -x -d 'number of workers of fft, of groups of hackbench'
complete -c twowaytest-campaign -s c -l command -x -d 'what the load command runs'
complete -c twowaytest-campaign -s H -l connect -x -d 'twowaytest\'s server is on another host: that of twowaytest --server there'
complete -c twowaytest-campaign -s x -l limit -x -d 'a limit that twowaytest checks, for example response:p99.9:500'
complete -c twowaytest-campaign -s o -l output -r -F -d 'directory of the results'
complete -c twowaytest-campaign -s T -l twowaytest -r -F -d 'the twowaytest to run'
complete -c twowaytest-campaign -s C -l cyclictest -r -F -d 'the cyclictest to run'
complete -c twowaytest-campaign -s R -l no-report -d 'make no pages of figures'
complete -c twowaytest-campaign -s n -l dry-run -d 'print the command lines and their times, and measure nothing'
complete -c twowaytest-campaign -s h -l help -d 'print this help'
complete -c twowaytest-campaign -s v -l version -d 'print the version'
