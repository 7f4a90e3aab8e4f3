"""Writes libfastio/src/number/powers.c, the table of 128-bit powers of ten, or checks it.

    python tools/make_powers.py            print the table
    python tools/make_powers.py --write    write the file
    python tools/make_powers.py --check    fail unless the file is what this script makes

The table is data, not code, and the C library builds without Python: so it is committed.
"""

from __future__ import annotations

import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "libfastio/src/number/powers.c"

# Reading needs 10^-342 (below it even 19 digits round to zero) to 10^308 (above it one digit is
# infinite); writing the shortest digits needs 10^-292 to 10^324.
FIRST, LAST = -342, 324
ROUNDED_UP_FIRST = -27

HEAD = """\
/* Powers of ten with 128 significant bits. Written and checked by tools/make_powers.py: change that, not this. */
#include "powers.h"

/* clang-format off */
const fastio__wide fastio__powers[FASTIO__POWER_LAST - FASTIO__POWER_FIRST + 1] = {
"""


def power(exponent: int) -> int:
    """The 128 leading bits of 10^exponent, rounded as powers.h says."""
    # 10^q and 5^q differ by a power of two only.
    five = 5 ** abs(exponent)
    if exponent >= 0:
        return (five << 128) >> five.bit_length()
    bits = five.bit_length() + 127
    quotient = (1 << bits) // five
    return quotient + (exponent >= ROUNDED_UP_FIRST)


def table() -> str:
    rows = []
    for exponent in range(FIRST, LAST + 1):
        value = power(exponent)
        assert value.bit_length() == 128
        high, low = value >> 64, value & (2**64 - 1)
        # format_float.c rounds the rows that are rounded down up by adding one to `low`.
        assert low != 2**64 - 1
        rows.append(f"  {{UINT64_C(0x{high:016x}), UINT64_C(0x{low:016x})}}, /* 1e{exponent} */\n")
    return HEAD + "".join(rows) + "};\n"


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        if TARGET.read_text(encoding="ascii") == table():
            return 0
        print(f"{TARGET.name} is not what {Path(__file__).name} makes", file=sys.stderr)
        return 1
    if arguments == ["--write"]:
        TARGET.write_text(table(), encoding="ascii")
        return 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    sys.stdout.write(table())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
