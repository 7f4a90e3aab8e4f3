"""Text of any compression and encoding becomes text of another one; tells on standard error how many records there were.

    python recode.py [INPUT [OUTPUT [TO [FROM]]]]        "-", or nothing, is standard input and output

The compression of INPUT is recognised, that of OUTPUT is what its name ends in (.gz, .zst, .xz, .bz2, .lz4). TO is UTF-8
if it is not given, FROM what a byte order mark says, else UTF-8. What is no text in FROM is an error, and then OUTPUT, if
it is a file, stays as it was.
Try it:  printf 'caf\\351\\n' | gzip | ./dev python examples/recode.py - - utf-16be latin-1 | od -c
"""

from __future__ import annotations

import sys

import fastio


def recode(source: str = "-", dest: str = "-", to: str | None = None, encoding: str = "utf-8") -> int:
    records = 0
    lines = fastio.lines(source, encoding=encoding, keepends=True)
    with fastio.open(dest, "w", encoding=to, atomic=dest != "-") as writer:  # leaving it tells whether all was written
        for line in lines:
            records += 1
            writer.write(line)
    return records


def main() -> int:
    try:
        print(recode(*sys.argv[1:5]), "records", file=sys.stderr)
    except BrokenPipeError:
        return 141  # the reader of our output has enough: as if SIGPIPE had ended us
    except (OSError, ValueError, fastio.Error) as error:
        print(f"recode.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
