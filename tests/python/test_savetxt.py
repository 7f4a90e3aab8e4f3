"""savetxt against numpy.savetxt: the same bytes, the same refusals."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
from pathlib import Path
from typing import Any

import fastio
import pytest

numpy = pytest.importorskip("numpy")
RANDOM = numpy.random.default_rng(5)


def outcome(function: Any, array: Any, make: Any = io.BytesIO, **words: Any) -> Any:
    file = make()
    try:
        function(file, array, **words)
    except Exception as error:
        return type(error), str(error)
    return file.getvalue()


def compare(array: Any, **words: Any) -> None:
    for make in (io.BytesIO, io.StringIO):
        expected, got = outcome(numpy.savetxt, array, make, **words), outcome(fastio.savetxt, array, make, **words)
        assert got == expected, (words, str(array)[:80])


ARRAYS = {
    "float64": RANDOM.normal(size=(5, 3)) * 1000,
    "magnitudes": 10.0 ** RANDOM.integers(-300, 300, size=(5, 2)),
    "float32": RANDOM.normal(size=(4, 2)).astype("f4"),
    "float16": RANDOM.normal(size=(4, 2)).astype("f2"),
    "longdouble": RANDOM.normal(size=(2, 2)).astype("g"),
    "big-endian": RANDOM.normal(size=(3, 2)).astype(">f8"),
    "int64": RANDOM.integers(-(2**63), 2**63 - 1, size=(4, 2)),
    "uint64": RANDOM.integers(0, 2**64 - 1, size=(4, 2), dtype="u8"),
    "int8": RANDOM.integers(-128, 127, size=(4, 2)).astype("i1"),
    "bool": RANDOM.integers(0, 2, size=(3, 2)).astype(bool),
    "special": numpy.array([[numpy.nan, numpy.inf], [-numpy.inf, -0.0], [0.0, -1.5], [2.5, 1e16], [1e-5, 123456789.0], [2.0**63, -(2.0**70)]]),
    "one dimension": numpy.arange(5.0),
    "integers in one": numpy.arange(5),
    "no rows": numpy.zeros((0, 3)),
    "no columns": numpy.zeros((3, 0)),
    "complex": RANDOM.normal(size=(3, 2)) + 1j * RANDOM.normal(size=(3, 2)),
    "fields": numpy.array([(1, 2.5), (-3, -0.5), (0, -0.0)], dtype=[("a", "i4"), ("b", "f8")]),
    "fields with text": numpy.array([(1, 2.5, "ab"), (3, -4.5, "c")], dtype=[("a", "i4"), ("b", "f8"), ("c", "U3")]),
    "text": numpy.array(["a", "bc"]),
    "objects": numpy.array([[1, 2.5], ["a", None]], dtype=object),
    "strided": RANDOM.normal(size=(6, 6))[::2, ::-2],
    "Fortran": numpy.asfortranarray(RANDOM.normal(size=(4, 3))),
}


@pytest.mark.parametrize("letter", "diuoxXeEfFgGsrac")
@pytest.mark.parametrize("name", list(ARRAYS))
def test_every_format_of_a_column(name: str, letter: str) -> None:
    """Flags, widths and precisions of one conversion: a thousand pairs for each array and letter in all."""
    for flags in ("", "-", "+", " ", "0", "#", "-0", "+0", "# "):
        for width in ("", "12"):
            for precision in ("", ".", ".3", ".20"):
                array, fmt = ARRAYS[name], f"%{flags}{width}{precision}{letter}"
                assert outcome(fastio.savetxt, array, fmt=fmt) == outcome(numpy.savetxt, array, fmt=fmt), fmt


WORDS: list[dict[str, Any]] = [
    {}, {"fmt": "%d %.3f %e"}, {"fmt": ["%d", "%.3f", "%e"]}, {"fmt": ("%d", "%08.3f", "%-9g"), "delimiter": ","}, {"fmt": "x%d, %.3f;%e end"},
    {"fmt": "%d %d"}, {"fmt": "%.3f", "delimiter": ", ", "newline": "\r\n"}, {"header": "a\nb", "footer": "c\nd"}, {"header": "\u00e9", "comments": "%"},
    {"header": "\u20ac"}, {"header": "\u20ac", "encoding": "utf-8"}, {"fmt": "%d%%"}, {"fmt": "%%"}, {"fmt": ["%d%%", "%f", "%g"]}, {"fmt": 3},
    {"fmt": ["%d"]}, {"fmt": b"%.2f"}, {"fmt": "%q"}, {"fmt": "%*d"}, {"fmt": "%(a)d"}, {"fmt": "% "}, {"fmt": "%ld"}, {"fmt": "%5"}, {"fmt": "abc"},
    {"delimiter": ""}, {"fmt": "%d", "delimiter": "1"}, {"fmt": "%d", "delimiter": "\u00e9"}, {"newline": ""}, {"fmt": "%.400f"}, {"fmt": "%300.2f"},
    {"comments": "", "header": "x"}, {"fmt": "%s"}, {"fmt": "%x %5.1f"}, {"fmt": "%8d %5.1f"}, {"fmt": "%d %g", "delimiter": "\t"},
]
DATA: list[Any] = [*ARRAYS.values(), [[1, 2], [3, 4]], [1.5], [["a", "b"]], (numpy.arange(4), numpy.arange(4.0)), numpy.array(3.0), numpy.zeros((2, 2, 2)),
                   numpy.array([(2**60, 1.5), (1, 2)], dtype=[("a", "i8"), ("b", "f4")]), numpy.array([[2.0**70, -0.5]])]


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_words(words: dict[str, Any]) -> None:
    for array in DATA:
        compare(array, **words)


@pytest.mark.parametrize("suffix", [".txt", ".txt.gz", ".txt.bz2", ".txt.xz"])
@pytest.mark.parametrize("encoding", [None, "latin1", "utf-8", "utf-16", "utf-8-sig", "ascii"])
def test_files(tmp_path: Path, suffix: str, encoding: str | None) -> None:
    """NumPy writes no byte order mark into what bz2 and lzma compress: the text is compared."""
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    opener = openers.get(os.path.splitext(suffix)[1], open)
    results = []
    for function in (numpy.savetxt, fastio.savetxt):
        path = tmp_path / f"out{suffix}"
        try:
            function(path, ARRAYS["float64"], header="h\u00e9", encoding=encoding)
            results.append(opener(path, "rb").read().decode(encoding or "utf-8"))
        except UnicodeError as error:
            results.append(type(error))
    assert results[0] == results[1]
    if encoding == "utf-16":
        assert opener(path, "rb").read()[:2] == codecs.BOM_UTF16


def test_destinations(tmp_path: Path) -> None:
    array, expected = ARRAYS["float64"], outcome(numpy.savetxt, ARRAYS["float64"])
    fastio.savetxt(str(tmp_path / "a"), array)
    with open(tmp_path / "b", "w") as text, open(tmp_path / "c", "wb") as binary, open(tmp_path / "d", "wb") as raw:
        fastio.savetxt(text, array)
        fastio.savetxt(binary, array)
        fastio.savetxt(raw.fileno(), array)
    assert [(tmp_path / name).read_bytes() for name in "abcd"] == [expected] * 4
    writer = fastio.Writer()
    fastio.savetxt(writer, array, header="x")
    assert writer.getvalue() == b"# x\n" + expected

    class OnlyBytes:
        data = b""

        def write(self, data: Any) -> None:
            if not isinstance(data, bytes):
                raise TypeError("bytes, please")
            self.data += data

    target = OnlyBytes()
    fastio.savetxt(target, array, header="\u00e9")
    assert target.data == "# \u00e9\n".encode("latin1") + expected
    with pytest.raises(ValueError, match="file handle"):
        fastio.savetxt(3.5, array)
    with pytest.raises(OSError, match="No space"):
        fastio.savetxt("/dev/full", array)


def test_large() -> None:
    """More than is converted or formatted at once, with values on the way that Python has to write."""
    array = RANDOM.normal(size=(400_000, 3))
    array[300_001, 1] = 1e30
    for fmt in ("%.18e", "%d", "%09.2f"):
        assert outcome(fastio.savetxt, array[:20_000], fmt=fmt) == outcome(numpy.savetxt, array[:20_000], fmt=fmt)
    lines = outcome(fastio.savetxt, array, fmt="%d").splitlines()
    assert len(lines) == 400_000 and lines[300_001].split()[1] == str(int(1e30)).encode()
    back = fastio.loadtxt(io.BytesIO(outcome(fastio.savetxt, array)))
    assert (back == array).all()
