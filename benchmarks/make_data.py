"""Makes the input files of the benchmarks, the same bytes on every machine.

usage: make_data.py [--data DIR] [NAME...]    (without names: all of them)
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import struct
import subprocess
import zlib
from collections.abc import Callable
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


def bgzf(data: bytes) -> bytes:
    """Gzip in members of at most 64 KiB, each of which tells how long it is; an empty one at the end."""

    def member(part: bytes) -> bytes:
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = deflate.compress(part) + deflate.flush()
        head = struct.pack("<4BI2BH2BHH", 31, 139, 8, 4, 0, 0, 255, 6, 66, 67, 2, len(body) + 25)
        return head + body + struct.pack("<II", zlib.crc32(part), len(part))

    step = 0xFF00
    return b"".join(member(data[i : i + step]) for i in range(0, len(data), step)) + member(b"")


def zstd_frames(data: bytes) -> bytes:
    """Frames of a mebibyte each, by the zstd program."""
    step = 1 << 20
    parts = (data[i : i + step] for i in range(0, len(data), step))
    run = subprocess.run
    return b"".join(run(["zstd", "-3", "-c"], input=p, capture_output=True, check=True).stdout for p in parts)


def utf16(data: bytes) -> bytes:
    return data.decode().encode("utf-16")


def utf16le(data: bytes) -> bytes:
    return data.decode().encode("utf-16-le")


# name: (the file that it is made from, how, the end of its name)
DERIVED: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "ints_gz": ("ints", lambda data: gzip.compress(data, 6, mtime=0), ".gz"),
    "ints_bgzf": ("ints", bgzf, ".gz"),
    "ints_zst": ("ints", zstd_frames, ".zst"),
    "csv_stream_gz": ("csv_numeric", lambda data: gzip.compress(data, 6, mtime=0), ".gz"),
    "csv_mixed_utf16": ("csv_mixed", utf16, ""),
}
# name: the ranges of characters that it is made of, each with its weight. 256 KiB of UTF-8, in lines.
TEXTS = {
    "text_ascii": [(32, 126, 1)],
    "text_latin": [(97, 122, 80), (0xE0, 0xFF, 20)],
    "text_cjk": [(0x4E00, 0x9FFF, 1)],
    "text_emoji": [(0x1F300, 0x1F5FF, 1)],
}
DERIVED |= {f"{name}_utf16": (name, utf16le, "") for name in TEXTS}
DERIVED["text_400m"] = ("text_latin", lambda data: data * (400_000_000 // len(data)), "")


def characters(name: str) -> bytes:
    """Lines of about sixty characters, drawn with a fixed seed."""
    choose = random.Random(name).choices
    ranges = TEXTS[name]
    pool = [chr(c) for first, last, _ in ranges for c in range(first, last + 1)]
    weights = [w / (last - first + 1) for first, last, w in ranges for _ in range(first, last + 1)]
    lines, size = [], 0
    while size < 256 << 10:
        lines.append("".join(choose(pool, weights, k=60)) + "\n")
        size += len(lines[-1].encode())
    return "".join(lines).encode()


# What a --quick run takes in place of a file.
SMALLER = {
    "csv_numeric_1g": "csv_numeric",
    "csv_mixed_1g": "csv_mixed",
    "csv_stream": "csv_stream_small",
    "crlf_1g": "crlf",
}
NAMES = [*GENERATED, *REPEATED, *TEXTS, *DERIVED]


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
    path = data / f"{name}.txt{DERIVED[name][2] if name in DERIVED else ''}"
    if path.exists():
        return path
    data.mkdir(parents=True, exist_ok=True)
    unfinished = data / f"{name}.part"
    with open(unfinished, "wb") as out:
        if name in GENERATED:
            kind, count = GENERATED[name]
            command = [str(generator(data.parent / "bench")), kind, str(count)]
            subprocess.run(command, stdout=out, check=True)
        elif name in TEXTS:
            out.write(characters(name))
        elif name in DERIVED:
            base, change, _ = DERIVED[name]
            out.write(change(make(base, data).read_bytes()))
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
