"""The generated part: its values and errors, what it holds while it runs, and that it is one with the hand-written part."""

from __future__ import annotations

import array
import gc
import inspect
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import fastio
from fastio import _core, _swig

NAMES = {
    "build_info",
    "cpu_names",
    "cpu_select",
    "cpu_selected",
    "format_date",
    "format_float",
    "format_hex",
    "format_int",
    "format_time",
    "format_timestamp",
    "parse_date",
    "parse_float",
    "parse_int",
    "parse_time",
    "parse_timestamp",
    "version",
    "compression_names",
    "count_utf8",
    "encoding_name",
    "transcode",
    "utf8_valid",
    "validate_utf8",
}
LIMITS = {f"int{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)}
LIMITS |= {f"uint{n}": (0, 2**n - 1) for n in (8, 16, 32, 64)}


def public(module: object) -> set[str]:
    return {name for name in vars(module) if not name.startswith("_")}


def error_of(call: Callable[..., object], *args: Any, **keywords: Any) -> fastio.Error:
    with pytest.raises(fastio.Error) as caught:
        call(*args, **keywords)
    return caught.value


# ---- one module ----------------------------------------------------------------------------------


def test_names_live_in_one_place() -> None:
    assert public(_swig) == NAMES
    assert not public(_swig) & public(_core)
    assert NAMES <= set(dir(fastio))
    assert all(getattr(fastio, name) is getattr(_swig, name) for name in NAMES)


def test_both_are_one_shared_object() -> None:
    assert _swig.__spec__ is not None
    assert _swig.__spec__.origin == _core.__file__


def test_import_does_not_load_the_generated_part() -> None:
    code = "import sys, fastio; assert 'fastio._swig' not in sys.modules; fastio.version; assert 'fastio._swig' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_signatures() -> None:
    assert str(inspect.signature(fastio.parse_int)) == "(data, base=10, dtype=None)"
    assert str(inspect.signature(fastio.format_float)) == "(value, dtype=None)"
    assert all(getattr(fastio, name).__doc__ for name in NAMES)


def test_every_name_leaves_the_gil_off() -> None:
    """In a free-threaded build an extension that is not marked for it switches the GIL on again."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("needs a free-threaded build of Python")
    assert fastio.format_int(fastio.parse_int("12")) == "12"
    assert all(getattr(fastio, name) for name in NAMES)
    assert not getattr(sys, "_is_gil_enabled")()


# ---- integers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", LIMITS)
def test_limits(dtype: str) -> None:
    low, high = LIMITS[dtype]
    for value in (low, low + 1, -1, 0, 1, high - 1, high):
        if low <= value <= high:
            assert fastio.parse_int(str(value), dtype=dtype) == value
    for value in (low - 1, high + 1, 10 * high, -(10**30)):
        error = error_of(fastio.parse_int, str(value), dtype=dtype)
        assert type(error) is fastio.RangeError
        assert (error.offset, error.text) == (0, str(value).encode())


def test_without_a_dtype_int64_or_uint64() -> None:
    for value in (-(2**63), -1, 0, 2**63 - 1, 2**63, 2**64 - 1, 2**53 + 1):
        assert fastio.parse_int(str(value)) == value
        assert fastio.format_int(value) == str(value)
    for value in (-(2**63) - 1, 2**64):
        assert type(error_of(fastio.parse_int, str(value))) is fastio.RangeError
        with pytest.raises(OverflowError):
            fastio.format_int(value)


def test_integers_against_python() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        base = rng.randint(2, 36)
        value = rng.getrandbits(rng.randint(1, 63)) * rng.choice((-1, 1))
        text = fastio.format_int(value, base)
        assert int(text, base) == value
        assert fastio.parse_int(text, base) == value
        assert fastio.parse_int(text.upper().encode(), base=base, dtype="int64") == value


@pytest.mark.parametrize(
    ("text", "offset"),
    [("", 0), ("-", 1), ("12abc", 2), (" 1", 0), ("1 ", 1), ("1_000", 1), ("0x10", 1), ("1\0", 1), ("\u0661", 0), ("1\u00e9", 1)],
)
def test_bad_integers(text: str, offset: int) -> None:
    for data in (text, text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        error = error_of(fastio.parse_int, data)
        assert type(error) is fastio.ParseError
        assert error.offset == offset
        assert error.text == (text.encode() or None)


def test_errors_are_those_of_the_hand_written_part() -> None:
    for text in (b"12abc", b"99999999999999999999999", b"-", b"1" * 100 + b"x"):
        generated = error_of(fastio.parse_int, text, dtype="int64")
        by_hand = error_of(fastio.read_ints, text)
        assert type(generated) is type(by_hand)
        assert generated.text == by_hand.text
        what = "not an integer" if type(generated) is fastio.ParseError else "integer out of range"
        assert what in str(generated) and what in str(by_hand)
        assert generated.path is by_hand.path is None
        assert (generated.record, generated.field) == (by_hand.record, by_hand.field) == (None, None)


def test_bases() -> None:
    assert fastio.parse_int("zz", 36) == 1295
    for base in (-1, 0, 1, 37, 2**40, -(10**30)):
        with pytest.raises(ValueError, match="base"):
            fastio.parse_int("1", base)
        with pytest.raises(ValueError, match="base"):
            fastio.format_int(1, base)


# ---- floats --------------------------------------------------------------------------------------


def test_floats_against_python() -> None:
    rng = random.Random(2)
    for _ in range(2000):
        value = struct.unpack("<d", rng.randbytes(8))[0]
        if math.isfinite(value):
            assert fastio.format_float(value) == repr(value)
            assert fastio.parse_float(repr(value)) == value
    for text in ("inf", "-Infinity", "1e400", "4.9e-324", "1e-400", ".5", "5.", "0.1", "-0"):
        assert fastio.parse_float(text) == float(text)
    assert math.isnan(fastio.parse_float(b"NaN"))
    assert math.copysign(1, fastio.parse_float("-0.0")) == -1


def test_hexadecimal_digits() -> None:
    every = bytes(range(256))
    assert fastio.format_hex(every) == every.hex()
    assert fastio.format_hex(memoryview(every), upper=True) == every.hex().upper()
    assert fastio.format_hex(b"") == "" and fastio.format_hex("ä") == "c3a4"
    assert fastio.format_hex(every * 1000, False) == every.hex() * 1000
    with pytest.raises(TypeError):
        fastio.format_hex(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        fastio.format_hex(array.array("i", [1]))


def test_float32_rounds_once() -> None:
    # Halfway between two floats plus a bit that a double cannot see: by way of a double it would round to even, down.
    text = "1.000000059604644775390625000000000000001"
    assert fastio.parse_float(text, dtype="float32") == 1 + 2**-23
    assert struct.unpack("<f", struct.pack("<f", float(text)))[0] == 1.0
    assert fastio.format_float(fastio.parse_float("0.1", "float32"), "float32") == "0.1"


@pytest.mark.parametrize("text", ["", ".", "1e", "1,5", "0x1p3", "infinit", "nan(1)", "1__0"])
def test_bad_floats(text: str) -> None:
    assert type(error_of(fastio.parse_float, text)) is fastio.ParseError


# ---- arguments -----------------------------------------------------------------------------------


class Index:
    def __init__(self, value: int, action: Callable[[], object] = lambda: None) -> None:
        self.value, self.action = value, action

    def __index__(self) -> int:
        self.action()
        return self.value


def test_arguments() -> None:
    assert fastio.format_int(Index(7)) == "7"
    assert fastio.parse_int("ff", Index(16)) == 255
    assert fastio.parse_int(memoryview(b"x12x")[1:3]) == 12
    wrong: list[Callable[[], object]] = [
        lambda: fastio.parse_int(),  # type: ignore[call-arg]
        lambda: fastio.parse_int(12),  # type: ignore[arg-type]
        lambda: fastio.parse_int(None),  # type: ignore[arg-type]
        lambda: fastio.parse_int("1", 10, None, 4),  # type: ignore[call-arg]
        lambda: fastio.parse_int("1", bas=10),  # type: ignore[call-arg]
        lambda: fastio.parse_int("1", 1.5),  # type: ignore[arg-type]
        lambda: fastio.parse_int("1", dtype=8),
        lambda: fastio.parse_int(array.array("i", [1])),
        lambda: fastio.format_int(1.0),  # type: ignore[arg-type]
        lambda: fastio.format_int("1"),  # type: ignore[arg-type]
        lambda: fastio.format_float("1"),  # type: ignore[arg-type]
        lambda: fastio.cpu_select(1),  # type: ignore[arg-type]
        lambda: fastio.version(1),  # type: ignore[call-arg]
    ]
    for call in wrong:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(BufferError):
        fastio.parse_int(memoryview(b"1234")[::2])
    for dtype in ("i8", "float64", "string", "int65", ""):
        with pytest.raises(ValueError):
            fastio.parse_int("1", dtype=dtype)


def test_numpy_dtypes() -> None:
    numpy = pytest.importorskip("numpy")
    assert fastio.parse_int("255", dtype=numpy.dtype("uint8")) == 255
    assert type(error_of(fastio.parse_int, "256", dtype=numpy.uint8)) is fastio.RangeError
    assert fastio.format_float(numpy.float64(0.1)) == "0.1"
    assert fastio.format_int(numpy.int16(-5)) == "-5"


def test_a_buffer_is_pinned_during_the_call() -> None:
    """The base is converted while the data is held: a bytearray that could be resized then would leave a stray pointer."""
    data = bytearray(b"12")
    with pytest.raises(BufferError):
        fastio.parse_int(data, Index(10, lambda: data.extend(bytes(1 << 20))))
    data.append(ord("3"))  # and released after a failure
    assert fastio.parse_int(data) == 123
    data.append(ord("x"))  # and after success
    assert error_of(fastio.parse_int, data).text == b"123x"
    data.clear()


def test_an_exception_of_an_argument_comes_through() -> None:
    def fail() -> None:
        raise KeyError("mine")

    data = bytearray(b"12")
    with pytest.raises(KeyError, match="mine"):
        fastio.parse_int(data, Index(10, fail))
    data.clear()


# ---- processor and build -------------------------------------------------------------------------


@pytest.fixture
def kernels() -> Iterator[None]:
    yield
    fastio.cpu_select(None)


def test_cpu_select_reaches_the_readers(kernels: None) -> None:
    names = fastio.cpu_names()
    assert names[0] == "scalar" and isinstance(names, tuple)
    text = b"\n".join(str(n * 7919).encode() for n in range(5000))
    expected = fastio.read_ints(text).to_list()
    for name in names:
        fastio.cpu_select(name)
        assert fastio.cpu_selected() == name == _core._cpu_selected()
        assert fastio.read_ints(text).to_list() == expected
    fastio.cpu_select("auto")
    assert fastio.cpu_selected() == _core._cpu_selected() == names[-1]


def test_unknown_kernels(kernels: None) -> None:
    before = fastio.cpu_selected()
    assert type(error_of(fastio.cpu_select, "abacus")) is fastio.Error
    with pytest.raises(ValueError, match="null"):
        fastio.cpu_select("scalar\0x")
    assert fastio.cpu_selected() == before


def test_build() -> None:
    assert fastio.version() == fastio.__version__
    assert fastio.version() in fastio.build_info()
    assert "\n" not in fastio.build_info()


# ---- what is left behind -------------------------------------------------------------------------

CALLS: list[Callable[[], object]] = [
    lambda: fastio.parse_int(b"123456789012"),
    lambda: fastio.parse_int("18446744073709551615"),
    lambda: fastio.parse_int(bytearray(b"x")),
    lambda: fastio.parse_int(b"999999999999999999999"),
    lambda: fastio.parse_int(memoryview(b"1"), dtype="no"),
    lambda: fastio.parse_int(b"1", dtype="float64"),
    lambda: fastio.parse_int(array.array("i", [1])),
    lambda: fastio.parse_int(b"1", 99),
    lambda: fastio.parse_int(b"1", "x"),  # type: ignore[arg-type]
    lambda: fastio.parse_int(),  # type: ignore[call-arg]
    lambda: fastio.parse_float(b"1.25"),
    lambda: fastio.parse_float(b"bad"),
    lambda: fastio.format_int(2**63),
    lambda: fastio.format_int(2**64),
    lambda: fastio.format_int(1, 99),
    lambda: fastio.format_float(0.1),
    lambda: fastio.format_float("x"),  # type: ignore[arg-type]
    fastio.version,
    fastio.build_info,
    fastio.cpu_names,
    lambda: fastio.cpu_select("abacus"),
]


def call_all() -> None:
    for call in CALLS:
        try:
            call()
        except (fastio.Error, TypeError, ValueError, OverflowError):
            pass


def test_nothing_leaks() -> None:
    def blocks() -> int:
        gc.collect()
        return sys.getallocatedblocks()

    for _ in range(50):
        call_all()
    before = blocks()
    for _ in range(500):
        call_all()
    assert blocks() - before < 100  # one block a call would be 500


def test_references_are_balanced() -> None:
    data, base, dtype = b"12345678", Index(10), "int64"
    before = [sys.getrefcount(x) for x in (data, base, dtype, None)]
    for _ in range(1000):
        fastio.parse_int(data, base, dtype)
        fastio.parse_int(data, base, None)
    after = [sys.getrefcount(x) for x in (data, base, dtype, None)]
    assert all(abs(a - b) < 100 for a, b in zip(after, before))


ALL_OF_IT = """%module fastio_all
%{
#include "fastio.h"
%}
%include <stdint.i>
%include "fastio.h"
"""


@pytest.mark.parametrize("language", ["perl5", "tcl8", "java"])
def test_the_whole_header_can_be_wrapped(language: str, tmp_path: Path) -> None:
    """For languages to come: SWIG understands every declaration. (314: a name that is a keyword there, 451: a setter.)"""
    swig = shutil.which("swig", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if swig is None:
        pytest.skip("no SWIG on this machine")
    (tmp_path / "all.i").write_text(ALL_OF_IT)
    header = Path(__file__).resolve().parent.parent.parent / "libfastio/include"
    command = [swig, f"-{language}", "-Werror", "-w314,451", f"-I{header}", "all.i"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_threads() -> None:
    wrong: list[object] = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(2000):
            value = rng.randint(-(2**63), 2**64 - 1)
            if fastio.parse_int(fastio.format_int(value)) != value:
                wrong.append(value)

    threads = [threading.Thread(daemon=True, target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
