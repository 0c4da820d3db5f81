// CRC-32 as zip, gzip and PNG use it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace ramet {

// The CRC of all bytes so far, given that of those before (0 for none). zlib's, four times as fast where the processor
// multiplies without carries.
std::uint32_t extend_crc32(std::uint32_t crc, std::span<const std::byte> bytes);

inline std::uint32_t crc32_of(std::span<const std::byte> bytes) { return extend_crc32(0, bytes); }

}  // namespace ramet
