"""Copies standard input to standard output record by record (a record is a line), and tells on standard error how many
there were.

Try it:  seq 1000000 1000009 | ./dev python examples/echo.py
"""

from __future__ import annotations

import sys

import fastio


def echo() -> int:
    records = 0
    with fastio.open("-", "w") as writer:  # leaving it tells whether everything was written
        for line in fastio.lines("-", encoding=None, keepends=True):
            records += 1
            writer.write(line)
    return records


def main() -> int:
    try:
        print(echo(), "records", file=sys.stderr)
    except BrokenPipeError:
        return 141  # the reader of our output has enough: as if SIGPIPE had ended us
    except (OSError, fastio.Error) as error:
        print(f"echo.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
