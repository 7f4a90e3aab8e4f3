# fastio_find_codec(NAME): the imported target fastio::NAME for a library that brings formats of compression. For the
# build, and for whoever links the installed static library.
set(fastio_codec_names ZLIB ISAL ZSTD LZMA BZIP2 LZ4)
set(fastio_ZLIB zlib.h z zlib)
set(fastio_ISAL isa-l/igzip_lib.h isal)
set(fastio_ZSTD zstd.h zstd)
set(fastio_LZMA lzma.h lzma)
set(fastio_BZIP2 bzlib.h bz2)
set(fastio_LZ4 lz4frame.h lz4)

function(fastio_find_codec name)
  set(libraries ${fastio_${name}})
  list(POP_FRONT libraries header)
  find_path(FASTIO_${name}_INCLUDE_DIR ${header})
  find_library(FASTIO_${name}_LIBRARY NAMES ${libraries})
  mark_as_advanced(FASTIO_${name}_INCLUDE_DIR FASTIO_${name}_LIBRARY)
  if(FASTIO_${name}_INCLUDE_DIR AND FASTIO_${name}_LIBRARY AND NOT TARGET fastio::${name})
    add_library(fastio::${name} UNKNOWN IMPORTED)
    set_target_properties(fastio::${name} PROPERTIES IMPORTED_LOCATION "${FASTIO_${name}_LIBRARY}"
                                                     INTERFACE_INCLUDE_DIRECTORIES "${FASTIO_${name}_INCLUDE_DIR}")
  endif()
endfunction()
