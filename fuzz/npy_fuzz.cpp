// Any bytes as a .npy file: an array that is written and read back, or a DataError.
#include <cstdint>
#include <cstdlib>

#include "ramet/base/error.h"
#include "ramet/io/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ramet::Array array = ramet::parse_npy({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
    ramet::MemorySink sink;
    ramet::write_npy(sink, array);
    if (!ramet::parse_npy(sink.bytes(), "fuzz").identical(array)) std::abort();
  } catch (const ramet::DataError&) {}
  return 0;
}
