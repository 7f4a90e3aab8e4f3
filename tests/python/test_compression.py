"""Compressed sources and destinations, by the core's libraries and by what Python has itself."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import random
import struct
import subprocess
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastio
import pytest
from fastio import _core

KNOWN = ("gzip", "zlib", "deflate", "zstd", "xz", "bzip2", "lz4")


def raw_deflate(data: bytes) -> bytes:
    maker = zlib.compressobj(wbits=-15)
    return maker.compress(data) + maker.flush()


MAKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "zlib": zlib.compress,
    "deflate": raw_deflate,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}
try:
    import zstandard

    MAKERS["zstd"] = lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data)
except ImportError:
    pass
try:
    import lz4.frame

    MAKERS["lz4"] = lambda data: lz4.frame.compress(data, content_checksum=True)
except ImportError:
    pass

TEXT = b"".join(b"%d\n" % (i * i) for i in range(5000))
NUMBERS = [i * i for i in range(5000)]


@pytest.fixture(params=["core", "python"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """As this build is, and as if it had no library at all."""
    _core._without(*(KNOWN if request.param == "python" else ()))
    yield request.param
    _core._without()


@pytest.fixture(params=sorted(MAKERS))
def name(request: pytest.FixtureRequest, way: str) -> str:
    if way == "core" and request.param not in fastio.compression_names():
        pytest.skip("not in this build")
    return str(request.param)


def has_magic(name: str) -> bool:
    return name not in ("zlib", "deflate")


def word(name: str) -> str:
    return "auto" if has_magic(name) else name


class Reading:
    def __init__(self, data: bytes, step: int = 1 << 20) -> None:
        self.file, self.step = io.BytesIO(data), step

    def read(self, size: int) -> bytes:
        return self.file.read(min(size, self.step))


# ---- reading


def test_every_kind_of_source(name: str, tmp_path: Path) -> None:
    data = MAKERS[name](TEXT)
    path = tmp_path / "data"
    path.write_bytes(data)
    for source in (data, bytearray(data), path, str(path), io.BytesIO(data), fastio.load(path)):
        assert fastio.read_ints(source, compression=word(name)).to_list() == NUMBERS
    with open(path, "rb", buffering=0) as file:
        assert fastio.read_ints(file.fileno(), compression=word(name)).to_list() == NUMBERS
    for step in (1, 7, 1000):
        assert fastio.read_ints(Reading(data, step), compression=name).to_list() == NUMBERS


def test_every_reader(name: str) -> None:
    data, words = MAKERS[name](TEXT), {"compression": word(name)}
    assert fastio.read_floats(data, **words).to_list() == [float(n) for n in NUMBERS]
    assert fastio.read_lines(data, **words).to_list() == TEXT.decode().splitlines()
    assert fastio.count_lines(data, **words) == 5000
    assert bytes(fastio.read_bytes(data, **words)) == TEXT
    assert list(fastio.ints(data, **words)) == NUMBERS
    assert list(fastio.floats(data, **words)) == NUMBERS
    assert list(fastio.lines(data, **words)) == TEXT.decode().split()
    with fastio.open(data, **words) as reader:
        assert [reader.read_int() for _ in range(3)] == NUMBERS[:3] and list(reader.ints()) == NUMBERS[3:]
    assert fastio.read_csv(data, header=False, **words)["column_1"].to_list() == NUMBERS
    with fastio.open_csv(data, header=False, batch_rows=999, **words) as batches:
        assert [n for batch in batches for n in batch["column_1"]] == NUMBERS
    assert fastio.sniff(MAKERS[name](b"a;b\n1;2\n3;4\n"), **words)["sep"] == ";"
    pytest.importorskip("numpy")
    assert fastio.loadtxt(io.BytesIO(data), **words).tolist() == NUMBERS


def test_nothing_is_decompressed_unasked(tmp_path: Path, way: str) -> None:
    data = gzip.compress(TEXT)
    path = tmp_path / "x.gz"
    path.write_bytes(data)
    assert bytes(fastio.read_bytes(data, compression=None)) == data
    with fastio.load(path) as mapped:
        assert mapped[:] == data
    assert fastio.copy(path, tmp_path / "y.gz") == len(data)
    assert (tmp_path / "y.gz").read_bytes() == data
    assert bytes(fastio.read_bytes(zlib.compress(TEXT))) == zlib.compress(TEXT)


def test_members_and_padding(way: str) -> None:
    for name in ("gzip", "xz", "bzip2"):
        if way == "core" and name not in fastio.compression_names():
            continue
        two = MAKERS[name](b"1\n2\n") + MAKERS[name](b"") + MAKERS[name](b"3\n")
        assert fastio.read_ints(two).to_list() == [1, 2, 3]
    assert fastio.read_ints(gzip.compress(b"1\n") + b"\0" * 5 + gzip.compress(b"2\n") + b"\0\0").to_list() == [1, 2]
    assert fastio.read_ints(lzma.compress(b"1\n") + b"\0" * 8 + lzma.compress(b"2\n")).to_list() == [1, 2]


def test_frames_that_hold_nothing(way: str) -> None:
    skippable = b"\x5a\x2a\x4d\x18" + struct.pack("<I", 3) + b"abc"
    for name in ("zstd", "lz4"):
        if name not in MAKERS or (way == "core" and name not in fastio.compression_names()):
            continue
        data = skippable + MAKERS[name](b"1\n") + skippable + MAKERS[name](b"2\n")
        assert fastio.read_ints(data, compression=name).to_list() == [1, 2]


def test_trailing_bytes(name: str) -> None:
    data = MAKERS[name](b"1\n2\n") + b"#rest"
    with pytest.raises(fastio.Error) as caught:
        fastio.read_ints(data, compression=word(name))
    assert caught.value.status == "corrupt"
    assert (caught.value.offset, caught.value.raw_offset) == (4, len(data) - 5)
    assert fastio.read_ints(data, compression=word(name), trailing="ignore").to_list() == [1, 2]
    with pytest.warns(RuntimeWarning, match="behind the archive"):
        assert fastio.read_ints(data, compression=word(name), trailing="warn").to_list() == [1, 2]
    with pytest.warns(RuntimeWarning, match="behind the archive"):
        assert list(fastio.ints(data, compression=word(name), trailing="warn")) == [1, 2]
    with pytest.warns(RuntimeWarning):
        assert len(fastio.read_csv(data, compression=word(name), trailing="warn")) == 1
    with pytest.warns(RuntimeWarning):
        assert [len(batch) for batch in fastio.open_csv(data, compression=word(name), trailing="warn")] == [1]
    with pytest.warns(RuntimeWarning), fastio.open(data, compression=word(name), trailing="warn") as reader:
        assert list(reader.ints()) == [1, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            fastio.read_ints(data, compression=word(name), trailing="warn")
        fastio.read_ints(MAKERS[name](b"1\n"), compression=word(name), trailing="warn")


def test_every_cut(name: str) -> None:
    """Less than an archive is an error, never less data."""
    data = MAKERS[name](b"1 2 3\n" * 20)
    for size in range(len(data)):
        with pytest.raises((fastio.Error, EOFError)) as caught:
            fastio.read_lines(data[:size], compression=name)
        assert caught.value.status in ("truncated", "corrupt"), (size, caught.value)


def test_every_flipped_bit(name: str) -> None:
    """The right data or an error, where there is a checksum."""
    text = b"1 2 3\n" * 10
    data = MAKERS[name](text)
    checked = name != "deflate"
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            result = bytes(fastio.read_bytes(damaged, compression=name))
        except fastio.Error as error:
            assert error.status in ("truncated", "corrupt", "unsupported"), error
        except MemoryError:
            pass
        else:
            assert result == text or not checked, bit


def test_what_is_something_else(name: str) -> None:
    with pytest.raises(fastio.Error) as caught:
        fastio.read_ints(b"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", compression=name)
    assert caught.value.status in ("corrupt", "truncated")
    assert "archive" in str(caught.value) and pickle.loads(pickle.dumps(caught.value)).raw_offset == caught.value.raw_offset


def test_max_size(name: str) -> None:
    data = MAKERS[name](b"0\n" * 500_000)
    assert len(fastio.read_ints(data, compression=word(name), max_size=1_000_000)) == 500_000
    with pytest.raises(fastio.Error) as caught:
        fastio.read_ints(data, compression=word(name), max_size=999_999)
    assert caught.value.status == "too_large"


def test_wrong_words(way: str) -> None:
    for wrong in ("no-such", "", "GZIP "):
        with pytest.raises(ValueError, match="compression"):
            fastio.read_ints(b"1", compression=wrong)
    for kind in (1, b"gzip", True):
        with pytest.raises(TypeError, match="compression"):
            fastio.read_ints(b"1", compression=kind)  # type: ignore[call-overload]
    for wrong in ("no", None, 1):
        with pytest.raises(ValueError, match="trailing"):
            fastio.read_ints(b"1", trailing=wrong)  # type: ignore[call-overload]


def test_reading_stops_early(name: str) -> None:
    """Damage far behind what is asked for does not matter."""
    rng = random.Random(1)
    text = b"".join(b"%d\n" % rng.randrange(10**12) for _ in range(200_000))
    data = bytearray(MAKERS[name](text))
    data[-50:] = b"\xff" * 50
    first = [int(line) for line in text.split(b"\n", 10)[:10]]
    assert fastio.read_ints(bytes(data), compression=word(name), max_items=10, threads=1).to_list() == first
    stream = fastio.ints(bytes(data), compression=word(name))
    assert [next(stream) for _ in range(10)] == first


def test_exceptions_of_objects_come_through(way: str) -> None:
    class Mine(Exception):
        pass

    error = Mine()

    class Broken(Reading):
        def read(self, size: int) -> bytes:
            if self.file.tell() > 100:
                raise error
            return self.file.read(min(size, 50))

    rng = random.Random(2)
    data = gzip.compress(bytes(rng.randrange(256) for _ in range(5000)))
    for compression in ("gzip", None):
        with pytest.raises(Mine) as caught:
            fastio.read_bytes(Broken(data), compression=compression)
        assert caught.value is error


def test_paths_in_errors(tmp_path: Path, way: str) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(TEXT)[:-5])
    with pytest.raises(fastio.TruncatedError) as caught:
        fastio.read_ints(path)
    assert caught.value.path == str(path) and caught.value.raw_offset is not None and str(path) in str(caught.value)
    path.write_bytes(gzip.compress(b"1\nx\n"))
    with pytest.raises(fastio.ParseError) as bad:
        fastio.read_ints(path)
    assert (bad.value.path, bad.value.offset, bad.value.lineno, bad.value.raw_offset) == (str(path), 2, 2, None)


def test_without_any_library_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _core._without(*KNOWN)
    try:
        for module in ("lz4", "lz4.frame", "zstandard", "compression.zstd"):
            monkeypatch.setitem(sys.modules, module, None)
        for data in (b"\x04\x22\x4d\x18" + bytes(20), b"\x28\xb5\x2f\xfd" + bytes(20)):
            if data[0] == 0x28 and sys.version_info >= (3, 14):
                continue
            with pytest.raises(fastio.Error, match="install") as caught:
                fastio.read_bytes(data)
            assert caught.value.status == "unsupported"
    finally:
        _core._without()


def test_fifo(tmp_path: Path, name: str) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    writer = subprocess.Popen([sys.executable, "-c", "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())", str(path)],
                              stdin=subprocess.PIPE)
    assert writer.stdin is not None
    writer.stdin.write(MAKERS[name](TEXT))
    writer.stdin.close()
    assert fastio.read_ints(path, compression=name).to_list() == NUMBERS
    assert writer.wait() == 0


# ---- writing

SUFFIXES = {"gzip": ".gz", "zstd": ".zst", "xz": ".xz", "bzip2": ".bz2", "lz4": ".lz4"}
READ_BACK: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.decompress, "xz": lzma.decompress, "bzip2": bz2.decompress}
if "zstd" in MAKERS:
    READ_BACK["zstd"] = lambda data: zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
if "lz4" in MAKERS:
    READ_BACK["lz4"] = lambda data: bytes(lz4.frame.decompress(data))


@pytest.fixture(params=sorted(SUFFIXES))
def built(request: pytest.FixtureRequest) -> str:
    if request.param not in fastio.compression_names():
        pytest.skip("not in this build")
    if request.param not in READ_BACK:
        pytest.skip("nothing here reads it back")
    return str(request.param)


def test_writers_compress(built: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{SUFFIXES[built]}"
    for words in ({}, {"level": 1}, {"level": 9}, {"threads": 2}, {"atomic": True}):
        with fastio.open(path, "w", **words) as writer:
            writer.write(TEXT)
        assert READ_BACK[built](path.read_bytes()) == TEXT
    with fastio.open(path, "a") as writer:
        writer.write("more\n")
    assert READ_BACK[built](path.read_bytes()) == TEXT + b"more\n" if built != "lz4" else True
    assert fastio.read_lines(path)[-1] == "more"
    with fastio.open(path, "w", compression=None) as writer:
        writer.write(TEXT)
    assert path.read_bytes() == TEXT
    file = io.BytesIO()
    with fastio.open(file, "w", compression=built) as writer:
        writer.write(TEXT)
        writer.flush()
        assert fastio.read_ints(file.getvalue(), max_items=5000).to_list() == NUMBERS
    assert READ_BACK[built](file.getvalue()) == TEXT


def test_whole_destinations(built: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{SUFFIXES[built]}"
    fastio.write_lines(path, ["a", "b"])
    assert READ_BACK[built](path.read_bytes()) == b"a\nb\n"
    fastio.write_ints(path, [1, 2], level=2)
    assert READ_BACK[built](path.read_bytes()) == b"1 2\n"
    fastio.write_csv(path, {"a": [1], "b": ["x"]}, encoding="utf-16-le")
    assert READ_BACK[built](path.read_bytes()) == "a,b\n1,x\n".encode("utf-16-le")
    with pytest.raises(ValueError, match="level"), fastio.Writer() as writer:
        fastio.write_lines(writer, ["a"], level=3)


def test_copy_decodes_and_encodes(built: str, tmp_path: Path) -> None:
    source, path = tmp_path / "in.gz", tmp_path / f"out{SUFFIXES[built]}"
    source.write_bytes(gzip.compress("Köln\n".encode("utf-16")))
    size = source.stat().st_size
    assert fastio.copy(source, path) == size and path.read_bytes() == source.read_bytes()
    fastio.copy(source, path, source_compression="auto", source_encoding="utf-16", compression="auto", encoding="latin-1")
    assert READ_BACK[built](path.read_bytes()) == b"K\xf6ln\n"
    fastio.copy(source, path, source_compression="gzip")
    assert path.read_bytes() == "Köln\n".encode("utf-16")


def test_level_is_bounded(built: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        fastio.open(tmp_path / "x", "w", compression=built, level=10**6)
