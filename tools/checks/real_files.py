"""Files as they are found in the wild, read by fastio, by pandas and by Polars, and compared cell by cell.

The CSV, TSV and white-space files that packages carry (build/real_files holds the packages, which ./dev downloads)
and the tables of Debian's unicode-data. A reference in plain Python (csv, int, float, datetime) says what is in a
file: its records, the type of each column, each value. fastio must agree with it everywhere, and refuse at first what
the reference finds wrong: ragged records, names that lack or are repeated, stray quotes. Where pandas or Polars
differ, EXPLAINED must say why; a difference without an explanation, and an explanation without a difference, fail.

    python3 tools/checks/real_files.py [PART_OF_A_NAME]
"""

from __future__ import annotations

import array
import csv
import dataclasses
import datetime
import fnmatch
import gzip
import io
import math
import os
import re
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastio
import numpy
import pandas

os.environ.setdefault("POLARS_MAX_THREADS", "1")  # most files are small
import polars  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ROOT / "build" / "real_files"
UNICODE = Path("/usr/share/unicode")
NULLS = ("", "NA")
SUFFIXES = (".csv", ".tsv", ".dat", ".asc")
ENOUGH = 2 << 20  # bytes of a file: more of the same would take minutes

csv.field_size_limit(2**31 - 1)

# ---- the files ----


def members(data: Path | bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """The tables of an archive, those of archives within it too."""
    file: Any = io.BytesIO(data) if isinstance(data, bytes) else data
    if name.endswith((".whl", ".zip")):
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if is_wanted(info.filename):
                    yield from table(info.filename, archive.read(info))
        return
    with tarfile.open(fileobj=file if isinstance(data, bytes) else open(data, "rb")) as archive:
        for member in archive:
            if member.isfile() and is_wanted(member.name):
                content = archive.extractfile(member)
                assert content is not None
                yield from table(member.name, content.read())


def is_wanted(name: str) -> bool:
    # macOS has left files "._name" in pydataset, which hold no table.
    is_table = name.endswith((*SUFFIXES, ".csv.gz", ".csv.zip", "resources.tar.gz"))
    return is_table and not name.rsplit("/", 1)[-1].startswith("._")


def table(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    if name.endswith((".tar.gz", ".zip")):
        yield from members(data, name)
    else:
        yield name, gzip.decompress(data) if name.endswith(".gz") else data


def files() -> Iterator[tuple[str, bytes]]:
    packages = sorted(PACKAGES.glob("*.whl")) + sorted(PACKAGES.glob("*.tar.gz"))
    if not packages:
        sys.exit(f"{PACKAGES.relative_to(ROOT)} is empty: run ./dev check real-files")
    for package in packages:
        yield from members(package, package.name)
    tables = sorted(UNICODE.glob("*.txt"))
    if not tables:
        sys.exit("Debian's package unicode-data is missing")
    for path in tables:
        yield f"unicode/{path.name}", path.read_bytes()


# ---- how they are written ----


@dataclass(frozen=True)
class Dialect:
    """read_csv's words, as far as a file here needs other ones than the initial values."""

    sep: str | None = ","
    quote: str | None = '"'
    comment: str | None = None
    trim: bool = False
    skip_lines: int = 0
    newline: str = "lf"
    header: bool | None = None  # None: if the first record is not all numbers

    def words(self) -> dict[str, Any]:
        words = {"sep": self.sep, "quote": self.quote, "trim": self.trim, "skip_lines": self.skip_lines}
        return words | {"newline": self.newline, "comment": self.comment, "comment_anywhere": self.comment is not None}


BLANKS = Dialect(sep=None)
NOT_A_TABLE = None

# By the end of the name; the first that fits.
DIALECTS: list[tuple[str, Dialect | None]] = [
    # scikit-learn: counts and class names in the place of names
    ("sklearn/datasets/data/iris.csv", Dialect(skip_lines=1)),
    ("sklearn/datasets/data/wine_data.csv", Dialect(skip_lines=1)),
    ("sklearn/datasets/data/breast_cancer.csv", Dialect(skip_lines=1)),
    ("genmod/tests/results/iris.csv", Dialect(skip_lines=1)),
    ("diabetes_data_raw.csv.gz", BLANKS),
    ("linnerud_*.csv", BLANKS),
    # statsmodels
    ("anes96/anes96.csv", Dialect(sep="\t", quote="'")),
    ("anes96/src/anes96.csv", BLANKS),
    ("maunaloa_c.dat", NOT_A_TABLE),
    ("1978ADAT.asc", NOT_A_TABLE),
    ("sunspots_monthly.dat", NOT_A_TABLE),
    ("scotland_population.csv", NOT_A_TABLE),
    ("star98.dat", Dialect(sep="\t")),
    ("scotland/src/scotvote.*", BLANKS),
    ("spector.csv", Dialect(sep=None, quote="'")),
    ("modechoice/modechoice.csv", Dialect(sep=";")),
    ("macrodata/src/unemp.csv", Dialect(skip_lines=9)),
    ("E6_jmulti.csv", BLANKS),
    ("mnlogit.csv", BLANKS),
    ("survival_data_*.csv", BLANKS),
    ("AROLS*ConstantPredict.csv", BLANKS),
    ("test_coint.csv", BLANKS),
    ("vector_ar/tests/results/e[1245].dat", Dialect(sep=None, skip_lines=6)),
    ("vector_ar/tests/results/e3.dat", Dialect(sep=None, skip_lines=8)),
    ("vector_ar/tests/results/e6.dat", Dialect(sep=None, skip_lines=10)),
    ("poisson_resid.csv", Dialect(trim=True)),
    ("mar_filardo.csv", Dialect(newline="any")),
    ("results_wpi1_ar3_stata.csv", Dialect(newline="any")),
    ("*.dat", BLANKS),
    # unicode-data
    ("unicode/NamedSequencesProv.txt", NOT_A_TABLE),  # nothing but comments
    ("unicode/ReadMe.txt", NOT_A_TABLE),
    ("unicode/NamesList.txt", NOT_A_TABLE),
    ("unicode/BidiTest.txt", NOT_A_TABLE),
    ("unicode/CompositionExclusions.txt", Dialect("\t", None, "#", True, header=False)),
    ("unicode/Index.txt", Dialect("\t", None, None, header=False)),
    ("unicode/NushuSources.txt", Dialect("\t", None, "#", header=False)),
    ("unicode/TangutSources.txt", Dialect("\t", None, "#", header=False)),
    ("unicode/allkeys.txt", Dialect(";", None, "#", True, skip_lines=5, header=False)),
    ("unicode/*.txt", Dialect(";", None, "#", True, header=False)),
    ("*", Dialect()),
]


def dialect_of(name: str) -> Dialect | None:
    return next(dialect for pattern, dialect in DIALECTS if fnmatch.fnmatchcase(name, "*" + pattern))


# ---- the reference ----


def records_of(text: str, dialect: Dialect) -> list[list[str]]:
    """All records, blank lines left out."""
    source: Any = io.StringIO(text, newline="")
    for _ in range(dialect.skip_lines):
        source.readline()
    if dialect.comment is not None:
        source = (line.partition(dialect.comment)[0].rstrip("\r\n") for line in source)
    if dialect.sep is None:
        lines = (line.replace("\t", " ").strip(" \r\n") for line in source)
        rows = csv.reader(lines, delimiter=" ", quotechar=dialect.quote, skipinitialspace=True, strict=True)
    elif dialect.quote is None:
        rows = csv.reader(source, delimiter=dialect.sep, quoting=csv.QUOTE_NONE)
    else:
        rows = csv.reader(source, delimiter=dialect.sep, quotechar=dialect.quote, strict=True)
    found = [row for row in rows if row]
    if not dialect.trim:
        return found
    trimmed = ([field.strip(" \t") for field in row] for row in found)
    return [row for row in trimmed if row != [""]]


INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
FLOAT = re.compile(r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
WORD = re.compile(r"[-+]?(inf|infinity|nan)", re.IGNORECASE)
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TIME = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?")
ZONE = re.compile(r"(Z|[-+][0-9]{2}(:?[0-9]{2})?)$")


def is_valid(parse: Callable[[str], Any], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def date_of(text: str) -> datetime.date:
    return datetime.date(int(text[:4]), int(text[5:7]), int(text[8:]))


def time_of(text: str) -> datetime.time:
    hour, minute, second = (text + ":0").split(":")[:3]
    whole, _, decimals = second.partition(".")
    return datetime.time(int(hour), int(minute), int(whole), int(decimals.ljust(6, "0")[:6]))


def timestamp_of(text: str) -> datetime.datetime:
    zone = ZONE.search(text[10:])
    clock = text[11 : 10 + zone.start()] if zone else text[11:]
    if not DATE.fullmatch(text[:10]) or len(text) > 10 and (text[10] not in "T " or not TIME.fullmatch(clock)):
        raise ValueError(text)
    moment = datetime.datetime.combine(date_of(text[:10]), time_of(clock) if clock else datetime.time())
    if zone is None:
        return moment
    digits = zone[0][1:].replace(":", "").ljust(4, "0")
    minutes = 0 if zone[0] == "Z" else int(digits[:2]) * 60 + int(digits[2:])
    return moment - datetime.timedelta(minutes=-minutes if zone[0][0] == "-" else minutes)


def class_of(text: str) -> str:
    if INTEGER.fullmatch(text):
        value = int(text)
        if -(2**63) <= value < 2**63:
            return "negative" if text[0] == "-" else "natural"
        return "uint64" if 0 <= value < 2**64 else "big"
    if FLOAT.fullmatch(text):
        return "float"
    if WORD.fullmatch(text):
        return "word"
    if text.lower() in ("true", "false"):
        return "bool"
    if DATE.fullmatch(text) and is_valid(date_of, text):
        return "date"
    if TIME.fullmatch(text) and is_valid(time_of, text):
        return "time"
    if len(text) > 10 and DATE.match(text) and is_valid(timestamp_of, text):
        return "timestamp[ns, UTC]" if ZONE.search(text[10:]) else "timestamp[ns]"
    return "text"


def type_of(texts: set[str]) -> str:
    """The type that these texts, none of them null, have in common."""
    classes = {class_of(text) for text in texts}
    if len(classes) == 1 and classes <= {"bool", "date", "time", "timestamp[ns]", "timestamp[ns, UTC]"}:
        return classes.pop()
    if classes == {"date", "timestamp[ns]"}:
        return "timestamp[ns]"
    if classes and classes <= {"natural", "negative"}:
        return "int64"
    if classes and classes <= {"natural", "uint64"}:
        return "uint64"
    if "float" in classes and classes <= {"natural", "negative", "uint64", "big", "float", "word"}:
        return "float64"
    return "string"


PARSE: dict[str, Callable[[str], Any]] = {
    "int64": int,
    "uint64": int,
    "float64": float,
    "bool": lambda text: text.lower() == "true",
    "date": date_of,
    "time": time_of,
    "timestamp[ns]": timestamp_of,
    "timestamp[ns, UTC]": lambda text: timestamp_of(text).replace(tzinfo=datetime.timezone.utc),
    "string": str,
}


def quoted_cells(text: str, dialect: Dialect) -> Iterator[list[bool]]:
    """Which fields of each record are quoted, for the files in which that matters."""
    assert dialect.sep is not None and dialect.quote is not None
    quote, sep = re.escape(dialect.quote), re.escape(dialect.sep)
    row = []
    for field in re.finditer(rf"({quote}(?:[^{quote}]|{quote}{quote})*{quote}|[^{sep}\n]*)({sep}|\r?\n|\Z)", text):
        row.append(field[1].startswith(dialect.quote))
        if field[2] != dialect.sep:
            if len(row) > 1 or field[1].strip("\r") != "":
                yield row
            row = []


# ---- fastio beside the reference ----


class Fault(Exception):
    """fastio differs from the reference."""


@dataclass
class File:
    """What the reference says of a file."""

    name: str
    data: bytes
    text: str
    dialect: Dialect
    names: list[str] | None
    rows: list[list[str]]

    @property
    def width(self) -> int:
        return len(self.names if self.names is not None else self.rows[0])

    @property
    def is_ragged(self) -> bool:
        return any(len(row) != self.width for row in self.rows)

    def texts(self, column: int) -> list[str | None]:
        """None: the record is too short to have that field."""
        return [row[column] if column < len(row) else None for row in self.rows]

    def has_quoted(self, words: tuple[str, ...]) -> bool:
        quote = self.dialect.quote
        return quote is not None and any(f"{quote}{word}{quote}" in self.text for word in words)


def file_of(name: str, data: bytes, dialect: Dialect) -> File:
    if len(data) > ENOUGH:
        data = data[: data.rindex(b"\n", 0, ENOUGH) + 1]
    text = data.decode("utf-8-sig")
    records = records_of(text, dialect)
    has_header = dialect.header
    if has_header is None:
        has_header = not all(is_valid(float, field) for field in records[0])
    return File(name, data, text, dialect, records[0] if has_header else None, records[has_header:])


def refusal(file: File, words: dict[str, Any]) -> str | None:
    """The status of the error that reading gives, or None."""
    try:
        fastio.read_csv(file.data, null_values=NULLS, **words)
    except fastio.Error as error:
        return error.status
    return None


def words_of(file: File) -> dict[str, Any]:
    """read_csv's words for a file. What it refuses without leave must be what the reference finds in it."""
    words = file.dialect.words() | {"header": file.names is not None}
    if any(file.dialect.quote is not None and file.dialect.quote in field for row in file.rows for field in row):
        if refusal(file, words) == "bad_quote":
            words["quote_mode"] = "literal"
    if file.names is not None and ("" in file.names or len(set(file.names)) < len(file.names)):
        if refusal(file, words) != "bad_header":
            raise Fault(f"names {file.names} are taken")
        words["repair_names"] = True
    if file.is_ragged:
        if refusal(file, words) != "ragged":
            raise Fault("ragged records are taken")
        words["on_ragged"] = "fit"
    return words


@dataclass
class Column:
    """A column as the reference has it, and as a peer does."""

    type: str
    values: list[Any]
    texts: list[str | None]
    trim: bool
    blank_lines: int
    peer_type: str = ""
    peer_values: list[Any] = dataclasses.field(default_factory=list)

    def some(self, holds: Callable[[str], object]) -> bool:
        """Of the texts that are not null."""
        return any(holds(t) for t, v in zip(self.texts, self.values) if v is not None and t is not None)


def columns_of(file: File) -> list[Column]:
    quoted = list(quoted_cells(file.text, file.dialect))[file.names is not None :] if file.has_quoted(NULLS) else None
    blank_lines = len(re.findall(r"^\r?\n", file.text, re.MULTILINE))
    columns = []
    for j in range(file.width):
        texts = file.texts(j)
        is_null = [text is None or text in NULLS for text in texts]
        if quoted is not None and any(is_null):
            is_null = [null and not (j < len(row) and row[j]) for null, row in zip(is_null, quoted, strict=True)]
        kind = type_of({text for text, null in zip(texts, is_null) if not null and text is not None})
        parsed = {text: PARSE[kind](text) for text in set(texts) if text is not None and text not in NULLS}
        if kind == "string":
            parsed |= dict(zip(NULLS, NULLS))
        values = [None if null or text is None else parsed[text] for text, null in zip(texts, is_null)]
        columns.append(Column(kind, values, texts, file.dialect.trim, blank_lines))
    return columns


def is_same(ours: list[Any], theirs: list[Any]) -> bool:
    """Equal values of equal types, floats to the last bit."""
    types = list(map(type, ours))
    if types != list(map(type, theirs)):
        return False
    if float in types and set(types) <= {float, type(None)}:
        return bits(ours) == bits(theirs)
    return ours == theirs


def bits(values: list[Any]) -> bytes:
    return array.array("d", [math.nan if value is None else value for value in values]).tobytes()


def first_difference(texts: list[Any], ours: list[Any], theirs: list[Any]) -> str:
    if len(ours) != len(theirs):
        return f"{len(ours)} values and {len(theirs)}"
    for row, (text, one, other) in enumerate(zip(texts, ours, theirs), 1):
        if not is_same([one], [other]):
            return f"row {row}, {text!r}: {one!r} and {other!r}"
    return "the same values"


def check_fastio(file: File, columns: list[Column]) -> None:
    words = words_of(file)
    texts = fastio.read_csv(file.data, dtype="string", null_values=(), **words)
    if texts.shape != (len(file.rows), file.width):
        raise Fault(f"shape {texts.shape}, not {(len(file.rows), file.width)}")
    if file.names is not None and "repair_names" not in words and list(texts.names) != file.names:
        raise Fault(f"names {texts.names}, not {file.names}")
    typed = fastio.read_csv(file.data, null_values=NULLS, **words)
    for j, column in enumerate(columns):
        ours = texts.columns[j].to_list()
        if ours != column.texts:
            raise Fault(f"column {j + 1} as text: {first_difference(column.texts, ours, column.texts)}")
        if typed.columns[j].dtype != column.type:
            raise Fault(f"column {j + 1} is {typed.columns[j].dtype}, not {column.type}")
        ours = typed.columns[j].to_list()
        if not is_same(ours, column.values):
            raise Fault(f"column {j + 1}: {first_difference(column.texts, ours, column.values)}")


def check_loadtxt(file: File) -> None:
    """A file of numbers only is what numpy.loadtxt makes of it."""
    dialect = file.dialect
    words: dict[str, Any] = {"delimiter": dialect.sep, "comments": dialect.comment, "quotechar": dialect.quote}
    words |= {"skiprows": dialect.skip_lines + (file.names is not None), "ndmin": 2}
    ours, theirs = (loadtxt(io.BytesIO(file.data), **words) for loadtxt in (fastio.loadtxt, numpy.loadtxt))
    if ours.shape != theirs.shape or ours.tobytes() != theirs.tobytes():
        raise Fault("loadtxt and numpy.loadtxt differ")


def is_matrix(columns: list[Column]) -> bool:
    return all(column.type in ("int64", "float64") and None not in column.values for column in columns)


# ---- peers beside the reference ----


def read_pandas(file: File) -> list[tuple[str, list[Any]]]:
    dialect = file.dialect
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = pandas.read_csv(
            io.BytesIO(file.data), sep=dialect.sep or r"\s+", header=None if file.names is None else 0, index_col=False,
            keep_default_na=False, na_values=list(NULLS), float_precision="round_trip", low_memory=False,
            quotechar=dialect.quote or '"', quoting=csv.QUOTE_NONE if dialect.quote is None else csv.QUOTE_MINIMAL,
            comment=dialect.comment, skiprows=dialect.skip_lines,
        )  # fmt: skip
    found = []
    for j in range(frame.shape[1]):
        series = frame.iloc[:, j]
        found.append((str(series.dtype), [None if null else v for v, null in zip(series.tolist(), series.isna())]))
    return found


def read_polars(file: File) -> list[tuple[str, list[Any]]] | None:
    dialect = file.dialect
    if dialect.sep is None or dialect.comment is not None or dialect.trim:
        return None  # neither white space nor comments behind fields
    frame = polars.read_csv(
        file.data, separator=dialect.sep, quote_char=dialect.quote, has_header=file.names is not None,
        null_values=["NA"], infer_schema_length=None, try_parse_dates=True, skip_lines=dialect.skip_lines,
        eol_char="\r" if dialect.newline == "any" else "\n",
    )  # fmt: skip
    return [(str(series.dtype), polars_values(series)) for series in frame]


def polars_values(series: polars.Series) -> list[Any]:
    try:
        return list(series.to_list())
    except ValueError:  # dates that Python has not
        return series.cast(polars.String).to_list()


PEERS = {"pandas": read_pandas, "polars": read_polars}
TYPES = {
    "int64": ("int64", "Int64"),
    "uint64": ("uint64", "UInt64"),
    "float64": ("float64", "Float64"),
    "bool": ("bool", "Boolean"),
    "string": ("str", "String"),
    "date": ("Date",),
    "time": ("Time",),
    "timestamp[ns]": ("Datetime(time_unit='us', time_zone=None)",),
    "timestamp[ns, UTC]": ("Datetime(time_unit='us', time_zone='UTC')",),
}


@dataclass
class Explanation:
    peer: str
    types: str  # a pattern of "ours theirs"
    holds: Callable[[Column], object]
    why: str
    count: int = 0


def has_texts(column: Column) -> bool:
    """The peer has the texts as they are."""
    return column.peer_values == [None if v is None else t for t, v in zip(column.texts, column.values)]


def has_padded_texts(column: Column) -> bool:
    stripped = [None if v is None else v.strip(" \t") for v in column.peer_values]
    return column.trim and [v or None for v in stripped] == column.values


def has_floats(column: Column) -> bool:
    """The same integers, as far as a float can hold them."""
    floats = [None if v is None else float(v) for v in column.values]
    return None in floats and is_same(floats, column.peer_values)


def has_quoted_nulls(column: Column) -> bool:
    """Where fastio has a quoted text that would be null without quotes, the peer has null; else they agree."""
    expected = [None if v in NULLS else v for v in column.values]
    return expected != column.values and expected == column.peer_values


def is_null(column: Column) -> bool:
    return not any(v is not None for v in column.values + column.peer_values)


def as_numbers(parse: Callable[[str], Any], odd: str) -> Callable[[Column], bool]:
    """The peer has numbers of texts in which the pattern `odd` occurs."""

    def holds(column: Column) -> bool:
        texts = [None if v is None or v.strip(" \t") in NULLS else v for v in column.values]
        if not column.some(re.compile(odd).search) or not all(t is None or is_valid(parse, t) for t in texts):
            return False
        return is_same([None if t is None else parse(t) for t in texts], column.peer_values)

    return holds


def has_blank_lines(column: Column) -> bool:
    more = len(column.peer_values) - len(column.values)
    values = [v for v in column.peer_values if v is not None]
    return more == column.blank_lines > 0 and values == [v for v in column.values if v is not None]


def has_dates(column: Column) -> bool:
    return column.some(re.compile(r"[0-9]+/[0-9]+/[0-9]+").match)


BLANK = r"^[ \t]|[ \t]$"

EXPLAINED = [
    Explanation("pandas", "int64 float64", has_floats, "makes integers floats for the sake of a missing one"),
    Explanation("pandas", "string str", has_quoted_nulls, "takes a quoted null value for a missing one"),
    Explanation("pandas", "string str", has_padded_texts, "has no trim"),
    Explanation("pandas", "date str", has_texts, "reads dates only where told to"),
    Explanation("pandas", "timestamp* str", has_texts, "reads timestamps only where told to"),
    Explanation("pandas", "string float64", is_null, "has a type for columns of nulls: float64"),
    Explanation("pandas", "string object", is_null, "has another one if it read the file in pieces"),
    Explanation("pandas", "string float64", as_numbers(float, BLANK), "infers numbers from texts with blanks around"),
    Explanation("pandas", "string int64", as_numbers(int, BLANK), "the same, of integers"),
    Explanation("pandas", "string float64", as_numbers(float, "^(NA)?$"), "takes a quoted null for a missing number"),
    Explanation("pandas", "string int64", as_numbers(int, "^0[0-9]"), "takes the zeros off identifiers"),
    Explanation("pandas", "float64 str", has_texts, "takes NaN for a number only if it is a null value"),
    Explanation("polars", "string String", has_quoted_nulls, "takes a quoted NA for a missing one"),
    Explanation("polars", "string Int64", as_numbers(int, "^0[0-9]"), "takes the zeros off identifiers"),
    Explanation("polars", "* *", has_blank_lines, "makes a record of nulls of a blank line"),
    Explanation("polars", "string Date*", has_dates, "guesses other dates than ISO 8601: 1/1/85 is in the year 85"),
]


def check_peer(peer: str, file: File, columns: list[Column]) -> Iterator[str]:
    """What is not explained."""
    found = PEERS[peer](file)
    if found is None:
        return
    if len(found) != len(columns):
        yield f"{len(found)} columns, not {len(columns)}"
        return
    for j, (column, (kind, values)) in enumerate(zip(columns, found)):
        if kind in TYPES.get(column.type, ()) and is_same(column.values, values):
            continue
        column.peer_type, column.peer_values = kind, values
        for explanation in EXPLAINED:
            if explanation.peer == peer and fnmatch.fnmatchcase(f"{column.type} {kind}", explanation.types):
                if explanation.holds(column):
                    explanation.count += 1
                    break
        else:
            yield f"column {j + 1}, {column.type} and {kind}: {first_difference(column.texts, column.values, values)}"


def main() -> int:
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    faults = read = cells = matrices = 0
    for name, data in files():
        dialect = dialect_of(name)
        if wanted not in name or dialect is NOT_A_TABLE:
            continue
        file = file_of(name, data, dialect)
        columns = columns_of(file)
        problems = []
        try:
            check_fastio(file, columns)
            if is_matrix(columns) and not file.is_ragged:
                check_loadtxt(file)
                matrices += 1
        except (Fault, fastio.Error) as fault:
            problems.append(f"fastio: {fault}")
        if not file.is_ragged:
            problems += [f"{peer}: {problem}" for peer in PEERS for problem in check_peer(peer, file, columns)]
        for problem in problems:
            print(f"{name}: {problem}")
        faults += len(problems)
        read += 1
        cells += len(file.rows) * file.width
    for explanation in EXPLAINED:
        if wanted == "" and explanation.count == 0:
            print(f"explains nothing any more: {explanation.peer}, {explanation.types}: {explanation.why}")
            faults += 1
    print(f"{read} files, {cells} cells, {matrices} files for loadtxt; columns that differ from fastio's, and why:")
    for explanation in EXPLAINED:
        print(f"  {explanation.count:6} {explanation.peer:6} {explanation.types}: {explanation.why}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
