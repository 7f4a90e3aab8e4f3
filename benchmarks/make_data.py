"""Makes the input files of the benchmarks, the same bytes on every machine.

usage: make_data.py [--data DIR] [NAME...]    (without names: all of them)
"""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
DEFAULT_DATA = ROOT / "build" / "bench-data"
GIGABYTE = 1_000_000_000

# name: (kind, how many records). What is compared with read() needs a file that does not fit the
# processor's cache.
GENERATED = {
    "ints": ("sequential", 10_000_000),
    "ints_1g": ("sequential", 112_345_679),  # the first count whose text has 1 GB
    "random_ints": ("random_ints", 10_000_000),
    "floats6": ("floats6", 5_000_000),
    "floats17": ("floats17", 5_000_000),
    "short_lines": ("short_lines", 10_000_000),
    "long_lines": ("long_lines", 2_000_000),
    "log": ("log", 1_823_000),  # 200 MB
    "bytes_64k": ("bytes", 256),
    "bytes_114m": ("bytes", 445_313),
    "csv_numeric": ("csv_numeric", 1_100_000),  # 101 MB
    "csv_numeric_1g": ("csv_numeric", 10_900_000),
    "csv_mixed": ("csv_mixed", 1_500_000),  # 99 MB
    "csv_mixed_1g": ("csv_mixed", 15_200_000),
    "csv_wide": ("csv_wide", 1_100_000),  # 202 MB
    "csv_stream": ("csv_numeric", 1_100_000),  # repeated a hundred times by the worker
    "csv_stream_small": ("csv_numeric", 110_000),
    "words": ("words", 1_000_000),  # 71 MB
    "points": ("points", 2_000_000),  # 50 MB
    "records8": ("records8", 10_000_000),
    "crlf": ("crlf", 1_230_000),  # 100 MB
}
# name: (the file whose copies it is made of, bytes that it has at least)
REPEATED = {
    "random_ints_1g": ("random_ints", GIGABYTE),
    "floats6_1g": ("floats6", GIGABYTE),
    "floats17_1g": ("floats17", GIGABYTE),
    "log_1g": ("log", GIGABYTE),
    "crlf_1g": ("crlf", GIGABYTE),
    "bytes_2g": ("bytes_114m", 2 * GIGABYTE),
}
# What a --quick run takes in place of a file.
SMALLER = {
    "csv_numeric_1g": "csv_numeric",
    "csv_mixed_1g": "csv_mixed",
    "csv_stream": "csv_stream_small",
    "crlf_1g": "crlf",
}
NAMES = [*GENERATED, *REPEATED]


def generator(build: Path) -> Path:
    """The compiled generator, built anew when its source is newer."""
    source, program = HERE / "make_data.c", build / "make_data"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        build.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [os.environ.get("CC", "cc"), "-O2", "-o", str(program), str(source)], check=True
        )
    return program


def make(name: str, data: Path = DEFAULT_DATA) -> Path:
    """The path of the named file, made first if it is missing."""
    path = data / f"{name}.txt"
    if path.exists():
        return path
    data.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    with open(unfinished, "wb") as out:
        if name in GENERATED:
            kind, count = GENERATED[name]
            command = [str(generator(data.parent / "bench")), kind, str(count)]
            subprocess.run(command, stdout=out, check=True)
        else:
            base, size = REPEATED[name]
            block = make(base, data).read_bytes()
            while out.tell() < size:
                out.write(block)
    unfinished.rename(path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    for name in arguments.names or NAMES:
        path = make(name, arguments.data)
        print(f"{path.stat().st_size:>13,}  {path}")


if __name__ == "__main__":
    main()
