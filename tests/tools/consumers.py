# SPDX-License-Identifier: GPL-2.0-or-later
"""How others read cyclictest's output, each in our own words.

A parser raises ValueError, KeyError or the like at what its original could
not read; tests feed each with cyclictest's own output too.
"""

import json
import re
import shlex

# The words that each calls cyclictest with, but shorter runs. OpenShift has
# --smi, too, which counts interrupts that only some CPUs count.
COMMANDS = {
    "linaro": (
        "-q -p 98 -i 1000 -t 1 -a 0 -D 1s -m --json=json",
        "-q -p 98 -i 1000 -t 1 -a 0 -D 1s -h 100 -m --json=json"),
    "rteval": ("-i1000 -qmu '-h 3500' -p95 -t1 -a0",
               "-i1000 -qmu '-h 3500' -p95 -t1 -a0 --default-system"),
    "osadl": ("-l1000 -m -Sp90 -i200 -h400 -q",),
    "seapath": ("-l1000 -m -Sp90 -i200 -h400 -q",),
    "openshift": (
        "-D 1s -p 95 -t 1 -a 0 -h 30 -i 1000 --quiet",
        "--duration 1s --priority 95 --threads 1 --affinity 0 "
        "--histogram 30 --interval 1000 --mlockall --mainaffinity 0 --quiet"),
    "crucible": (
        "--policy fifo --interval 1000 --histofall 100 --histfile histogram "
        "--duration 1 --quiet --affinity 0 --threads 1 --mlockall "
        "--json json --mainaffinity 0",
        "--policy fifo -i 1000 -H 1000 --histfile histogram -D 1 -q -a 0 -t"),
    "canonical": (
        "--mlockall --smp --priority=80 --interval=200 --distance=0 --quiet "
        "--loops=10",
        "--mlockall --smp --priority=80 --interval=200 --loops=1000"),
    "phoronix": ("-q -p 99 -i 1000 -l 200",),
}


def words_of(command, cpu):
    """A command's words, for that CPU in place of 0."""
    return [re.sub(r"^(-a|)0$", rf"\g<1>{cpu}", word)
            for word in shlex.split(command)]


def linaro(text):
    """LAVA, KernelCI: JSON -> verdict, {"t0-min": us, ...}."""
    results = json.loads(text)
    if not isinstance(results["return_code"], int):
        raise ValueError("return_code")
    measured = {}
    for number in range(int(results["num_threads"])):
        thread = results["thread"][str(number)]
        for key in ("min", "avg", "max"):
            measured[f"t{number}-{key}"] = float(thread[key])
    return results["return_code"] == 0, measured


def rteval(text):
    """rteval: histogram -> list of {us: count} a column, list of maxima."""
    columns, maxima = [], []
    for line in text.splitlines():
        if line.startswith("# Max Latencies: "):
            maxima = [int(word) for word in line.split(":")[1].split()]
        if line.startswith("#") or not line.strip():
            continue
        index, *counts = (int(word) for word in line.split())
        while len(columns) < len(counts):
            columns.append({})
        for column, count in zip(columns, counts):
            if count:
                column[index] = count
    if not maxima:
        raise ValueError("no maxima")
    return columns, maxima


def osadl(text):
    """OSADL's plot script: -> rows of words, the largest maximum.

    The maximum by cutting the line that grep finds at spaces, the rows by
    one space behind the index and tabs behind every other.
    """
    found = [line for line in text.splitlines() if "Max Latencies" in line]
    largest = max(int(word) for word in found[0].split(" ")[3:])
    rows = []
    for line in text.splitlines():
        if not line or "#" in line:
            continue
        index, rest = line.split(" ")
        rows.append([int(index), *map(int, rest.split("\t"))])
    return rows, largest


def seapath(text):
    """SEAPATH's latency graphs: -> how many columns there are, by the tabs of
    the seventh line; a later version counts the threads."""
    row = text.splitlines()[6]
    if not re.match(r"\d+ \d", row):
        raise ValueError(f"no row of a histogram: {row}")
    threads = [line for line in text.splitlines() if "# Thread " in line]
    if len(threads) != row.count("\t") + 1:
        raise ValueError("threads")
    return len(threads)


def openshift(text):
    """OpenShift's latency tests: -> the maxima of the first match."""
    match = re.search(r"# Max Latencies:[\t ]*(.*)", text)
    if not match:
        raise ValueError("no maxima")
    return [int(word) for word in match[1].split()]


def crucible(text):
    """Crucible's bench-cyclictest: -> the last maximum, which -H makes
    that of all columns."""
    for line in text.splitlines():
        if line.startswith("# Max Latencies:"):
            return int(line.split()[-1])
    raise ValueError("no maxima")


CANONICAL = (
    r"T:\s*\d+\s*\(\s*\d+\s*\)\s*P:{}\s*I:{}\s*C:\s*\d+\s*"
    r"Min:\s*\d+\s*Act:\s*\d+\s*Avg:\s*\d+\s*Max:\s*\d+")


def canonical(text, priority=r"\s*\d+", interval=r"\s*\d+"):
    """Canonical's snap tests: -> how many status lines there are.

    They write the priority and the interval that they have asked for.
    """
    count = len(re.findall(CANONICAL.format(priority, interval), text))
    if not count:
        raise ValueError("no status line")
    return count


PHORONIX = ("T: 0 (18772) P:99 I:1000 C: 100000 Min:      1 Act:    3 "
            "Avg:    3 Max: RESULT")


def columns_of(line):
    """Its words; what pads the numbers up to Min is no word. A number that
    fills its field is one, too: on a busy machine, averages are that long."""
    head, found, tail = line.partition(" Min:")
    head = re.sub(r"([(:]) +", r"\1", head)
    tail = re.sub("(Act|Avg|Max):", r"\1: ", tail)
    return f"{head} {found} {tail}".split()


def phoronix(text):
    """Phoronix: a sample line says which word of the real one to take."""
    sample = columns_of(PHORONIX)
    at = sample.index("RESULT")
    for line in text.splitlines():
        found = columns_of(line)
        if found[:1] == sample[:1]:
            return int(found[at])
    raise ValueError("no result")
