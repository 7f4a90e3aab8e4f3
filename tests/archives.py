"""Archives of every compression, by the standard library or by hand: what vectors and tests read, and never by the code
under test.

zstd and lz4 frames hold their data as it is, in blocks that are stored: their formats allow it, and nothing but this
file is needed to make them. Frames that are really compressed come from the reference tools (tools_that_compress).
"""

from __future__ import annotations

import bz2
import gzip as _gzip
import lzma
import re
import shutil
import struct
import subprocess
import zlib as _zlib
from collections.abc import Callable

# ---- XXH32 and XXH64, the checksums of lz4 and zstd ----------------------------------------------

_P32 = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
_P64 = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)


def _rotl(value: int, count: int, bits: int) -> int:
    return (value << count | value >> (bits - count)) & ((1 << bits) - 1)


def xxh32(data: bytes, seed: int = 0) -> int:
    mask, (p1, p2, p3, p4, p5) = 0xFFFFFFFF, _P32
    at, size = 0, len(data)
    if size >= 16:
        v = [(seed + p1 + p2) & mask, (seed + p2) & mask, seed, (seed - p1) & mask]
        while at + 16 <= size:
            for i, lane in enumerate(struct.unpack_from("<4I", data, at)):
                v[i] = _rotl((v[i] + lane * p2) & mask, 13, 32) * p1 & mask
            at += 16
        h = sum(_rotl(v[i], turn, 32) for i, turn in enumerate((1, 7, 12, 18))) & mask
    else:
        h = (seed + p5) & mask
    h = (h + size) & mask
    while at + 4 <= size:
        h = _rotl((h + struct.unpack_from("<I", data, at)[0] * p3) & mask, 17, 32) * p4 & mask
        at += 4
    for byte in data[at:]:
        h = _rotl((h + byte * p5) & mask, 11, 32) * p1 & mask
    h = (h ^ h >> 15) * p2 & mask
    h = (h ^ h >> 13) * p3 & mask
    return h ^ h >> 16


def xxh64(data: bytes, seed: int = 0) -> int:
    mask, (p1, p2, p3, p4, p5) = (1 << 64) - 1, _P64
    at, size = 0, len(data)

    def round_of(acc: int, lane: int) -> int:
        return _rotl((acc + lane * p2) & mask, 31, 64) * p1 & mask

    if size >= 32:
        v = [(seed + p1 + p2) & mask, (seed + p2) & mask, seed, (seed - p1) & mask]
        while at + 32 <= size:
            for i, lane in enumerate(struct.unpack_from("<4Q", data, at)):
                v[i] = round_of(v[i], lane)
            at += 32
        h = sum(_rotl(v[i], turn, 64) for i, turn in enumerate((1, 7, 12, 18))) & mask
        for acc in v:
            h = ((h ^ round_of(0, acc)) * p1 + p4) & mask
    else:
        h = (seed + p5) & mask
    h = (h + size) & mask
    while at + 8 <= size:
        h = (_rotl(h ^ round_of(0, struct.unpack_from("<Q", data, at)[0]), 27, 64) * p1 + p4) & mask
        at += 8
    if at + 4 <= size:
        h = (_rotl(h ^ struct.unpack_from("<I", data, at)[0] * p1 & mask, 23, 64) * p2 + p3) & mask
        at += 4
    for byte in data[at:]:
        h = _rotl(h ^ byte * p5 & mask, 11, 64) * p1 & mask
    h = (h ^ h >> 33) * p2 & mask
    h = (h ^ h >> 29) * p3 & mask
    return h ^ h >> 32


# ---- gzip, zlib, deflate -------------------------------------------------------------------------


def deflate(data: bytes, level: int = 6) -> bytes:
    maker = _zlib.compressobj(level, wbits=-15)
    return maker.compress(data) + maker.flush()


def zlib(data: bytes, level: int = 6) -> bytes:
    return _zlib.compress(data, level)


def gzip(data: bytes, level: int = 6, *, text: bool = False, extra: bytes | None = None, name: bytes | None = None,
         comment: bytes | None = None, header_crc: bool = False) -> bytes:
    """A member with the fields of RFC 1952 that are asked for."""
    fields = ((1, text), (2, header_crc), (4, extra is not None), (8, name is not None), (16, comment is not None))
    flags = sum(bit for bit, is_there in fields if is_there)
    head = struct.pack("<BBBBIBB", 31, 139, 8, flags, 0, 0, 255)
    head += struct.pack("<H", len(extra)) + extra if extra is not None else b""
    head += b"".join(text + b"\0" for text in (name, comment) if text is not None)
    head += struct.pack("<H", _zlib.crc32(head) & 0xFFFF) if header_crc else b""
    return head + deflate(data, level) + struct.pack("<II", _zlib.crc32(data), len(data) & 0xFFFFFFFF)


BGZF_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def bgzf(data: bytes, block: int = 65280, end: bool = True) -> bytes:
    """Members that tell their own length, and the empty one at the end."""
    out = b""
    for at in range(0, len(data), block):
        size = len(gzip(data[at : at + block], extra=b"BC\2\0\0\0"))
        out += gzip(data[at : at + block], extra=b"BC\2\0" + struct.pack("<H", size - 1))
    return out + (BGZF_END if end else b"")


# ---- xz, bzip2 -----------------------------------------------------------------------------------


def xz(data: bytes, check: str = "crc64") -> bytes:
    checks = {"none": lzma.CHECK_NONE, "crc32": lzma.CHECK_CRC32, "crc64": lzma.CHECK_CRC64, "sha256": lzma.CHECK_SHA256}
    return lzma.compress(data, check=checks[check])


def bzip2(data: bytes, level: int = 9) -> bytes:
    return bz2.compress(data, level)


# ---- zstd, lz4 -----------------------------------------------------------------------------------


def zstd(data: bytes, checksum: bool = True, block: int = 65536, sized: bool = True) -> bytes:
    """RFC 8878: a frame of raw blocks; without its content's size a window is told."""
    head = bytes([0xA0 | 4 * checksum]) + struct.pack("<I", len(data)) if sized else bytes([4 * checksum, 0x38])
    pieces = [data[at : at + block] for at in range(0, len(data), block)] or [b""]
    out = b"\x28\xb5\x2f\xfd" + head
    for i, piece in enumerate(pieces):
        out += struct.pack("<I", len(piece) << 3 | (i == len(pieces) - 1))[:3] + piece
    return out + (struct.pack("<I", xxh64(data) & 0xFFFFFFFF) if checksum else b"")


def skippable(data: bytes, number: int = 0) -> bytes:
    """A frame of zstd and of lz4 that holds nothing for readers."""
    return struct.pack("<II", 0x184D2A50 + number, len(data)) + data


def lz4(data: bytes, checksum: bool = True, block_checksum: bool = False, block: int = 65536,
        sized: bool = False) -> bytes:
    """The frame format: independent blocks of at most 64 KiB, stored."""
    flags = 0x60 | 16 * block_checksum | 8 * sized | 4 * checksum
    head = bytes([flags, 0x40]) + (struct.pack("<Q", len(data)) if sized else b"")
    out = b"\x04\x22\x4d\x18" + head + bytes([xxh32(head) >> 8 & 255])
    for at in range(0, len(data), block):
        piece = data[at : at + block]
        out += struct.pack("<I", 0x80000000 | len(piece)) + piece
        out += struct.pack("<I", xxh32(piece)) if block_checksum else b""
    return out + bytes(4) + (struct.pack("<I", xxh32(data)) if checksum else b"")


# ---- All of them ---------------------------------------------------------------------------------

MAKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip, "bgzf": bgzf, "zlib": zlib, "deflate": deflate, "xz": xz, "bzip2": bzip2, "zstd": zstd, "lz4": lz4,
}
BY_NAME_ONLY = ("zlib", "deflate")


def word(name: str) -> str:
    """What `compression=` is for an archive of MAKERS."""
    return name if name in BY_NAME_ONLY else "auto"


_MAGIC = re.compile(rb"\x1f\x8b|\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18|\xfd7zXZ\x00|\x04\x22\x4d\x18"
                    rb"|BZh[1-9](1AY&SY|\x17rE8P\x90)|\xff\xfe|\xfe\xff|\x00\x00\xfe\xff", re.DOTALL)


def is_recognised(data: bytes) -> bool:
    """The first bytes are those of a compression, or a byte order mark of UTF-16 or UTF-32."""
    return _MAGIC.match(data) is not None


def flip(data: bytes, at: int, bit: int = 0) -> bytes:
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


# The commands of the reference implementations: to compress and to decompress, from standard input to standard output.
TOOLS: dict[str, tuple[str, list[str], list[str]]] = {
    "gzip": ("gzip", ["gzip", "-9c"], ["gzip", "-dc"]),
    "pigz": ("gzip", ["pigz", "-b", "128", "-p", "2", "-c"], ["pigz", "-dc"]),
    "bgzip": ("gzip", ["bgzip", "-c"], ["bgzip", "-dc"]),
    "zstd": ("zstd", ["zstd", "-qc", "-3"], ["zstd", "-qdc"]),
    "zstd-long": ("zstd", ["zstd", "-qc", "-19", "--long=24"], ["zstd", "-qdc"]),
    "xz": ("xz", ["xz", "-c"], ["xz", "-dc"]),
    "xz-blocks": ("xz", ["xz", "-c", "--block-size=50000", "--check=sha256"], ["xz", "-dc"]),
    "bzip2": ("bzip2", ["bzip2", "-c"], ["bzip2", "-dc"]),
    "lz4": ("lz4", ["lz4", "-qc"], ["lz4", "-qdc"]),
    "lz4-linked": ("lz4", ["lz4", "-qc", "-9", "-B4", "-BD", "-BX"], ["lz4", "-qdc"]),
}


def has_tool(name: str) -> bool:
    return shutil.which(TOOLS[name][1][0]) is not None


def _run(command: list[str], data: bytes) -> bytes:
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def compress_with(tool: str, data: bytes) -> bytes:
    return _run(TOOLS[tool][1], data)


def decompress_with(tool: str, data: bytes) -> bytes:
    """The whole archive must be good: the tool's exit status is looked at."""
    return _run(TOOLS[tool][2], data)


def decompress(name: str, data: bytes) -> bytes:
    """By the standard library, else by the reference tool."""
    match name:
        case "gzip" | "bgzf":
            return _gzip.decompress(data)
        case "zlib":
            return _zlib.decompress(data)
        case "deflate":
            return _zlib.decompress(data, -15)
        case "xz":
            return lzma.decompress(data)
        case "bzip2":
            return bz2.decompress(data)
    return decompress_with(name, data)
