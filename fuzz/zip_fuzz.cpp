// Any bytes as a zip archive and as .npz: read, or refused with a DataError.
#include <cstdint>

#include "ramet/base/error.h"
#include "ramet/io/npz.h"
#include "ramet/io/zip_read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  constexpr std::uint64_t kLimit = 1 << 24;
  try {
    const ramet::ZipReader zip(bytes, "fuzz", {.bytes = kLimit});
    for (const ramet::ZipMember& member : zip.members()) zip.read(member);
    ramet::parse_npz(bytes, "fuzz", kLimit);
  } catch (const ramet::DataError&) {}
  return 0;
}
