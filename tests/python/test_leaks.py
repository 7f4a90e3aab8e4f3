"""Every way in and out, over and over: memory, references and descriptors stay."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastio
import pytest


class Failing:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def read(self, size: int) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def stop(done: int, total: int | None) -> None:
    raise KeyError("stop")


def cases(path: str, bad: str) -> dict[str, Callable[[], Any]]:
    good = b"1 2 3\n4 5 6\n"
    read = fastio.read_ints(good)
    lines = fastio.read_lines(good)
    return {
        "ints": lambda: fastio.read_ints(path),
        "floats": lambda: fastio.read_floats(path, "float32", shape=(-1, 3)),
        "lines": lambda: fastio.read_lines(path).to_list(),
        "bytes": lambda: bytes(fastio.read_bytes(path)),
        "count": lambda: fastio.count_lines(path, progress=lambda done, total: None),
        "nulls": lambda: fastio.read_ints(b"1,,", sep=",", null_values=["", b"NA"])[1:].to_list(),
        "iterate": lambda: [list(fastio.lines(path)), list(fastio.ints(path)), list(fastio.floats(path))],
        "replace": lambda: list(fastio.lines(b"a\xff\n", errors="replace")),
        "abandoned": lambda: (next(fastio.lines(path)), next(fastio.ints(path)), iter(read)),
        "reader": lambda: [fastio.open(good).read_int(), list(fastio.open(good).tokens()), fastio.open(path).lines()],
        "map": lambda: (lambda m: (m[:], m[3], m.find(b"5"), fastio.read_ints(m), memoryview(m)))(fastio.load(path)),
        "objects": lambda: (fastio.read_ints(io.BytesIO(good)), fastio.read_lines(Failing(b""))),
        "slices": lambda: (read[1:], read[::-2].to_list(), memoryview(read[::2]), lines[::2].to_list(), lines[1:], read == read[:]),
        "pickle": lambda: [pickle.loads(pickle.dumps((read, lines, read[::2]), p)) for p in (2, 5)],
        "exports": lambda: (read.__dlpack__(), read.__dlpack__(max_version=(1, 0)), read.__arrow_c_array__(),
                            lines[::-1].__arrow_c_array__(), lines.__arrow_c_stream__(), read.__arrow_c_schema__()),
        "methods": lambda: (read.index(3), read.count(3), repr(read), repr(lines), lines.index("4 5 6"), 3 in read),
        # ---- errors
        "bad token": lambda: fastio.read_ints(bad),
        "bad token, threads": lambda: fastio.read_ints(bad, threads=2, block_size=2),
        "bad range": lambda: fastio.read_ints(b"300", "uint8"),
        "bad field": lambda: fastio.read_floats(b"1,,2", sep=","),
        "bad shape": lambda: fastio.read_ints(good, shape=(-1, 4)),
        "bad utf8": lambda: fastio.read_lines(b"a\n\xff"),
        "bad utf8 iterated": lambda: list(fastio.lines(b"a\n\xff")),
        "bad ints iterated": lambda: list(fastio.ints(bad)),
        "bad floats iterated": lambda: list(fastio.floats(bad)),
        "bad reader": lambda: fastio.open(bad).read_float(),
        "mismatch": lambda: fastio.open(bad).expect("y"),
        "end": lambda: fastio.open(b"").read_line(),
        "missing": lambda: fastio.read_ints("/no/such/file"),
        "missing iterated": lambda: fastio.lines("/no/such/file"),
        "missing reader": lambda: fastio.open("/no/such/file"),
        "missing map": lambda: fastio.load("/no/such/file"),
        "directory": lambda: fastio.read_ints("/"),
        "null path": lambda: fastio.read_ints("a\0b"),
        "closed fd": lambda: fastio.read_ints(10**6),
        "no source": lambda: fastio.read_ints(object()),
        "wide items": lambda: fastio.read_ints(memoryview(good).cast("i")),
        "text mode": lambda: fastio.read_ints(io.StringIO("1")),
        "object raises": lambda: fastio.read_ints(Failing(KeyError())),
        "object gives too much": lambda: list(fastio.ints(Failing(bytes(1 << 21)))),
        "object gives text": lambda: fastio.open(Failing("x")).read_int(),
        "progress raises": lambda: fastio.read_ints(path, progress=stop),
        "keyword": lambda: fastio.read_ints(good, nothing=1),
        "keyword twice": lambda: fastio.read_ints(good, source=good),
        "dtype": lambda: fastio.read_ints(good, dtype="i8"),
        "dtype object": lambda: fastio.read_ints(good, dtype=3.5),
        "null_values": lambda: fastio.read_ints(good, null_values=["a", 1]),
        "sep": lambda: fastio.read_ints(good, sep="5"),
        "encoding": lambda: fastio.lines(good, encoding="latin-1"),
        "errors": lambda: fastio.lines(good, errors="nothing of that name"),
        "mode": lambda: fastio.open(good, "w"),
        "index": lambda: read[100],
        "key": lambda: lines["a"],
        "not in it": lambda: read.index("x"),
        "nulls in a buffer": lambda: memoryview(fastio.read_ints(b"1,", sep=",", null_values=[""])),
        "dlpack elsewhere": lambda: read.__dlpack__(dl_device=(2, 0)),
        "closed map": lambda: (lambda m: (m.close(), m[0]))(fastio.load(path)),
        "used map": lambda: (lambda m: (memoryview(m), m.close()))(fastio.load(path)),
        "advice": lambda: fastio.load(path, advice="x"),
        "bad pickle": lambda: pickle.loads(pickle.dumps(read, 2).replace(b"int64", b"int32").replace(b"K\x06", b"K\x40")),
    }


CASES = list(cases("", ""))


def attempt(call: Callable[[], Any]) -> None:
    with contextlib.suppress(Exception):
        call()


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", CASES)
def test_nothing_stays(tmp_path: Path, name: str, request: pytest.FixtureRequest) -> None:
    path, bad = tmp_path / "good", tmp_path / "bad"
    path.write_bytes(b"1 2 3\n4 5 6\n")
    bad.write_bytes(b"1 2 x\n")
    call = cases(str(path), str(bad))[name]
    debug = hasattr(sys, "gettotalrefcount")

    def rounds(count: int) -> int:
        for _ in range(count):
            attempt(call)
        gc.collect()
        return sys.gettotalrefcount() if debug else sys.getallocatedblocks()  # type: ignore[attr-defined]

    gc.collect()
    gc.freeze()  # what others have loaded need not be looked at each time
    request.addfinalizer(gc.unfreeze)
    rounds(20)
    files, totals = len(os.listdir("/proc/self/fd")), [rounds(50) for _ in range(5)]
    # Caches may fill now and then; what leaks leaks every time.
    growth = [after - before for before, after in zip(totals, totals[1:])]
    assert min(growth) < 25, f"more references or blocks after each 50 rounds: {growth}"
    assert len(os.listdir("/proc/self/fd")) == files


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer keeps freed memory")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_memory_of_the_c_library_stays(tmp_path: Path) -> None:
    """What is outside of Python's own count: 200 kB of column each time would show."""
    path = tmp_path / "numbers"
    path.write_bytes(b"123 456\n" * 12_500)
    broken = tmp_path / "broken"
    broken.write_bytes(b"123 456\n" * 12_500 + b"x")

    def use() -> None:
        read = fastio.read_ints(path)
        pickle.loads(pickle.dumps(read[::2]))
        fastio.read_lines(path)[::2].__arrow_c_array__()
        list(fastio.lines(path))
        read.__dlpack__(), read.__arrow_c_stream__()
        memoryview(fastio.load(path))
        for call in (lambda: fastio.read_ints(broken), lambda: fastio.read_ints(broken, threads=2), lambda: fastio.read_ints(path, progress=stop),
                     lambda: fastio.open(broken).skip(), lambda: fastio.read_floats(path, shape=(7, 7))):
            attempt(call)

    for _ in range(20):
        use()
    before = resident()
    for _ in range(100):
        use()
    assert resident() - before < 8 << 20
