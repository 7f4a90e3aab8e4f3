"""Numbers, lines and tables out of huge text files, fast and exact."""

from . import aio as aio
from ._core import Column as Column
from ._core import CsvReader as CsvReader
from ._core import DecodeError as DecodeError
from ._core import Error as Error
from ._core import Format as Format
from ._core import Lines as Lines
from ._core import Locale as Locale
from ._core import MappedFile as MappedFile
from ._core import ParseError as ParseError
from ._core import RangeError as RangeError
from ._core import Reader as Reader
from ._core import Table as Table
from ._core import TruncatedError as TruncatedError
from ._core import Writer as Writer
from ._core import __version__ as __version__
from ._core import concat as concat
from ._core import count_lines as count_lines
from ._core import floats as floats
from ._core import format as format
from ._core import glob as glob
from ._core import ints as ints
from ._core import lines as lines
from ._core import load as load
from ._core import open as open
from ._core import open_csv as open_csv
from ._core import partition as partition
from ._core import read_bytes as read_bytes
from ._core import read_csv as read_csv
from ._core import read_floats as read_floats
from ._core import read_ints as read_ints
from ._core import read_lines as read_lines
from ._core import sniff as sniff
from ._loadtxt import loadtxt as loadtxt
from ._savetxt import savetxt as savetxt
from ._swig import build_info as build_info
from ._swig import compression_names as compression_names
from ._swig import count_utf8 as count_utf8
from ._swig import cpu_names as cpu_names
from ._swig import cpu_select as cpu_select
from ._swig import cpu_selected as cpu_selected
from ._swig import encoding_name as encoding_name
from ._swig import format_date as format_date
from ._swig import format_float as format_float
from ._swig import format_hex as format_hex
from ._swig import format_int as format_int
from ._swig import format_time as format_time
from ._swig import format_timestamp as format_timestamp
from ._swig import parse_date as parse_date
from ._swig import parse_float as parse_float
from ._swig import parse_int as parse_int
from ._swig import parse_time as parse_time
from ._swig import parse_timestamp as parse_timestamp
from ._swig import transcode as transcode
from ._swig import utf8_valid as utf8_valid
from ._swig import validate_utf8 as validate_utf8
from ._swig import version as version
from ._table import Dialect as Dialect
from ._table import Place as Place
from ._table import Range as Range
from ._table import Report as Report
from ._write import copy as copy
from ._write import fixed as fixed
from ._write import general as general
from ._write import hexadecimal as hexadecimal
from ._write import integer as integer
from ._write import scientific as scientific
from ._write import write_csv as write_csv
from ._write import write_floats as write_floats
from ._write import write_ints as write_ints
from ._write import write_lines as write_lines

stdin: Reader[str]
stdout: Writer
stderr: Writer
log: Writer

__all__ = [
    "Column",
    "CsvReader",
    "DecodeError",
    "Dialect",
    "Error",
    "Format",
    "Lines",
    "Locale",
    "MappedFile",
    "ParseError",
    "Place",
    "Range",
    "RangeError",
    "Reader",
    "Report",
    "Table",
    "TruncatedError",
    "Writer",
    "build_info",
    "compression_names",
    "concat",
    "copy",
    "count_lines",
    "count_utf8",
    "cpu_names",
    "cpu_select",
    "cpu_selected",
    "encoding_name",
    "fixed",
    "floats",
    "format_date",
    "format_float",
    "format_hex",
    "format_int",
    "format_time",
    "format_timestamp",
    "general",
    "hexadecimal",
    "integer",
    "ints",
    "lines",
    "load",
    "loadtxt",
    "log",
    "open_csv",
    "parse_date",
    "parse_float",
    "parse_int",
    "parse_time",
    "parse_timestamp",
    "partition",
    "read_bytes",
    "read_csv",
    "read_floats",
    "read_ints",
    "read_lines",
    "savetxt",
    "scientific",
    "sniff",
    "stderr",
    "stdin",
    "stdout",
    "transcode",
    "utf8_valid",
    "validate_utf8",
    "version",
    "write_csv",
    "write_floats",
    "write_ints",
    "write_lines",
]
