# SPDX-License-Identifier: GPL-2.0-or-later
# Written by contrib/mkcompletions from what twowaytest-virtlab --help prints.

function __twowaytest-virtlab_cpus
    echo all
    for range in (string split , </sys/devices/system/cpu/online 2>/dev/null)
        seq (string split - $range)[1] (string split - $range)[-1]
    end
end

# Offers words for a list with commas between, but those that it has.
function __twowaytest-virtlab_list
    set -l value (commandline -ct | string replace -r '^(--[^=]*=|-[^-])' '')
    set -l before (string replace -rf '[^,]*$' '' -- "$value")
    for word in $argv
        contains -- $word (string split , -- $before)
        or echo "$before$word"
    end
end

complete -c twowaytest-virtlab -n __fish_use_subcommand -x -a 'fetch run compare bisect-step bisect history functions study'
complete -c twowaytest-virtlab -s h -l help -d 'print this help'
complete -c twowaytest-virtlab -s v -l version -d 'print the version'
complete -c twowaytest-virtlab -s s -l suite -x -d 'Debian\'s suite that has the package, such as trixie-backports (default: the system\'s own, or for another architecture that of --arch)'
complete -c twowaytest-virtlab -s r -l arch -x -a 'amd64 arm64 riscv64' -d 'the guest\'s architecture'
complete -c twowaytest-virtlab -s d -l directory -r -F -d 'keep the kernels there (default: the cache)'
complete -c twowaytest-virtlab -s k -l kernel -r -F -d 'boot this image (bzImage, vmlinuz, Image)'
complete -c twowaytest-virtlab -s m -l mode -x -a 'exact smp' -d 'how time passes'
complete -c twowaytest-virtlab -s o -l output -r -F -d 'directory of the results, with one directory per kernel in it (default: virtlab)'
complete -c twowaytest-virtlab -s j -l jobs -x -d 'number of kernels that are booted at the same time, 1 to 1024 (default: number of CPUs, 1 with smp)'
complete -c twowaytest-virtlab -s a -l add -r -F -d 'copy a program into the guest\'s /bin, with its libraries'
complete -c twowaytest-virtlab -s b -l binary -r -F -d 'the twowaytest to run (default: a static one, built from this tree, for another architecture by a cross compiler, or the one in PATH where virtlab is installed)'
complete -c twowaytest-virtlab -s A -l append -x -d 'add to the kernel\'s command line'
complete -c twowaytest-virtlab -s M -l memory -x -d 'the guest\'s memory in MiB, 128 to 65536 (default: 512)'
complete -c twowaytest-virtlab -s t -l timeout -x -d 'maximum time of one boot with all its measurements, in seconds, 1 to 86400 (default: 600)'
complete -c twowaytest-virtlab -s s -l settle -x -d 'wait for up to S s of guest time until others use less than 1 % of its CPUs\' time, before each measurement'
complete -c twowaytest-virtlab -s l -l limit -x -d 'what crossed which value, for example send:avg:200'
complete -c twowaytest-virtlab -s S -l series -x -d 'only these, such as 6.1,6.12 (default: all)'
complete -c twowaytest-virtlab -s c -l cycles -x -d 'look at N cycles, 1 to 10000 (default: 20)'
complete -c twowaytest-virtlab -s w -l worst -d 'of these, show the longest one, and how it differs from the average'
complete -c twowaytest-virtlab -s J -l json -r -F -d 'write all functions into this file'
