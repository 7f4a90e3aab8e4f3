"""Every way in and out, over and over: memory, references and descriptors stay."""

from __future__ import annotations

import contextlib
import gc
import gzip
import io
import os
import pickle
import sys
from collections.abc import Callable
from datetime import date, datetime, time, timezone
from pathlib import Path
from typing import Any

import fastio
import pytest
from fastio import _core


class Failing:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def read(self, size: int) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def stop(done: int, total: int | None) -> None:
    raise KeyError("stop")


class Sink:
    """A file object of a writer that may be dropped unclosed."""

    def write(self, data: bytes) -> None:
        if data.startswith(b"!"):
            raise KeyError(data)


class Own:
    def __init__(self, text: str) -> None:
        self.text = text

    def __fastio_print__(self, writer: fastio.Writer) -> None:
        writer.write_int(1 if self.text else None)  # type: ignore[arg-type]

    @classmethod
    def __fastio_scan__(cls, reader: fastio.Reader[str]) -> Own:
        return cls(reader.scan(str)) if reader.peek_token() != "bad" else reader.fail("it is bad")


def memory(*calls: Callable[[fastio.Writer], Any]) -> bytes:
    writer = fastio.Writer()
    for call in calls:
        call(writer)
    return writer.getvalue()


def redirected(*targets: Any) -> None:
    writer = fastio.open(Sink(), "w")
    with contextlib.ExitStack() as stack:
        for target in targets:
            stack.enter_context(writer.redirect(target))
            writer.write("x")
    writer.redirect().__enter__()


GZIPPED = gzip.compress(b"1 2 3\n" * 1000)


def without(name: str, call: Callable[[], Any]) -> None:
    _core._without(name)
    try:
        attempt(call)
    finally:
        _core._without()


def cases(path: str, bad: str) -> dict[str, Callable[[], Any]]:
    good = b"1 2 3\n4 5 6\n"
    read = fastio.read_ints(good)
    lines = fastio.read_lines(good)
    csv = b"i,f,s,b,d,t,u,c\n1,0.5,x,true,2024-01-02,01:02,2024-01-02T03:04Z,k\n,,,,,,,\n3,1.5,yy,false,2024-01-03,01:03,2024-01-02T03:05Z,k\n"
    table = fastio.read_csv(csv, dictionary=["c"])
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
        "table": lambda: fastio.read_csv(csv, dictionary=["c"], null_values={"i": ["x"], "*": [""]}, usecols=["c", 0]),
        "table words": lambda: fastio.read_csv(path, sep=None, header=False, names=["a", "b", "c"], dtype=["int8", None, "string"], dialect={"quote": None}),
        "rows": lambda: ([*table], table[1], table[-1], table[::-2], iter(table), table == table[:], "a" in table),
        "attributes": lambda: (table.names, table.dtypes, table.shape, table.columns, table.report, table.nbytes, table.to_dict(), dict(table)),
        "looks": lambda: (repr(table), table._repr_html_()),
        "values": lambda: [(c.to_list(), c[::-1], c.is_null(), c.dictionary, c.indices, repr(c), c == c[:]) for c in table.columns],
        "table pickle": lambda: [pickle.loads(pickle.dumps((table, table[::2]), p)) for p in (2, 5)],
        "table exports": lambda: (table.__arrow_c_stream__(), table[::-1].__arrow_c_stream__(), table.__arrow_c_schema__(),
                                  [c.__arrow_c_array__() for c in table.columns]),
        "batches": lambda: [b for b in fastio.open_csv(csv, batch_rows=1)],
        "batches abandoned": lambda: (next(fastio.open_csv(path, batch_rows=1)), fastio.open_csv(path).__arrow_c_stream__()),
        "batches by number": lambda: (lambda r: (len(r), r[1], r[-1], r[::2], r.names, r.schema, r.close()))(fastio.open_csv(csv)),
        "ragged": lambda: fastio.read_csv(b"a,b\n1\n2,3\n", on_ragged=lambda fields: [*fields, "0"]).report.places,
        "partition": lambda: [fastio.read_csv(csv, range=r) for r in fastio.partition(csv, 2)],
        "sniff": lambda: fastio.sniff(csv, null_values=["-"]),
        "bar": lambda: fastio.read_csv(csv, progress=True),
        "writers": lambda: [fastio.open(path + ".out", "w", **words).print(1) for words in ({}, {"locked": True}, {"atomic": True}, {"sync": True})],
        "writers of objects": lambda: [fastio.open(Sink(), "w").write("x"), fastio.open(1, "w"), fastio.Writer().write(b"x" * 100_000)],
        "print": lambda: memory(lambda w: w.print(1, 0.5, "x", None, 2**70, Own("x"), sep="\u00fc", end=""), lambda w: w.write("\u00fc")),
        "numbers out": lambda: memory(lambda w: w.write_ints(read, ","), lambda w: w.write_ints([1, None, 2**64 - 1, -1], null="-"), lambda w: w.write_floats(range(9)),
                                      lambda w: w.write_ints(memoryview(good)), lambda w: w.write_floats(read[::-2], format=fastio.fixed(3)),
                                      lambda w: w.write_int(5, fastio.integer(2)), lambda w: w.write_float(1, "hexadecimal")),
        "lines out": lambda: memory(lambda w: w.write_lines(lines[1:]), lambda w: w.write_lines(["a", b"b", "\u00fc"], "\r\n"), lambda w: w.write_lines(lines[::-1])),
        "csv out": lambda: memory(lambda w: w.write_csv(table), lambda w: w.write_csv(table[::-1], header=list("abcdefgh")), lambda w: w.write_csv(table[1:]),
                                  lambda w: w.write_csv({"a": [1, None, "x"], "b": read[:3]}, format={"b": fastio.integer(2)}), lambda w: w.write_csv([(1, 2.5, b"x")], progress=True)),
        "cells out": lambda: memory(lambda w: w.write_csv([[datetime.now(timezone.utc), datetime.now(), date.today(), time(1), 2**70, True, None, object]])),
        "batches out": lambda: memory(lambda w: w.write_csv(fastio.open_csv(csv, batch_rows=1))),
        "formats": lambda: (eval(repr(fastio.scientific(3, locale=fastio.Locale(",", "."), fill="x"))), hash(fastio.fixed(2)), fastio.fixed(1) == fastio.fixed(2),
                            fastio.fixed(2)(1), fastio.concat(1, "x", Own("x")), [pickle.loads(pickle.dumps(fastio.integer(16, width=3), p)) for p in (0, 5)]),
        "redirected": lambda: redirected(None, path + ".out", Sink(), fastio.Writer()),
        "redirected reader": lambda: (lambda r: (r.redirect(path).__enter__().read_int(), r.redirect(good).__enter__().scan(int, str, bytes), r.peek_token()))(fastio.open(good)),
        "own": lambda: fastio.open(b"a b").scan(Own, Own),
        "copy": lambda: (fastio.copy(path, path + ".out"), fastio.copy(io.BytesIO(good), Sink()), fastio.copy(good, fastio.Writer(), 3)),
        "lock": lambda: fastio.Writer(locked=True).lock().__enter__().print(1),
        "gzip": lambda: [read(GZIPPED) for read in (fastio.read_ints, fastio.read_lines, fastio.count_lines, fastio.read_bytes)],
        "gzip piece by piece": lambda: (list(fastio.ints(GZIPPED)), next(fastio.lines(GZIPPED)), fastio.open(GZIPPED).read_int(),
                                        [b for b in fastio.open_csv(GZIPPED, sep=None, header=False, trailing="warn")]),
        "gzip by Python": lambda: without("gzip", lambda: (fastio.read_ints(GZIPPED), next(fastio.ints(io.BytesIO(GZIPPED))), fastio.sniff(GZIPPED))),
        "damaged gzip by Python": lambda: without("gzip", lambda: fastio.read_ints(GZIPPED[:-3])),
        "damaged gzip": lambda: fastio.read_ints(GZIPPED[:-3]),
        "encodings": lambda: (fastio.read_lines("\u00fc\n".encode("utf-16")).to_list(), list(fastio.lines(b"\xfc\n", encoding="l1")), fastio.read_csv(b"a\n\xff\n", errors="skip")),
        "no encoding": lambda: fastio.read_csv(b"a\n", encoding="no-such", compression="gzip"),
        "several": lambda: (fastio.read_ints([path, good, io.BytesIO(good)], shape=(-1, 3)), fastio.read_lines([path, path]), fastio.count_lines([path, good]),
                            fastio.read_csv([csv, csv], file_column="file", progress=lambda done, total: None)),
        "several in batches": lambda: ([b for b in fastio.open_csv([csv, csv], file_column="file", batch_rows=1)], next(fastio.open_csv([csv, csv], max_rows=9))),
        "several that fail": lambda: [attempt(lambda: read([good, bad, b"x"])) for read in (fastio.read_ints, fastio.read_csv, fastio.count_lines)],
        "several others": lambda: [b for b in fastio.open_csv([b"a\n1\n", b"b\n1\n"])],
        "no sources": lambda: [attempt(lambda: fastio.read_ints(wrong)) for wrong in ([], [1], [None], [good, "/no/such/file"])],
        "glob": lambda: (fastio.glob(path[:-1] + "?"), attempt(lambda: fastio.glob("/no/such/*"))),
        "hold": lambda: (lambda s: (list(s), list(s)))(fastio.lines(b"a\nb", partial="hold")),
        "compressed out": lambda: (memory(lambda w: w.print(1), lambda w: None), fastio.write_lines(path + ".gz", ["a"], level=1, encoding="utf-16"), fastio.open(path + ".gz", "w").write("x")),
        "bad words of encoding": lambda: [attempt(lambda: fastio.Writer(path + ".out", **words)) for words in ({"level": "x"}, {"compression": 1}, {"compression": "q"}, {"encoding": "q"}, {"errors": "q"})],
        "copy decoded": lambda: fastio.copy(GZIPPED, fastio.Writer(), source_compression="auto", source_encoding="latin-1"),
        # ---- errors
        "full": lambda: fastio.open("/dev/full", "w").__enter__().write_ints(range(100_000)),
        "full at the end": lambda: fastio.open("/dev/full", "w").__enter__().print(1, flush=True),
        "object fails": lambda: fastio.open(Sink(), "w").print("!", flush=True),
        "redirected fails": lambda: redirected(path + ".out", "/dev/full", 3.5),
        "no destination": lambda: [attempt(lambda: fastio.open(dest, "w")) for dest in (b"x", 1.5, True, "a\0b", "/", 10**6, io.StringIO())],
        "bad words of writers": lambda: [attempt(lambda: fastio.Writer(path + ".out", **words)) for words in ({"buffering": 1}, {"buffer_size": 0}, {"mode": "q"}, {"z": 1})],
        "bad print": lambda: memory(lambda w: w.print(1, sep=1)),
        "own print fails": lambda: memory(lambda w: w.print("x" * 1000, Own(""))),
        "own scan fails": lambda: fastio.open(b"a bad").scan(Own, Own),
        "bad number": lambda: memory(lambda w: w.write_int(2**70)),
        "bad ints": lambda: memory(lambda w: w.write_ints([1, "x"])),
        "bad floats": lambda: memory(lambda w: w.write_floats([2**53 + 1])),
        "bad array": lambda: memory(lambda w: w.write_ints(memoryview(bytes(8)).cast("d"))),
        "bad null": lambda: memory(lambda w: w.write_ints(fastio.read_ints(b"1,", sep=",", null_values=[""]))),
        "bad lines": lambda: memory(lambda w: w.write_lines(["x", 1])),
        "bad formats": lambda: [attempt(lambda: fastio.Format(**words)) for words in ({"notation": "x"}, {"width": -1}, {"locale": 1}, {"precision": 1})],
        "bad locale": lambda: fastio.Locale(grouping=[1, "x"]),
        "bad format": lambda: memory(lambda w: w.write_floats([1.0], format=[fastio.fixed(1), 3])),
        "bad csv": lambda: [attempt(lambda: memory(lambda w: w.write_csv(data, **words))) for data, words in (({"a": [1], "b": []}, {}), ([(1,), (1, 2)], {}), (table, {"quoting": 1}),
                            (table, {"format": {"z": None}}), (table, {"header": ["x"]}), (table, {"sep": 1}), (5, {}), (table, {"progress": stop}))],
        "bad copy": lambda: fastio.copy("/no/such/file", fastio.Writer()),
        "bad cell": lambda: fastio.read_csv(b"a\nx\n", dtype="int8"),
        "bad cell in a batch": lambda: [*fastio.open_csv(b"a\n1\nx\n", batch_rows=1)],
        "bad record": lambda: fastio.read_csv(b"a,b\n1\n"),
        "bad quote": lambda: fastio.read_csv(b"a,b\n1,\"x"),
        "bad header": lambda: fastio.read_csv(b"a,a\n"),
        "bad column": lambda: fastio.read_csv(csv, usecols=["z"]),
        "bad words": lambda: fastio.read_csv(csv, null_values={"a": [1]}),
        "bad dtype": lambda: fastio.read_csv(csv, dtype={"i": "int8", "f": "f8"}),
        "bad dialect": lambda: fastio.read_csv(csv, dialect={"sep": ",", "zz": 1}),
        "bad keyword": lambda: fastio.read_csv(csv, zz=1),
        "bad range of a table": lambda: fastio.read_csv(csv, range=(1, 2, 3)),
        "ragged raises": lambda: fastio.read_csv(b"a,b\n1\n", on_ragged=lambda fields: 1 / 0),
        "ragged answers": lambda: fastio.read_csv(b"a,b\n1\n", on_ragged=lambda fields: ["1", 2]),
        "table object raises": lambda: fastio.open_csv(Failing(KeyError())),
        "table progress raises": lambda: fastio.read_csv(csv, progress=stop),
        "row": lambda: table[100],
        "column": lambda: table["z"],
        "nanoseconds": lambda: fastio.read_csv(b"t\n00:00:00.000000001\n")[0],
        "missing table": lambda: fastio.open_csv("/no/such/file"),
        "sniff nothing": lambda: fastio.sniff(b""),
        "length of what is read once": lambda: len(fastio.open_csv(io.BytesIO(csv))),
        "bad table pickle": lambda: table.__reduce_ex__(5)[0](("a",), (read,), 5, None),
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
        "mode": lambda: fastio.open(good, "q"),
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


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
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
    files, growth, before = len(os.listdir("/proc/self/fd")), list[int](), rounds(50)
    # Caches may fill now and then, also slowly; what leaks leaks every time.
    while len(growth) < 4 or (min(growth) >= 25 and len(growth) < 20):
        after = rounds(50)
        growth.append(after - before)
        before = after
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
    csv = b"a,b,c\n" + b"1,some text,x\n2,,y\n" * 5000

    def use() -> None:
        read = fastio.read_ints(path)
        pickle.loads(pickle.dumps(read[::2]))
        fastio.read_lines(path)[::2].__arrow_c_array__()
        list(fastio.lines(path))
        read.__dlpack__(), read.__arrow_c_stream__()
        memoryview(fastio.load(path))
        table = fastio.read_csv(csv, dictionary=["c"])
        pickle.loads(pickle.dumps(table[::2]))
        table[::2].__arrow_c_stream__(), table["c"].dictionary, table["a"].is_null(), repr(table), len(list(table))
        [batch for batch in fastio.open_csv(csv, batch_rows=3000)]
        next(fastio.open_csv(csv, batch_rows=3000))
        len(fastio.open_csv(csv)), fastio.partition(csv, 3), fastio.sniff(csv)
        memory(lambda w: w.write_ints(read), lambda w: w.write_csv(table), lambda w: w.write_csv(table[::2]), lambda w: w.write_lines(fastio.read_lines(path)[::2]),
               lambda w: w.write_csv(list(table)), lambda w: w.write_floats(list(range(20_000))), lambda w: fastio.copy(path, w))
        attempt(lambda: memory(lambda w: w.write_csv([*table, (1,)])))
        for call in (lambda: fastio.read_ints(broken), lambda: fastio.read_ints(broken, threads=2), lambda: fastio.read_ints(path, progress=stop),
                     lambda: fastio.open(broken).skip(), lambda: fastio.read_floats(path, shape=(7, 7)), lambda: fastio.read_csv(csv + b"1,2"),
                     lambda: fastio.read_csv(csv + b"x,2,3", dtype={"a": "int8"}), lambda: fastio.read_csv(csv, progress=stop)):
            attempt(call)

    for _ in range(20):
        use()
    before = resident()
    for _ in range(100):
        use()
    assert resident() - before < 8 << 20
