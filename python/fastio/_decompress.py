"""Compressions that this build of the core has not, by the standard library or what is installed."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from ._core import Error, TruncatedError

_PIECE = 1 << 16
_MOST = 1 << 18  # of what comes out at once: a bomb is met before it goes off
_SKIPPABLE = b"\x2a\x4d\x18"  # behind 0x50 to 0x5f: a frame of zstd or lz4 that holds no data


class _Zlib:
    """zlib's decompressor with the interface of the others."""

    def __init__(self, wbits: int) -> None:
        self._inner = import_module("zlib").decompressobj(wbits)

    def decompress(self, data: bytes, most: int) -> bytes:
        out: bytes = self._inner.decompress(self._inner.unconsumed_tail + data, most)
        return out

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)


class _Zstandard:
    """That of the package zstandard, which gives all that its input holds: it gets little of it at a time."""

    _STEP = 1024  # of which no more than 32 MiB can become

    def __init__(self) -> None:
        self._inner = import_module("zstandard").ZstdDecompressor().decompressobj()
        self._in = self._out = b""

    def decompress(self, data: bytes, most: int) -> bytes:
        self._in += data
        while not self._out and self._in and not self._inner.eof:
            piece, self._in = self._in[: self._STEP], self._in[self._STEP :]
            self._out = bytes(self._inner.decompress(piece))
        out, self._out = self._out[:most], self._out[most:]
        return out

    @property
    def needs_input(self) -> bool:
        return not self._out and not self._in

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof) and not self._out

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data) + self._in


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        return import_module("compression.zstd").ZstdDecompressor()
    return _Zstandard()


class _Format(NamedTuple):
    magic: bytes  # b"": known by name only
    make: Callable[[], Any]
    wanted: str  # what has to be installed
    padding: int = 0  # zeros behind a member come in so many; 0: there are none
    has_skippable: bool = False


_FORMATS = {
    "gzip": _Format(b"\x1f\x8b", lambda: _Zlib(31), "zlib", padding=1),
    "zlib": _Format(b"", lambda: _Zlib(15), "zlib"),
    "deflate": _Format(b"", lambda: _Zlib(-15), "zlib"),
    "bzip2": _Format(b"BZh", lambda: import_module("bz2").BZ2Decompressor(), "bz2"),
    "xz": _Format(
        b"\xfd7zXZ\x00",
        lambda: import_module("lzma").LZMADecompressor(import_module("lzma").FORMAT_XZ),
        "lzma",
        padding=4,
    ),
    "zstd": _Format(b"\x28\xb5\x2f\xfd", _zstd, "zstandard", has_skippable=True),
    "lz4": _Format(
        b"\x04\x22\x4d\x18",
        lambda: import_module("lz4.frame").LZ4FrameDecompressor(),
        "lz4",
        has_skippable=True,
    ),
}
_HEAD = 10
_BLOCK = b"1AY&SY", b"\x17rE8P\x90"  # what follows bzip2's first four bytes: a block, or the end


def _is_skippable(head: bytes) -> bool:
    return len(head) >= 4 and head[0] & 0xF0 == 0x50 and head[1:4] == _SKIPPABLE


def _detect(head: bytes, lacking: tuple[str, ...]) -> str | None:
    """What the first bytes say, if it is one of those."""
    for name in lacking:
        magic = _FORMATS[name].magic
        if not magic or not head.startswith(magic):
            continue
        if name != "bzip2" or (head[3:4] in (*map(bytes, zip(b"123456789")),) and head[4:10] in _BLOCK):
            return name
    return "zstd" if _is_skippable(head) and "zstd" in lacking else None


# ---- sources


class _Raw:
    """A source as a file whose first bytes can be looked at, if it can seek."""

    def __init__(self, file: Any, name: Any, is_ours: bool) -> None:
        self._file, self._is_ours = file, is_ours
        if name is not None:
            self.name = name

    def head(self) -> bytes:
        """The first bytes, without taking them; none if they could not be given back."""
        try:
            if hasattr(self._file, "seekable") and not self._file.seekable():
                return b""
            place = self._file.tell()
            self._file.seek(place)
        except (AttributeError, OSError):
            return b""
        head = b""
        while len(head) < _HEAD and (more := self.read(_HEAD - len(head))):
            head += more
        self._file.seek(place)
        return head

    def read(self, size: int) -> bytes:
        if not hasattr(self._file, "read"):
            buffer = bytearray(size)
            count = self._file.readinto(buffer)
            return bytes(buffer[:count])
        data = self._file.read(size)
        if data is None:
            raise BlockingIOError("the file object would block")
        if isinstance(data, str):
            raise TypeError("read() returned str: the file object is in text mode, use its .buffer")
        if len(data) > size:
            raise ValueError(f"read({size}) returned {len(data)} bytes")
        return bytes(data)

    def close(self) -> None:
        if self._is_ours:
            self._file.close()


def _raw(source: Any) -> _Raw | None:
    """None where the core knows better what is wrong with it."""
    if isinstance(source, str) and source == "-":
        source = 0
    if isinstance(source, (int, str, os.PathLike)):
        is_fd = isinstance(source, int)
        name = os.fsdecode(source) if not isinstance(source, int) else f"<fd {source}>"
        try:
            file = open(source, "rb", buffering=0, closefd=not is_fd)
        except (OSError, ValueError):
            return None
        return _Raw(file, name if source != 0 else "<stdin>", True)
    if _is_buffer(source):
        return _Raw(io.BytesIO(source), getattr(source, "path", None), True)
    if isinstance(source, io.TextIOBase):
        return None
    if not hasattr(source, "read") and not hasattr(source, "readinto"):
        return None
    return _Raw(source, getattr(source, "name", None), False)


def _is_buffer(source: Any) -> bool:
    try:
        view = memoryview(source)
    except TypeError:
        return False
    return view.itemsize == 1 and view.contiguous


def _is_special(source: Any) -> bool:
    """A FIFO or the like, whose opening could wait for somebody."""
    if not isinstance(source, (str, os.PathLike)) or source == "-":
        return False
    try:
        return not stat.S_ISREG(os.stat(source).st_mode)
    except (OSError, ValueError):
        return True


def opened(
    source: Any, name: str, lacking: tuple[str, ...], trailing: int, max_size: int | None
) -> Any:
    """A file object that reads what the source holds; None: the core shall read the source itself.

    What can't seek is left to the core unless the compression is named: its first bytes could not be given back.
    """
    if name not in ("auto", *lacking) or (name == "auto" and _is_special(source)):
        return None
    file = _raw(source)
    if file is None:
        return None
    found = _detect(file.head(), lacking) if name == "auto" else name
    if found is not None:
        return Decompressed(file, found, bool(trailing), max_size)
    file.close()
    return None


# ---- decompression


class Decompressed:
    """What the members or frames of an archive hold, one behind the other."""

    def __init__(self, file: _Raw, name: str, ignores: bool, max_size: int | None) -> None:
        self._file, self._format, self._format_name = file, _FORMATS[name], name
        self._ignores, self._max_size = ignores, max_size
        self._input = b""
        self._has_all = False  # the file is at its end
        self._taken = 0  # bytes of the archive before the input
        self._given = 0
        self._members = 0
        self._member: Any = None
        self._is_done = False
        self.trailing_bytes = 0
        if hasattr(file, "name"):
            self.name = file.name
        try:
            self._format.make()
        except ImportError:
            file.close()
            wanted = self._format.wanted
            raise self._error(
                Error, f"this build has no {name}: install the package {wanted}", "unsupported", False
            ) from None

    def close(self) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """At least one byte, unless the end has come."""
        while not self._is_done:
            if self._member is None:
                self._begin()
                continue
            out = self._run(min(size, _MOST))
            if out:
                return out
        return b""

    def _fill(self, least: int) -> bool:
        """Input of so many bytes, unless the file has no more."""
        while len(self._input) < least and not self._has_all:
            more = self._file.read(_PIECE)
            self._has_all = not more
            self._input += more
        return len(self._input) >= least

    def _drop(self, count: int) -> None:
        self._input = self._input[count:]
        self._taken += count

    def _run(self, most: int) -> bytes:
        data = b""
        if self._member.needs_input:
            if not self._fill(1):
                raise self._error(TruncatedError, "the compressed data ends early", "truncated")
            data = self._input
            self._drop(len(data))
        try:
            out: bytes = self._member.decompress(data, most)
        except Exception as error:  # of many classes, all of which mean this
            raise self._error(Error, "the compressed data is damaged", "corrupt") from error
        self._given += len(out)
        if self._max_size is not None and self._given > self._max_size:
            raise self._error(Error, "the source is larger than max_size allows", "too_large")
        if self._member.eof:
            rest = self._member.unused_data or b""
            self._input = rest + self._input
            self._taken -= len(rest)
            self._member = None
            self._members += 1
        return out

    def _begin(self) -> None:
        """The next member, or what stands behind the last one."""
        if self._members > 0 and not self._format.magic:
            return self._end()
        self._skip()
        magic = self._format.magic
        self._fill(max(len(magic), 1))
        if self._members > 0 and not self._input.startswith(magic or b"\0"):
            return self._end()
        if self._members == 0 and len(self._input) >= len(magic) and not self._input.startswith(magic):
            raise self._error(Error, f"this is not {self._format_name}", "corrupt")
        self._member = self._format.make()

    def _skip(self) -> None:
        """Padding, and frames that hold nothing."""
        if self._format.has_skippable:
            while self._fill(8) and _is_skippable(self._input):
                size = 8 + int.from_bytes(self._input[4:8], "little")
                if not self._fill(size):
                    raise self._error(TruncatedError, "the compressed data ends early", "truncated")
                self._drop(size)
                self._members += 1
        step = self._format.padding if self._members else 0
        while step and self._fill(step) and self._input[:step] == bytes(step):
            self._drop(step)

    def _end(self) -> None:
        self._fill(1)
        if self._input and not self._ignores:
            message = "there are bytes behind the archive; trailing=\"ignore\" leaves them"
            raise self._error(Error, message, "corrupt")
        while self._input:
            self.trailing_bytes += len(self._input)
            self._drop(len(self._input))
            self._fill(1)
        self._is_done = True

    def _error(self, kind: Any, message: str, status: str, has_place: bool = True) -> Error:
        path = getattr(self, "name", None)
        path = os.fsdecode(path) if isinstance(path, (str, bytes)) else None
        place = f"offset {self._given}, byte {self._taken} of the archive" if has_place else ""
        where = ", ".join(part for part in (path, place) if part)
        error: Error = kind(f"{where}: {message}" if where else message)
        error.path, error.status = path, status
        if has_place:
            error.offset, error.raw_offset = self._given, self._taken
        return error
