"""Numbers, lines and tables out of huge text files, fast and exact."""

from . import _core as _core
from . import _swig as _swig
from ._core import Column as Column
from ._core import DecodeError as DecodeError
from ._core import Error as Error
from ._core import Lines as Lines
from ._core import MappedFile as MappedFile
from ._core import ParseError as ParseError
from ._core import RangeError as RangeError
from ._core import Reader as Reader
from ._core import TruncatedError as TruncatedError
from ._core import __version__ as __version__
from ._core import count_lines as count_lines
from ._core import floats as floats
from ._core import ints as ints
from ._core import lines as lines
from ._core import load as load
from ._core import open as open
from ._core import read_bytes as read_bytes
from ._core import read_floats as read_floats
from ._core import read_ints as read_ints
from ._core import read_lines as read_lines
from ._swig import build_info as build_info
from ._swig import cpu_names as cpu_names
from ._swig import cpu_select as cpu_select
from ._swig import cpu_selected as cpu_selected
from ._swig import format_float as format_float
from ._swig import format_int as format_int
from ._swig import parse_float as parse_float
from ._swig import parse_int as parse_int
from ._swig import version as version

__all__ = [
    "Column",
    "DecodeError",
    "Error",
    "Lines",
    "MappedFile",
    "ParseError",
    "RangeError",
    "Reader",
    "TruncatedError",
    "build_info",
    "count_lines",
    "cpu_names",
    "cpu_select",
    "cpu_selected",
    "floats",
    "format_float",
    "format_int",
    "ints",
    "lines",
    "load",
    "parse_float",
    "parse_int",
    "read_bytes",
    "read_floats",
    "read_ints",
    "read_lines",
    "version",
]
