"""The hand-written part of fastio. Import `fastio`."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from types import GenericAlias
from typing import (
    Any,
    AnyStr,
    ClassVar,
    Generic,
    Literal,
    NoReturn,
    Protocol,
    SupportsFloat,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    final,
    overload,
    type_check_only,
)

from _typeshed import ReadableBuffer
from typing_extensions import Self

from ._table import Dialect, Range, Report

_T = TypeVar("_T")

class _ReadableInto(Protocol):
    def readinto(self, buffer: Any, /) -> int | None: ...

class _Readable(Protocol):
    def read(self, size: int, /) -> Any: ...

# A path ("-" is standard input), data, a file descriptor, a binary file object, or a mapped file.
_Source: TypeAlias = str | PathLike[str] | PathLike[bytes] | ReadableBuffer | int | _ReadableInto | _Readable
_Byte: TypeAlias = str | bytes
_DType: TypeAlias = str | Any  # a name, or NumPy's dtype or scalar class
_DTypes: TypeAlias = _DType | Sequence[_DType | None] | Mapping[Any, _DType | None] | None
_Texts: TypeAlias = Iterable[str | bytes]
_NullValues: TypeAlias = _Texts | Mapping[Any, _Texts]
_OnRagged: TypeAlias = (
    Literal["error", "pad", "truncate", "fit", "skip"] | Callable[[list[str]], Sequence[str] | None]
)

@type_check_only
class _Writable(Protocol):
    def write(self, data: bytes, /) -> Any: ...

# A path ("-" is standard output), a file descriptor, a binary file object, or a Writer.
_Dest: TypeAlias = str | PathLike[str] | PathLike[bytes] | int | _Writable | Writer
_WriteMode: TypeAlias = Literal["w", "wb", "wt", "a", "ab", "at", "x", "xb", "xt"]
_Buffering: TypeAlias = Literal["auto", "full", "line", "none"]
_Notation: TypeAlias = Literal["shortest", "fixed", "scientific", "general", "hexadecimal"]
_Sign: TypeAlias = Literal["-", "+", " "]
_Align: TypeAlias = Literal["right", "left", "center", "internal"]
_Format: TypeAlias = Format | _Notation | None
_Progress: TypeAlias = bool | Callable[[int, int | None], object] | None
_Errors: TypeAlias = Literal["strict", "replace", "skip"]
_Trailing: TypeAlias = Literal["error", "ignore", "warn"]
_Partial: TypeAlias = Literal["emit", "hold", "error"]
_Sources: TypeAlias = _Source | list[Any] | tuple[Any, ...]  # one, or several of them
_Shape: TypeAlias = int | tuple[int] | tuple[int, int] | None
_Advice: TypeAlias = Literal["normal", "sequential", "random", "willneed"]

__version__: str
_C_API: object

class Error(Exception):
    path: str | None
    offset: int | None
    lineno: int | None
    colno: int | None
    record: int | None
    field: str | int | None
    text: bytes | None
    status: str | None
    raw_offset: int | None
    source: int | None

class ParseError(Error, ValueError): ...
class RangeError(ParseError, OverflowError): ...
class DecodeError(ParseError, UnicodeDecodeError): ...
class TruncatedError(Error, EOFError): ...

@final
class Column(Sequence[_T]):
    @property
    def decode_errors(self) -> int: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def null_count(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def dictionary(self) -> Column[str] | None: ...
    @property
    def indices(self) -> Column[Any] | None: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, key: slice, /) -> Column[_T]: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __eq__(self, value: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def to_list(self) -> list[_T]: ...
    def to_numpy(self, *, copy: bool = False, null: Any = None) -> Any: ...
    def is_null(self) -> Column[bool]: ...
    def index(self, value: Any, start: SupportsIndex = 0, stop: SupportsIndex = sys.maxsize, /) -> int: ...
    def count(self, value: Any, /) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> Any: ...
    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[Any, ...]: ...

@final
class Lines(Sequence[AnyStr]):
    @property
    def decode_errors(self) -> int: ...
    @property
    def encoding(self) -> str | None: ...
    @property
    def nbytes(self) -> int: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> AnyStr: ...
    @overload
    def __getitem__(self, key: slice, /) -> Lines[AnyStr]: ...
    def __iter__(self) -> Iterator[AnyStr]: ...
    def __eq__(self, value: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def to_list(self) -> list[AnyStr]: ...
    def index(self, value: Any, start: SupportsIndex = 0, stop: SupportsIndex = sys.maxsize, /) -> int: ...
    def count(self, value: Any, /) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[Any, ...]: ...

@final
class MappedFile:
    @property
    def path(self) -> str: ...
    @property
    def closed(self) -> bool: ...
    @property
    def is_mapped(self) -> bool: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, key: slice, /) -> bytes: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __release_buffer__(self, buffer: memoryview, /) -> None: ...
    def find(
        self, sub: ReadableBuffer | SupportsIndex, start: SupportsIndex = 0, end: SupportsIndex | None = None, /
    ) -> int: ...
    def rfind(
        self, sub: ReadableBuffer | SupportsIndex, start: SupportsIndex = 0, end: SupportsIndex | None = None, /
    ) -> int: ...
    def count(
        self, sub: ReadableBuffer | SupportsIndex, start: SupportsIndex = 0, end: SupportsIndex | None = None, /
    ) -> int: ...
    def advise(self, advice: _Advice, offset: int = 0, length: int | None = None) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc_info: object) -> None: ...

@final
class Reader(Generic[AnyStr]):
    @property
    def decode_errors(self) -> int: ...
    @property
    def path(self) -> str | None: ...
    @property
    def offset(self) -> int: ...
    @property
    def lineno(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def read_int(self) -> int: ...
    def read_float(self) -> float: ...
    def read_token(self) -> AnyStr: ...
    def read_line(self) -> AnyStr: ...
    def expect(self, expected: str | ReadableBuffer, /) -> None: ...
    def peek_token(self) -> AnyStr: ...
    @overload
    def scan(self, type: type[_T], /) -> _T: ...
    @overload
    def scan(self, *types: type[Any]) -> Any: ...
    def fail(self, message: str, /) -> NoReturn: ...
    def redirect(self, source: _Source, /) -> AbstractContextManager[Reader[AnyStr]]: ...
    def _start_detour(self, source: _Source, /) -> None: ...
    def _end_detour(self) -> None: ...
    def skip(self) -> None: ...
    def ints(self) -> Iterator[int]: ...
    def floats(self) -> Iterator[float]: ...
    def lines(self) -> Iterator[AnyStr]: ...
    def tokens(self) -> Iterator[AnyStr]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc_info: object) -> None: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@final
class Table:
    @property
    def decode_errors(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def dtypes(self) -> dict[str, str]: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def columns(self) -> list[Column[Any]]: ...
    @property
    def report(self) -> Report: ...
    @property
    def nbytes(self) -> int: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: str, /) -> Column[Any]: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, key: slice, /) -> Table: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...
    def __eq__(self, value: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def keys(self) -> list[str]: ...
    def to_dict(self) -> dict[str, Column[Any]]: ...
    def to_numpy(self, *, structured: bool = True, null: Any = None) -> Any: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def to_arrow(self) -> Any: ...
    def _repr_html_(self) -> str: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[Any, ...]: ...
    def __copy__(self) -> Table: ...
    def __deepcopy__(self, memo: Any, /) -> Table: ...

@final
class CsvReader(Iterator[Table]):
    @property
    def decode_errors(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def dtypes(self) -> dict[str, str]: ...
    @property
    def schema(self) -> Table: ...
    @property
    def path(self) -> str | None: ...
    @property
    def closed(self) -> bool: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Table: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, key: slice, /) -> Table: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc_info: object) -> None: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

@final
class Writer:
    def __new__(
        cls,
        dest: _Dest | None = None,
        mode: _WriteMode = "w",
        *,
        atomic: bool = False,
        sync: bool = False,
        buffering: _Buffering = "auto",
        buffer_size: int | None = None,
        locked: bool = False,
        permissions: int | None = None,
        compression: str | None = "auto",
        level: int | None = None,
        encoding: str | None = None,
        errors: _Errors = "strict",
        threads: int | None = None,
    ) -> Self: ...
    @property
    def closed(self) -> bool: ...
    @property
    def name(self) -> str | None: ...
    @property
    def mode(self) -> str: ...
    def write(self, data: str | ReadableBuffer, /) -> int: ...
    def print(
        self, *values: object, sep: str | None = " ", end: str | None = "\n", flush: bool = False
    ) -> None: ...
    def write_int(self, value: SupportsIndex, /, format: _Format = None) -> None: ...
    def write_float(self, value: SupportsFloat | SupportsIndex, /, format: _Format = None) -> None: ...
    def write_ints(
        self,
        values: ReadableBuffer | Iterable[SupportsIndex | None],
        sep: str | bytes = " ",
        end: str | bytes = "\n",
        *,
        format: _Format | Sequence[_Format] = None,
        null: str | bytes | None = None,
        threads: int | None = None,
        progress: _Progress = None,
    ) -> None: ...
    def write_floats(
        self,
        values: ReadableBuffer | Iterable[SupportsFloat | SupportsIndex | None],
        sep: str | bytes = " ",
        end: str | bytes = "\n",
        *,
        format: _Format | Sequence[_Format] = "shortest",
        null: str | bytes | None = None,
        threads: int | None = None,
        progress: _Progress = None,
    ) -> None: ...
    def write_lines(self, lines: Iterable[str | ReadableBuffer], end: str | bytes = "\n") -> None: ...
    def write_csv(self, data: Any, /, **words: Any) -> None: ...
    def flush(self) -> None: ...
    def sync(self) -> None: ...
    def close(self) -> None: ...
    def discard(self) -> None: ...
    def tell(self) -> int: ...
    def fileno(self) -> int: ...
    def getvalue(self) -> bytes: ...
    def redirect(self, dest: _Dest | None = None, /, **words: Any) -> AbstractContextManager[Writer]: ...
    def lock(self) -> AbstractContextManager[Writer]: ...
    def _redirect(self, target: Writer | None, /) -> Writer | None: ...
    def _copy(
        self,
        source: _Source,
        length: int | None,
        source_compression: str | None,
        source_encoding: str | None,
        errors: _Errors,
        /,
    ) -> int: ...
    def _acquire(self) -> None: ...
    def _release(self) -> None: ...
    def _flush_last(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc_info: object) -> None: ...

@final
class Locale:
    def __new__(cls, point: str = ".", group: str = "", grouping: Iterable[int] | None = None) -> Self: ...
    @property
    def point(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def grouping(self) -> tuple[int, ...]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Format:
    def __new__(
        cls,
        notation: _Notation = "shortest",
        precision: int | None = None,
        *,
        base: int = 10,
        sign: _Sign = "-",
        upper: bool = False,
        prefix: bool = False,
        align: _Align | None = None,
        width: int = 0,
        fill: str | bytes | None = None,
        percent: bool = False,
        keep_point: bool = False,
        locale: Locale | None = None,
    ) -> Self: ...
    @property
    def notation(self) -> _Notation: ...
    @property
    def precision(self) -> int | None: ...
    @property
    def base(self) -> int: ...
    @property
    def sign(self) -> _Sign: ...
    @property
    def upper(self) -> bool: ...
    @property
    def prefix(self) -> bool: ...
    @property
    def align(self) -> _Align | None: ...
    @property
    def width(self) -> int: ...
    @property
    def fill(self) -> str | None: ...
    @property
    def percent(self) -> bool: ...
    @property
    def keep_point(self) -> bool: ...
    @property
    def locale(self) -> Locale | None: ...
    def __call__(self, value: object, /) -> str: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@type_check_only
class _Stream(Iterator[_T]):
    def __iter__(self) -> Self: ...
    def __next__(self) -> _T: ...
    @property
    def decode_errors(self) -> int: ...
    def _batch(self) -> list[_T]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc_info: object) -> None: ...

@overload
def read_ints(
    source: _Sources,
    dtype: _DType = "int64",
    *,
    sep: _Byte | None = None,
    comment: _Byte | None = None,
    skip_lines: int = 0,
    null_values: tuple[()] = (),
    base: int = 10,
    shape: _Shape = None,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> Column[int]: ...
@overload
def read_ints(
    source: _Sources,
    dtype: _DType = "int64",
    *,
    sep: _Byte | None = None,
    comment: _Byte | None = None,
    skip_lines: int = 0,
    null_values: Iterable[str | bytes],
    base: int = 10,
    shape: _Shape = None,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> Column[int | None]: ...
@overload
def read_floats(
    source: _Sources,
    dtype: _DType = "float64",
    *,
    sep: _Byte | None = None,
    comment: _Byte | None = None,
    skip_lines: int = 0,
    null_values: tuple[()] = (),
    overflow: Literal["ieee", "error"] = "ieee",
    shape: _Shape = None,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> Column[float]: ...
@overload
def read_floats(
    source: _Sources,
    dtype: _DType = "float64",
    *,
    sep: _Byte | None = None,
    comment: _Byte | None = None,
    skip_lines: int = 0,
    null_values: Iterable[str | bytes],
    overflow: Literal["ieee", "error"] = "ieee",
    shape: _Shape = None,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> Column[float | None]: ...
@overload
def read_lines(
    source: _Sources,
    *,
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> Lines[str]: ...
@overload
def read_lines(
    source: _Sources,
    *,
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: None,
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> Lines[bytes]: ...
def read_bytes(
    source: _Source,
    *,
    offset: int = 0,
    length: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = None,
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
) -> Column[int]: ...
def count_lines(
    source: _Sources,
    *,
    newline: Literal["lf", "any"] | _Byte = "lf",
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> int: ...
@overload
def lines(
    source: _Source,
    *,
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str = "utf-8",
    errors: str = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> _Stream[str]: ...
@overload
def lines(
    source: _Source,
    *,
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: None,
    errors: str = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> _Stream[bytes]: ...
def ints(
    source: _Source,
    *,
    dtype: _DType = "int64",
    sep: _Byte | None = None,
    comment: _Byte | None = None,
    skip_lines: int = 0,
    base: int = 10,
    offset: int = 0,
    length: int | None = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> _Stream[int]: ...
def floats(
    source: _Source,
    *,
    sep: _Byte | None = None,
    comment: _Byte | None = None,
    skip_lines: int = 0,
    overflow: Literal["ieee", "error"] = "ieee",
    offset: int = 0,
    length: int | None = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> _Stream[float]: ...
@overload
def open(
    source: _Source,
    mode: Literal["r"] = "r",
    *,
    sep: _Byte | None = None,
    comment: _Byte | None = None,
    skip_lines: int = 0,
    base: int = 10,
    overflow: Literal["ieee", "error"] = "ieee",
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    offset: int = 0,
    length: int | None = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> Reader[str]: ...
@overload
def open(
    source: _Source,
    mode: Literal["r", "rb"] = "r",
    *,
    sep: _Byte | None = None,
    comment: _Byte | None = None,
    skip_lines: int = 0,
    base: int = 10,
    overflow: Literal["ieee", "error"] = "ieee",
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    offset: int = 0,
    length: int | None = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: None,
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> Reader[bytes]: ...
@overload
def open(
    source: _Source,
    mode: Literal["rb"],
    *,
    sep: _Byte | None = None,
    comment: _Byte | None = None,
    skip_lines: int = 0,
    base: int = 10,
    overflow: Literal["ieee", "error"] = "ieee",
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    offset: int = 0,
    length: int | None = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
) -> Reader[bytes]: ...
@overload
def open(
    source: _Dest | None,
    mode: _WriteMode,
    *,
    atomic: bool = False,
    sync: bool = False,
    buffering: _Buffering = "auto",
    buffer_size: int | None = None,
    locked: bool = False,
    permissions: int | None = None,
    compression: str | None = "auto",
    level: int | None = None,
    encoding: str | None = None,
    errors: _Errors = "strict",
    threads: int | None = None,
) -> Writer: ...
def format(value: object, /, format: _Format = None) -> str: ...
def concat(*values: object) -> str: ...
def glob(pattern: str | PathLike[str] | PathLike[bytes], /) -> list[str]: ...
def load(
    source: str | PathLike[str] | PathLike[bytes] | int,
    *,
    offset: int = 0,
    length: int | None = None,
    advice: _Advice = "sequential",
    populate: bool = False,
    huge: bool = False,
    guard: bool = False,
) -> MappedFile: ...
def read_csv(
    source: _Sources,
    *,
    sep: str | bytes | None = ",",
    header: bool = True,
    names: Iterable[str] | None = None,
    dtype: _DTypes = None,
    usecols: Iterable[str | int] | None = None,
    skip_lines: int = 0,
    skip_rows: int = 0,
    null_values: _NullValues = ...,
    quoted_null: bool = False,
    quote: _Byte | None = '"',
    quote_mode: Literal["strict", "literal"] = "strict",
    escape: _Byte | None = None,
    doublequote: bool = True,
    newline: Literal["lf", "any"] | _Byte = "lf",
    comment: _Byte | None = None,
    comment_anywhere: bool = False,
    trim: bool = False,
    trailing_sep: Literal["field", "ignore"] = "field",
    blank_lines: Literal["skip", "record"] = "skip",
    widths: Iterable[int | tuple[int, int]] | None = None,
    decimal: _Byte = ".",
    thousands: _Byte | None = None,
    percent: bool = False,
    unicode_minus: bool = False,
    infer_rows: int | None = None,
    big_ints: Literal["string", "float"] = "string",
    overflow: Literal["ieee", "error"] = "ieee",
    repair_names: bool = False,
    on_ragged: _OnRagged = "error",
    on_bad: Literal["error", "null", "string"] = "error",
    dictionary: bool | Iterable[str | int] | None = None,
    dialect: Mapping[str, Any] | None = None,
    max_rows: int | None = None,
    range: tuple[int, int | None] | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
    file_column: str | None = None,
) -> Table: ...
def open_csv(
    source: _Sources,
    *,
    batch_rows: int | None = None,
    batch_bytes: int | None = None,
    sep: str | bytes | None = ",",
    header: bool = True,
    names: Iterable[str] | None = None,
    dtype: _DTypes = None,
    usecols: Iterable[str | int] | None = None,
    skip_lines: int = 0,
    skip_rows: int = 0,
    null_values: _NullValues = ...,
    quoted_null: bool = False,
    quote: _Byte | None = '"',
    quote_mode: Literal["strict", "literal"] = "strict",
    escape: _Byte | None = None,
    doublequote: bool = True,
    newline: Literal["lf", "any"] | _Byte = "lf",
    comment: _Byte | None = None,
    comment_anywhere: bool = False,
    trim: bool = False,
    trailing_sep: Literal["field", "ignore"] = "field",
    blank_lines: Literal["skip", "record"] = "skip",
    widths: Iterable[int | tuple[int, int]] | None = None,
    decimal: _Byte = ".",
    thousands: _Byte | None = None,
    percent: bool = False,
    unicode_minus: bool = False,
    infer_rows: int | None = None,
    big_ints: Literal["string", "float"] = "string",
    overflow: Literal["ieee", "error"] = "ieee",
    repair_names: bool = False,
    on_ragged: _OnRagged = "error",
    on_bad: Literal["error", "null", "string"] = "error",
    dictionary: bool | Iterable[str | int] | None = None,
    dialect: Mapping[str, Any] | None = None,
    max_rows: int | None = None,
    range: tuple[int, int | None] | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
    partial: _Partial = "emit",
    file_column: str | None = None,
) -> CsvReader: ...
def partition(
    source: _Source,
    n: int | None = None,
    *,
    nbytes: int | None = None,
    sep: str | bytes | None = ",",
    header: bool = True,
    names: Iterable[str] | None = None,
    dtype: _DTypes = None,
    usecols: Iterable[str | int] | None = None,
    skip_lines: int = 0,
    skip_rows: int = 0,
    null_values: _NullValues = ...,
    quoted_null: bool = False,
    quote: _Byte | None = '"',
    quote_mode: Literal["strict", "literal"] = "strict",
    escape: _Byte | None = None,
    doublequote: bool = True,
    newline: Literal["lf", "any"] | _Byte = "lf",
    comment: _Byte | None = None,
    comment_anywhere: bool = False,
    trim: bool = False,
    trailing_sep: Literal["field", "ignore"] = "field",
    blank_lines: Literal["skip", "record"] = "skip",
    widths: Iterable[int | tuple[int, int]] | None = None,
    decimal: _Byte = ".",
    thousands: _Byte | None = None,
    percent: bool = False,
    unicode_minus: bool = False,
    infer_rows: int | None = None,
    big_ints: Literal["string", "float"] = "string",
    overflow: Literal["ieee", "error"] = "ieee",
    repair_names: bool = False,
    on_ragged: _OnRagged = "error",
    on_bad: Literal["error", "null", "string"] = "error",
    dictionary: bool | Iterable[str | int] | None = None,
    dialect: Mapping[str, Any] | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
) -> list[Range]: ...
def sniff(
    source: _Source,
    *,
    names: Iterable[str] | None = None,
    dtype: _DTypes = None,
    usecols: Iterable[str | int] | None = None,
    skip_rows: int = 0,
    null_values: _NullValues = ...,
    quoted_null: bool = False,
    quote_mode: Literal["strict", "literal"] = "strict",
    escape: _Byte | None = None,
    doublequote: bool = True,
    comment_anywhere: bool = False,
    trim: bool = False,
    trailing_sep: Literal["field", "ignore"] = "field",
    blank_lines: Literal["skip", "record"] = "skip",
    widths: Iterable[int | tuple[int, int]] | None = None,
    thousands: _Byte | None = None,
    percent: bool = False,
    unicode_minus: bool = False,
    infer_rows: int | None = None,
    big_ints: Literal["string", "float"] = "string",
    overflow: Literal["ieee", "error"] = "ieee",
    repair_names: bool = False,
    on_ragged: _OnRagged = "error",
    on_bad: Literal["error", "null", "string"] = "error",
    dictionary: bool | Iterable[str | int] | None = None,
    dialect: Mapping[str, Any] | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
    compression: str | None = "auto",
    encoding: str | None = "utf-8",
    errors: _Errors = "strict",
    trailing: _Trailing = "error",
    max_size: int | None = None,
) -> Dialect: ...
def _read_matrix(*args: Any, **kwargs: Any) -> Column[Any] | None: ...
def _without(*names: str) -> None: ...
def _cpu_selected() -> str: ...
def _rebuild(*args: Any) -> Column[Any] | Lines[Any]: ...
def _rebuild_table(*args: Any) -> Table: ...
def _write_table(writer: Writer, rows: Any, header: bool, words: tuple[Any, ...], /) -> int: ...
def _column(values: Any, /) -> Any: ...
def _temporal(values: Any, type: str, /) -> Column[Any]: ...
def _stream_names(stream: Any, /) -> list[str]: ...
def _stream_of_array(schema: Any, array: Any, /) -> Any: ...
def _rebuild_format(words: dict[str, Any], /) -> Format: ...
def _before_fork() -> None: ...
def _after_fork() -> None: ...
