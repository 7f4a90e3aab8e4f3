"""The shared vectors: how a .vec file is read, and how an expectation is written as a driver's answer.

The format and the protocol of the drivers are described in vectors/README.md.
"""

from __future__ import annotations

import ast
import bisect
import dataclasses
import datetime
import struct
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import archives

VECTORS = Path(__file__).parent / "vectors"

# ---- Python-literal expressions ------------------------------------------------------------------


class Bits(int):
    """A float given by its bits."""


@dataclasses.dataclass(frozen=True)
class Failure:
    """An expected error; offset None: it has no place in the data."""

    status: str
    offset: int | None = None
    line: int = 0
    column: int = 0
    text: bytes = b""
    record: int = 0  # these three in tables only
    field: int | str = 0  # "-": not told
    name: str = ""
    raw: int | None = None  # the byte of the archive, where a vector tells it

    def render(self) -> str:
        return self._render_place() + self._render_raw()

    def render_in_table(self) -> str:
        name = self.name.encode()[:64].hex()
        return f"{self._render_place()}:{self.record}:{self.field}:x{name}{self._render_raw()}"

    def _render_place(self) -> str:
        offset = "-" if self.offset is None else self.offset
        return f"error:{self.status}:{offset}:{self.line}:{self.column}:{self.text[:64].hex()}"

    def _render_raw(self) -> str:
        return "" if self.raw is None else f"@{self.raw}"


@dataclasses.dataclass(frozen=True)
class Word:
    """`ok` or `end` in the result of a reader's script."""

    name: str


@dataclasses.dataclass(frozen=True)
class Typed:
    """A column of a table with its type; or a single value. Dates and times are ISO texts, or numbers as stored."""

    type: str
    values: Any

    def render(self) -> str:
        if not isinstance(self.values, list):
            return f"{self.type}:{self._item(self.values)}"
        return f"{self.type}[{' '.join(map(self._item, self.values))}]"

    def _item(self, value: Any) -> str:
        if isinstance(value, str) and self.type in _MOMENTS:
            value = _MOMENTS[self.type](value)
        return _render(value, self.type == "float32")


def days(text: str) -> int:
    return datetime.date.fromisoformat(text).toordinal() - datetime.date(1970, 1, 1).toordinal()


def nanoseconds_of_day(text: str) -> int:
    """Of hh:mm:ss with decimals or without."""
    time, _, decimals = text.partition(".")
    hours, minutes, seconds = map(int, time.split(":"))
    return ((hours * 60 + minutes) * 60 + seconds) * 10**9 + int(decimals.ljust(9, "0"))


def nanoseconds(text: str) -> int:
    """Of a date, a blank and a time, since 1970."""
    date, time = text.split(" ")
    return days(date) * 86400 * 10**9 + nanoseconds_of_day(time)


@dataclasses.dataclass(frozen=True)
class Format:
    """How a value is written: the notation and what else is not as by default."""

    notation: str
    words: dict[str, Any]

    def render(self) -> str:
        words = {"notation": self.notation, **self.words}
        return ",".join(f"{key}:{_encode_option(key, value)}" for key, value in words.items())


def _number_format(notation: str) -> Callable[..., Format]:
    def make(precision: int | None = None, **words: Any) -> Format:
        return Format(notation, {"precision": precision, **words})

    return make


def _integer_format(base: int = 10, **words: Any) -> Format:
    return Format("shortest", {"base": base, **words})


def _shortest_format(**words: Any) -> Format:
    return Format("shortest", words)


_MOMENTS = {"date": days, "time": nanoseconds_of_day, "timestamp[ns]": nanoseconds,
            "timestamp[ns, UTC]": nanoseconds}
# The calls that make a column or a value of a type: int64([1, 2]), timestamp_utc("2024-02-29 12:00:00").
_TYPE_CALLS = {
    **{name: name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
                               "float64", "string", "bool", "date", "time", "dictionary")},
    "timestamp": "timestamp[ns]",
    "timestamp_utc": "timestamp[ns, UTC]",
}


def _type_call(type_name: str) -> Callable[[Any], Typed]:
    return lambda values: Typed(type_name, values)


def every(count: int, first: tuple[Any, ...], second: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """That many places in even steps, the first two of which are given."""
    return [tuple(a if isinstance(a, str) else a + i * (b - a) for a, b in zip(first, second)) for i in range(count)]


def encode(text: str, encoding: str) -> bytes:
    """By Python's codec."""
    return text.encode(encoding)


_NAMES = {"nan": float("nan"), "inf": float("inf"), "ok": Word("ok"), "end": Word("end")}
_CALLS: dict[str, Callable[..., Any]] = {
    "bits": Bits, "hexfloat": float.fromhex, "error": Failure, "every": every,
    **{call: _type_call(name) for call, name in _TYPE_CALLS.items()},
    **{name: _number_format(name) for name in ("fixed", "scientific", "general", "hexadecimal")},
    "integer": _integer_format, "shortest": _shortest_format,
    **archives.MAKERS, "skippable": archives.skippable, "flip": archives.flip, "encode": encode, "hex": bytes.fromhex,
}


def evaluate(text: str) -> Any:
    """Literals, tuples, lists, slices, `+`, `*`, unary minus, the names and calls above; nothing else."""
    return _evaluate(ast.parse(text.strip(), mode="eval").body)


def _evaluate(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.Tuple(elts=items):
            return tuple(map(_evaluate, items))
        case ast.List(elts=items):
            return list(map(_evaluate, items))
        case ast.Dict(keys=keys, values=values):
            return {_evaluate(key): _evaluate(value) for key, value in zip(keys, values)}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _evaluate(left) + _evaluate(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _evaluate(left) - _evaluate(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _evaluate(left) * _evaluate(right)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _evaluate(left) ** _evaluate(right)
        case ast.Subscript(value=whole, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            start = None if lower is None else _evaluate(lower)
            return _evaluate(whole)[slice(start, None if upper is None else _evaluate(upper))]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=words) if name in _CALLS:
            return _CALLS[name](*map(_evaluate, args), **{str(word.arg): _evaluate(word.value) for word in words})
    raise ValueError(f"not allowed in a vector: {ast.unparse(node)}")


# ---- Vectors -------------------------------------------------------------------------------------

WHOLE_OPS = {"read_ints", "read_floats", "read_lines", "count_lines", "read_bytes"}
ITERATOR_OPS = {"iter_ints", "iter_floats", "iter_lines", "iter_tokens"}
TABLE_OPS = {"read_csv", "open_csv", "slice_csv", "partition", "sniff"}
SOURCE_OPS = WHOLE_OPS | ITERATOR_OPS | TABLE_OPS | {"reader", "copy"}
WRITE_OPS = {"write", "print", "write_ints", "write_floats", "write_lines", "write_csv", "copy"}
CONVERT_OPS = {"transcode", "transcode_errors"}
_RESERVED = {"id", "op", "input", "result", "error", "report", "note", "cases", "raw_offset", "decode_errors"}
# Their answers say how many sequences were replaced or left out, if `errors` is other than strict.
_COUNT_ERRORS = {"read_ints", "read_floats", "read_lines", "read_csv"}
_MISSING = object()


@dataclasses.dataclass(frozen=True)
class Vector:
    id: str
    op: str
    options: dict[str, Any]
    input: bytes
    result: Any = _MISSING
    error: Failure | None = None
    report: dict[str, Any] = dataclasses.field(default_factory=dict)
    decode_errors: int = 0

    @property
    def reads_source(self) -> bool:
        return self.op in SOURCE_OPS

    def line(self) -> bytes:
        """What a driver reads."""
        fields = [self.id, self.op, encode_options(self.options, self.op), self.input.hex()]
        return "\t".join(fields).encode() + b"\n"

    def answer(self) -> bytes:
        """What a driver must write."""
        return f"{self.id}\t{self._expected()}{self._count()}\n".encode()

    def _count(self) -> str:
        lenient = self.options.get("errors", "strict") != "strict"
        return f" ~{self.decode_errors}" if lenient and self.op in _COUNT_ERRORS and self.error is None else ""

    def _expected(self) -> str:
        if self.op in TABLE_OPS:
            return _TABLE_ANSWERS[self.op](self)
        if self.op == "reader":
            steps = self.options["script"].split()
            assert len(steps) == len(self.result), self.id
            return " ".join(map(_render_step, steps, self.result))
        if self.error is not None and self.op not in ITERATOR_OPS:
            return self.error.render_in_table() if self.op == "write_csv" else self.error.render()
        if self.op == "copy":
            return f"{len(self.result)} {_render(self.result, False)}"
        single = _is_single(self.options)
        text = _render(self.result, single, self.options.get("shape"))
        return f"{text} {self.error.render()}" if self.error is not None else text


# ---- Answers of the ops on tables ----------------------------------------------------------------

REPORT_COUNTS = ("padded", "truncated", "skipped", "replaced", "bad_cells", "blank_lines", "comment_lines")


def render_table(columns: dict[str, Typed], rows: int | None = None) -> str:
    if rows is None:
        rows = len(next(iter(columns.values())).values) if columns else 0
    assert all(len(column.values) == rows for column in columns.values()), "columns of different lengths"
    return f"{rows}{{{' '.join(f'x{name.encode().hex()}:{column.render()}' for name, column in columns.items())}}}"


def _render_counts(report: dict[str, Any]) -> str:
    assert report.keys() <= {*REPORT_COUNTS, "places"}, report
    return " " + "/".join(str(report.get(name, 0)) for name in REPORT_COUNTS)


def _render_report(report: dict[str, Any]) -> str:
    places = ("/".join(map(str, place)) for place in report.get("places", [])[:100])
    return f"{_render_counts(report)}[{' '.join(places)}]"


def _answer_read_csv(vector: Vector) -> str:
    if vector.error is not None:
        return vector.error.render_in_table()
    return render_table(vector.result) + _render_report(vector.report)


def _answer_open_csv(vector: Vector) -> str:
    """The batches, then the counts of all of them or the error."""
    tables = [] if vector.result is _MISSING else vector.result
    answer = f"[{' '.join(map(render_table, tables))}]"
    if vector.error is not None:
        return f"{answer} {vector.error.render_in_table()}"
    return answer + _render_counts(vector.report)


def _answer_slice_csv(vector: Vector) -> str:
    """How many rows there are, and those asked for."""
    if vector.error is not None:
        return vector.error.render_in_table()
    return f"{vector.result[0]} {render_table(vector.result[1])}"


def _answer_partition(vector: Vector) -> str:
    """Offset, length and table of each range."""
    if vector.error is not None:
        return vector.error.render_in_table()
    parts = (f"{offset}+{length}:{render_table(table)}" for offset, length, table in vector.result)
    return f"[{' '.join(parts)}]"


_SNIFFED = {"sep": ",", "quote": '"', "newline": "lf", "comment": None, "decimal": ".", "header": True, "skip_lines": 0}


def _answer_sniff(vector: Vector) -> str:
    """The dialect (what is as usual may be left out), and the table that it makes."""
    if vector.error is not None:
        return vector.error.render_in_table()
    dialect, table = vector.result
    found = {**_SNIFFED, **dialect}
    assert found.keys() == _SNIFFED.keys(), dialect
    encoded = {key: _encode_option(key, value) for key, value in found.items()}
    if found["sep"]:
        encoded["sep"] = f"x{encoded['sep']}"
    return f"{' '.join(f'{key}={value}' for key, value in encoded.items())} {render_table(table)}"


_TABLE_ANSWERS: dict[str, Callable[[Vector], str]] = {
    "read_csv": _answer_read_csv,
    "open_csv": _answer_open_csv,
    "slice_csv": _answer_slice_csv,
    "partition": _answer_partition,
    "sniff": _answer_sniff,
}


# ---- Inputs of the ops that write ----------------------------------------------------------------

_PLAIN_TYPES = {bool: "bool", int: "int64", float: "float64", str: "string", bytes: "binary"}


def _typed_item(value: Any) -> str:
    return (value if isinstance(value, Typed) else Typed(_PLAIN_TYPES[type(value)], value)).render()


def _typed_items(values: list[Any]) -> str:
    return f"[{' '.join(map(_typed_item, values))}]"


def _typed_column(type_name: str) -> Callable[[Any], str]:
    return lambda values: (values if isinstance(values, Typed) else Typed(type_name, values)).render()


def _float_bits(value: Any, single: bool = False) -> str:
    """The bits of a float, those of the NaN too."""
    return _render(value, single) if isinstance(value, Bits) else struct.pack(">f" if single else ">d", value).hex()


# How the input of an op is written for the drivers, where it is not the bytes themselves.
_INPUTS: dict[str, Callable[[Any], str]] = {
    "format_i64": str,
    "format_u64": str,
    "format_f64": lambda value: value if isinstance(value, str) else _float_bits(value),
    "format_f32": lambda value: value if isinstance(value, str) else _float_bits(value, single=True),
    "format_date": str,
    "format_time": str,
    "format_timestamp": str,
    "write": _typed_items,
    "print": _typed_items,
    "write_ints": _typed_column("int64"),
    "write_floats": _typed_column("float64"),
    "write_lines": _typed_column("string"),
    "write_csv": render_table,
}


# ---- Values and options as text ------------------------------------------------------------------


def _is_single(options: dict[str, Any]) -> bool:
    return options.get("dtype") == "float32"


def _render_step(step: str, value: Any) -> str:
    return _render(value, single=step == "float32")


def _render(value: Any, single: bool, shape: Any = None) -> str:
    match value:
        case None:
            return "null"
        case Failure() | Typed():
            return value.render()
        case Word(name=name):
            return name
        case Bits():
            return f"{value:08x}" if single else f"{value:016x}"
        case float():
            return _render_float(value, single)
        case bytes():
            return "x" + value.hex()
        case str():
            return "x" + value.encode().hex()
        case int():
            return str(int(value))  # also of a bool
        case list():
            rows = ""
            if shape is not None:
                rows = f"{len(value) // shape[1]}x{shape[1]}"
            return rows + "[" + " ".join(_render(item, single) for item in value) + "]"
    raise TypeError(f"no way to write {value!r}")


def _render_float(value: float, single: bool) -> str:
    if value != value:
        return "nan"
    packed = struct.pack(">f" if single else ">d", value)
    if single:  # a literal that is not a float32 would be rounded twice: such vectors give bits()
        assert struct.unpack(">f", packed)[0] == value, f"{value!r} is not a float32"
    return packed.hex()


_HEX_OPTIONS = {"sep", "comment", "quote", "escape", "decimal", "thousands", "end", "eol", "null", "nan", "true", "false",
                "sign", "fill", "point", "group"}


def encode_options(options: dict[str, Any], op: str = "") -> str:
    """`dtype` of the ops on numbers is just a name."""
    if isinstance(options.get("header"), list):  # of write_csv: names of its own
        options = {**options, "header": _encode_texts(options["header"])}
    plain = {"dtype"} if op not in TABLE_OPS else set()
    return ";".join(f"{key}={value if key in plain else _encode_option(key, value)}" for key, value in options.items())


def _encode_option(key: str, value: Any) -> str:
    if value is None:
        return "none"
    if key in _HEX_OPTIONS or (key == "newline" and value not in ("lf", "any")):
        return (value if isinstance(value, bytes) else value.encode()).hex()
    if key in _LIST_OPTIONS:
        return _LIST_OPTIONS[key](value)
    return str(int(value)) if isinstance(value, bool) else str(value)


def _encode_texts(texts: Sequence[str]) -> str:
    return ",".join("x" + text.encode().hex() for text in texts)


def _encode_column(column: str | int) -> str:
    return f"n{column.encode().hex()}" if isinstance(column, str) else f"p{column}"


def _encode_columns(columns: Sequence[str | int]) -> str:
    return "|".join(map(_encode_column, columns))


def _encode_nulls(value: Any) -> str:
    """For all columns, or column by column."""
    if not isinstance(value, dict):
        return _encode_texts(value)
    return "|".join(f"{_encode_column(column)}/{_encode_texts(texts)}" for column, texts in value.items())


def _encode_dtype(value: Any) -> str:
    """For all columns, by position, or by name, position and pattern."""
    if isinstance(value, str):
        return f"e/{value}"
    if isinstance(value, list):
        return "|".join(f"l{i}/{name}" for i, name in enumerate(value) if name is not None)
    return "|".join(f"{_encode_key(key)}/{name}" for key, name in value.items())


def _encode_key(key: str | int) -> str:
    if isinstance(key, str) and ("*" in key or "?" in key):
        return f"g{key.encode().hex()}"
    return _encode_column(key)


def _encode_widths(value: Sequence[int | tuple[int, int]]) -> str:
    return ",".join(f"s{item[0]}-{item[1]}" if isinstance(item, tuple) else str(item) for item in value)


def _encode_format(value: Any) -> str:
    """One for all, one for each column (None: the default), or those of some columns by name."""
    if isinstance(value, Format):
        return value.render()
    if isinstance(value, list):
        return "|".join("" if item is None else item.render() for item in value)
    return "|".join(f"{_encode_column(name)}/{item.render()}" for name, item in value.items())


_LIST_OPTIONS: dict[str, Callable[[Any], str]] = {
    "format": _encode_format,
    "grouping": lambda value: "-".join(map(str, value)),
    "names": _encode_texts,
    "usecols": _encode_columns,
    "null_values": _encode_nulls,
    "dtype": _encode_dtype,
    "widths": _encode_widths,
    "shape": lambda value: ",".join(map(str, value)),
    "script": lambda value: " ".join(map(_encode_step, value.split())),
}


def _encode_step(step: str) -> str:
    name, colon, argument = step.partition(":")
    if name != "expect":
        return step
    text = evaluate(f'b"{argument}"')
    return f"expect{colon}{text.hex()}"


def parse_vectors(text: str, origin: str) -> Iterator[Vector]:
    """Stanzas separated by blank lines; `#` starts a comment line; an indented line goes on."""
    stanza: dict[str, str] = {}
    key = ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if stanza:
                yield from _vectors(stanza, origin)
                stanza = {}
        elif line[0].isspace():
            stanza[key] += " " + line.strip()
        else:
            key, equals, value = (part.strip() for part in line.partition("="))
            if not equals or key in stanza:
                raise ValueError(f"{origin}:{number}: {line}")
            stanza[key] = value


def _vectors(stanza: dict[str, str], origin: str) -> Iterator[Vector]:
    """One; or if it has `cases`, pairs of input and result, one for each."""
    try:
        values = {k: v if k in ("id", "op", "note") else evaluate(v) for k, v in stanza.items()}
        for i, (given, result) in enumerate(values.get("cases", [])):
            yield _vector({**values, "id": f"{values['id']}_{i + 1}", "input": given, "result": result})
        if "cases" not in values:
            yield _vector(values)
    except Exception as problem:
        raise ValueError(f"{origin}: stanza {stanza.get('id')}: {problem}") from problem


def _vector(values: dict[str, Any]) -> Vector:
    data = values.get("input", b"")
    data = _INPUTS[values["op"]](data) if values["op"] in _INPUTS else data
    data = data.encode() if isinstance(data, str) else data
    options = {key: value for key, value in values.items() if key not in _RESERVED}
    if "raw_offset" in values:
        options["tell"] = "raw"
    error = values.get("error")
    if error is not None:
        error = Failure(*error) if isinstance(error, tuple) else Failure(error)
        error = dataclasses.replace(error, raw=values.get("raw_offset"))
        if values["op"].startswith("parse_") and error.offset is not None:
            error = dataclasses.replace(error, text=data)  # the token is all there is
    result = values.get("result", _MISSING)
    if (result is _MISSING) and (error is None):
        raise ValueError("neither result nor error")
    vector = Vector(values["id"], values["op"], options, data, result, error, values.get("report", {}),
                    values.get("decode_errors", 0))
    vector.answer()
    return vector


def load_vectors() -> list[Vector]:
    vectors: list[Vector] = []
    for path in sorted(VECTORS.glob("*.vec")):
        vectors += parse_vectors(path.read_text(encoding="utf-8"), path.name)
    seen: set[str] = set()
    for vector in vectors:
        if vector.id in seen:
            raise ValueError(f"two vectors are called {vector.id}")
        seen.add(vector.id)
    return vectors


# ---- Metamorphic twins ---------------------------------------------------------------------------

_PLAIN_OPS = {"read_ints", "read_floats", "read_lines", "count_lines", "iter_ints", "iter_floats", "iter_lines",
              "read_csv", "open_csv", "slice_csv"}
_NOT_PLAIN = {"newline", "keepends", "length"}
_LARGEST_TWIN = 65536


def is_plain(vector: Vector) -> bool:
    """Its input is text as it is."""
    decodes = vector.options.keys() & {"compression", "errors", "partial", "trailing", "max_size"}
    encoding = vector.options.get("encoding", "utf-8")
    return not decodes and encoding in (None, "utf-8") and not archives.is_recognised(vector.input)


def twins(vector: Vector) -> list[Vector]:
    """The same vector in other spellings that must not matter."""
    if not is_plain(vector):
        return []
    made = (final_newline_twin(vector), return_twin(vector), any_newline_twin(vector))
    return [twin for twin in made if twin is not None]


def final_newline_twin(vector: Vector) -> Vector | None:
    """With the final newline added or taken away, if that must not matter."""
    data = vector.input
    if vector.op not in _PLAIN_OPS or _NOT_PLAIN & vector.options.keys() or vector.error:
        return None
    if not 0 < len(data) < _LARGEST_TWIN:
        return None
    if not data.endswith((b"\n", b"\r")):
        data += b"\n"
    elif data.endswith(b"\n") and len(data) > 1 and data[-2] not in b"\r\n":
        data = data[:-1]
    else:
        return None
    if data.removeprefix(b"\xef\xbb\xbf") in (b"", b"\n"):
        return None
    return dataclasses.replace(vector, id=vector.id + "+newline", input=data)


_NOT_RESPELLED = {"newline", "offset", "length", "escape", "batch_bytes"}


def record_ends(vector: Vector) -> list[int] | None:
    """Where the newlines outside of quotes are, if no "\\r" and no special rule makes that hard to say."""
    data, options = vector.input, vector.options
    quote = options.get("quote", '"')
    quotes = quote is not None and "widths" not in options and quote.encode() in data
    if vector.op not in ("read_csv", "open_csv") or _NOT_RESPELLED & options.keys() or b"\r" in data:
        return None
    if len(data) > _LARGEST_TWIN or quotes and {"comment", "quote_mode", "skip_lines"} & options.keys():
        return None
    if vector.error is not None and vector.error.status == "bad_quote":
        return None
    ends, quoted = [], False
    for i, byte in enumerate(data):
        if quotes and byte == ord(quote):
            quoted = not quoted
        elif byte == ord("\n") and not quoted:
            ends.append(i)
    return ends


def return_twin(vector: Vector) -> Vector | None:
    """With "\\r\\n" for every "\\n" that ends a record; the places of errors move with it."""
    ends = record_ends(vector)
    error = vector.error
    if ends is None or (error is not None and b"\n" in error.text):
        return None

    def moved(offset: int | None) -> int | None:
        return offset if offset is None else offset + bisect.bisect_left(ends, offset)

    if error is not None:
        error = dataclasses.replace(error, offset=moved(error.offset))
    report = dict(vector.report)
    if "places" in report:
        report["places"] = [(status, moved(offset), *rest) for status, offset, *rest in report["places"]]
    data = _with_newlines(vector.input, ends, b"\r\n")
    return dataclasses.replace(vector, id=vector.id + "+crlf", input=data, error=error, report=report)


def any_newline_twin(vector: Vector) -> Vector | None:
    """With "\\r" for every "\\n" that ends a record, read with newline="any"; without the places, which name lines."""
    ends = record_ends(vector)
    if not ends or vector.error is not None or "places" in vector.report:
        return None
    options = {**vector.options, "newline": "any"}
    data = _with_newlines(vector.input, ends, b"\r")
    return dataclasses.replace(vector, id=vector.id + "+cr", input=data, options=options)


def _with_newlines(data: bytes, ends: Sequence[int], newline: bytes) -> bytes:
    starts = [0, *(end + 1 for end in ends)]
    return newline.join(data[start:end] for start, end in zip(starts, [*ends, len(data)]))


# ---- The same in other bytes ---------------------------------------------------------------------

_BYTES_AS_THEY_ARE = {"copy", "slice_csv", "partition"}  # or that are for sources that can be read again
_PLACES = {"offset", "length", "at_record", "batch_bytes"}


def packed_twin(vector: Vector, name: str) -> Vector | None:
    """Compressed: the same result, and the same offsets."""
    if not vector.reads_source or vector.op in _BYTES_AS_THEY_ARE or not is_plain(vector):
        return None
    options = {"compression": name, **vector.options} if name in archives.BY_NAME_ONLY else vector.options
    data = archives.MAKERS[name](vector.input)
    return dataclasses.replace(vector, id=f"{vector.id}+{name}", input=data, options=options)


def utf16_twin(vector: Vector) -> Vector | None:
    """In UTF-16 with a byte order mark: the same result, lines, columns and texts; offsets are those of this encoding."""
    data = vector.input
    if not vector.reads_source or vector.op in _BYTES_AS_THEY_ARE | {"read_bytes"} or not is_plain(vector):
        return None
    if vector.options.get("encoding", "") is None or _PLACES & vector.options.keys() or data.startswith(b"\xef\xbb\xbf"):
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    codec = "utf-16-be" if len(data) % 2 else "utf-16-le"
    report = dict(vector.report)
    if "places" in report:
        report["places"] = [(status, utf16_offset(data, at), *rest) for status, at, *rest in report["places"]]
    twin = dataclasses.replace(vector, id=f"{vector.id}+utf16", input=("\ufeff" + text).encode(codec), report=report)
    if vector.error is not None and vector.error.offset is not None:
        error = dataclasses.replace(vector.error, offset=utf16_offset(data, vector.error.offset))
        twin = dataclasses.replace(twin, error=error)
    return with_moved_steps(twin, data) if vector.op == "reader" else twin


def utf16_offset(data: bytes, offset: int) -> int:
    """Where what is at that offset of UTF-8 is in UTF-16, behind the mark."""
    return 2 + 2 * sum(1 + (byte >= 0xF0) for byte in data[:offset] if byte & 0xC0 != 0x80)


def with_moved_steps(vector: Vector, data: bytes) -> Vector:
    def moved(step: str, value: Any) -> Any:
        if step == "offset":  # before the first value the mark, too, is unread
            return utf16_offset(data, value) if value > 0 else 0
        if isinstance(value, Failure) and value.offset is not None:
            return dataclasses.replace(value, offset=utf16_offset(data, value.offset))
        return value

    result = tuple(map(moved, vector.options["script"].split(), vector.result))
    return dataclasses.replace(vector, result=result)


# ---- Drivers -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Config:
    """One way to run the vectors; 0 stands for the default."""

    simd: str = "auto"
    block: int = 0
    threads: int = 1
    source: str = "memory"
    way: str = "column"
    sink: str = "memory"

    def line(self) -> bytes:
        return ("!" + encode_options(dataclasses.asdict(self)) + "\n").encode()


@dataclasses.dataclass
class Driver:
    """A program that answers vectors: one process for any number of configurations."""

    command: Sequence[str]
    directory: Path
    environment: dict[str, str] | None = None

    def run(self, text: bytes, timeout: float = 240) -> bytes:
        done = subprocess.run(
            [*self.command, str(self.directory)], input=text, capture_output=True,
            env=self.environment, timeout=timeout, check=False,
        )
        if done.returncode != 0 or done.stderr:
            raise RuntimeError(f"{self.command}: exit {done.returncode}\n{done.stderr.decode()}")
        return done.stdout

    def ask(self, lines: Iterable[bytes], config: Config = Config()) -> list[str]:
        """The answers alone, in order."""
        output = self.run(config.line() + b"".join(lines))
        return [line.split("\t", 1)[1] for line in output.decode().splitlines()]

    def ask_in(self, configs: Iterable[Config], lines: Sequence[bytes]) -> list[list[str]]:
        """The same in each configuration, by one process."""
        asked = b"".join(lines)
        output = self.run(b"".join(config.line() + asked for config in configs)).decode().splitlines()
        answers = [line.split("\t", 1)[1] for line in output]
        return [answers[i : i + len(lines)] for i in range(0, len(answers), len(lines))]
