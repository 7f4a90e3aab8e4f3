"""Formatting against Python's own format(), repr and Decimal: random floats, precisions and flags, through the C driver.

Every value goes through the function for one value, a writer, and the array writer, which has ways of its own for many.
"""

from __future__ import annotations

import decimal
import math
import random
import re
import struct
from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness import Bits, Config, Driver, Format, Typed, Vector, load_vectors
from test_properties import digits_in_base, numbered

LETTERS = {"fixed": "f", "scientific": "e", "general": "g"}
ALIGNS = {"left": "<", "right": ">", "center": "^", "internal": "="}
TEXT_ALIGNS = {"left": "<", "internal": ">", "center": "^"}


def python_spec(how: Format, letter: str) -> str:
    """The same as format() has it."""
    words = how.words
    fill = words.get("fill", "0" if words.get("align") == "internal" else " ")
    parts = [fill + ALIGNS[words["align"]] if "align" in words else "", words.get("sign", "")]
    parts += ["#" if words.get("keep_point") or words.get("prefix") else "", str(words.get("width") or "")]
    parts += [words.get("group", ""), "" if words.get("precision") is None else f".{words['precision']}"]
    return "".join(parts) + (letter.upper() if words.get("upper") else letter)


def python_format(value: float, how: Format) -> str:
    return format(value, python_spec(how, LETTERS[how.notation]))


def bits_of(value: float) -> Bits:
    return Bits(struct.unpack(">Q", struct.pack(">d", value))[0])


def float_of(bits: int) -> float:
    value: float = struct.unpack(">d", struct.pack(">Q", bits))[0]
    return value


def format_vector(value: float, how: Format, due: str) -> Vector:
    return Vector("", "format_f64", {"format": how}, f"{bits_of(value):016x}".encode(), result=due)


def array_vector(values: list[float], how: Format, due: list[str]) -> Vector:
    data = Typed("float64", [bits_of(value) for value in values]).render().encode()
    return Vector("", "write_floats", {"format": how, "sep": "\n"}, data, result="\n".join(due) + "\n")


CONFIGS = [Config(), Config(simd="scalar"), Config(block=64, threads=2)]


def answers(driver: Driver, vectors: Iterable[Vector]) -> None:
    vectors = numbered(vectors)
    for config, got in zip(CONFIGS, driver.ask_in(CONFIGS, [vector.line() for vector in vectors])):
        for vector, answer in zip(vectors, got, strict=True):
            assert f"{vector.id}\t{answer}\n".encode() == vector.answer(), (vector, config, plain(answer))


def plain(answer: str) -> str:
    return bytes.fromhex(answer[1:]).decode() if answer.startswith("x") else answer


# ---- The vectors themselves ----------------------------------------------------------------------


def is_in_python(vector: Vector) -> bool:
    how = vector.options.get("format")
    if not isinstance(how, Format) or not isinstance(vector.result, str):
        return False
    words = how.words
    unknown = {"point", "grouping", "percent"} & words.keys() or words.get("group", ",") not in ",_"
    of_words = words.get("align") == "internal" and re.search("inf|nan", vector.result)
    return not unknown and not of_words and words.get("precision", 0) is not None


def test_vectors_are_what_python_says() -> None:
    """Those with a format that Python has too."""
    count = 0
    for vector in filter(is_in_python, load_vectors()):
        how, text = vector.options["format"], vector.input.decode()
        base = {10: "d", 16: "x", 8: "o", 2: "b"}.get(how.words.get("base", 10))
        if vector.op in ("format_i64", "format_u64") and base and how.notation == "shortest":
            due = format(int(text), python_spec(how, base))
        elif vector.op in ("format_f64", "format_f32") and how.notation in LETTERS:
            single = vector.op == "format_f32"
            due = python_format(struct.unpack(">f" if single else ">d", bytes.fromhex(text))[0], how)
        else:
            continue
        assert vector.result == due, vector
        count += 1
    assert count > 600


# ---- Floats --------------------------------------------------------------------------------------


@st.composite
def formats(draw: st.DrawFn, most: int = 40) -> Format:
    notation = draw(st.sampled_from(sorted(LETTERS)))
    words: dict[str, Any] = {"precision": draw(st.integers(0, most))}
    if draw(st.booleans()):
        words["sign"] = draw(st.sampled_from("+- "))
    for flag in ("upper", "keep_point"):
        if draw(st.integers(0, 3)) == 0:
            words[flag] = True
    if draw(st.booleans()):
        words["width"] = draw(st.integers(0, 60))
        words["align"] = draw(st.sampled_from(sorted(ALIGNS)))
        words["fill"] = draw(st.sampled_from("0* .x"))
    if draw(st.integers(0, 3)) == 0:
        words["group"] = ","
    return Format(notation, words)


def is_plain(value: float, how: Format) -> bool:
    """Not where ours is another rule: no zeros before words, and only zeros are grouped with the digits."""
    internal = how.words.get("align") == "internal"
    return math.isfinite(value) or not internal


FLOATS = st.one_of(
    st.floats(),
    st.floats(-1e6, 1e6),
    st.integers(-(10**17), 10**17).map(lambda n: n / 10**6),
    st.integers(-2000, 2000).map(lambda n: n / 8),  # ties
    st.integers(0, 2**64 - 1).map(float_of),
    st.integers(-1074, 1023).map(lambda n: 2.0**n),
    st.integers(-323, 308).map(lambda n: float(f"1e{n}")),
)


@given(st.lists(FLOATS, min_size=1, max_size=100), formats())
def test_floats_in_formats(c_driver: Driver, values: list[float], how: Format) -> None:
    values = [value for value in values if is_plain(value, how)]
    due = [python_format(value, how) for value in values]
    answers(c_driver, [*map(format_vector, values, [how] * len(values), due), array_vector(values, how, due)]
            if values else [])


@given(st.lists(FLOATS, min_size=1, max_size=100), st.integers(0, 1200), st.sampled_from(["fixed", "scientific"]))
def test_floats_at_any_precision(c_driver: Driver, values: list[float], precision: int, notation: str) -> None:
    how = Format(notation, {"precision": precision})
    due = [python_format(value, how) for value in values]
    answers(c_driver, [*map(format_vector, values, [how] * len(values), due), array_vector(values, how, due)])


@given(st.lists(FLOATS, min_size=1, max_size=100))
def test_shortest_is_repr(c_driver: Driver, values: list[float]) -> None:
    how = Format("shortest", {})
    due = [repr(value) for value in values]
    answers(c_driver, [*map(format_vector, values, [how] * len(values), due), array_vector(values, how, due)])


def exact_percent(value: float, precision: int) -> str:
    with decimal.localcontext(decimal.Context(prec=1500)):
        scaled = decimal.Decimal(value) * 100
        return f"{scaled.quantize(decimal.Decimal(1).scaleb(-precision), decimal.ROUND_HALF_EVEN):f}%"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50), st.integers(0, 30))
def test_percent_is_exact(c_driver: Driver, values: list[float], precision: int) -> None:
    """A hundred times the value and then one rounding, where Python rounds twice."""
    how = Format("fixed", {"precision": precision, "percent": True})
    due = [exact_percent(value, precision) for value in values]
    answers(c_driver, [*map(format_vector, values, [how] * len(values), due), array_vector(values, how, due)])


def random_float(rng: random.Random) -> float:
    kind = rng.randrange(5)
    if kind == 0:
        return float_of(rng.getrandbits(64))
    if kind == 1:
        return rng.uniform(-1e6, 1e6)
    if kind == 2:
        return rng.randrange(-(10**12), 10**12) / 10 ** rng.randrange(10)
    if kind == 3:  # halfway between two of so many digits, as nearly as there is one
        return (2 * rng.randrange(10**8) + 1) / 2 / 10 ** rng.randrange(9)
    return math.ldexp(rng.getrandbits(53), rng.randrange(-1074, 971))


def test_many_floats_in_arrays(c_driver: Driver) -> None:
    """A hundred thousand, in the notations that have kernels of their own."""
    rng = random.Random(4)
    vectors = []
    for notation, precisions in (("fixed", [0, 1, 2, 3, 6, 9, 12, 17]), ("scientific", [0, 5, 8, 16, 17, 18, 20]),
                                 ("general", [1, 6, 15, 17])):
        for precision in precisions:
            values = [random_float(rng) for _ in range(5000)]
            how = Format(notation, {"precision": precision})
            vectors.append(array_vector(values, how, [python_format(value, how) for value in values]))
    values = [random_float(rng) for _ in range(20000)]
    vectors.append(array_vector(values, Format("shortest", {}), [repr(value) for value in values]))
    answers(c_driver, vectors)


def test_float32_in_arrays(c_driver: Driver) -> None:
    """Shortest: NumPy has an implementation of its own."""
    import numpy as np

    rng = random.Random(32)
    bits = [rng.getrandbits(32) for _ in range(20000)]
    values = np.array(bits, dtype=np.uint32).view(np.float32)
    due = [single_repr(value) for value in values]
    data = Typed("float32", [Bits(b) for b in bits]).render().encode()
    answers(c_driver, [Vector("", "write_floats", {"sep": "\n"}, data, result="\n".join(due) + "\n")])


def single_repr(value: Any) -> str:
    """NumPy's digits in the form of Python's repr."""
    import numpy as np

    if not np.isfinite(value):
        return repr(float(value))
    sign, digits, exponent = decimal.Decimal(np.format_float_scientific(value, unique=True)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent) if value != 0 else 1
    if -4 < point <= 16:
        whole = text[:point].ljust(point, "0") if point > 0 else "0"
        text = f"{whole}.{'0' * -point if point < 0 else ''}{text[max(point, 0):] or '0'}"
    else:
        text = f"{text[0]}{'.' if text[1:] else ''}{text[1:]}e{point - 1:+03d}"
    return "-" * sign + text


# ---- Integers ------------------------------------------------------------------------------------

INTEGERS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-1000, 1000),
                     st.integers(0, 63).map(lambda n: 2**n - 1), st.integers(0, 18).map(lambda n: -(10**n)))


@st.composite
def integer_formats(draw: st.DrawFn) -> tuple[Format, str]:
    base, letter = draw(st.sampled_from([(10, "d"), (16, "x"), (8, "o"), (2, "b")]))
    words: dict[str, Any] = {"base": base}
    for flag in ("upper", "prefix"):
        if draw(st.booleans()) and (flag == "prefix" or base == 16):
            words[flag] = True
    if draw(st.booleans()):
        words["sign"] = draw(st.sampled_from("+- "))
    if draw(st.booleans()):
        words["width"] = draw(st.integers(0, 80))
        words["align"] = draw(st.sampled_from(sorted(ALIGNS)))
        words["fill"] = draw(st.sampled_from("0* .x"))
    if base == 10 and draw(st.integers(0, 3)) == 0:
        words["group"] = ","
    return Format("shortest", words), letter


@given(st.lists(INTEGERS, min_size=1, max_size=100), integer_formats())
def test_integers_in_formats(c_driver: Driver, values: list[int], chosen: tuple[Format, str]) -> None:
    how, letter = chosen
    due = [format(value, python_spec(how, letter)) for value in values]
    vectors = [Vector("", "format_i64", {"format": how}, str(value).encode(), result=text)
               for value, text in zip(values, due)]
    data = Typed("int64", values).render().encode()
    vectors.append(Vector("", "write_ints", {"format": how, "sep": "\n"}, data, result="\n".join(due) + "\n"))
    answers(c_driver, vectors)


@given(st.lists(INTEGERS, min_size=1, max_size=50), st.integers(2, 36))
def test_integers_in_bases(c_driver: Driver, values: list[int], base: int) -> None:
    how = Format("shortest", {"base": base})
    due = [digits_in_base(value, base) for value in values]
    data = Typed("int64", values).render().encode()
    answers(c_driver, [Vector("", "write_ints", {"format": how}, data, result=" ".join(due) + "\n")])


def test_every_length_of_every_type(c_driver: Driver) -> None:
    """Around every power of ten and of two, in arrays, where digits are written several at a time."""
    vectors = []
    for name, (low, high) in {f"{sign}int{bits}": (0 if sign else -(2 ** (bits - 1)), 2 ** (bits - (not sign)) - 1)
                              for sign in ("", "u") for bits in (8, 16, 32, 64)}.items():
        edges = {10**n for n in range(20)} | {2**n for n in range(65)}
        near = {sign * edge + delta for edge in edges for delta in (-2, -1, 0, 1, 2) for sign in (1, -1)}
        values = sorted(value for value in near if low <= value <= high)
        data = Typed(name, values).render().encode()
        vectors.append(Vector("", "write_ints", {"sep": "\n"}, data, result="".join(f"{value}\n" for value in values)))
    answers(c_driver, vectors)


# ---- Text ----------------------------------------------------------------------------------------


@given(st.lists(st.text(max_size=20), min_size=1, max_size=20), st.integers(0, 30),
       st.sampled_from(["left", "internal", "center"]), st.sampled_from("* ."))
def test_text_in_a_width(c_driver: Driver, texts: list[str], width: int, align: str, fill: str) -> None:
    """Text has no inside, so "internal" puts it right."""
    how = Format("shortest", {"width": width, "align": align, "fill": fill})
    answers(c_driver, [Vector("", "format_text", {"format": how}, text.encode(),
                              result=format(text, f"{fill}{TEXT_ALIGNS[align]}{width or ''}")) for text in texts])


@given(st.lists(st.dates(), min_size=1, max_size=100))
def test_dates(c_driver: Driver, dates: list[Any]) -> None:
    vectors = [Vector("", "format_date", {}, str(date.toordinal() - 719163).encode(), result=date.isoformat())
               for date in dates]
    answers(c_driver, vectors)
