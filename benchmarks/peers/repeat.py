"""Writes a table many times to standard output: its header once, then its records again and
again. What reads it at the other end of a pipe sees a file that is so many times as long.

usage: repeat.py FILE TIMES
"""

import os
import sys


def main() -> None:
    if hasattr(os, "sched_setaffinity"):  # the reader may be pinned to one core; this is not it
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with open(sys.argv[1], "rb") as file:
        header, records = file.readline(), file.read()
    with os.fdopen(1, "wb", buffering=0) as raw:
        raw.write(header)
        for _ in range(int(sys.argv[2])):
            rest = memoryview(records)
            while rest:
                rest = rest[raw.write(rest) :]


if __name__ == "__main__":
    main()
