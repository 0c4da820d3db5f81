#include "ramet/io/hdf5/checksum.h"

#include <bit>

namespace ramet::hdf5 {

std::uint32_t metadata_checksum(std::span<const std::byte> bytes) {
  std::uint32_t s[3];
  s[0] = s[1] = s[2] = 0xDEADBEEFu + static_cast<std::uint32_t>(bytes.size());
  const auto absorb = [&s](std::span<const std::byte> part) {
    for (std::size_t i = 0; i < part.size(); ++i) s[i / 4] += std::to_integer<std::uint32_t>(part[i]) << 8 * (i % 4);
  };

  // Every block but the last, which may be full, is followed by six turns over (a, b, c).
  while (bytes.size() > 12) {
    absorb(bytes.first(12));
    bytes = bytes.subspan(12);
    constexpr int kTurns[6] = {4, 6, 8, 16, 19, 4};
    for (int turn = 0; turn < 6; ++turn) {
      std::uint32_t &a = s[turn % 3], &b = s[(turn + 1) % 3], &c = s[(turn + 2) % 3];
      a -= c;
      a ^= std::rotl(c, kTurns[turn]);
      c += b;
    }
  }
  if (bytes.empty()) return s[2];
  absorb(bytes);
  constexpr int kTurns[7] = {14, 11, 25, 16, 4, 14, 24};
  for (int turn = 0; turn < 7; ++turn) {
    std::uint32_t &to = s[(turn + 2) % 3], &from = s[(turn + 1) % 3];
    to ^= from;
    to -= std::rotl(from, kTurns[turn]);
  }
  return s[2];
}

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  std::uint64_t low = 0, high = 0;  // sums modulo 65535, written with 65535 where HDF5 writes it
  const auto fold = [](std::uint64_t sum) { return (sum & 0xFFFF) + (sum >> 16); };
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    std::uint64_t word = std::to_integer<std::uint64_t>(bytes[i]) << 8;
    if (i + 1 < bytes.size()) word |= std::to_integer<std::uint64_t>(bytes[i + 1]);
    low = fold(low + word);
    high = fold(high + low);
  }
  return static_cast<std::uint32_t>(high << 16 | low);
}

}  // namespace ramet::hdf5
