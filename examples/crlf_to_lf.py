"""Lines that end in "\\r\\n" become lines that end in "\\n"; tells on standard error how many records there were.

    python crlf_to_lf.py [INPUT [OUTPUT]]        "-", or nothing, is standard input and output

A "\\r" anywhere else is text and stays.
Try it:  printf 'one\\r\\ntwo\\r\\n' | ./dev python examples/crlf_to_lf.py | od -c
"""

from __future__ import annotations

import sys

import fastio


def convert(source: str = "-", dest: str = "-") -> int:
    records = 0
    with fastio.open(dest, "w") as writer:  # leaving it tells whether everything was written
        for line in fastio.lines(source, encoding=None, keepends=True):
            records += 1
            writer.write(line[:-2] + b"\n" if line.endswith(b"\r\n") else line)
    return records


def main() -> int:
    try:
        print(convert(*sys.argv[1:3]), "records", file=sys.stderr)
    except BrokenPipeError:
        return 141  # the reader of our output has enough: as if SIGPIPE had ended us
    except (OSError, fastio.Error) as error:
        print(f"crlf_to_lf.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
