"""Format, Locale, format, concat and the makers of formats."""

from __future__ import annotations

import copy
import decimal
import fractions
import pickle
from typing import Any

import fastio
import pytest
from hypothesis import given
from hypothesis import strategies as st

BACK = {"fastio": fastio}


@pytest.mark.parametrize(("value", "format", "expected"), [
    (3.14159, fastio.fixed(2), "3.14"),
    (3.14159, fastio.scientific(2), "3.14e+00"),
    (3.14159, fastio.general(3), "3.14"),
    (1.5, fastio.hexadecimal(), "0x1.8p+0"),
    (1.5, "hexadecimal", "0x1.8p+0"),
    (0.1, "shortest", "0.1"),
    (0.1, None, "0.1"),
    (0.5, fastio.fixed(), "0.5"),
    (255, fastio.integer(16), "ff"),
    (255, fastio.integer(16, prefix=True, upper=True), "0XFF"),
    (-5, fastio.integer(2, prefix=True, width=8, align="internal"), "-0b00101"),
    (7, fastio.integer(width=4), "   7"),
    (7, fastio.integer(width=4, align="left"), "7   "),
    (7, fastio.integer(width=4, align="center", fill="*"), "*7**"),
    (7, fastio.integer(width=4, fill=b"."), "...7"),
    (7, fastio.integer(sign="+"), "+7"),
    (7.0, fastio.fixed(1, sign=" "), " 7.0"),
    (0.125, fastio.fixed(1, percent=True), "12.5%"),
    (1.0, fastio.general(4, keep_point=True), "1.000"),
    (1234567.5, fastio.fixed(2, locale=fastio.Locale(",", ".")), "1.234.567,50"),
    (12345678, fastio.integer(locale=fastio.Locale(group="'")), "12'345'678"),
    (12345678, fastio.integer(locale=fastio.Locale(group=",", grouping=(3, 2))), "1,23,45,678"),
    (2**64 - 1, fastio.integer(36), "3w5e11264sgsf"),
    ("ab", fastio.integer(width=4), "ab  "),
    ("ab", fastio.integer(width=4, align="right", fill="."), "..ab"),
    (7, fastio.integer(width=4, align=None), "   7"),
    (True, fastio.integer(width=5), "True "),
    (None, fastio.fixed(1), "None"),
    (decimal.Decimal("2.5"), fastio.fixed(1), "2.5"),
    (fractions.Fraction(1, 3), fastio.fixed(3), "0.333"),
])
def test_values(value: Any, format: Any, expected: str) -> None:
    assert fastio.format(value, format) == expected
    assert fastio.format(value, format=format) == expected
    if isinstance(format, fastio.Format):
        assert format(value) == expected


@given(st.floats(), st.integers(0, 40))
def test_floats_as_python_writes_them(value: float, precision: int) -> None:
    assert fastio.fixed(precision)(value) == f"{value:.{precision}f}"
    assert fastio.scientific(precision, upper=True)(value) == f"{value:.{precision}E}"
    assert fastio.general(max(precision, 1))(value) == f"{value:.{max(precision, 1)}g}"
    assert fastio.format(value) == repr(value)


@given(st.integers(-(2**63), 2**64 - 1))
def test_ints_as_python_writes_them(value: int) -> None:
    assert fastio.integer(16, prefix=True)(value) == f"{value:#x}"
    assert fastio.integer(8)(value) == f"{value:o}"
    assert fastio.integer(2, sign="+", width=70, align="internal")(value) == f"{value:+070b}"
    assert fastio.integer(locale=fastio.Locale(group=","))(value) == f"{value:,}"


def test_numpy_scalars() -> None:
    numpy = pytest.importorskip("numpy")
    assert fastio.format(numpy.float32(0.1), "shortest") == "0.1"
    assert fastio.format(numpy.float32(0.1), fastio.fixed(10)) == "0.1000000015"
    assert fastio.format(numpy.float16(0.5), fastio.fixed(1)) == "0.5"
    assert fastio.format(numpy.uint64(2**64 - 1), fastio.integer(16)) == "f" * 16
    assert fastio.format(numpy.int8(-3), fastio.integer(width=3)) == " -3"
    assert fastio.format(numpy.bool_(True), fastio.integer(width=5)) == "True "


def test_what_print_writes() -> None:
    values: list[Any] = [0, -1, 2**63, 10**40, 1e16, 1e-5, float("nan"), True, None, "x", b"y", [1], "é\0", object, 1j]
    for value in values:
        assert fastio.format(value) == str(value)
    assert fastio.concat(*values) == "".join(map(str, values))
    assert fastio.concat() == ""
    assert fastio.concat("long " * 300, "ü" * 700) == "long " * 300 + "ü" * 700


class Point:
    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y

    def __fastio_print__(self, writer: fastio.Writer) -> None:
        writer.print(self.x, self.y, sep=", ", end="")


class Broken:
    def __fastio_print__(self, writer: fastio.Writer) -> None:
        writer.write("lost")
        raise KeyError("mine")

    def __str__(self) -> str:
        raise IndexError("yours")


class Loud(str):
    def __str__(self) -> str:
        return self.upper() + "!"


def test_own_types() -> None:
    assert fastio.format(Point(1, 0.5)) == "1, 0.5"
    assert fastio.concat("(", Point(1, 2), ")") == "(1, 2)"
    assert fastio.format(Point(1, 2), fastio.integer(width=6)) == "1, 2  "
    assert fastio.format(Loud("a")) == "A!"
    with pytest.raises(KeyError, match="mine"):
        fastio.concat("a", Broken())
    with pytest.raises(UnicodeEncodeError):
        fastio.concat("\ud800")


FORMATS = [
    fastio.Format(), fastio.fixed(3), fastio.fixed(0, width=8), fastio.general(5, keep_point=True, sign="+"), fastio.hexadecimal(upper=True),
    fastio.integer(16, prefix=True, fill="0", width=4), fastio.scientific(locale=fastio.Locale(",", "\u202f", (3, 2))),
    fastio.fixed(1, percent=True, align="internal"), fastio.Format(align="center", fill="'", width=9),
]


@pytest.mark.parametrize("format", FORMATS)
def test_formats_are_values(format: fastio.Format) -> None:
    again = eval(repr(format), BACK)
    assert again == format and hash(again) == hash(format) and again is not format
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(format, protocol)) == format
    assert copy.copy(format) == copy.deepcopy(format) == format
    assert sum(other == format for other in FORMATS) == 1
    assert format != 1 and not format == "shortest"
    with pytest.raises(AttributeError):
        format.width = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        _ = format < format  # type: ignore[operator]


def test_attributes() -> None:
    locale = fastio.Locale(",", ".", (3, 2))
    format = fastio.Format("fixed", 2, base=16, sign="+", upper=True, prefix=True, align="left", width=9, fill="x",
                           percent=True, keep_point=True, locale=locale)
    assert (format.notation, format.precision, format.base, format.sign, format.upper, format.prefix, format.align, format.width,
            format.fill, format.percent, format.keep_point, format.locale) == ("fixed", 2, 16, "+", True, True, "left", 9, "x", True, True, locale)
    plain = fastio.Format()
    assert (plain.notation, plain.precision, plain.base, plain.sign, plain.align, plain.fill, plain.locale) == ("shortest", None, 10, "-", None, None, None)
    assert repr(plain) == "fastio.Format()" and repr(fastio.fixed(2)) == "fastio.Format('fixed', 2)"
    assert (locale.point, locale.group, locale.grouping) == (",", ".", (3, 2))
    assert repr(locale) == "fastio.Locale(',', '.', (3, 2))"
    assert eval(repr(locale), BACK) == locale == pickle.loads(pickle.dumps(locale, 0))
    assert hash(locale) == hash(fastio.Locale(",", ".", [3, 2])) and locale != fastio.Locale(",", ".")
    assert fastio.Locale() == fastio.Locale(grouping=None) == fastio.Locale(".", "", (3,))


@pytest.mark.parametrize(("words", "error", "says"), [
    ({"notation": "f"}, ValueError, "notation must be"),
    ({"notation": None}, ValueError, "notation must be"),
    ({"notation": "fixed", "precision": -1}, ValueError, "precision"),
    ({"notation": "fixed", "precision": 100001}, ValueError, "at most 100000"),
    ({"notation": "fixed", "precision": 1.5}, TypeError, "precision must be an int"),
    ({"precision": 3}, ValueError, "no precision"),
    ({"base": 1}, ValueError, "base"),
    ({"base": 37}, ValueError, "base must be 2 to 36"),
    ({"sign": "x"}, ValueError, "sign must be"),
    ({"align": "middle"}, ValueError, "align must be"),
    ({"width": 100001}, ValueError, "at most 100000"),
    ({"width": True}, TypeError, "width must be an int"),
    ({"fill": ""}, ValueError, "fill"),
    ({"fill": "\0"}, ValueError, "fill"),
    ({"fill": "é"}, ValueError, "fill"),
    ({"fill": 3}, TypeError, "fill"),
    ({"locale": "de_DE"}, TypeError, "locale must be a fastio.Locale"),
    ({"nothing": 1}, TypeError, "nothing"),
])
def test_refused_formats(words: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        fastio.Format(**words)


@pytest.mark.parametrize(("words", "error"), [
    ({"point": ""}, ValueError), ({"point": "12345678"}, ValueError), ({"group": "a\0"}, ValueError), ({"grouping": ()}, ValueError),
    ({"grouping": (1, 2, 3, 4, 5)}, ValueError), ({"grouping": (0,)}, ValueError), ({"grouping": (256,)}, ValueError),
    ({"grouping": ("x",)}, TypeError), ({"grouping": 3}, TypeError), ({"point": b"."}, TypeError), ({"point": "\ud800"}, UnicodeEncodeError),
])
def test_refused_locales(words: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        fastio.Locale(**words)


def test_refused_values() -> None:
    for value in (2**64, -(2**63) - 1):
        with pytest.raises(OverflowError):
            fastio.format(value, fastio.integer())
    with pytest.raises(TypeError, match="format must be"):
        fastio.format(1, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="format must be"):
        fastio.format(1, "%d")  # type: ignore[arg-type]
    for call in (lambda: fastio.format(), lambda: fastio.format(1, None, 2), lambda: fastio.format(1, fmt="x"), lambda: fastio.fixed(1)(),  # type: ignore[call-arg]
                 lambda: fastio.fixed(1)(1, 2), lambda: fastio.fixed(1)(value=1)):  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            call()
