#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""NAME FILE: prints the results in FILE, JSON of an rt-tests program, in the
lines that test-definitions' script of this name prints."""

import json
import sys


def main():
    name, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    for number in range(int(results["num_threads"])):
        thread = results["thread"][str(number)]
        for key in ("min", "avg", "max"):
            if thread[key] is None:     # not one cycle was measured
                continue
            print(f"t{number}-{key}-latency pass {thread[key]} us")
    print(name, "fail" if int(results["return_code"]) else "pass")


if __name__ == "__main__":
    main()
