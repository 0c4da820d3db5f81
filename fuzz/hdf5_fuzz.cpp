// Opens any bytes as an HDF5 file and reads everything in it. Seeds: tests/data/hdf5, unpacked.
#include <cstddef>
#include <cstdint>
#include <span>

#include "ramet/base/error.h"
#include "ramet/io/hdf5/hdf5_read.h"
#include "tests/support/hdf5_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const bool verify : {true, false}) try {
      ramet::hdf5::read_everything(
          ramet::hdf5::open(bytes, {.max_bytes = std::uint64_t{1} << 22, .verify_checksums = verify}));
    } catch (const ramet::DataError&) {}
  return 0;
}
