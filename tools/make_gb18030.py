"""Writes libfastio/src/text/gb18030_table.c: the tables of GB18030, as Python's own codec has them.

Two bytes: 126 rows of 190 cells, the character of each (0: none). Four bytes of the Basic Multilingual Plane: runs of
characters whose linear numbers run with them; beyond the plane a formula does.
"""

from __future__ import annotations

from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "libfastio/src/text/gb18030_table.c"
HEAD = """/* The tables of GB18030. Made by tools/make_gb18030.py; do not edit. */
#include "gb18030.h"

/* clang-format off */
"""


def pairs() -> list[int]:
    cells = []
    for lead in range(0x81, 0xFF):
        for trail in [*range(0x40, 0x7F), *range(0x80, 0xFF)]:
            try:
                text = bytes([lead, trail]).decode("gb18030")
            except UnicodeDecodeError:
                text = "\0"
            if len(text) != 1 or ord(text) > 0xFFFF:
                raise ValueError(f"{lead:02x}{trail:02x} is no character of the plane")
            cells.append(ord(text))
    return cells


def linear(four: bytes) -> int:
    a, b, c, d = four
    return (((a - 0x81) * 10 + b - 0x30) * 126 + c - 0x81) * 10 + d - 0x30


def runs() -> list[tuple[int, int, int]]:
    """First character, first number, length."""
    found: list[list[int]] = []
    for code in range(0x80, 0x10000):
        if 0xD800 <= code < 0xE000:
            continue
        four = chr(code).encode("gb18030")
        if len(four) != 4:
            continue
        number = linear(four)
        if found and found[-1][0] + found[-1][2] == code and found[-1][1] + found[-1][2] == number:
            found[-1][2] += 1
        else:
            found.append([code, number, 1])
    return [(code, number, length) for code, number, length in found]


def lines(items: list[str], each: int) -> str:
    return "".join("  " + ", ".join(items[at : at + each]) + ",\n" for at in range(0, len(items), each))


def main() -> None:
    cells, four = pairs(), runs()
    text = HEAD
    text += "const uint16_t fastio__gb18030_pairs[FASTIO__GB18030_PAIRS] = {\n"
    text += lines([f"0x{cell:04X}" for cell in cells], 14) + "};\n\n"
    text += "const fastio__gb18030_run fastio__gb18030_runs[] = {\n"
    text += lines([f"{{0x{code:04X}, {number}, {length}}}" for code, number, length in four], 5) + "};\n"
    text += f"const size_t fastio__gb18030_run_count = {len(four)};\n"
    TARGET.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
