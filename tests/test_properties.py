"""Random inputs against Python's own int, float, bytes.split and file iteration, through the C driver.

The vectors are written by hand; here the answers come from an independent implementation.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import random
import re
import struct
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import Bits, Config, Driver, Failure, Vector

CONFIGS = [
    Config(),
    Config(simd="scalar", block=1),
    Config(block=7, threads=3),
    Config(block=64, threads=2),
    Config(block=3, way="pull"),
    Config(block=16, way="batch"),
    Config(block=5, threads=2, source="device"),
]

INTEGER_TYPES = {f"{sign}int{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "" else (0, (1 << bits) - 1)
                 for sign in ("", "u") for bits in (8, 16, 32, 64)}


@functools.cache
def names(command: tuple[str, ...], directory: Path) -> list[str]:
    return Driver(command, directory).ask([b"x\tcpu_names\t\t\n"])[0].split()


def instruction_sets(driver: Driver) -> list[Config]:
    return [Config(simd=name) for name in names(tuple(driver.command), driver.directory)]


def check(driver: Driver, vectors: Iterable[Vector], configs: Iterable[Config] = CONFIGS) -> None:
    """In these configurations, and with every instruction set in the plain one."""
    vectors = list(vectors)
    configs = [*instruction_sets(driver), *configs]
    asked = b"".join(config.line() + b"".join(v.line() for v in vectors) for config in configs)
    output = driver.run(asked)
    if output == b"".join(v.answer() for v in vectors) * len(configs):
        return
    answers = output.splitlines(keepends=True)
    for i, answer in enumerate(answers):
        vector = vectors[i % len(vectors)]
        assert answer == vector.answer(), (vector, configs[i // len(vectors)])


def numbered(vectors: Iterable[Vector]) -> list[Vector]:
    return [Vector(f"p{i}", v.op, v.options, v.input, v.result, v.error) for i, v in enumerate(vectors)]


# ---- One number ----------------------------------------------------------------------------------


def parse_vector(name: str, text: str, low: int, high: int, base: int = 10) -> Vector:
    op = "parse_" + name.replace("uint", "u").replace("int", "i")
    data = text.encode()
    value = int(text, base)
    if low <= value <= high:
        return Vector("", op, {"base": base}, data, result=value)
    return Vector("", op, {"base": base}, data, error=Failure("out_of_range", 0, 0, 0, data))


def digits_in_base(value: int, base: int) -> str:
    digits = ""
    rest = abs(value)
    while rest or not digits:
        rest, digit = divmod(rest, base)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return "-" * (value < 0) + digits


def near_limits() -> list[int]:
    edges = {0, 2**53, -(2**53), 10**18, 10**19}
    for low, high in INTEGER_TYPES.values():
        edges |= {low, high}
    return sorted({edge + delta for edge in edges for delta in range(-2, 3)})


def test_every_limit_of_every_type(c_driver: Driver) -> None:
    vectors = [
        parse_vector(name, digits_in_base(value, base), low, high, base)
        for name, (low, high) in INTEGER_TYPES.items()
        for base in (10, 2, 7, 16, 36)
        for value in near_limits()
    ]
    check(c_driver, numbered(vectors), [])


def column_vector(name: str, value: int, low: int, high: int) -> Vector:
    text = str(value).encode()
    data = b"1\n" * 70 + text + b"\n" + b"2\n" * 70  # long enough for every kernel
    if low <= value <= high:
        return Vector("", "read_ints", {"dtype": name}, data, result=[1] * 70 + [value] + [2] * 70)
    return Vector("", "read_ints", {"dtype": name}, data, error=Failure("out_of_range", 140, 71, 1, text))


def test_every_limit_in_columns(c_driver: Driver) -> None:
    vectors = [column_vector(name, value, low, high)
               for name, (low, high) in INTEGER_TYPES.items() for value in near_limits()]
    check(c_driver, numbered(vectors), [Config(block=50, threads=2)])


def f64_vector(text: str) -> Vector:
    return Vector("", "parse_f64", {}, text.encode(), result=float(text))


def to_single(value: Fraction) -> Bits:
    """The nearest float32 by exact arithmetic; ties to even."""
    if value == 0:
        return Bits(0)
    try:
        bits = struct.unpack("<I", struct.pack("<f", float(abs(value))))[0]
    except OverflowError:  # the nearest is the greatest
        bits = 0x7F7FFFFF
    candidates = [b for b in range(max(0, bits - 2), bits + 3) if b <= 0x7F7FFFFF]
    exact = {b: Fraction(struct.unpack("<f", struct.pack("<I", b))[0]) for b in candidates}
    best = min(candidates, key=lambda b: (abs(exact[b] - abs(value)), b % 2))
    return Bits(best | (0x80000000 if value < 0 else 0))


def f32_vector(text: str, value: Fraction) -> Vector:
    return Vector("", "parse_f32", {"dtype": "float32"}, text.encode(), result=to_single(value))


def exact_decimal(value: Fraction) -> str:
    """A fraction whose denominator is a power of two, with all of its digits."""
    places = value.denominator.bit_length() - 1
    digits = str(value.numerator * 5**places)
    return with_point(digits, places)


def with_point(digits: str, places: int) -> str:
    digits = digits.rjust(places + 1, "0")
    return digits[: len(digits) - places] + "." + digits[len(digits) - places :]


def one_less(text: str) -> str:
    """Smaller by one in a decimal place more."""
    places = len(text.split(".")[1])
    return with_point(str(int(text.replace(".", "")) * 10 - 1), places + 1)


def middles(source: random.Random, count: int, pack: str, unpack: str, exponents: int) -> list[Fraction]:
    """Points half-way between two neighbouring floats."""
    found = []
    while len(found) < count:
        bits = source.getrandbits(exponents)
        pair = [struct.unpack(unpack, struct.pack(pack, bits + i))[0] for i in (0, 1)]
        if all(abs(x) < float("inf") for x in pair):
            found.append((Fraction(pair[0]) + Fraction(pair[1])) / 2)
    return found


def test_middles_of_doubles(c_driver: Driver) -> None:
    """Exactly half-way, and a digit to both sides of it, however long that is."""
    vectors = []
    for middle in middles(random.Random(1), 400, "<Q", "<d", 63):
        text = exact_decimal(middle)
        vectors += [f64_vector(text), f64_vector(text + "0" * 30), f64_vector(text + "1"),
                    f64_vector(one_less(text)), f64_vector("-" + text)]
    check(c_driver, numbered(vectors), [])


def test_middles_of_singles(c_driver: Driver) -> None:
    vectors = []
    for middle in middles(random.Random(2), 400, "<I", "<f", 31):
        text = exact_decimal(middle)
        for near in (text, text + "0" * 40, text + "0" * 20 + "1", one_less(text)):
            vectors.append(f32_vector(near, Fraction(near)))
    check(c_driver, numbered(vectors), [])


def test_random_doubles(c_driver: Driver) -> None:
    source = random.Random(3)
    texts = []
    for _ in range(3000):
        value = struct.unpack("<d", source.randbytes(8))[0]
        if abs(value) < float("inf"):
            texts += [repr(value), f"{value:.17g}", f"{value:.25e}", f"{value:.{source.randrange(1, 18)}g}"]
        texts.append(f"{source.randrange(10**source.randrange(1, 22))}.{source.randrange(10**9)}")
        texts.append(f"{source.randrange(10**source.randrange(1, 25))}e{source.randrange(-345, 310)}")
    check(c_driver, numbered(map(f64_vector, texts)), [])
    column = Vector("column", "read_floats", {}, "\n".join(texts).encode(), result=[float(t) for t in texts])
    check(c_driver, [column], [c for c in CONFIGS if c.block != 1])


def test_every_prefix_of_a_long_pi(c_driver: Driver) -> None:
    """fastfloat/fast_float#8."""
    text = "3." + "1415926535" * 80
    check(c_driver, numbered(f64_vector(text[:n]) for n in range(1, len(text) + 1)), [])


def test_formatted_doubles_are_repr(c_driver: Driver) -> None:
    source = random.Random(4)
    vectors = []
    for _ in range(4000):
        bits = source.getrandbits(64)
        value = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
        vectors.append(Vector("", "format_f64", {}, f"{bits:016x}".encode(), result=repr(value).replace("-nan", "nan")))
    for exponent in range(-1074, 1024):
        value = 2.0**exponent
        vectors.append(Vector("", "format_f64", {}, struct.pack(">d", value).hex().encode(), result=repr(value)))
    check(c_driver, numbered(vectors), [])


def test_formatted_singles_read_back(c_driver: Driver) -> None:
    source = random.Random(5)
    every = [source.getrandbits(31) for _ in range(3000)]
    bits = [b for b in every if b < 0x7F800000]
    asked = [Vector(f"p{i}", "format_f32", {}, f"{b:08x}".encode(), result="").line() for i, b in enumerate(bits)]
    texts = [bytes.fromhex(answer[1:]).decode() for answer in c_driver.ask(asked)]
    vectors = [Vector("", "parse_f32", {"dtype": "float32"}, text.encode(), result=Bits(b))
               for text, b in zip(texts, bits)]
    check(c_driver, numbered(vectors), [])
    for text, b in zip(texts, bits):
        digits = re.sub(r"e.*|\.|^0+(?=\d)", "", text).strip("0")
        value = struct.unpack(">f", b.to_bytes(4, "big"))[0]
        shorter = f"{value:.{max(len(digits) - 2, 0)}e}"
        assert len(digits) <= 1 or to_single(Fraction(shorter)) != b, (text, shorter)


# ---- Columns of numbers --------------------------------------------------------------------------

SPACES = b" \t\n\v\f\r"
tokens = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(lambda n: b"%d" % n),
    st.integers(-9, 9).map(lambda n: b"%+d" % n),
    st.integers(0, 10**16).map(lambda n: b"%019d" % n),
)
gaps = st.text(" \t\n\v\f\r", min_size=1, max_size=70).map(str.encode)


def place(data: bytes, offset: int) -> tuple[int, int]:
    return data.count(b"\n", 0, offset) + 1, offset - (data.rfind(b"\n", 0, offset) + 1) + 1


def failure(status: str, data: bytes, offset: int, text: bytes) -> Failure:
    return Failure(status, offset, *place(data, offset), text)


@given(st.lists(st.tuples(tokens, gaps), max_size=60), st.sampled_from([b"", b"\n", b"  "]))
def test_ints_are_split(c_driver: Driver, pairs: list[tuple[bytes, bytes]], head: bytes) -> None:
    data = head + b"".join(token + gap for token, gap in pairs)
    vectors = [Vector("v", "read_ints", {}, data, result=[int(t) for t in data.split()])]
    if data.rstrip():
        vectors.append(Vector("w", "read_ints", {}, data.rstrip(), result=[int(t) for t in data.split()]))
    check(c_driver, vectors)


def expected_ints(data: bytes) -> Vector:
    """A model of the grammar: white-space separated tokens, each [+-]?[0-9]+ within int64."""
    values: list[int | None] = []
    for match in re.finditer(rb"[^ \t\n\v\f\r]+", data):
        token = match.group()
        if not re.fullmatch(rb"[+-]?[0-9]+", token):
            return Vector("v", "read_ints", {}, data, error=failure("bad_token", data, match.start(), token))
        if not -(2**63) <= int(token) < 2**63:
            return Vector("v", "read_ints", {}, data, error=failure("out_of_range", data, match.start(), token))
        values.append(int(token))
    return Vector("v", "read_ints", {}, data, result=values)


@given(st.text("0123456789999 \n\n\t-+x.\0", max_size=300).map(str.encode))
def test_ints_of_junk(c_driver: Driver, data: bytes) -> None:
    check(c_driver, [expected_ints(data)])


def expected_fields(data: bytes) -> Vector:
    """The same with commas: an empty field is an error, a blank line is none."""
    values: list[int | None] = []
    at = 0
    for line in data.split(b"\n"):
        if line.strip(SPACES):
            start = at
            for field in line.split(b","):
                token = field.strip(SPACES)
                offset = start + (field.index(token) if token else len(field))
                if not token:
                    return Vector("v", "read_ints", {"sep": ","}, data, error=failure("empty_field", data, offset, b""))
                if not re.fullmatch(rb"[+-]?[0-9]+", token):
                    return Vector("v", "read_ints", {"sep": ","}, data, error=failure("bad_token", data, offset, token))
                values.append(int(token))
                start += len(field) + 1
        at += len(line) + 1
    return Vector("v", "read_ints", {"sep": ","}, data, result=values)


@given(st.text("0123456789,,\n\n \r-", max_size=200).map(str.encode))
def test_fields_of_junk(c_driver: Driver, data: bytes) -> None:
    vector = expected_fields(data)
    if vector.error is None and any(not -(2**63) <= v < 2**63 for v in vector.result):
        return
    check(c_driver, [vector])


FLOAT = re.compile(rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity|nan))")


@pytest.mark.parametrize("sep", [None, ","])
@given(pieces=st.lists(st.one_of(
    st.text("0123456789.", min_size=1, max_size=22).map(str.encode),
    st.floats().map(lambda x: repr(x).encode()),
    st.sampled_from([b"1e5", b"-.5", b"5.", b"1e", b"e5", b"+", b"-inf", b"nan", b"infinity", b"in", b"1.5e-7", b"1..2",
                     b"1e+300", b"0x1", b"12:4", b"1/2", b"1e5.", b"--1", b"1-", b"123456789.123456789"]),
), max_size=40))
def test_floats_of_junk(c_driver: Driver, sep: str | None, pieces: list[bytes]) -> None:
    options = {} if sep is None else {"sep": sep}
    gap = (sep or " ").encode()
    data = b"".join(piece + (b"\n" if i % 5 == 4 else gap) for i, piece in enumerate(pieces)).rstrip(gap)
    due: list[float] = []
    vector = None
    at = 0
    for piece in pieces:
        if not FLOAT.fullmatch(piece):
            vector = Vector("v", "read_floats", options, data, error=failure("bad_token", data, at, piece))
            break
        due.append(float(piece))
        at += len(piece) + 1
    check(c_driver, [vector or Vector("v", "read_floats", options, data, result=due)])


@given(st.lists(st.floats(allow_nan=False), max_size=80), st.sampled_from(["%r", "%.6f", "%.17g", "%e"]))
def test_floats_are_split(c_driver: Driver, values: list[float], form: str) -> None:
    texts = [form % value for value in values]
    data = "\n".join(texts).encode()
    check(c_driver, [Vector("v", "read_floats", {}, data, result=[float(text) for text in texts])])


# ---- Lines ---------------------------------------------------------------------------------------

def lines_of(data: bytes, newline: str) -> list[bytes]:
    ends = {"lf": rb"\r?\n", "any": rb"\r\n|\r|\n", "b": rb"b"}[newline]
    parts = re.split(ends, data)
    return parts if parts[-1] else parts[:-1]


@pytest.mark.parametrize("newline", ["lf", "any", "b"])
@given(data=st.text("aaab\n\n\r\r\0é", max_size=200).map(str.encode))
def test_lines_are_split(c_driver: Driver, newline: str, data: bytes) -> None:
    due = lines_of(data, newline)
    check(c_driver, [
        Vector("lines", "read_lines", {"newline": newline}, data, result=due),
        Vector("iter", "iter_lines", {"newline": newline}, data, result=due),
        Vector("bytes", "read_lines", {"newline": newline, "encoding": None}, data, result=due),
        Vector("count", "count_lines", {"newline": newline}, data, result=len(due)),
    ])


@given(st.text("a\n\r\0", max_size=100).map(str.encode))
def test_lines_as_a_binary_file_has_them(c_driver: Driver, data: bytes) -> None:
    due = list(io.BytesIO(data))
    check(c_driver, [Vector("v", "read_lines", {"keepends": True}, data, result=due)])


@given(st.lists(st.sampled_from([b"a", b"\n", b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xc3", b"\x80",
                                 b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"x" * 70]), max_size=40))
def test_utf8_as_python_has_it(c_driver: Driver, pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    try:
        data.decode()
        vector = Vector("v", "read_lines", {}, data, result=lines_of(data, "lf"))
    except UnicodeDecodeError as error:
        text = re.match(rb"(?s).[\x80-\xbf]{0,3}", data[error.start:])
        assert text
        vector = Vector("v", "read_lines", {}, data, error=failure("bad_encoding", data, error.start, text.group()))
    check(c_driver, [vector])


# ---- Ranges --------------------------------------------------------------------------------------

RANGE_CONFIGS = [
    Config(),
    Config(block=1),
    Config(block=7, threads=3),
    Config(block=1, way="pull"),
    Config(block=9, way="pull"),
    Config(block=9, way="batch"),
    Config(block=5, threads=2, source="device"),
    Config(block=3, source="device"),
    Config(block=3, way="pull", source="device"),
    Config(source="device"),
]


def items_with_starts(data: bytes, op: str, options: dict[str, object]) -> list[tuple[int, object]]:
    """Each item with the place that decides which range it belongs to."""
    if op == "read_lines":
        ends = {"lf": rb"\r?\n", "any": rb"\r\n|\r|\n", "b": rb"b"}[str(options["newline"])]
        starts = [0, *(match.end() for match in re.finditer(ends, data))]
        return [(start, line) for start, line in zip(starts, lines_of(data, str(options["newline"])))]
    if "comment" in options:
        starts = [0, *(match.end() for match in re.finditer(b"\n", data))]
        return [(start, int(token)) for start, line in zip(starts, data.split(b"\n"))
                for token in line.split(b"#")[0].split()]
    pattern = rb"[^,\n]*" if options.get("sep") else rb"[^ \t\n\r]+"
    return [(match.start(), int(match.group())) for match in re.finditer(pattern, data) if match.group().strip()]


def in_range(data: bytes, op: str, options: dict[str, object], offset: int, length: int) -> Vector:
    items = [item for start, item in items_with_starts(data, op, options) if offset <= start < offset + length]
    return Vector("v", op, {**options, "offset": offset, "length": length}, data, result=items)


def pieces_for(op: str, options: dict[str, object]) -> list[bytes]:
    if op == "read_lines":
        return [b"a", b"\n", b"\r\n", b"\r", b"b", b"\n\n", b"aaaa"]
    if options.get("sep"):
        return [b"1,2\n", b" 22 , 3\r\n", b"\n", b" \n", b"5\n", b"-6,  77,\t8  \n", b"444,5,6,7\n"]
    return [b"1 ", b"22\n", b"-333\r\n", b"  ", b"\n\n", b"4444\t", b"5 6 "] + [b"# 7 8\n"] * ("comment" in options)


@pytest.mark.parametrize(("op", "options"), [
    ("read_ints", {}), ("read_ints", {"sep": ","}), ("read_ints", {"comment": "#"}),
    ("read_lines", {"newline": "lf"}), ("read_lines", {"newline": "any"}), ("read_lines", {"newline": "b"}),
], ids=lambda value: value if isinstance(value, str) else "".join(map(str, value.values())))
@given(choice=st.data())
def test_ranges(c_driver: Driver, op: str, options: dict[str, object], choice: st.DataObject) -> None:
    data = b"".join(choice.draw(st.lists(st.sampled_from(pieces_for(op, options)), max_size=20)))
    offset = choice.draw(st.integers(0, len(data) + 2))
    length = choice.draw(st.integers(0, len(data) + 2))
    vector = in_range(data, op, options, offset, length)
    check(c_driver, [vector], RANGE_CONFIGS)
    if op == "read_lines":
        count = dataclasses.replace(vector, op="count_lines", result=len(vector.result))
        check(c_driver, [count], [c for c in RANGE_CONFIGS if c.way == "column"])


# ---- Every split point ---------------------------------------------------------------------------


def test_every_block_size(c_driver: Driver) -> None:
    """One text with everything in it, cut in every way from 1 byte to all of it."""
    numbers = b"1 -22\r\n333\t 4444\n\n55555 18446744073709551615x 7\n"
    lines = "a\r\nbé\n\r\n\rc\n€\n\ufeffd\r".encode()
    vectors = [
        expected_ints(numbers[:-3].replace(b"x", b"")),
        Vector("ok", "read_ints", {}, numbers[: numbers.index(b"55555") + 5], result=[1, -22, 333, 4444, 55555]),
        Vector("lf", "read_lines", {}, lines, result=lines_of(lines, "lf")),
        Vector("any", "read_lines", {"newline": "any"}, lines, result=lines_of(lines, "any")),
    ]
    for source in ("memory", "device"):
        for way in ("column", "pull", "batch"):
            check(c_driver, vectors, [Config(block=size, threads=threads, source=source, way=way)
                                      for size in range(1, 50) for threads in (1, 3)])


READER_OPTIONS = st.fixed_dictionaries({}, optional={
    "sep": st.sampled_from([",", ";"]),
    "comment": st.just("#"),
    "newline": st.sampled_from(["any", ";"]),
    "keepends": st.just(True),
    "encoding": st.just(None),
    "skip_lines": st.integers(0, 3),
    "offset": st.integers(0, 40),
    "length": st.integers(0, 60),
})
STEPS = ["int", "uint", "float", "float32", "token", "line", "skip", "offset", "lineno", "ints:2", "ints:9", "lines:2",
         "expect:1", "expect:a", "expect:\\n"]


@pytest.mark.parametrize("source", ["memory", "device"])
@given(
    pieces=st.lists(st.sampled_from([b"1", b"22 ", b"-3\n", b"4.5 ", b",", b", ", b" ", b"\n", b"\r\n", b"\r", b"a", b"bc ",
                                     b"# 9\n", b"\xc3\xa9", b"\xff", b"\xef\xbb\xbf", b"99999999999999999999 ", b";"]),
                    max_size=30),
    options=READER_OPTIONS,
    script=st.lists(st.sampled_from(STEPS), min_size=1, max_size=12),
)
def test_scripts_do_not_depend_on_blocks(
    c_driver: Driver, source: str, pieces: list[bytes], options: dict[str, object], script: list[str]
) -> None:
    """Whatever is asked of a reader in whatever order: the buffer's size does not show."""
    vector = Vector("v", "reader", {**options, "script": " ".join(script)}, b"".join(pieces))
    configs = [Config(block=block, source=source) for block in (0, 1, 2, 3, 5, 8, 17)]
    output = c_driver.run(b"".join(config.line() + vector.line() for config in configs)).splitlines()
    assert output == output[:1] * len(configs), (vector, output)
