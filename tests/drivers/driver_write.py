"""The ops of the Python driver that format and write."""

from __future__ import annotations

import array
import bz2
import datetime
import gzip
import lzma
import os
import struct
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import fastio

config: dict[str, str]  # the driver's own


class Unsupported(Exception):
    """The language does not bind it."""


# ---- Values out of text --------------------------------------------------------------------------

FORMATS = {"float32": ">f", "float64": ">d"}


def parse_value(type_name: str, text: str) -> Any:
    """Dates and times stay numbers here."""
    if text == "null":
        return None
    if type_name in FORMATS:
        return float("nan") if text == "nan" else struct.unpack(FORMATS[type_name], bytes.fromhex(text))[0]
    if type_name == "binary":
        return bytes.fromhex(text[1:])
    if text.startswith("x"):
        return bytes.fromhex(text[1:]).decode()
    return text == "1" if type_name == "bool" else int(text)


def type_length(text: str) -> int:
    """Of a name such as "timestamp[ns, UTC]" where a text starts with one."""
    at = min(text.find(mark) for mark in "[:" if mark in text)
    return text.index("]") + 1 if text.startswith("[ns", at) else at


def parse_column(text: str) -> tuple[str, list[Any], str]:
    """The type, the values, and what follows."""
    at = type_length(text)
    name, (items, _, rest) = text[:at], text[at + 1 :].partition("]")
    return name, [parse_value(name, item) for item in items.split(" ") if item], rest


def parse_mixed(text: str) -> list[Any]:
    values, text = [], text[1:-1]
    while text:
        at = type_length(text)
        name, (item, _, text) = text[:at], text[at + 1 :].partition(" ")
        values.append(as_object(name, parse_value(name, item)))
    return values


def parse_table(text: str) -> dict[str, tuple[str, list[Any]]]:
    columns = {}
    text = text[text.index("{") + 1 :]
    while text != "}":
        name, _, text = text.partition(":")
        type_name, values, text = parse_column(text)
        columns[bytes.fromhex(name.strip()[1:]).decode()] = type_name, values
    return columns


EPOCH = datetime.datetime(1970, 1, 1)


def as_object(type_name: str, value: Any) -> Any:
    """As the datetime module has it."""
    if value is None or type_name not in MOMENTS:
        return value
    if type_name == "date":
        return datetime.date.fromordinal(value + EPOCH.toordinal())
    moment = EPOCH + datetime.timedelta(microseconds=value // 1000)
    if type_name == "time":
        return moment.time()
    return moment.replace(tzinfo=datetime.timezone.utc) if "UTC" in type_name else moment


MOMENTS: dict[str, Callable[[int], str]] = {
    "date": fastio.format_date,
    "time": fastio.format_time,
    "timestamp[ns]": fastio.format_timestamp,
    "timestamp[ns, UTC]": lambda value: fastio.format_timestamp(value, True),
}


# ---- Options -------------------------------------------------------------------------------------


def number_or_none(text: str) -> int | None:
    return None if text == "none" else int(text)


def hex_text(text: str) -> str:
    return bytes.fromhex(text).decode()


WORDS: dict[str, Callable[[str], Any]] = {
    "notation": str,
    "precision": number_or_none,
    **dict.fromkeys(("base", "width"), int),
    **dict.fromkeys(("sign", "fill", "point", "group"), hex_text),
    **dict.fromkeys(("upper", "prefix", "percent", "keep_point"), lambda value: value == "1"),
    "align": str,
    "grouping": lambda value: tuple(map(int, value.split("-"))),
}


def parse_format(text: str) -> fastio.Format | None:
    if not text:
        return None
    words = {key: WORDS[key](value) for key, value in (word.split(":") for word in text.split(","))}
    locale = {key: words.pop(key) for key in ("point", "group", "grouping") if key in words}
    if locale:
        words["locale"] = fastio.Locale(**locale)
    return fastio.Format(**words)


def parse_formats(text: str) -> Any:
    if "/" in text:
        pairs = (item.split("/") for item in text.split("|"))
        return {bytes.fromhex(name[1:]).decode(): parse_format(word) for name, word in pairs}
    return [parse_format(word) for word in text.split("|")] if "|" in text else parse_format(text)


def bytes_or_none(text: str) -> bytes | None:
    return None if text == "none" else bytes.fromhex(text)


def header(text: str) -> Any:
    return [bytes.fromhex(name[1:]).decode() for name in text.split(",")] if text.startswith("x") else text == "1"


KEYWORDS: dict[str, Callable[[str], Any]] = {
    "format": parse_formats,
    **dict.fromkeys(("sep", "end", "eol", "null", "nan", "true", "false", "quote", "escape"), bytes_or_none),
    "header": header,
    "quoting": str,
    "length": int,
    "shape": lambda value: tuple(map(int, value.split(","))),
    **dict.fromkeys(("upper", "utc"), lambda value: value == "1"),
}


def parse_options(text: str) -> dict[str, Any]:
    pairs = (item.split("=", 1) for item in text.split(";") if item)
    return {key: KEYWORDS[key](value) for key, value in pairs}


# ---- Sinks ---------------------------------------------------------------------------------------


class Taker:
    """A file object that takes 1, 2, 3 ... 7, 1, 2 ... bytes at a time; more of large pieces."""

    def __init__(self) -> None:
        self.data, self.calls = bytearray(), 0

    def write(self, data: Any) -> int:
        self.calls += 1
        size = min(len(data), (self.calls % 7 + 1) * (500 if len(data) > 10000 else 1))
        self.data += data[:size]
        return size


BEFORE = b"before\n"


def unpack_with(tool: str) -> Callable[[bytes], bytes]:
    return lambda data: subprocess.run([tool, "-qdc"], input=data, stdout=subprocess.PIPE, check=True).stdout


# Files that are compressed or encoded: how, and what undoes it.
PACKED: dict[str, tuple[dict[str, Any], Callable[[bytes], bytes]]] = {
    "gzip": ({"compression": "gzip"}, gzip.decompress),
    "bgzf": ({"compression": "bgzf"}, gzip.decompress),
    "zlib": ({"compression": "zlib"}, zlib.decompress),
    "xz": ({"compression": "xz"}, lzma.decompress),
    "bzip2": ({"compression": "bzip2"}, bz2.decompress),
    "zstd": ({"compression": "zstd"}, unpack_with("zstd")),
    "lz4": ({"compression": "lz4"}, unpack_with("lz4")),
    "utf-16": ({"encoding": "utf-16"}, lambda data: data.decode("utf-16").encode()),
    "utf-32be": ({"encoding": "utf-32be"}, lambda data: data.decode("utf-32-be").encode()),
    "gb18030+gzip": ({"encoding": "gb18030", "compression": "gzip"},
                     lambda data: gzip.decompress(data).decode("gb18030").encode()),
}


class Drain:
    """A writer to a sink of the configured kind, and then what was written."""

    def __init__(self) -> None:
        self.kind = config["sink"]
        self.data = b""
        self.options: dict[str, Any] = {}
        if config["block"] != "0":
            self.options["buffer_size"] = int(config["block"])
        words, self.unpack = PACKED.get(self.kind, ({}, bytes))
        self.options.update(words)

    @contextmanager
    def open(self) -> Iterator[fastio.Writer]:
        opened: dict[str, Callable[[], Any]] = {"memory": self.memory, "object": self.object, "redirect": self.redirect,
                                                "pipe": self.pipe}
        with opened.get(self.kind, self.file)() as writer:
            yield writer

    @contextmanager
    def memory(self) -> Iterator[fastio.Writer]:
        with fastio.Writer(**self.options) as writer:
            yield writer
            self.data = writer.getvalue()

    @contextmanager
    def object(self) -> Iterator[fastio.Writer]:
        taker = Taker()
        with fastio.open(taker, "w", **self.options) as writer:
            yield writer
        self.data = bytes(taker.data)

    @contextmanager
    def redirect(self) -> Iterator[fastio.Writer]:
        target = fastio.Writer()
        with fastio.Writer(**self.options) as writer:
            with writer.redirect(target):
                yield writer
            assert writer.getvalue() == b""
        self.data = target.getvalue()
        target.close()

    @contextmanager
    def pipe(self) -> Iterator[fastio.Writer]:
        read_end, write_end = os.pipe()
        pieces: list[bytes] = []
        thread = threading.Thread(daemon=True, target=lambda: pieces.extend(iter(lambda: os.read(read_end, 4096), b"")))
        thread.start()
        try:
            with fastio.open(write_end, "w", **self.options) as writer:
                yield writer
        finally:
            os.close(write_end)
            thread.join()
            os.close(read_end)
        self.data = b"".join(pieces)

    @contextmanager
    def file(self) -> Iterator[fastio.Writer]:
        handle, path = tempfile.mkstemp()
        os.write(handle, BEFORE)
        os.close(handle)
        mode = "a" if self.kind == "append" else "w"
        try:
            with fastio.open(path, mode, atomic=self.kind == "atomic", locked=self.kind == "locked", **self.options) as out:
                yield out
            with open(path, "rb") as file:
                self.data = self.unpack(file.read())
        finally:
            os.unlink(path)
        if mode == "a":
            assert self.data.startswith(BEFORE)
            self.data = self.data.removeprefix(BEFORE)


# ---- Single values -------------------------------------------------------------------------------


def formatted(value: Any, how: fastio.Format | None) -> bytes:
    """By format(), and by a writer."""
    text = fastio.format(value, how)
    with fastio.Writer() as writer:
        if isinstance(value, int):
            writer.write_int(value, how)
        elif not isinstance(value, str):
            writer.write_float(value, how)
        else:
            return text.encode()
        assert writer.getvalue() == text.encode()
    return text.encode()


def format_float(type_name: str, scalar: Callable[[Any], Any]) -> Callable[..., bytes]:
    def run(data: bytes, options: dict[str, Any]) -> bytes:
        value = struct.unpack(FORMATS[type_name], bytes.fromhex(data.decode()))[0]
        return formatted(scalar(value), options["format"])

    return run


def format_int(data: bytes, options: dict[str, Any]) -> bytes:
    return formatted(int(data), options["format"])


def format_text(data: bytes, options: dict[str, Any]) -> bytes:
    return formatted(data.decode(), options["format"])


def format_moment(type_name: str) -> Callable[..., bytes]:
    def run(data: bytes, options: dict[str, Any]) -> bytes:
        zone = ", UTC]" if options.get("utc") else "]"
        return MOMENTS[type_name.replace("]", zone)](int(data)).encode()

    return run


def format_hex(data: bytes, options: dict[str, Any]) -> bytes:
    return fastio.format_hex(data, **options).encode()


# ---- Writing -------------------------------------------------------------------------------------


def text_words(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value.decode() if key in ("sep", "end") else value for key, value in options.items()}


def write(writer: fastio.Writer, text: str, options: dict[str, Any]) -> None:
    for part in parse_mixed(text):
        size = writer.write(part)
        assert size == len(part.encode() if isinstance(part, str) else part)


def write_print(writer: fastio.Writer, text: str, options: dict[str, Any]) -> None:
    values = parse_mixed(text)
    if any(isinstance(value, (bytes, bool, datetime.time, datetime.datetime)) for value in values):
        raise Unsupported  # they are printed as str() has them
    writer.print(*values, **text_words(options))


CODES = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I",
         "uint64": "Q", "float32": "f", "float64": "d"}


def column_of(type_name: str, values: list[Any], shape: tuple[int, int] | None) -> fastio.Column[Any]:
    """A Column, which may have missing values."""
    words = ("NULL" if value is None else repr(value) for value in values)
    read = fastio.read_floats if type_name.startswith("float") else fastio.read_ints
    keywords: dict[str, Any] = {} if shape is None else {"shape": shape}
    return read("\n".join(words).encode(), type_name, null_values=["NULL"], **keywords)


def numpy_array(type_name: str, values: list[Any], shape: tuple[int, int] | None) -> Any:
    return np.array(values, dtype=type_name).reshape(shape or (len(values),))


def laid_out(way: str, type_name: str, values: list[Any], shape: tuple[int, int] | None) -> Any:
    """Where the values lie, and in what, does not matter."""
    if None in values:
        return column_of(type_name, values, shape)
    if way == "column":
        if shape is not None:
            return column_of(type_name, values, shape)
        return values if type_name in ("int64", "float64") else array.array(CODES[type_name], values)
    packed = numpy_array(type_name, values, shape)
    if way == "strided":
        wide = np.zeros(tuple(2 * size for size in packed.shape), packed.dtype)
        wide[tuple(slice(None, None, 2) for _ in packed.shape)] = packed
        return wide[tuple(slice(None, None, 2) for _ in packed.shape)]
    if way == "reversed":
        backwards = tuple(slice(None, None, -1) for _ in packed.shape)
        return packed[backwards].copy()[backwards]
    return np.asfortranarray(packed)


def write_each(writer: fastio.Writer, values: list[Any], options: dict[str, Any]) -> None:
    """Value by value."""
    columns = options["shape"][1] if "shape" in options else len(values)
    for i, value in enumerate(values):
        if value is None:
            writer.write(options["null"])
        else:
            (writer.write_int if isinstance(value, int) else writer.write_float)(value, options.get("format"))
        is_last = (i + 1) % columns == 0
        writer.write(options.get("end", b"\n") if is_last else options.get("sep", b" "))


def write_array(name: str) -> Callable[..., None]:
    def run(writer: fastio.Writer, text: str, options: dict[str, Any]) -> None:
        type_name, values, _ = parse_column(text)
        if type_name == "bool":
            raise Unsupported  # a bool of Python is an int
        can_be_each = values and type_name in CODES and not isinstance(options.get("format"), list)
        if config["way"] == "each" and can_be_each and type_name != "float32":
            return write_each(writer, values, options)
        data = laid_out(config["way"], type_name, values, options.pop("shape", None))
        getattr(writer, name)(data, threads=int(config["threads"]), **options)

    return run


def write_lines(writer: fastio.Writer, text: str, options: dict[str, Any]) -> None:
    _, values, _ = parse_column(text)
    if None in values:
        raise Unsupported
    writer.write_lines(values, **options)


# ---- Tables --------------------------------------------------------------------------------------


def cell(type_name: str, value: Any) -> str:
    if value is None:
        return "NULL"
    if type_name in MOMENTS:
        return MOMENTS[type_name](value)
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return str(value).lower() if type_name == "bool" else repr(value)


def table_of(columns: dict[str, tuple[str, list[Any]]]) -> fastio.Table:
    """Through read_csv, by columns of other names; then by those."""
    types = [type_name for type_name, _ in columns.values()]
    rows = zip(*([cell(type_name, value) for value in values] for type_name, values in columns.values()))
    text = "".join(",".join(row) + "\n" for row in rows)
    names = list(columns)
    return fastio.read_csv(text.encode(), header=False, names=names, dtype=types, null_values=["NULL"])


class Stream:
    """Nothing but a stream of Arrow."""

    def __init__(self, table: fastio.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


def rows_of(columns: dict[str, tuple[str, list[Any]]]) -> list[tuple[Any, ...]] | None:
    """As Python's own objects, if they make the same."""
    if not all(values and type_name != "float32" for type_name, values in columns.values()):
        return None
    objects = ([as_object(type_name, value) for value in values] for type_name, values in columns.values())
    return list(zip(*objects))


def write_csv(writer: fastio.Writer, text: str, options: dict[str, Any]) -> None:
    columns = parse_table(text)
    options["threads"] = int(config["threads"])
    rows = rows_of(columns) if config["way"] == "rows" else None
    if rows is not None:
        if options.get("header", True) is True:
            options["header"] = list(columns)
        writer.write_csv(rows, **options)
    elif all(columns) and columns:
        table = table_of(columns)
        is_stream = config["way"] == "stream" and not isinstance(options.get("format"), dict)
        writer.write_csv(Stream(table) if is_stream else table, **options)
    else:
        table = table_of({f"c{i}": column for i, column in enumerate(columns.values())}) if columns else {}
        writer.write_csv({name: table[f"c{i}"] for i, name in enumerate(columns)}, **options)


FORMAT_OPS: dict[str, Callable[..., bytes]] = {
    "format_i64": format_int,
    "format_u64": format_int,
    "format_f32": format_float("float32", np.float32),
    "format_f64": format_float("float64", float),
    "format_text": format_text,
    "format_hex": format_hex,
    "format_date": format_moment("date"),
    "format_time": format_moment("time"),
    "format_timestamp": format_moment("timestamp[ns]"),
}
WRITE_OPS: dict[str, Callable[..., None]] = {
    "write": write,
    "print": write_print,
    "write_ints": write_array("write_ints"),
    "write_floats": write_array("write_floats"),
    "write_lines": write_lines,
    "write_csv": write_csv,
}


def run_write(op: str, text: str, options: str) -> str:
    drain = Drain()
    with drain.open() as writer:
        WRITE_OPS[op](writer, text, parse_options(options))
    return "x" + drain.data.hex()


def run_copy(source: Any, options: str) -> str:
    drain = Drain()
    with drain.open() as writer:
        copied = fastio.copy(source, writer, **parse_options(options))
    return f"{copied} x{drain.data.hex()}"


def run_format(op: str, data: bytes, options: str) -> str:
    return "x" + FORMAT_OPS[op](data, parse_options(options)).hex()
