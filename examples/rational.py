"""A type of one's own that prints and scans itself: adds up the fractions of standard input.

Try it:  echo '1/2 1/3 -1/6' | ./dev python examples/rational.py
"""

from __future__ import annotations

import re
import sys
from fractions import Fraction

import fastio

FRACTION = re.compile(r"[+-]?\d+(/[+-]?\d+)?", re.ASCII)


class Rational(Fraction):
    def __add__(self, other: Fraction) -> Rational:
        return Rational(super().__add__(other))

    def __fastio_print__(self, writer: fastio.Writer) -> None:
        """What print, format and concat call."""
        writer.write_int(self.numerator)
        if self.denominator != 1:
            writer.write("/")
            writer.write_int(self.denominator)

    @classmethod
    def __fastio_scan__(cls, reader: fastio.Reader[str]) -> Rational:
        """What reader.scan(Rational) calls. It reads one token, which stays if it is none; the failure tells it."""
        token = reader.peek_token()
        if not FRACTION.fullmatch(token):
            reader.fail("not a fraction")
        numerator, _, denominator = token.partition("/")
        if int(denominator or 1) == 0:
            reader.fail("the denominator is 0")
        reader.skip()
        return cls(int(numerator), int(denominator or 1))


def add_all() -> tuple[int, Rational]:
    count, total = 0, Rational(0)
    with fastio.open("-") as reader:
        while True:
            try:
                total += reader.scan(Rational)
            except EOFError:
                return count, total
            count += 1


def main() -> int:
    try:
        count, total = add_all()
        with fastio.open("-", "w") as writer:  # leaving it tells whether everything was written
            decimals = fastio.format(float(total), fastio.fixed(6))
            writer.print(count, "fractions, sum", total, "=", decimals)
    except BrokenPipeError:
        return 141  # the reader of our output has enough: as if SIGPIPE had ended us
    except (OSError, fastio.Error) as error:
        print(f"rational.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
