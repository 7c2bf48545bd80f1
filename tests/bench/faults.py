# SPDX-License-Identifier: GPL-2.0-or-later
"""Page faults of client and server after the warm-up, with -m: none."""

import bench

RUNS = [
    [],
    ["-h", "1000"],
    ["--size=65536"],
    ["--timer=posix", "--wait=select"],
    ["--timer=timerfd", "--wait=epoll", "--clock=tsc"],
    ["-i", "0", "--sleep=0", "--wait=read"],
]


def main():
    cpus = bench.need_realtime()
    verdicts = []
    for options in RUNS:
        result = bench.measure(*bench.realtime(cpus), "-l", 2000, *options)
        for side in ("client", "server"):
            process = result["twoway"]["pairs"][0][side]
            name = " ".join(["page faults,", side, *options])
            verdicts.append(bench.judge(f"{name}:", process["page_faults"],
                                        most=0))
    bench.finish(*verdicts)


if __name__ == "__main__":
    main()
