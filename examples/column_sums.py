"""The sum of every numeric column of a CSV stream, in bounded memory.

    python column_sums.py [INPUT [SEPARATOR]]        "-", or nothing, is standard input

Types come from the first batch; a later number that does not fit its column is an error, and says where.
Try it:  printf 'item,price,count\\nnut,0.25,3\\nbolt,0.5,4\\n' | ./dev python examples/column_sums.py
"""

from __future__ import annotations

import sys

import fastio


def sums(source: str = "-", separator: str = ",") -> tuple[int, dict[str, float]]:
    """How many rows there are, and the sum of each column of numbers (an int if those are)."""
    rows = 0
    totals: dict[str, float] = {}
    with fastio.open_csv(source, sep=separator) as reader:
        for batch in reader:
            rows += len(batch)
            for name, dtype in batch.dtypes.items():
                if dtype in ("int64", "float64"):
                    totals[name] = totals.get(name, 0) + sum(filter(None, batch[name]))
    return rows, totals


def main() -> int:
    try:
        rows, totals = sums(*sys.argv[1:3])
        with fastio.open("-", "w") as writer:  # leaving it tells whether everything was written
            writer.print(rows, "rows")
            for name, total in totals.items():
                writer.print(name, total, sep=": ")
    except BrokenPipeError:
        return 141  # the reader of our output has enough: as if SIGPIPE had ended us
    except (OSError, fastio.Error) as error:
        print(f"column_sums.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
