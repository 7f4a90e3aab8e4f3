"""The hand-written part of fastio. Import `fastio`."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from types import GenericAlias
from typing import (
    Any,
    AnyStr,
    ClassVar,
    Generic,
    Literal,
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

_T = TypeVar("_T")

class _ReadableInto(Protocol):
    def readinto(self, buffer: Any, /) -> int | None: ...

class _Readable(Protocol):
    def read(self, size: int, /) -> Any: ...

# A path ("-" is standard input), data, a file descriptor, a binary file object, or a mapped file.
_Source: TypeAlias = str | PathLike[str] | PathLike[bytes] | ReadableBuffer | int | _ReadableInto | _Readable
_Byte: TypeAlias = str | bytes
_DType: TypeAlias = str | Any  # a name, or NumPy's dtype or scalar class
_Progress: TypeAlias = bool | Callable[[int, int | None], object] | None
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

class ParseError(Error, ValueError): ...
class RangeError(ParseError, OverflowError): ...
class DecodeError(ParseError, UnicodeDecodeError): ...
class TruncatedError(Error, EOFError): ...

@final
class Column(Sequence[_T]):
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def null_count(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, key: slice, /) -> Column[_T]: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __eq__(self, value: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def to_list(self) -> list[_T]: ...
    def to_numpy(self, *, copy: bool = False, null: SupportsFloat | SupportsIndex | None = None) -> Any: ...
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
    def skip(self) -> None: ...
    def ints(self) -> Iterator[int]: ...
    def floats(self) -> Iterator[float]: ...
    def lines(self) -> Iterator[AnyStr]: ...
    def tokens(self) -> Iterator[AnyStr]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc_info: object) -> None: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@type_check_only
class _Stream(Iterator[_T]):
    def __iter__(self) -> Self: ...
    def __next__(self) -> _T: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc_info: object) -> None: ...

@overload
def read_ints(
    source: _Source,
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
) -> Column[int]: ...
@overload
def read_ints(
    source: _Source,
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
) -> Column[int | None]: ...
@overload
def read_floats(
    source: _Source,
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
) -> Column[float]: ...
@overload
def read_floats(
    source: _Source,
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
) -> Column[float | None]: ...
@overload
def read_lines(
    source: _Source,
    *,
    encoding: str = "utf-8",
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
) -> Lines[str]: ...
@overload
def read_lines(
    source: _Source,
    *,
    encoding: None,
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
) -> Lines[bytes]: ...
def read_bytes(
    source: _Source,
    *,
    offset: int = 0,
    length: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
) -> Column[int]: ...
def count_lines(
    source: _Source,
    *,
    newline: Literal["lf", "any"] | _Byte = "lf",
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    max_items: int | None = None,
    threads: int | None = None,
    progress: _Progress = None,
    block_size: int | None = None,
) -> int: ...
@overload
def lines(
    source: _Source,
    *,
    encoding: str = "utf-8",
    errors: str = "strict",
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    block_size: int | None = None,
) -> _Stream[str]: ...
@overload
def lines(
    source: _Source,
    *,
    encoding: None,
    errors: str = "strict",
    newline: Literal["lf", "any"] | _Byte = "lf",
    keepends: bool = False,
    skip_lines: int = 0,
    offset: int = 0,
    length: int | None = None,
    block_size: int | None = None,
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
) -> _Stream[float]: ...
@overload
def open(
    source: _Source,
    mode: Literal["r"] = "r",
    *,
    encoding: str = "utf-8",
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
) -> Reader[str]: ...
@overload
def open(
    source: _Source,
    mode: Literal["r", "rb"] = "r",
    *,
    encoding: None,
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
) -> Reader[bytes]: ...
@overload
def open(
    source: _Source,
    mode: Literal["rb"],
    *,
    encoding: str | None = "utf-8",
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
) -> Reader[bytes]: ...
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
def _cpu_selected() -> str: ...
def _rebuild(*args: Any) -> Column[Any] | Lines[Any]: ...
