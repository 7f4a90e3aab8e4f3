# Sizes beyond 32 bits: files over 4 GiB, a line of 3 GB, more than 2^31 lines, 20 GB in batches, gzip beyond its count.
set -eu
FASTIO_HUGE=1 build/release/test_huge
