"""What one language writes, all others read back bit for bit; and what is written is the same in all of them.

Through the drivers of C, Python and every Lua: each writes values of its own, and reads the bytes of another one.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
import re
import struct
from collections.abc import Callable
from typing import Any

import pytest

from conftest import LUAS
from harness import Bits, Config, Driver, Format, Typed, Vector, load_vectors, render_table
from test_format_properties import single_repr
from test_properties import INTEGER_TYPES, near_limits

LANGUAGES = ["c", "python", *LUAS]
CONFIGS = [Config(sink="file"), Config(block=1, threads=2), Config(block=4096, threads=3, sink="redirect")]


@pytest.fixture(scope="session")
def drivers(c_driver: Driver, python_driver: Driver, lua_driver: Callable[[str], Driver]) -> dict[str, Driver]:
    return {"c": c_driver, "python": python_driver, **{lua: lua_driver(lua) for lua in LUAS}}


@dataclasses.dataclass
class Trip:
    """`due`: what is written, if that is known; the result of `read` is what must come back."""

    write: Vector
    read: Vector
    due: bytes | None = None


def round_trip(drivers: dict[str, Driver], *trips: Trip) -> None:
    writes = [dataclasses.replace(trip.write, id=f"w{i}").line() for i, trip in enumerate(trips)]
    for language, driver in drivers.items():
        for config, answers in zip(CONFIGS, driver.ask_in(CONFIGS, writes), strict=True):
            for trip, answer in zip(trips, answers, strict=True):
                assert answer.startswith("x"), (language, config, answer[:200])
                text = bytes.fromhex(answer[1:])
                trip.due = text if trip.due is None else trip.due
                assert text == trip.due, f"{language} in {config} writes {first_difference(text, trip.due)}"
    reads = [dataclasses.replace(trip.read, id=f"r{i}", input=trip.due or b"") for i, trip in enumerate(trips)]
    for language, driver in drivers.items():
        for read, answer in zip(reads, driver.ask([read.line() for read in reads]), strict=True):
            assert f"{read.id}\t{answer}\n".encode() == read.answer(), f"{language} reads something else"


def first_difference(text: bytes, due: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(text, due)) if a != b), min(len(text), len(due)))
    return f"at {at}: {text[max(0, at - 20) : at + 40]!r} for {due[max(0, at - 20) : at + 40]!r}"


def column(type_name: str, values: list[Any]) -> bytes:
    return Typed(type_name, values).render().encode()


# ---- Numbers -------------------------------------------------------------------------------------


def integers(name: str) -> Trip:
    low, high = INTEGER_TYPES[name]
    rng = random.Random(name)
    values = [value for value in near_limits() if low <= value <= high]
    values += [rng.randint(low, high) >> rng.randrange(64) for _ in range(2000)]
    write = Vector("", "write_ints", {"sep": "\n"}, column(name, values))
    read = Vector("", "read_ints", {"dtype": name}, b"", result=values)
    return Trip(write, read, "".join(f"{value}\n" for value in values).encode())


def test_integers(drivers: dict[str, Driver]) -> None:
    round_trip(drivers, *map(integers, sorted(INTEGER_TYPES)))


SPECIAL_64 = [0, 1, 2, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x0010000000000001, 0x3FF0000000000000,
              0x3FEFFFFFFFFFFFFF, 0x3FF0000000000001, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x4340000000000000,
              0x433FFFFFFFFFFFFF, 0x44B52D02C7E14AF6, 0x3FB999999999999A]
SPECIAL_32 = [0, 1, 2, 0x007FFFFF, 0x00800000, 0x00800001, 0x3F800000, 0x3F7FFFFF, 0x3F800001, 0x7F7FFFFF, 0x7F800000,
              0x4B800000, 0x4B7FFFFF, 0x3DCCCCCD]


def all_kinds(special: list[int], size: int, is_nan: Callable[[int], bool]) -> list[Bits]:
    """With both signs, every power of two, and random bits."""
    rng = random.Random(size)
    fraction = 52 if size == 64 else 23
    bits = special + [exponent << fraction for exponent in range(1 << (size - 1 - fraction))]
    bits += [rng.getrandbits(size) for _ in range(3000)]
    bits += [b ^ (1 << (size - 1)) for b in bits]
    return [Bits(b) for b in bits if not is_nan(b)]


def test_floats(drivers: dict[str, Driver]) -> None:
    values = all_kinds(SPECIAL_64, 64, lambda b: b & (2**63 - 1) > 0x7FF << 52)
    due = "".join(f"{struct.unpack('>d', struct.pack('>Q', b))[0]!r}\n" for b in values)
    write = Vector("", "write_floats", {"sep": "\n"}, column("float64", values))
    round_trip(drivers, Trip(write, Vector("", "read_floats", {}, b"", result=values), due.encode()))


def test_float32(drivers: dict[str, Driver]) -> None:
    import numpy as np

    values = all_kinds(SPECIAL_32, 32, lambda b: b & (2**31 - 1) > 0xFF << 23)
    singles = np.array(values, dtype=np.uint32).view(np.float32)
    due = "".join(f"{single_repr(value)}\n" for value in singles)
    write = Vector("", "write_floats", {"sep": "\n"}, column("float32", values))
    round_trip(drivers, Trip(write, Vector("", "read_floats", {"dtype": "float32"}, b"", result=values), due.encode()))


def test_nan(drivers: dict[str, Driver]) -> None:
    """Of any sign and payload, but for them."""
    payloads = [Bits(b) for b in (0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF)]
    write = Vector("", "write_floats", {}, column("float64", payloads))
    read = Vector("", "read_floats", {}, b"", result=[float("nan")] * 4)
    round_trip(drivers, Trip(write, read, b"nan nan nan nan\n"))


def test_missing_numbers(drivers: dict[str, Driver]) -> None:
    values = [1, None, -3, None, None, 6] * 50
    trips = []
    for op, dtype, shown in (("ints", "int64", str), ("floats", "float64", lambda value: f"{value}.0")):
        typed = values if op == "ints" else [None if value is None else float(value) for value in values]
        write = Vector("", f"write_{op}", {"sep": ",", "null": "NA"}, column(dtype, typed))
        read = Vector("", f"read_{op}", {"sep": ",", "null_values": ["NA"]}, b"", result=typed)
        due = ",".join("NA" if value is None else shown(value) for value in values) + "\n"
        trips.append(Trip(write, read, due.encode()))
    round_trip(drivers, *trips)


def test_matrices(drivers: dict[str, Driver]) -> None:
    values = list(range(-600, 600))
    write = Vector("", "write_ints", {"shape": (300, 4), "sep": ","}, column("int64", values))
    read = Vector("", "read_ints", {"shape": (-1, 4), "sep": ","}, b"", result=values)
    round_trip(drivers, Trip(write, read))


def seventeen_digits(form: str) -> Trip:
    rng = random.Random(17)
    values = [rng.uniform(-1e6, 1e6) for _ in range(500)]
    how = Format(form, {"precision": 17})
    write = Vector("", "write_floats", {"format": how, "sep": "\n"}, column("float64", values))
    due = "".join(format(value, ".17f" if form == "fixed" else ".17e") + "\n" for value in values)
    return Trip(write, Vector("", "read_floats", {}, b"", result=values), due.encode())


def test_seventeen_digits_are_enough(drivers: dict[str, Driver]) -> None:
    """Fixed or scientific: with enough digits a double comes back too."""
    round_trip(drivers, seventeen_digits("fixed"), seventeen_digits("scientific"))


# ---- Text ----------------------------------------------------------------------------------------

CHARACTERS = "ab \t,;:'\"\\#\u00e4\u65e5\U0001f600\ufeff\x00\x7f|0"


def random_text(rng: random.Random, most: int = 40, more: str = "") -> str:
    return "".join(rng.choices(CHARACTERS + more, k=rng.choice([0, 1, 2, 3, rng.randrange(most)])))


def test_lines(drivers: dict[str, Driver]) -> None:
    rng = random.Random(5)
    values = [random_text(rng) for _ in range(1000)]
    values[0] = "not a mark"
    write = Vector("", "write_lines", {}, column("string", values))
    due = "".join(f"{value}\n" for value in values)
    round_trip(drivers, Trip(write, Vector("", "read_lines", {}, b"", result=values), due.encode()))


# ---- Tables --------------------------------------------------------------------------------------


def random_column(rng: random.Random, type_name: str, rows: int) -> Typed:
    make: dict[str, Callable[[], Any]] = {
        **{name: functools.partial(rng.randint, *bounds) for name, bounds in INTEGER_TYPES.items()},
        "float64": lambda: Bits(rng.getrandbits(63)),
        "float32": lambda: Bits(rng.getrandbits(31)),
        "bool": lambda: rng.random() < 0.5,
        "string": lambda: random_text(rng, more="\n\r"),
        "dictionary": lambda: rng.choice(["red", "green", "blue, or so", "", '"']),
        "date": lambda: rng.randint(-719162, 2932896),
        "time": lambda: rng.randrange(86400 * 10**9),
        "timestamp[ns]": lambda: rng.randint(-(2**63), 2**63 - 1),
        "timestamp[ns, UTC]": lambda: rng.randint(-(2**63), 2**63 - 1) // 10**9 * 10**9,
    }
    values = [None if rng.random() < 0.2 else make[type_name]() for _ in range(rows)]
    return Typed(type_name, [plain_nan(type_name, value) for value in values])


def plain_nan(type_name: str, value: Any) -> Any:
    quiet = {"float64": 0x7FF << 52, "float32": 0xFF << 23}.get(type_name)
    return float("nan") if quiet is not None and value is not None and value > quiet else value


TYPES = [*sorted(INTEGER_TYPES), "float64", "float32", "bool", "string", "dictionary", "date", "time", "timestamp[ns]",
         "timestamp[ns, UTC]"]


def table_trip(quoting: str, sep: str) -> Trip:
    rng = random.Random(quoting + sep)
    table = {f"{name}, or {sep} so": random_column(rng, name, 300) for name in TYPES}
    options = {"sep": sep, "quoting": quoting, "null": "NULL"}
    write = Vector("", "write_csv", options, render_table(table).encode())
    read_options = {"sep": sep, "null_values": ["NULL"], "dtype": [column.type for column in table.values()]}
    return Trip(write, Vector("", "read_csv", read_options, b"", result=table))


def test_tables(drivers: dict[str, Driver]) -> None:
    """Every type, with missing values."""
    ways = itertools.product(["minimal", "strings", "all"], [",", "\t", "::"])
    round_trip(drivers, *itertools.starmap(table_trip, ways))


# Not as they were: one empty field in a record, a name that is none, texts instead of values.
_OTHERWISE = ("csv_out_single_null", "csv_out_bools", "csv_out_nan_empty", "csv_out_name_empty", "csv_out_no_columns")


def is_readable(vector: Vector) -> bool:
    """Written without an error, and with nothing in it that is no part of a value."""
    options = vector.options
    decorated = {"format", "true", "false", "nan"} & options.keys() or options.get("quoting") == "never"
    other = isinstance(options.get("header"), list) or options.get("eol", "\n") not in ("\n", "\r\n")
    return (vector.op == "write_csv" and vector.error is None and not decorated and not other
            and not vector.id.startswith(_OTHERWISE))


def read_back(vector: Vector) -> Vector:
    given = vector.input.decode()
    columns = re.findall(r"[ {]x([0-9a-f]*):([a-z0-9]+(?:\[ns(?:, UTC)?\])?)\[", given)
    kept = ("sep", "quote", "escape", "header")
    options: dict[str, Any] = {key: vector.options[key] for key in kept if key in vector.options}
    options["null_values"] = [vector.options.get("null", "")]
    options["dtype"] = [type_name for _, type_name in columns]
    if options.get("header") is False:
        options["names"] = [bytes.fromhex(name).decode() for name, _ in columns]
    text = vector.result.encode() if isinstance(vector.result, str) else vector.result
    return Vector(vector.id, "read_csv", options, text)


def test_vectors_read_back(c_driver: Driver) -> None:
    """What the vectors of write_csv say is written is the table when it is read."""
    vectors = list(filter(is_readable, load_vectors()))
    got = c_driver.ask([read_back(vector).line() for vector in vectors])
    assert len(got) > 40
    for vector, answer in zip(vectors, got, strict=True):
        assert answer == vector.input.decode() + " 0/0/0/0/0/0/0[]", vector.id
