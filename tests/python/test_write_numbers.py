"""write_ints, write_floats and write_lines: every kind of values."""

from __future__ import annotations

import array
import ctypes
import os
import signal
import subprocess
import sys
import textwrap
from collections import deque
from pathlib import Path
from typing import Any

import fastio
import pytest
from hypothesis import given
from hypothesis import strategies as st

numpy = pytest.importorskip("numpy")


def ints(values: Any, *args: Any, **words: Any) -> str:
    writer = fastio.Writer()
    writer.write_ints(values, *args, **words)
    return writer.getvalue().decode()


def floats(values: Any, *args: Any, **words: Any) -> str:
    writer = fastio.Writer()
    writer.write_floats(values, *args, **words)
    return writer.getvalue().decode()


# ---- buffers

INTS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", INTS)
def test_integer_arrays(dtype: str, order: str) -> None:
    info = numpy.iinfo(dtype)
    values = [int(info.min), int(info.max), 0, 1, int(info.max) // 3]
    made = numpy.array(values, dtype=order + dtype)
    assert ints(made) == " ".join(map(str, values)) + "\n"
    assert ints(made[::-2], ",", "") == ",".join(map(str, values[::-2]))
    exact = [v for v in values if int(float(v)) == v]
    assert floats(numpy.array(exact, dtype=order + dtype)) == " ".join(map(repr, map(float, exact))) + "\n"


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_float_arrays(dtype: str, order: str) -> None:
    values = [0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan"), 65504.0, 2.0**-24, -(2.0**-14), 0.0999755859375]
    made = numpy.array(values, dtype=order + dtype)
    assert floats(made) == " ".join(str(numpy.float32(v)) if dtype != "f8" else repr(v) for v in values) + "\n"
    assert floats(made, format=fastio.fixed(20)) == " ".join(f"{v:.20f}" for v in values) + "\n"


def test_every_half_float() -> None:
    halves = numpy.arange(65536, dtype="u2").view("f2")
    texts = floats(halves, "\n", format=fastio.hexadecimal()).split()
    for half, text in zip(halves, texts):
        value = float.fromhex(text)
        assert value == half or (value != value and half != half)


@pytest.mark.parametrize("mask", [False, [True, False]])
def test_masked_arrays_are_refused(mask: Any) -> None:
    numpy = pytest.importorskip("numpy")
    for name, kind in (("write_ints", "int64"), ("write_floats", "float64")):
        writer = fastio.Writer()
        with pytest.raises(TypeError, match="masked"):
            getattr(writer, name)(numpy.ma.array([1, 2], mask=mask, dtype=kind))
        assert writer.getvalue() == b""


def test_shapes() -> None:
    made = numpy.arange(24).reshape(4, 6)
    rows = [" ".join(map(str, row)) for row in made.tolist()]
    assert ints(made) == "\n".join(rows) + "\n"
    assert ints(made, sep=";", end="|\r\n") == "|\r\n".join(r.replace(" ", ";") for r in rows) + "|\r\n"
    for view in (made.T, made[::-1], made[:, ::-2], made[1:3, 2:5], numpy.asfortranarray(made), made[::2, ::3].T):
        assert ints(view) == "".join(" ".join(map(str, row)) + "\n" for row in view.tolist())
    assert ints(numpy.broadcast_to(numpy.int64(7), (2, 3))) == "7 7 7\n7 7 7\n"
    assert ints(numpy.broadcast_to(numpy.int64(7), 3)) == "7 7 7\n"
    assert ints(numpy.broadcast_to(numpy.arange(3), (2, 3))) == "0 1 2\n0 1 2\n"
    assert floats(numpy.broadcast_to(numpy.arange(3.0)[:, None], (3, 2))) == "0.0 0.0\n1.0 1.0\n2.0 2.0\n"
    assert ints(numpy.array(5)) == "5\n"
    assert ints(numpy.zeros((3, 0), int)) == "\n\n\n" and ints(numpy.zeros((0, 3), int)) == ""
    with pytest.raises(ValueError, match="3 dimensions"):
        ints(made.reshape(2, 2, 6))


def test_big_strides() -> None:
    made = numpy.zeros((300, 300), dtype="i4")
    made[::100, 7] = [1, 2, 3]
    assert ints(made[::100, 7]) == "1 2 3\n"
    fields = numpy.zeros(5, dtype=[("a", "u1"), ("b", "<i4"), ("c", "f8")])
    fields["b"], fields["c"] = range(5), 0.5
    assert ints(fields["b"]) == "0 1 2 3 4\n" and floats(fields["c"][::2]) == "0.5 0.5 0.5\n"


def test_other_buffers() -> None:
    assert ints(array.array("h", [1, -2])) == "1 -2\n"
    assert ints(array.array("L", [2**40])) == f"{2**40}\n"
    assert ints(b"ab") == "97 98\n"
    assert ints(memoryview(bytearray(range(6))).cast("B", (2, 3))) == "0 1 2\n3 4 5\n"
    assert ints((ctypes.c_int16 * 3)(1, 2, 3)) == "1 2 3\n"
    assert floats((ctypes.c_double * 2)(0.5, 2)) == "0.5 2.0\n"
    assert ints(numpy.array([True, False])) == "1 0\n"


def test_columns() -> None:
    column = fastio.read_ints(b"1,NA,3,-4,NA,6,7,8,NA,10", "int16", sep=",", null_values=["NA"])
    assert ints(column, null="-") == "1 - 3 -4 - 6 7 8 - 10\n"
    assert ints(column[1:9:2], ",", null="") == ",-4,6,8\n" and ints(column[::-3], null=b"?") == "10 7 -4 1\n"
    assert floats(column[:2], null="nan") == "1.0 nan\n"
    assert ints(column[2:4]) == "3 -4\n"
    with pytest.raises(ValueError, match="missing"):
        ints(column)
    matrix = fastio.read_floats(b"1 2 3 4 5 6", "float32", shape=(-1, 3))
    assert floats(matrix) == "1.0 2.0 3.0\n4.0 5.0 6.0\n" and floats(matrix[1:]) == "2.0 3.0 4.0 5.0 6.0\n"
    for bad in (fastio.read_csv(b"a\nx\n")["a"], fastio.read_csv(b"a\ntrue\n")["a"], fastio.read_csv(b"a\n2024-01-01\n")["a"], matrix):
        with pytest.raises(TypeError):
            ints(bad)


@pytest.mark.parametrize("bad", [
    numpy.zeros(3), numpy.zeros(3, "f2"), numpy.zeros(3, complex), numpy.zeros(3, "S2"), numpy.zeros(2, "longdouble"), numpy.zeros(2, [("a", "i4")]),
    array.array("d"), array.array("u", "x"),
])
def test_buffers_that_hold_no_integers(bad: Any) -> None:
    with pytest.raises(TypeError, match="can't write"):
        ints(bad)
    with pytest.raises((TypeError, ValueError)):
        ints(numpy.array(["2024-01-01"], "M8[D]"))


def test_integers_that_are_no_floats() -> None:
    assert floats(numpy.array([2**53, -(2**63)])) == "9007199254740992.0 -9.223372036854776e+18\n"
    for made in (numpy.array([1, 2**53 + 1]), numpy.array([0, 2**63 - 1]), numpy.array([1, 2**64 - 1], "u8"), numpy.array([0, 2**53 + 1], ">i8"),
                 fastio.read_ints(b"1 9223372036854775807")):
        with pytest.raises(OverflowError, match="index 1"):
            floats(made)
    with pytest.raises(TypeError):
        floats(numpy.array([True]))


# ---- objects


@given(st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(2**63, 2**64 - 1), st.integers(-300, 300)), max_size=40))
def test_lists_of_ints(values: list[int]) -> None:
    assert ints(values) == " ".join(map(str, values)) + "\n"
    assert ints(iter(values), sep=b"") == "".join(map(str, values)) + "\n"


@given(st.lists(st.one_of(st.floats(), st.integers(-(2**53), 2**53)), max_size=40))
def test_lists_of_floats(values: list[float]) -> None:
    assert floats(values, ",", ";") == ",".join(repr(float(v)) for v in values) + ";"


def test_long_iterables() -> None:
    """Longer than what is converted at once, with changes of kind at and around the seams."""
    for kind in (list, tuple, deque, iter):
        values = [i * 7 - 9000 for i in range(20_000)]
        for at in (4094, 4095, 4096, 4097, 12_000):
            values[at] = 2**64 - 1
        assert ints(kind(values)) == " ".join(map(str, values)) + "\n"
    mixed: list[Any] = [None if i % 5 == 0 else i for i in range(9000)]
    assert ints(mixed, null="-") == " ".join("-" if v is None else str(v) for v in mixed) + "\n"
    assert floats([None] * 4096 + [1.5], null="") == " " * 4096 + "1.5\n"
    assert ints(range(4096)) == " ".join(map(str, range(4096))) + "\n"
    assert ints([]) == "\n" and ints((), end="") == ""
    assert ints({1: "x", 2: "y"}) == "1 2\n"


def test_numpy_scalars_in_lists() -> None:
    assert ints([numpy.int8(1), numpy.uint64(2**64 - 1), 3]) == f"1 {2**64 - 1} 3\n"
    assert floats([numpy.float32(0.1), 0.1, numpy.float64(0.5), numpy.int64(3), numpy.float16(0.5)]) == "0.1 0.1 0.5 3.0 0.5\n"


@pytest.mark.parametrize(("values", "error", "says"), [
    ([1, 2.0], TypeError, "index 1 is of type float"),
    ([1, True], TypeError, "index 1 is of type bool"),
    (["1"], TypeError, "index 0 is of type str"),
    ([None], TypeError, "index 0"),
    ([[1], [2]], TypeError, "index 0 is of type list"),
    ([0] * 5000 + [2**64], OverflowError, "index 5000"),
    ([0, -(2**63) - 1], OverflowError, "index 1"),
    ("123", TypeError, "str"),
    (5, TypeError, "iterable"),
    (None, TypeError, "iterable"),
])
def test_refused_ints(values: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ints(values)


@pytest.mark.parametrize(("values", "error", "says"), [
    ([1.0, "x"], TypeError, "index 1 is of type str"),
    ([1.0, True], TypeError, "index 1 is of type bool"),
    ([1.0, 2**53 + 1], OverflowError, "index 1 is no float exactly: 9007199254740993"),
    ([2**1024], OverflowError, "index 0"),
    ([1j], TypeError, "complex"),
])
def test_refused_floats(values: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        floats(values)


def test_what_iterables_raise_comes_through() -> None:
    def failing() -> Any:
        yield 1
        raise KeyError("mine")

    class Index:
        def __index__(self) -> int:
            raise IndexError("yours")

    for call in (ints, floats):
        with pytest.raises(KeyError, match="mine"):
            call(failing())
        with pytest.raises(IndexError, match="yours"):
            call([Index()])
    growing = [1, 2, 3]

    class Shrinks:
        def __index__(self) -> int:
            growing.clear()
            return 4

    growing.append(Shrinks())  # type: ignore[arg-type]
    assert ints(growing) == "1 2 3 4\n"


# ---- words


def test_formats() -> None:
    made = numpy.arange(6.0).reshape(2, 3) / 4
    assert floats(made, format=fastio.fixed(1)) == "0.0 0.2 0.5\n0.8 1.0 1.2\n"
    assert floats(made, format=[fastio.fixed(1), "shortest", fastio.general(1, width=5)]) == "0.0 0.25   0.5\n0.8 1.0     1\n"
    assert floats(made, format="hexadecimal") == floats(made, format=(fastio.hexadecimal(),))
    assert ints(range(3), format=fastio.integer(2, width=3, fill="0")) == "000 001 010\n"
    assert ints([1, None], format=fastio.integer(width=3), null="-") == "  1 -\n"
    for bad in (3, [3], object()):
        with pytest.raises(TypeError):
            floats(made, format=bad)
    with pytest.raises(ValueError):
        floats(made, format="%d")
    for wrong in ([fastio.fixed(1)] * 2, [None] * 4):
        with pytest.raises(ValueError, match="format"):
            floats(made, format=wrong)
    with pytest.raises(ValueError, match="several formats"):
        floats([1.0], format=[None, None])


def test_words() -> None:
    writer = fastio.Writer()
    writer.write_ints([1, 2], "\u20ac", b"\xff")
    assert writer.getvalue() == "1\u20ac2".encode() + b"\xff"
    for words in ({"sep": 1}, {"end": None}, {"null": 3}, {"threads": "x"}, {"progress": 3}, {"values": [1]}, {"nothing": 1}):
        with pytest.raises(TypeError):
            ints([1], **words)
    with pytest.raises(ValueError, match="threads"):
        ints([1], threads=0)
    for call in (lambda: writer.write_ints(), lambda: writer.write_ints([1], " ", "\n", None)):  # type: ignore[call-arg, misc]
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_write_the_same(tmp_path: Path, threads: int) -> None:
    made = numpy.random.default_rng(threads).normal(size=(30_000, 7))
    made[::1000, 3] = numpy.nan
    expected = "".join(" ".join(map(repr, row)) + "\n" for row in made.tolist())
    fastio.write_floats(tmp_path / "out", made, threads=threads)
    assert (tmp_path / "out").read_text() == expected
    assert floats(made, threads=threads) == expected
    fastio.write_ints(tmp_path / "out", numpy.arange(300_000)[::-1], "\n", threads=threads, mode="a")
    assert (tmp_path / "out").read_text() == expected + "\n".join(map(str, range(299_999, -1, -1))) + "\n"


def test_objects_are_called_on_this_thread() -> None:
    import threading

    class Target:
        def __init__(self) -> None:
            self.threads, self.size = set[int](), 0

        def write(self, data: bytes) -> None:
            self.threads.add(threading.get_ident())
            self.size += len(data)

    target = Target()
    made = numpy.arange(1_000_000)
    with fastio.open(target, "w") as writer:
        writer.write_ints(made, threads=4)
    assert target.threads == {threading.get_ident()} and target.size == len(ints(made))


def test_progress() -> None:
    made, seen = numpy.arange(2_000_000), list[tuple[int, Any]]()
    ints(made, progress=lambda done, total: seen.append((done, total)), threads=2)
    assert seen[-1] == (2_000_000, 2_000_000) and seen == sorted(seen)

    def stop(done: int, total: int | None) -> None:
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        ints(made, progress=stop)


def test_ctrl_c(tmp_path: Path) -> None:
    code = """
        import os, signal, sys, threading, time, numpy, fastio
        made = numpy.broadcast_to(numpy.arange(1000), (3_000_000, 1000))
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            fastio.write_ints("/dev/null", made)
        except KeyboardInterrupt:
            print(time.monotonic() - start < 5)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert run.stdout == "True\n", run.stderr


def test_ctrl_c_ends_a_wait_for_a_pipe() -> None:
    code = """
        import os, signal, threading, fastio
        reading, writing = os.pipe()
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        writer = fastio.open(writing, "w")
        try:
            writer.write(b"x" * 1_000_000)
        except KeyboardInterrupt:
            print("interrupted")
        os.set_blocking(writing, False)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        writer = fastio.open(writing, "w")
        try:
            writer.write(b"x" * 1_000_000)
        except KeyboardInterrupt:
            print("interrupted")
        writer.discard()
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert run.stdout == "interrupted\ninterrupted\n", run.stderr


def test_a_pipe_that_would_block_is_waited_for() -> None:
    """Its reader is a thread of this very process: it needs the GIL."""
    import threading

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    parts: list[bytes] = []

    def read() -> None:
        while part := os.read(reading, 1 << 16):
            parts.append(part)

    thread = threading.Thread(daemon=True, target=read)
    thread.start()
    with fastio.open(writing, "w") as writer:
        writer.write(b"abc" * 1_000_000)
        writer.write_ints(numpy.arange(500_000), threads=3)
    os.close(writing)
    thread.join(30)
    os.close(reading)
    assert b"".join(parts) == b"abc" * 1_000_000 + ints(range(500_000)).encode()


def test_signals_of_a_handler_without_an_exception() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        reading, writing = os.pipe()
        import threading

        sizes: list[int] = []

        def read() -> None:
            while part := os.read(reading, 1 << 16):
                sizes.append(len(part))

        thread = threading.Thread(daemon=True, target=read)
        thread.start()
        with fastio.open(writing, "w") as writer:
            for _ in range(50):
                writer.write(b"x" * 300_000)
        os.close(writing)
        thread.join(30)
        os.close(reading)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert sum(sizes) == 50 * 300_000 and seen


# ---- lines


def lines(values: Any, *args: Any, **words: Any) -> bytes:
    writer = fastio.Writer()
    writer.write_lines(values, *args, **words)
    return writer.getvalue()


def test_lines() -> None:
    assert lines(["a", "\u00fc\u20ac", b"\xff", bytearray(b"b"), "", memoryview(b"c")]) == b"a\n\xc3\xbc\xe2\x82\xac\n\xff\nb\n\nc\n"
    assert lines([]) == b"" and lines(iter(["x"]), end="\r\n") == b"x\r\n" and lines({"k": 1}, "") == b"k" and lines(["x"], b"\0") == b"x\0"
    many = [f"line {i}" for i in range(50_000)]
    assert lines(many) == "".join(f"{line}\n" for line in many).encode()
    assert lines((line for line in many), ";") == "".join(f"{line};" for line in many).encode()
    long = ["x" * 1_000_000, "y", "z" * 3_000_000]
    assert lines(long) == "".join(f"{line}\n" for line in long).encode()
    with open(__file__, encoding="utf-8") as file:
        assert lines(file, "") == Path(__file__).read_bytes()


def test_lines_that_were_read() -> None:
    read = fastio.read_lines(b"a\nb\xc3\xbc\n\nlast")
    assert lines(read) == b"a\nb\xc3\xbc\n\nlast\n"
    assert lines(read[1:3]) == b"b\xc3\xbc\n\n" and lines(read[::-1]) == b"last\n\nb\xc3\xbc\na\n" and lines(read[4:]) == b""
    assert lines(fastio.read_lines(b"a\xff\n", encoding=None)) == b"a\xff\n"
    column = fastio.read_csv(b"a,b\nx,\n,\ny,1\n")["a"]
    assert column.null_count == 1 and lines(column) == b"x\n\ny\n" and lines(column[1:]) == b"\ny\n"


@pytest.mark.parametrize(("values", "says"), [("one line", "single str"), (b"one", "single bytes"), ([1], "index 0 is of type int"),
                                              (["a", None], "index 1 is of type NoneType"), (5, "iterable"), (fastio.read_ints(b"1 2"), "single")])
def test_refused_lines(values: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        lines(values)


def test_refused_words_of_lines() -> None:
    for words in ({"end": 1}, {"sep": ""}, {"end": None}):
        with pytest.raises(TypeError):
            lines(["x"], **words)
    with pytest.raises(UnicodeEncodeError):
        lines(["\ud800"])

    def failing() -> Any:
        yield "a"
        raise KeyError("mine")

    with pytest.raises(KeyError):
        lines(failing())


# ---- functions


def test_functions(tmp_path: Path) -> None:
    path = tmp_path / "out"
    fastio.write_ints(path, [1, 2], ",")
    fastio.write_floats(path, [0.5], mode="a", format=fastio.fixed(2))
    fastio.write_lines(path, ["x"], mode="a")
    assert path.read_bytes() == b"1,2\n0.50\nx\n"
    with pytest.raises(TypeError):
        fastio.write_ints(path, [1, "x"], atomic=True)
    assert path.read_bytes() == b"1,2\n0.50\nx\n"
    writer = fastio.Writer()
    fastio.write_ints(writer, [1])
    fastio.write_lines(writer, ["x"])
    assert writer.getvalue() == b"1\nx\n" and not writer.closed
    with pytest.raises(ValueError, match="not for a Writer"):
        fastio.write_ints(writer, [1], mode="a")
    with pytest.raises(TypeError, match="destination"):
        fastio.write_ints(None, [1])  # type: ignore[arg-type]


def test_copy(tmp_path: Path) -> None:
    path, copied = tmp_path / "in", tmp_path / "out"
    data = os.urandom(3_000_000)
    path.write_bytes(data)
    assert fastio.copy(path, copied) == len(data) and copied.read_bytes() == data
    assert fastio.copy(path, copied, 1000, atomic=True) == 1000 and copied.read_bytes() == data[:1000]
    assert fastio.copy(b"more", copied, mode="a") == 4 and copied.read_bytes() == data[:1000] + b"more"
    import io

    target = io.BytesIO()
    assert fastio.copy(io.BytesIO(data), target) == len(data) and target.getvalue() == data
    writer = fastio.Writer()
    writer.write("head ")
    assert fastio.copy(path, writer, length=7) == 7 and fastio.copy(fastio.load(path), writer) == len(data)
    assert writer.getvalue() == b"head " + data[:7] + data
    with open(path, "rb") as file, fastio.open(copied, "w") as writer:
        writer.write("first ")
        os.lseek(file.fileno(), 100, os.SEEK_SET)
        assert fastio.copy(file.fileno(), writer) == len(data) - 100
        writer.write(" last")
    assert copied.read_bytes() == b"first " + data[100:] + b" last"
    reading, writing = os.pipe()
    os.write(writing, b"piped")
    os.close(writing)
    assert fastio.copy(reading, copied) == 5 and copied.read_bytes() == b"piped"
    os.close(reading)
    assert fastio.copy(b"", copied) == 0 and copied.read_bytes() == b""
    with pytest.raises(FileNotFoundError) as caught:
        fastio.copy(tmp_path / "no", copied)
    assert caught.value.filename == str(tmp_path / "no")
    with pytest.raises(OSError) as full:
        fastio.copy(path, "/dev/full")
    assert full.value.filename == "/dev/full"
