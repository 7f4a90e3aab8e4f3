"""The shared vectors: how a .vec file is read, and how an expectation is written as a driver's answer.

The format and the protocol of the drivers are described in vectors/README.md.
"""

from __future__ import annotations

import ast
import dataclasses
import struct
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

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

    def render(self) -> str:
        offset = "-" if self.offset is None else self.offset
        return f"error:{self.status}:{offset}:{self.line}:{self.column}:{self.text[:64].hex()}"


@dataclasses.dataclass(frozen=True)
class Word:
    """`ok` or `end` in the result of a reader's script."""

    name: str


_NAMES = {"nan": float("nan"), "inf": float("inf"), "ok": Word("ok"), "end": Word("end")}
_CALLS = {"bits": Bits, "hexfloat": float.fromhex, "error": Failure}


def evaluate(text: str) -> Any:
    """Literals, tuples, lists, `+`, `*`, unary minus, the names and calls above; nothing else."""
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
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CALLS:
            return _CALLS[name](*map(_evaluate, args))
    raise ValueError(f"not allowed in a vector: {ast.unparse(node)}")


# ---- Vectors -------------------------------------------------------------------------------------

WHOLE_OPS = {"read_ints", "read_floats", "read_lines", "count_lines", "read_bytes"}
ITERATOR_OPS = {"iter_ints", "iter_floats", "iter_lines", "iter_tokens"}
SOURCE_OPS = WHOLE_OPS | ITERATOR_OPS | {"reader"}
_RESERVED = {"id", "op", "input", "result", "error", "note"}
_MISSING = object()


@dataclasses.dataclass(frozen=True)
class Vector:
    id: str
    op: str
    options: dict[str, Any]
    input: bytes
    result: Any = _MISSING
    error: Failure | None = None

    @property
    def reads_source(self) -> bool:
        return self.op in SOURCE_OPS

    def line(self) -> bytes:
        """What a driver reads."""
        fields = [self.id, self.op, encode_options(self.options), self.input.hex()]
        return "\t".join(fields).encode() + b"\n"

    def answer(self) -> bytes:
        """What a driver must write."""
        return f"{self.id}\t{self._expected()}\n".encode()

    def _expected(self) -> str:
        if self.op == "reader":
            steps = self.options["script"].split()
            assert len(steps) == len(self.result), self.id
            return " ".join(map(_render_step, steps, self.result))
        if self.error is not None and self.op not in ITERATOR_OPS:
            return self.error.render()
        single = _is_single(self.options)
        text = _render(self.result, single, self.options.get("shape"))
        return f"{text} {self.error.render()}" if self.error is not None else text


def _is_single(options: dict[str, Any]) -> bool:
    return options.get("dtype") == "float32"


def _render_step(step: str, value: Any) -> str:
    return _render(value, single=step == "float32")


def _render(value: Any, single: bool, shape: Any = None) -> str:
    match value:
        case None:
            return "null"
        case Failure():
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
            return str(value)
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


_HEX_OPTIONS = {"sep", "comment"}


def encode_options(options: dict[str, Any]) -> str:
    return ";".join(f"{key}={_encode_option(key, value)}" for key, value in options.items())


def _encode_option(key: str, value: Any) -> str:
    if key in _HEX_OPTIONS or (key == "newline" and value not in ("lf", "any")):
        return (value if isinstance(value, bytes) else value.encode()).hex()
    if key == "null_values":
        return ",".join("x" + text.encode().hex() for text in value)
    if key == "shape":
        return ",".join(map(str, value))
    if key == "script":
        return " ".join(map(_encode_step, value.split()))
    if value is None:
        return "none"
    return str(int(value)) if isinstance(value, bool) else str(value)


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
                yield _vector(stanza, origin)
                stanza = {}
        elif line[0].isspace():
            stanza[key] += " " + line.strip()
        else:
            key, equals, value = (part.strip() for part in line.partition("="))
            if not equals or key in stanza:
                raise ValueError(f"{origin}:{number}: {line}")
            stanza[key] = value


def _vector(stanza: dict[str, str], origin: str) -> Vector:
    try:
        values = {k: v if k in ("id", "op", "note") else evaluate(v) for k, v in stanza.items()}
        data = values.get("input", b"")
        data = data.encode() if isinstance(data, str) else data
        options = {key: value for key, value in values.items() if key not in _RESERVED}
        error = values.get("error")
        if error is not None:
            error = Failure(*error) if isinstance(error, tuple) else Failure(error)
            if stanza["op"].startswith("parse_") and error.offset is not None:
                error = dataclasses.replace(error, text=data)  # the token is all there is
        result = values.get("result", _MISSING)
        if (result is _MISSING) and (error is None):
            raise ValueError("neither result nor error")
        vector = Vector(stanza["id"], stanza["op"], options, data, result, error)
        vector.answer()
        return vector
    except Exception as problem:
        raise ValueError(f"{origin}: stanza {stanza.get('id')}: {problem}") from problem


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

_PLAIN_OPS = {"read_ints", "read_floats", "read_lines", "count_lines", "iter_ints", "iter_floats",
              "iter_lines"}
_NOT_PLAIN = {"newline", "keepends", "length"}


def final_newline_twin(vector: Vector) -> Vector | None:
    """The same vector with the final newline added or taken away, if that must not matter."""
    data = vector.input
    if vector.op not in _PLAIN_OPS or _NOT_PLAIN & vector.options.keys() or vector.error:
        return None
    if not 0 < len(data) < 65536:
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


# ---- Drivers -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Config:
    """One way to run the vectors; 0 stands for the default."""

    simd: str = "auto"
    block: int = 0
    threads: int = 1
    source: str = "memory"
    way: str = "column"

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
