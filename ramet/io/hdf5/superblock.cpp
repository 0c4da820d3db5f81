#include "ramet/io/hdf5/superblock.h"

#include <algorithm>

namespace ramet::hdf5 {
namespace {

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";

std::uint64_t find_signature(std::span<const std::byte> bytes) {
  const auto matches = [&](std::uint64_t at) {
    return bytes.size() >= kSignature.size() && at <= bytes.size() - kSignature.size() &&
           std::equal(kSignature.begin(), kSignature.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
  };
  if (matches(0)) return 0;
  for (std::uint64_t at = 512; at < bytes.size(); at *= 2)
    if (matches(at)) return at;
  throw DataError(cat("HDF5: not an HDF5 file: its ", bytes.size(), " bytes have no signature"));
}

}  // namespace

Superblock read_superblock(std::span<const std::byte> bytes, const Limits& limits) {
  Superblock out;
  out.source.base = find_signature(bytes);
  out.source.bytes = bytes.subspan(out.source.base);
  out.source.limits = limits;

  Budget budget(bytes.size());
  const Scope scope(out.source, budget, "/");
  Cursor cursor(scope, 0, std::min<std::uint64_t>(out.source.bytes.size(), 128), "superblock");
  cursor.skip(kSignature.size());
  const int version = cursor.u8();
  cursor.check(version <= 3, "has version ", version, "; 0 to 3 are known");
  if (version < 2) cursor.skip(4);  // versions of other parts, all 0
  out.source.offset_size = cursor.u8();
  out.source.length_size = cursor.u8();
  for (const unsigned size : {out.source.offset_size, out.source.length_size})
    cursor.check(size == 2 || size == 4 || size == 8, "has offsets or lengths of ", size,
                 " bytes; 2, 4 or 8 are known");
  if (version < 2) {
    cursor.skip(1 + 4 + 4);                // reserved, sizes of tree nodes, flags
    if (version == 1) cursor.skip(2 + 2);  // size of chunk tree nodes
  } else {
    cursor.skip(1);  // flags
  }

  const std::uint64_t base = cursor.address();
  cursor.check(base == out.source.base, "says the file begins at byte ", base, ", but stands at ", out.source.base);
  const std::uint64_t second = cursor.address();  // free space (never written) or the extension
  const std::uint64_t end = cursor.address();     // unlike all other addresses it counts the user block
  cursor.check(end <= bytes.size(), "says the file has ", end, " bytes, but there are ", bytes.size(),
               ": it is cut short");
  if (version < 2) {
    cursor.check(cursor.address() == kUndefined, "belongs to a file of several parts (driver information)");
    cursor.address();  // name of the root group
    out.root = cursor.address();
  } else {
    out.extension = second;
    out.root = cursor.address();
    cursor.checksum();
  }
  cursor.check(end >= base && end - base >= cursor.position(), "goes beyond the end of the file");
  out.source.bytes = out.source.bytes.first(end - base);
  return out;
}

}  // namespace ramet::hdf5
