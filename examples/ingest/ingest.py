"""Ten million integers in Python: ingest.py METHOD FILE prints the seconds, the count and the sum."""

import sys
import time


def with_fastio(path):
    import fastio

    yield
    yield fastio.read_ints(path)


def with_fastio1(path):
    import fastio

    yield
    yield fastio.read_ints(path, threads=1)


def with_int(path):
    yield
    with open(path) as file:
        yield list(map(int, file))


def with_numpy(path):
    import numpy

    yield
    yield numpy.loadtxt(path, dtype=numpy.int64)


def main(method, path):
    reading = globals()[f"with_{method}"](path)
    next(reading)  # its imports are not what is measured
    start = time.perf_counter()
    values = next(reading)
    seconds = time.perf_counter() - start
    total = sum(values if isinstance(values, list) else memoryview(values))
    print(f"{seconds:.6f} {len(values)} {total}")


main(*sys.argv[1:])
