"""CsvReader: batches, rows by number, closing, threads, Arrow streams."""

from __future__ import annotations

import gc
import io
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import fastio
import pytest

ROWS = [(i, f"name {i}", i / 4) for i in range(10_000)]
DATA = b"a,b,c\n" + b"".join(b"%d,%s,%r\n" % (a, b.encode() if a % 3 else b'"' + b.encode() + b'"', c) for a, b, c in ROWS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_bytes(DATA)
    return path


@pytest.mark.parametrize("words", [{"batch_rows": 1000}, {"batch_rows": 999}, {"batch_bytes": 20_000}, {"batch_rows": 300, "batch_bytes": 5000}, {}])
@pytest.mark.parametrize("threads", [1, 2])
def test_batches(path: Path, words: dict[str, Any], threads: int) -> None:
    for source in (path, DATA, io.BytesIO(DATA), memoryview(DATA)):
        with fastio.open_csv(source, threads=threads, block_size=4096, **words) as reader:
            batches = [batch for batch in reader]
            assert [row for batch in batches for row in batch] == ROWS
            assert all(type(batch) is fastio.Table and batch.dtypes == reader.dtypes for batch in batches)
            assert next(reader, None) is None
        if "batch_rows" in words:
            assert {len(batch) for batch in batches[:-1]} <= set(range(1, words["batch_rows"] + 1))
        assert len(batches) > 1 or not words


def test_rows_of_one_batch_each() -> None:
    reader = fastio.open_csv(b"a,b\n1,x\n2,y\n", batch_rows=1)
    assert iter(reader) is reader and [list(batch) for batch in reader] == [[(1, "x")], [(2, "y")]]


def test_names_and_types_before_during_and_after() -> None:
    reader = fastio.open_csv(DATA, batch_rows=4000)
    assert reader.names == ["a", "b", "c"] and reader.dtypes == {"a": "int64", "b": "string", "c": "float64"}
    assert reader.schema.shape == (0, 3) and reader.schema.dtypes == reader.dtypes
    assert [len(batch) for batch in reader] == [4000, 4000, 2000]
    assert reader.names == ["a", "b", "c"] and reader.schema is reader.schema


def test_a_source_without_records() -> None:
    for data, names in ((b"a,b\n", ["a", "b"]), (b"", [])):
        reader = fastio.open_csv(data)
        assert reader.names == names
        assert [batch.shape for batch in reader] == [(0, len(names))] and len(reader) == 0
        assert list(reader[:]) == []


def test_types_are_those_of_the_first_batch() -> None:
    reader = fastio.open_csv(b"a\n1\n2\nx\n", batch_rows=2)
    assert list(next(reader)) == [(1,), (2,)]
    with pytest.raises(fastio.ParseError, match='dtype={"a": "string"}') as caught:
        next(reader)
    assert caught.value.record == 3 and caught.value.field == "a" and caught.value.lineno == 4
    assert [list(b) for b in fastio.open_csv(b"a\n1\n2\nx\n", batch_rows=2, dtype={"a": "string"})] == [[("1",), ("2",)], [("x",)]]
    assert [list(b) for b in fastio.open_csv(b"a\n1\nx\n3\n", batch_rows=1, on_bad="null")] == [[(1,)], [(None,)], [(3,)]]


def test_reports_are_of_their_batches() -> None:
    reader = fastio.open_csv(b"a,b\n1\n2,3\n\n4\n5\n", batch_rows=2, on_ragged="pad")
    reports = [batch.report for batch in reader]
    assert [report.padded for report in reports] == [1, 2] and [report.blank_lines for report in reports] == [0, 1]
    assert [place.record for report in reports for place in report.places] == [1, 3, 4]


def test_a_callable_decides_about_ragged_rows_of_every_batch() -> None:
    class Mender:
        def __call__(self, fields: list[str]) -> list[str]:
            return [*fields, "0"][:2]

    mender = Mender()
    reference = weakref.ref(mender)
    reader = fastio.open_csv(b"a,b\n1\n2,3\n4,5,6\n7\n", batch_rows=1, on_ragged=mender)
    del mender
    gc.collect()
    assert [list(batch) for batch in reader] == [[(1, 0)], [(2, 3)], [(4, 5)], [(7, 0)]]
    reader.close()
    gc.collect()
    assert reference() is None


# ---- rows by number


def test_rows_by_number(path: Path) -> None:
    for source in (path, DATA):
        with fastio.open_csv(source, batch_rows=700, block_size=1000) as reader:
            first = next(reader)
            assert len(reader) == len(ROWS) and bool(reader)
            for i in (0, 1, 699, 700, 5000, 9999, -1, -10_000):
                assert reader[i] == ROWS[i]
            for key in (slice(5), slice(3000, 3010), slice(-3, None), slice(None, None, 2500), slice(9000, 100, -1001), slice(5, 5), slice(20_000, None)):
                part = reader[key]
                assert type(part) is fastio.Table and list(part) == ROWS[key] and part.names == reader.names
            assert [*first, *(row for batch in reader for row in batch)] == ROWS
            for i in (10_000, -10_001, 2**70):
                with pytest.raises(IndexError):
                    reader[i]
            for key in ("a", 1.5, None):
                with pytest.raises(TypeError):
                    reader[key]  # type: ignore[call-overload]
            with pytest.raises(ValueError):
                reader[::0]


def test_list_counts_first(path: Path) -> None:
    assert len(list(fastio.open_csv(path, batch_rows=1000))) == 10
    assert len([*fastio.open_csv(io.BytesIO(DATA), batch_rows=1000)]) == 10


def test_what_can_be_read_once_has_no_length() -> None:
    reader = fastio.open_csv(io.BytesIO(DATA), batch_rows=1000)
    for use in (lambda: len(reader), lambda: reader[0], lambda: reader[:5]):
        with pytest.raises(TypeError, match="read again"):
            use()
    assert bool(reader) and [row for batch in reader for row in batch] == ROWS


def test_pipes() -> None:
    read_end, write_end = os.pipe()

    def feed() -> None:
        with open(write_end, "wb") as file:
            for start in range(0, len(DATA), 1000):
                file.write(DATA[start : start + 1000])

    thread = threading.Thread(daemon=True, target=feed)
    thread.start()
    with fastio.open_csv(read_end, batch_rows=3000) as reader:
        assert reader.path == f"<fd {read_end}>"
        assert [row for batch in reader for row in batch] == ROWS
    thread.join()
    os.close(read_end)


def test_range_and_max_rows(path: Path) -> None:
    ranges = fastio.partition(path, 5)
    read = [row for part in ranges for batch in fastio.open_csv(path, range=part, batch_rows=100) for row in batch]
    assert read == ROWS
    assert sum(len(batch) for batch in fastio.open_csv(path, max_rows=2500, batch_rows=1000)) == 2500
    assert len(fastio.open_csv(path, range=ranges[1])) == len(fastio.read_csv(path, range=ranges[1]))


# ---- closing


def test_closing(path: Path) -> None:
    reader = fastio.open_csv(path, batch_rows=10)
    assert not reader.closed and repr(reader) == f"<fastio.CsvReader {str(path)!r}>" and reader.path == str(path)
    batch = next(reader)
    reader.close()
    reader.close()
    assert reader.closed and repr(reader) == f"<fastio.CsvReader {str(path)!r} closed>" and reader.path == str(path)
    assert list(batch) == ROWS[:10]
    for use in (lambda: next(reader), lambda: len(reader), lambda: reader[0], reader.__enter__, lambda: reader.names):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert repr(fastio.open_csv(b"a\n")) == "<fastio.CsvReader>" and fastio.open_csv(b"a\n").path is None
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(reader)
    with pytest.raises(TypeError):
        fastio.CsvReader()


def test_the_file_is_closed(path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with fastio.open_csv(path) as reader:
        assert len(os.listdir("/proc/self/fd")) == before + 1
        raised = False
        try:
            with reader:
                raise KeyError
        except KeyError:
            raised = True
        assert raised and reader.closed
    assert len(os.listdir("/proc/self/fd")) == before


def test_an_unclosed_reader_is_worth_a_warning(path: Path) -> None:
    with pytest.warns(ResourceWarning, match="unclosed reader <fastio.CsvReader"):
        reader = fastio.open_csv(path)
        del reader
        gc.collect()
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in fastio.open_csv(path):  # read to its end
            assert len(batch) == len(ROWS)
        fastio.open_csv(DATA)  # no file
        with fastio.open_csv(path) as reader:
            pass
        with pytest.raises(ValueError):
            fastio.open_csv(path, usecols=["zz"])
        del reader, batch
        gc.collect()


def test_cycles_are_collected(path: Path) -> None:
    class Holder:
        reader: Any

        def __call__(self, *anything: Any) -> None:
            return None

    for word in ("progress", "on_ragged"):
        holder = Holder()
        holder.reader = fastio.open_csv(DATA, batch_rows=5, **{word: holder})
        next(holder.reader)
        reference = weakref.ref(holder)
        del holder
        gc.collect()
        assert reference() is None


def test_words() -> None:
    for wrong, error in [({"batch_rows": 0}, ValueError), ({"batch_bytes": 0}, ValueError), ({"batch_rows": -1}, ValueError),
                         ({"batch_rows": 1.5}, TypeError), ({"batch_bytes": True}, TypeError), ({"batches": 1}, TypeError)]:
        with pytest.raises(error, match="batch"):
            fastio.open_csv(DATA, **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="batch_rows"):
        fastio.read_csv(DATA, batch_rows=5)  # type: ignore[call-arg]


def test_progress() -> None:
    for threads in (1, 2):
        seen: list[tuple[int, int | None]] = []
        words: dict[str, Any] = {"batch_rows": 1000, "block_size": 1000, "threads": threads, "dtype": "string"}
        with fastio.open_csv(DATA, progress=lambda done, total: seen.append((done, total)), **words) as reader:
            for _ in reader:
                pass
            read = len(seen)
            assert len({done for done, _ in seen}) > 10 and {total for _, total in seen} == {len(DATA)}
            assert seen == sorted(seen) and seen[-1][0] == len(DATA)  # type: ignore[type-var]
            assert len(reader) == 10_000 and len(seen) > read

    def stop(done: int, total: int | None) -> None:
        raise KeyError("stop")

    with pytest.raises(KeyError):
        next(fastio.open_csv(DATA, progress=stop))


# ---- objects that fail


def test_what_an_object_raises_comes_through() -> None:
    class Broken:
        def __init__(self) -> None:
            self.chunks = [DATA[:20_000]]

        def read(self, size: int) -> bytes:
            if self.chunks:
                return self.chunks.pop()
            raise KeyError("mine")

    for function in (fastio.read_csv, lambda source: [batch for batch in fastio.open_csv(source, batch_rows=10)], fastio.sniff):
        with pytest.raises(KeyError, match="mine"):
            function(Broken())


# ---- threads


class Gate:
    """A file object whose last read waits until it is told to go on."""

    def __init__(self) -> None:
        self.inside, self.go = threading.Event(), threading.Event()
        self.left = 3

    def read(self, size: int) -> bytes:
        self.left -= 1
        if self.left == 2:
            return b"a\n" + b"1\n" * (min(size, 1 << 16) // 2 - 1)
        if self.left == 0:
            self.inside.set()
            assert self.go.wait(10)
        return b"2\n" if self.left == 1 else b""


def test_a_reader_in_use_is_refused() -> None:
    gate = Gate()
    reader = fastio.open_csv(gate, dtype="int64")
    rows: list[Any] = []
    thread = threading.Thread(daemon=True, target=lambda: rows.extend(next(reader)))
    thread.start()
    assert gate.inside.wait(10)
    try:
        for use in (lambda: next(reader), lambda: len(reader), reader.close, lambda: reader.schema, lambda: reader[0], reader.__enter__):
            with pytest.raises(ValueError, match="in use by another thread"):
                use()
    finally:
        gate.go.set()
        thread.join()
    assert rows[0] == (1,) and rows[-1] == (2,)
    reader.close()


def test_a_reader_in_use_is_refused_from_its_own_callbacks() -> None:
    outcomes: list[str] = []

    def intrude(fields: list[str]) -> None:
        for use in (lambda: next(reader), reader.close, lambda: len(reader), lambda: reader[0]):
            with pytest.raises(ValueError, match="in use"):
                use()
        outcomes.append("refused")

    reader = fastio.open_csv(b"a,b\n1\n2,3\n", on_ragged=intrude, dtype="int64")
    assert [list(batch) for batch in reader] == [[(2, 3)]]
    assert outcomes


def test_reading_lets_other_threads_run() -> None:
    data = b"a,b\n" + b"123456,1.5\n" * 2_000_000
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    thread = threading.Thread(daemon=True, target=tick)
    thread.start()
    before = ticks
    fastio.read_csv(data, threads=1)
    during = ticks - before
    done.set()
    thread.join()
    assert during >= 2


def test_tables_are_shared_freely() -> None:
    table = fastio.read_csv(DATA)
    sums: list[float] = []
    threads = [threading.Thread(daemon=True, target=lambda: sums.append(sum(row[0] for row in table[::2]) + len(table.report) + len(repr(table)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(sums)) == 1 and len(sums) == 4


def test_threads_and_blocks_do_not_change_the_result() -> None:
    data = DATA.replace(b'"name', b'"na\nme, ""x"" ')
    one = fastio.read_csv(data, threads=1)
    for threads in (1, 2, 3, 7):
        for block_size in (1, 17, 1000, 65536):
            if block_size > 1 or threads == 2:
                other = fastio.read_csv(data, threads=threads, block_size=block_size)
                assert other == one and other.report == one.report and other.dtypes == one.dtypes


INTERRUPTED = """
import fastio, os, signal, sys, threading, time
read_end, write_end = os.pipe()
os.write(write_end, b"a,b\\n1,2\\n")
class Slow:
    def read(self, size):
        time.sleep(0.01)
        return b"1,2\\n"
calls = {
    "pipe": lambda: fastio.read_csv(read_end),
    "batches": lambda: [batch for batch in fastio.open_csv(read_end)],
    "object": lambda: fastio.read_csv(Slow()),
    "file": lambda: fastio.read_csv(sys.argv[2], block_size=1, dtype="int64", threads=int(sys.argv[3])),
}
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), signal.SIGINT))).start()
start = time.monotonic()
try:
    calls[sys.argv[1]]()
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 5)
"""


@pytest.mark.parametrize("what", ["pipe", "batches", "object", "file 1", "file 2"])
def test_ctrl_c_interrupts(tmp_path: Path, what: str) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"a,b\n" + b"12,34\n" * (3_000_000 if "file" in what else 1))
    run = subprocess.run([sys.executable, "-c", INTERRUPTED, *[what.split()[0], str(path), what.split()[-1]]], capture_output=True, text=True, timeout=60)
    assert run.stdout == "interrupted True\n", run.stderr


@pytest.mark.skipif(sys.version_info < (3, 13), reason="_interpreters is in 3.13 and later")
def test_subinterpreters_with_their_own_gil() -> None:
    code = """
    import threading, _interpreters, textwrap
    script = '''
    import fastio, gc, pickle
    for _ in range(10):
        table = fastio.read_csv(b"a,d,t\\\\n1,2024-01-02,x\\\\n,2024-01-02,y\\\\n", dictionary=["t"])
        assert str(table[0][1]) == "2024-01-02" and table[1] == (None, table[0][1], "y")
        assert pickle.loads(pickle.dumps(table)) == table and repr(table)
        assert [len(b) for b in fastio.open_csv(b"a\\\\n1\\\\n2\\\\n", batch_rows=1)] == [1, 1]
        try:
            fastio.open_csv(b"a\\\\n").__arrow_c_stream__()
        except RuntimeError:
            pass
        else:
            raise SystemExit(1)
    gc.collect()
    '''
    def work():
        interpreter = _interpreters.create("isolated")
        error = _interpreters.exec(interpreter, textwrap.dedent(script))
        assert error is None, error
        _interpreters.destroy(interpreter)
    threads = [threading.Thread(daemon=True, target=work) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print("ok")
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert run.stdout == "ok\n", run.stderr


def test_objects_alive_at_exit() -> None:
    code = """
    import fastio, sys
    table = fastio.read_csv(b"a,d\\n1,2024-01-01\\n")
    keep = [table, iter(table), table[0], table["d"], fastio.open_csv(b"a\\n1\\n"), table.__arrow_c_stream__(), table.report,
            fastio.open_csv(b"a\\n1\\n").__arrow_c_stream__(), fastio.Dialect(sep=",")]
    keep.append(keep)
    sys.keep = keep
    """
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


# ---- Arrow


def test_arrow_stream(path: Path) -> None:
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    whole = pa.table(fastio.read_csv(DATA))
    for source in (path, DATA, io.BytesIO(DATA)):
        reader = fastio.open_csv(source, batch_rows=3000)
        stream = pa.RecordBatchReader.from_stream(reader)
        assert stream.schema == whole.schema == pa.schema(reader)
        assert [batch.num_rows for batch in stream] == [3000, 3000, 3000, 1000]
        if isinstance(source, io.BytesIO):
            source.seek(0)
        assert pa.table(fastio.open_csv(source, batch_rows=3000)).equals(whole)
    reader = fastio.open_csv(path, batch_rows=3000)
    next(reader)
    assert pa.table(reader).num_rows == 7000
    assert pl.from_arrow(pa.table(fastio.open_csv(path))).rows() == ROWS
    assert pl.DataFrame(fastio.open_csv(path, batch_rows=3000)).rows() == ROWS


def test_arrow_stream_of_other_threads(path: Path) -> None:
    duckdb, pa = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    connection = duckdb.connect()
    connection.register("batches", pa.RecordBatchReader.from_stream(fastio.open_csv(path, batch_rows=500)))
    assert connection.execute("select count(*), sum(a), max(b) from batches").fetchall() == [(10_000, 49_995_000, "name 9999")]


def test_arrow_stream_errors() -> None:
    pa = pytest.importorskip("pyarrow")
    for data, words, message in [
        (b"a\n1\nx\n", {"batch_rows": 1}, 'ParseError: not an integer in column "a", record 2'),
        (b"a,a\n", {"header": False, "on_ragged": lambda fields: 1 / 0, "names": ["x"]}, "ZeroDivisionError"),
    ]:
        reader = fastio.open_csv(data, **words)
        with pytest.raises(Exception, match=message):
            pa.table(reader)
    closed = fastio.open_csv(b"a\n1\n")
    capsule = closed.__arrow_c_stream__()
    closed.close()
    with pytest.raises(Exception, match="closed"):
        pa.table(type("Stream", (), {"__arrow_c_stream__": lambda self, requested_schema=None: capsule})())


def test_an_arrow_stream_keeps_its_reader() -> None:
    pa = pytest.importorskip("pyarrow")
    reader = fastio.open_csv(DATA, batch_rows=1000)
    reference = weakref.ref(reader)
    stream = pa.RecordBatchReader.from_stream(reader)
    del reader
    gc.collect()
    assert reference() is not None and stream.read_all().num_rows == 10_000
    del stream
    gc.collect()
    assert reference() is None
    capsule = fastio.open_csv(DATA).__arrow_c_stream__()
    del capsule
    gc.collect()
