# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what twowayreport --help prints.

function __twowayreport_cpus
    echo all
    for range in (string split , </sys/devices/system/cpu/online 2>/dev/null)
        seq (string split - $range)[1] (string split - $range)[-1]
    end
end

# Offers words for a list with commas between, but those that it has.
function __twowayreport_list
    set -l value (commandline -ct | string replace -r '^(--[^=]*=|-[^-])' '')
    set -l before (string replace -rf '[^,]*$' '' -- "$value")
    for word in $argv
        contains -- $word (string split , -- $before)
        or echo "$before$word"
    end
end

complete -c twowayreport -s o -l html -r -F -d 'the report as one page'
complete -c twowayreport -s f -l figures -r -F -d 'each figure as a file in this directory'
complete -c twowayreport -s F -l format -x -a '(__twowayreport_list svg png)' -d 'formats of these files'
complete -c twowayreport -s t -l tables -r -F -d 'the tables as FILE.md or FILE.csv'
complete -c twowayreport -s O -l openmetrics -r -F -d 'results for Prometheus, as node exporter\'s textfile collector reads them'
complete -c twowayreport -s j -l junit -r -F -d 'verdicts for CI systems, in the form of JUnit: of each --limit that a file has, and of --gate'
complete -c twowayreport -s P -l perfetto -r -F -d 'the traces of broken cycles for Perfetto or chrome://tracing, in Chrome\'s JSON trace event format'
complete -c twowayreport -s T -l title -x -d 'title of the report'
complete -c twowayreport -s m -l metrics -x -a '(__twowayreport_list interval send sleep receive response total wakeup planned network)' -d 'metrics'
complete -c twowayreport -s p -l percentiles -x -d 'numbers above 0 and below 100'
complete -c twowayreport -s V -l virtual -x -d 'mark the run of this NAME as measured in a virtual machine'
complete -c twowayreport -s i -l interval -x -d 'period of dumps without JSON'
complete -c twowayreport -s s -l sleep -x -d 'sleep of the server in dumps without JSON'
complete -c twowayreport -s x -l total -x -a 'documented trltp3' -d 'formula of total in dumps without JSON'
complete -c twowayreport -s k -l skip-bad -d 'leave out files that cannot be read, instead of ending'
complete -c twowayreport -s g -l gate -d 'is the second run (candidate) worse than the first (baseline)? response is compared, or what --metrics names'
complete -c twowayreport -s c -l confidence -x -d 'probability that nothing is called worse by chance, for all figures together, 50 to 99.99'
complete -c twowayreport -s a -l tolerance -x -d 'how much higher the candidate may be, in percent of the baseline'
complete -c twowayreport -s d -l detect -x -d 'an increase that must not be missed: undecided, if the measurements cannot exclude it'
complete -c twowayreport -s u -l unlike -d 'compare although the settings differ'
complete -c twowayreport -s h -l help -d 'print this help'
complete -c twowayreport -s v -l version -d 'print the version'
