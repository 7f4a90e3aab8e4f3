"""The Python driver of the shared vectors (see tests/vectors/README.md).

It turns options into keywords and Python objects into text; what is right stands in the vectors.
"""

from __future__ import annotations

import datetime
import io
import os
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import driver_write
import fastio
from driver_write import Unsupported

directory = sys.argv[1]
config = {"simd": "auto", "block": "0", "threads": "1", "source": "memory", "way": "column", "sink": "memory"}
driver_write.config = config
tells = ""  # of errors: "raw", with the byte of the archive; or "status", that alone


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
        case bool():
            return str(int(value))
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
    "ragged": fastio.ParseError,
    "bad_quote": fastio.ParseError,
    "bad_header": fastio.ParseError,
    "bad_encoding": fastio.DecodeError,
    "truncated": fastio.TruncatedError,
}


def status_of(error: BaseException) -> str:
    if isinstance(error, ValueError) and not isinstance(error, fastio.Error):
        return "invalid_argument"
    if not isinstance(error, fastio.Error):
        raise error
    assert type(error) is EXCEPTIONS.get(error.status, fastio.Error), error
    return error.status


def render_error(error: BaseException) -> str:
    status = status_of(error)
    if status == "invalid_argument":
        return f"error:{status}:-:0:0:{raw_of(error)}"
    return render_place(error, status) + raw_of(error)


def render_place(error: Any, status: str) -> str:
    if tells == "status":
        return f"error:{status}:-:0:0:"
    offset = "-" if error.offset is None else error.offset
    return f"error:{status}:{offset}:{error.lineno or 0}:{error.colno or 0}:{(error.text or b'').hex()}"


def raw_of(error: BaseException) -> str:
    """The byte of the archive, if the vector wants it to be told."""
    if tells != "raw":
        return ""
    raw = getattr(error, "raw_offset", None)
    return f"@{'-' if raw is None else raw}"


# ---- Tables as text ------------------------------------------------------------------------------

EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)


def since_epoch(moment: datetime.datetime) -> int:
    return (moment.replace(tzinfo=None) - EPOCH) // MICROSECOND * 1000


def since_midnight(time: datetime.time) -> int:
    return ((time.hour * 60 + time.minute) * 60 + time.second) * 10**9 + time.microsecond * 1000


def check_zone(moment: datetime.datetime, zone: datetime.timezone | None) -> datetime.datetime:
    assert moment.tzinfo is zone
    return moment


# The number that a column holds for an object of Python.
NUMBERS: dict[str, Callable[[Any], int]] = {
    "date": lambda day: day.toordinal() - EPOCH.toordinal(),
    "time": since_midnight,
    "timestamp[ns]": lambda moment: since_epoch(check_zone(moment, None)),
    "timestamp[ns, UTC]": lambda moment: since_epoch(check_zone(moment, datetime.timezone.utc)),
}


def render_moments(column: fastio.Column[Any]) -> str:
    """As objects of datetime; in NumPy's types where those can't hold the nanoseconds."""
    return render_list([moment_at(column, i) for i in range(len(column))])


def moment_at(column: fastio.Column[Any], i: int) -> int | None:
    try:
        value = column[i]
        return None if value is None else NUMBERS[column.dtype](value)
    except ValueError:
        number: int = column[i : i + 1].to_numpy().view("int64").tolist()[0]
        return number


def render_table_column(column: fastio.Column[Any]) -> str:
    if column.dtype in NUMBERS:
        return column.dtype + render_moments(column)
    return column.dtype + render_column(column)


def render_table(table: fastio.Table) -> str:
    names, columns = table.names, table.columns
    assert table.shape == (len(table), len(columns)) and list(table.dtypes) == names
    assert [column.dtype for column in columns] == list(table.dtypes.values())
    parts = (f"{render(name)}:{render_table_column(column)}" for name, column in zip(names, columns))
    return f"{len(table)}{{{' '.join(parts)}}}"


COUNTS = ("padded", "truncated", "skipped", "replaced", "bad_cells", "blank_lines", "comment_lines")


def render_report(report: Any) -> str:
    places = ("/".join(map(str, (p.status, p.offset, p.lineno, p.record, p.field))) for p in report.places)
    return f" {'/'.join(str(getattr(report, name)) for name in COUNTS)}[{' '.join(places)}]"


def render_table_error(error: BaseException) -> str:
    if not isinstance(error, fastio.Error):
        return f"{render_error(error)}:0:0:x"
    text = render_place(error, status_of(error))
    field = error.field or 0
    name = field if isinstance(field, str) else ""
    return f"{text}:{error.record or 0}:{'-' if name else field}:{render(name)}{raw_of(error)}"


# ---- Requests ------------------------------------------------------------------------------------


def newline(value: str) -> str | bytes:
    return value if value in ("lf", "any") else bytes.fromhex(value)


def name_or_none(value: str) -> str | None:
    return None if value == "none" else value


DECODE_KEYWORDS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("compression", "encoding"), name_or_none),
    **dict.fromkeys(("errors", "trailing", "partial", "tell"), str),
    "max_size": int,
}
KEYWORDS: dict[str, Callable[[str], Any]] = {
    **DECODE_KEYWORDS,
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
    "null_values": lambda value: [bytes.fromhex(text[1:]) for text in value.split(",")],
    "shape": lambda value: tuple(map(int, value.split(","))),
    **dict.fromkeys(("script", "from", "to"), str),
}


def byte_or_none(value: str) -> bytes | None:
    return None if value == "none" else bytes.fromhex(value)


def flag(value: str) -> bool:
    return value == "1"


def texts(value: str) -> list[str]:
    return [bytes.fromhex(text[1:]).decode() for text in value.split(",") if text]


def column_key(item: str) -> str | int:
    """n and a name, g and a pattern, p or l and a position."""
    return int(item[1:]) if item[0] in "pl" else bytes.fromhex(item[1:]).decode()


def by_column(value: str, parse: Callable[[str], Any]) -> dict[str | int, Any]:
    pairs = (item.split("/", 1) for item in value.split("|"))
    return {column_key(key): parse(rest) for key, rest in pairs}


def dtype(value: str) -> Any:
    if value.startswith("e/"):
        return value[2:]
    types = by_column(value, str)
    if value.startswith("l"):
        return [types.get(i) for i in range(max(types) + 1)]  # type: ignore[type-var,operator]
    return types


def widths(value: str) -> list[Any]:
    return [tuple(map(int, item[1:].split("-"))) if item.startswith("s") else int(item) for item in value.split(",")]


def join(fields: list[str], expected: int) -> list[str]:
    if len(fields) > expected:
        return [*fields[: expected - 1], "+".join(fields[expected - 1 :])]
    return fields + ["?"] * (expected - len(fields))


TABLE_KEYWORDS: dict[str, Callable[[str], Any]] = {
    **DECODE_KEYWORDS,
    **dict.fromkeys(("sep", "quote", "escape", "comment", "decimal", "thousands"), byte_or_none),
    **dict.fromkeys(("doublequote", "comment_anywhere", "trim", "header", "repair_names", "quoted_null", "percent",
                     "unicode_minus", "at_record"), flag),
    **dict.fromkeys(("skip_lines", "skip_rows", "max_rows", "infer_rows", "batch_rows", "batch_bytes", "offset",
                     "length", "parts", "bytes", "first", "count"), int),
    **dict.fromkeys(("quote_mode", "trailing_sep", "blank_lines", "big_ints", "overflow", "on_ragged", "on_bad"), str),
    "newline": newline,
    "names": texts,
    "usecols": lambda value: [column_key(item) for item in value.split("|")],
    "null_values": lambda value: by_column(value, texts) if "/" in value else texts(value),
    "dtype": dtype,
    "widths": widths,
}


def parse_options(op: str, text: str) -> dict[str, Any]:
    global tells
    pairs = (item.split("=", 1) for item in text.split(";") if item)
    keywords = TABLE_KEYWORDS if op in TABLE_OPS else KEYWORDS
    options = {key: keywords[key](value) for key, value in pairs}
    tells = options.pop("tell", "")
    return options


def decode_errors(result: Any, options: dict[str, Any]) -> str:
    """How much was replaced or left out, if that was allowed."""
    return f" ~{result.decode_errors}" if options.get("errors", "strict") != "strict" else ""


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
        writer = threading.Thread(daemon=True, target=write_all, args=(write_end, data))
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
            column = function(source, **for_whole(options))
        return render_column(column) + decode_errors(column, options)

    return run


def read_lines(name: str, data: bytes, options: dict[str, Any]) -> str:
    with source_of(name, data) as source:
        lines = fastio.read_lines(source, **for_whole(options))
    values = [lines[i] for i in range(len(lines))]
    assert list(lines) == values
    return render_list(values) + decode_errors(lines, options)


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
    except fastio.Error as error:
        return render_error(error)
    except EOFError:
        return "end"


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

# ---- Operations on tables ------------------------------------------------------------------------


def table_options(options: dict[str, Any]) -> dict[str, Any]:
    """The range as one keyword; callbacks of the names that vectors have."""
    names = options.get("names")
    width = len(names) if names else None
    offset, length = options.pop("offset", None), options.pop("length", None)
    if options.pop("at_record", False):
        options["range"] = fastio.Range(offset, length)
    elif offset is not None or length is not None:
        options["range"] = (offset or 0, length)
    if options.get("on_ragged") == "call:drop":
        options["on_ragged"] = lambda fields: None
    elif options.get("on_ragged") == "call:join":
        options["on_ragged"] = lambda fields: join(fields, width or 2)  # all of these vectors have two columns
    return options


def read_csv(name: str, data: bytes, options: dict[str, Any]) -> str:
    with source_of(name, data) as source:
        table = fastio.read_csv(source, **for_whole(table_options(options)))
    return render_table(table) + render_report(table.report) + decode_errors(table, options)


def open_csv(name: str, data: bytes, options: dict[str, Any]) -> str:
    batches, sums = [], dict.fromkeys(COUNTS, 0)
    with source_of(name, data) as source:
        try:
            with fastio.open_csv(source, **for_whole(table_options(options))) as reader:
                for table in reader:
                    batches.append(render_table(table))
                    sums = {count: total + getattr(table.report, count) for count, total in sums.items()}
        except (fastio.Error, ValueError) as error:
            return f"[{' '.join(batches)}] {render_table_error(error)}"
    return f"[{' '.join(batches)}] {'/'.join(map(str, sums.values()))}"


def slice_csv(name: str, data: bytes, options: dict[str, Any]) -> str:
    first, count = options.pop("first"), options.pop("count")
    with source_of(name, data) as source, fastio.open_csv(source, **for_whole(table_options(options))) as reader:
        return f"{len(reader)} {render_table(reader[first : first + count])}"


def partition(name: str, data: bytes, options: dict[str, Any]) -> str:
    parts, nbytes = options.pop("parts", None), options.pop("bytes", None)
    with source_of(name, data) as source:
        ranges = fastio.partition(source, parts, nbytes=nbytes, **for_whole(table_options(dict(options))))
        tables = [fastio.read_csv(source, range=part, **options) for part in ranges]
    return f"[{' '.join(f'{r.offset}+{r.length}:{render_table(t)}' for r, t in zip(ranges, tables))}]"


def render_word(value: Any) -> str:
    if isinstance(value, bytes | str) and value not in ("lf", "any"):
        return (value if isinstance(value, bytes) else value.encode()).hex()
    return "none" if value is None else str(int(value)) if isinstance(value, bool) else str(value)


def sniff(name: str, data: bytes, options: dict[str, Any]) -> str:
    """What it proposes must make the table both as `dialect=` and as keywords."""
    with source_of(name, data) as source:
        try:
            dialect = fastio.sniff(source, **with_block(options))
        except EOFError:
            return "error:end:-:0:0::0:0:x"
    table = render_table(fastio.read_csv(data, dialect=dialect))
    words = dict(dialect)
    assert table == render_table(fastio.read_csv(data, **words))
    usual = {"sep": ",", "quote": '"', "newline": "lf", "comment": None, "decimal": ".", "header": True,
             "skip_lines": 0}
    found = {key: render_word(words.get(key, value)) for key, value in usual.items()}
    if found["sep"] != "none":
        found["sep"] = "x" + found["sep"]
    return f"{' '.join(f'{key}={value}' for key, value in found.items())} {table}"


def transcode(name: str, data: bytes, options: dict[str, Any]) -> str:
    return render(fastio.transcode(data, options["from"], options["to"], options.get("errors", "strict")))


def utf8_count(name: str, data: bytes, options: dict[str, Any]) -> str:
    assert fastio.validate_utf8(data)
    return render(fastio.count_utf8(data))


def utf8_valid(name: str, data: bytes, options: dict[str, Any]) -> str:
    size = fastio.utf8_valid(data)
    assert fastio.validate_utf8(data) == (size == len(data))
    return render(size)


def parse_moment(parse: Callable[[bytes], Any], type_name: str) -> Callable[..., str]:
    def run(name: str, data: bytes, options: dict[str, Any]) -> str:
        value = parse(data)
        if type_name != "timestamp[ns]":
            return f"{type_name}:{value}"
        nanoseconds, has_zone = value
        return f"timestamp[ns{', UTC' if has_zone else ''}]:{nanoseconds}"

    return run


TABLE_OPS: dict[str, Callable[..., str]] = {
    "read_csv": read_csv,
    "open_csv": open_csv,
    "slice_csv": slice_csv,
    "partition": partition,
    "sniff": sniff,
}
OPS: dict[str, Callable[..., str]] = {
    **TABLE_OPS,
    "transcode": transcode,
    "utf8_valid": utf8_valid,
    "utf8_count": utf8_count,
    "encoding_name": lambda name, data, options: render(fastio.encoding_name(data.decode())),
    "parse_date": parse_moment(fastio.parse_date, "date"),
    "parse_time": parse_moment(fastio.parse_time, "time"),
    "parse_timestamp": parse_moment(fastio.parse_timestamp, "timestamp[ns]"),
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


def run(name: str, op: str, options: str, data: bytes) -> str:
    if op in driver_write.WRITE_OPS:
        return driver_write.run_write(op, data.decode(), options)
    if op == "copy":
        with source_of(name, data) as source:
            return driver_write.run_copy(source, options)
    if op == "transcode_errors":
        raise Unsupported
    if op in driver_write.FORMAT_OPS and ("format=" in options or op not in OPS):
        return driver_write.run_format(op, data, options)
    return OPS[op](name, data, parse_options(op, options))


def answer(name: str, op: str, options: str, data: str) -> str:
    try:
        return run(name, op, options, bytes.fromhex(data))
    except Unsupported:
        return "unsupported"
    except (fastio.Error, ValueError) as error:
        return render_table_error(error) if op in {*TABLE_OPS, "write_csv"} else render_error(error)


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
