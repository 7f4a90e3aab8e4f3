"""The Python driver of the shared vectors (see tests/vectors/README.md).

It turns options into keywords and Python objects into text; what is right stands in the vectors.
"""

from __future__ import annotations

import io
import os
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import fastio

directory = sys.argv[1]
config = {"simd": "auto", "block": "0", "threads": "1", "source": "memory", "way": "column"}


class Unsupported(Exception):
    """The language does not bind it."""


# ---- Values as text ------------------------------------------------------------------------------


def render(value: Any, single: bool = False) -> str:
    match value:
        case None:
            return "null"
        case float():
            return "nan" if value != value else struct.pack(">f" if single else ">d", value).hex()
        case str():
            return "x" + value.encode().hex()
        case bytes():
            return "x" + value.hex()
    assert type(value) is int, type(value)
    return str(value)


def render_list(values: Any, single: bool = False) -> str:
    return "[" + " ".join(render(value, single) for value in values) + "]"


def render_column(column: fastio.Column[Any]) -> str:
    values = list(column)
    assert column.null_count == values.count(None)
    assert column.to_list() == values or any(value != value for value in values)
    shape = "x".join(map(str, column.shape)) if len(column.shape) == 2 else ""
    return shape + render_list(values, column.dtype == "float32")


# The exception that each status must come as.
EXCEPTIONS = {
    "bad_token": fastio.ParseError,
    "empty_field": fastio.ParseError,
    "mismatch": fastio.ParseError,
    "bad_shape": fastio.ParseError,
    "out_of_range": fastio.RangeError,
    "bad_encoding": fastio.DecodeError,
    "truncated": fastio.TruncatedError,
}


def status_of(error: BaseException) -> str:
    if isinstance(error, ValueError) and not isinstance(error, fastio.Error):
        return "invalid_argument"
    if not isinstance(error, fastio.Error):
        raise error
    assert type(error) is EXCEPTIONS[error.status], error
    return error.status


def render_error(error: BaseException) -> str:
    status = status_of(error)
    if status == "invalid_argument":
        return f"error:{status}:-:0:0:"
    offset = "-" if error.offset is None else error.offset
    return f"error:{status}:{offset}:{error.lineno or 0}:{error.colno or 0}:{(error.text or b'').hex()}"


# ---- Requests ------------------------------------------------------------------------------------


def newline(value: str) -> str | bytes:
    return value if value in ("lf", "any") else bytes.fromhex(value)


KEYWORDS: dict[str, Callable[[str], Any]] = {
    "base": int,
    "dtype": str,
    "sep": bytes.fromhex,
    "comment": bytes.fromhex,
    "newline": newline,
    "skip_lines": int,
    "offset": int,
    "length": int,
    "max_items": int,
    "overflow": str,
    "keepends": lambda value: bool(int(value)),
    "encoding": lambda value: None if value == "none" else value,
    "null_values": lambda value: [bytes.fromhex(text[1:]) for text in value.split(",")],
    "shape": lambda value: tuple(map(int, value.split(","))),
    "script": str,
}


def parse_options(text: str) -> dict[str, Any]:
    pairs = (item.split("=", 1) for item in text.split(";") if item)
    return {key: KEYWORDS[key](value) for key, value in pairs}


def with_block(options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "block_size": int(config["block"])} if config["block"] != "0" else options


def for_whole(options: dict[str, Any]) -> dict[str, Any]:
    return {**with_block(options), "threads": int(config["threads"])}


class Dribble(io.RawIOBase):
    """A file object that gives 1, 2, 3 ... 7, 1, 2 ... bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self.data, self.calls = data, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.calls += 1
        size = min(self.calls % 7 + 1, len(buffer), len(self.data))
        buffer[:size], self.data = self.data[:size], self.data[size:]
        return size


@contextmanager
def source_of(name: str, data: bytes) -> Iterator[Any]:
    if config["source"] == "memory":
        yield data
    elif config["source"] == "file":
        yield os.path.join(directory, name)
    elif config["source"] == "object":
        yield Dribble(data)
    else:
        read_end, write_end = os.pipe()
        writer = threading.Thread(target=write_all, args=(write_end, data))
        writer.start()
        try:
            yield read_end
        finally:
            os.close(read_end)
            writer.join()


def write_all(fd: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(fd, data):]
    except BrokenPipeError:
        pass  # the reader has stopped early
    finally:
        os.close(fd)


# ---- Operations ----------------------------------------------------------------------------------


def parse_int(dtype: str) -> Callable[..., str]:
    return lambda name, data, options: render(fastio.parse_int(data, **options, dtype=dtype))


def parse_float(name: str, data: bytes, options: dict[str, Any]) -> str:
    value = fastio.parse_float(data, **options)
    return render(value, options.get("dtype") == "float32")


def format_int(name: str, data: bytes, options: dict[str, Any]) -> str:
    return render(fastio.format_int(int(data), **options))


def format_f64(name: str, data: bytes, options: dict[str, Any]) -> str:
    return render(fastio.format_float(struct.unpack(">d", bytes.fromhex(data.decode()))[0]))


def format_f32(name: str, data: bytes, options: dict[str, Any]) -> str:
    return render(fastio.format_float(struct.unpack(">f", bytes.fromhex(data.decode()))[0], "float32"))


def read_column(function: Callable[..., Any]) -> Callable[..., str]:
    def run(name: str, data: bytes, options: dict[str, Any]) -> str:
        with source_of(name, data) as source:
            return render_column(function(source, **for_whole(options)))

    return run


def read_lines(name: str, data: bytes, options: dict[str, Any]) -> str:
    with source_of(name, data) as source:
        lines = fastio.read_lines(source, **for_whole(options))
    values = [lines[i] for i in range(len(lines))]
    assert list(lines) == values
    return render_list(values)


def count_lines(name: str, data: bytes, options: dict[str, Any]) -> str:
    with source_of(name, data) as source:
        return render(fastio.count_lines(source, **for_whole(options)))


def read_bytes(name: str, data: bytes, options: dict[str, Any]) -> str:
    with source_of(name, data) as source:
        return render(bytes(fastio.read_bytes(source, **for_whole(options))))


def iterate(function: Callable[..., Any]) -> Callable[..., str]:
    def run(name: str, data: bytes, options: dict[str, Any]) -> str:
        values = []
        with source_of(name, data) as source:
            try:
                for value in function(source, **with_block(options)):
                    values.append(value)
            except fastio.Error as error:
                return f"{render_list(values)} {render_error(error)}"
        return render_list(values)

    return run


def iterate_tokens(source: Any, **options: Any) -> Any:
    return fastio.open(source, **options).tokens()


def run_script(name: str, data: bytes, options: dict[str, Any]) -> str:
    steps = options.pop("script").split(" ")
    if not {step.split(":")[0] for step in steps} <= STEPS.keys():
        raise Unsupported
    with source_of(name, data) as source, fastio.open(source, **with_block(options)) as reader:
        return " ".join(run_step(reader, *step.split(":")) for step in steps)


def run_step(reader: fastio.Reader[Any], step: str, argument: str = "") -> str:
    try:
        return STEPS[step](reader, argument)
    except EOFError:
        return "end"
    except fastio.Error as error:
        return render_error(error)


def expect(reader: fastio.Reader[Any], argument: str) -> str:
    reader.expect(bytes.fromhex(argument))
    return "ok"


def skip(reader: fastio.Reader[Any], argument: str) -> str:
    reader.skip()
    return "ok"


STEPS: dict[str, Callable[[fastio.Reader[Any], str], str]] = {
    "int": lambda reader, _: render(reader.read_int()),
    "float": lambda reader, _: render(reader.read_float()),
    "token": lambda reader, _: render(reader.read_token()),
    "line": lambda reader, _: render(reader.read_line()),
    "offset": lambda reader, _: render(reader.offset),
    "lineno": lambda reader, _: render(reader.lineno),
    "expect": expect,
    "skip": skip,
}

OPS: dict[str, Callable[..., str]] = {
    **{f"parse_{kind}{bits}": parse_int(f"{word}{bits}") for kind, word in (("i", "int"), ("u", "uint"))
       for bits in (8, 16, 32, 64)},
    "parse_f32": parse_float,
    "parse_f64": parse_float,
    "format_i64": format_int,
    "format_u64": format_int,
    "format_f32": format_f32,
    "format_f64": format_f64,
    "read_ints": read_column(fastio.read_ints),
    "read_floats": read_column(fastio.read_floats),
    "read_lines": read_lines,
    "count_lines": count_lines,
    "read_bytes": read_bytes,
    "iter_ints": iterate(fastio.ints),
    "iter_floats": iterate(fastio.floats),
    "iter_lines": iterate(fastio.lines),
    "iter_tokens": iterate(iterate_tokens),
    "reader": run_script,
}


def answer(name: str, op: str, options: str, data: str) -> str:
    try:
        return OPS[op](name, bytes.fromhex(data), parse_options(options))
    except Unsupported:
        return "unsupported"
    except (fastio.Error, ValueError) as error:
        return render_error(error)


def main() -> None:
    for line in sys.stdin:
        line = line.rstrip("\n")
        if line.startswith("!"):
            config.update(item.split("=", 1) for item in line[1:].split(";"))
            fastio.cpu_select(config["simd"])
            continue
        name, op, options, data = line.split("\t")
        print(name, answer(name, op, options, data), sep="\t")


main()
