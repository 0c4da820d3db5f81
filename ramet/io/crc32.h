// CRC-32 as zip, gzip and PNG use it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace ramet {

// The CRC of all bytes so far, given that of those before (0 for none).
std::uint32_t extend_crc32(std::uint32_t crc, std::span<const std::byte> bytes);

inline std::uint32_t crc32_of(std::span<const std::byte> bytes) { return extend_crc32(0, bytes); }

// The slow reference that extend_crc32 is compared with, and what it uses on machines without carry-less products.
std::uint32_t extend_crc32_by_tables(std::uint32_t crc, std::span<const std::byte> bytes);

}  // namespace ramet
