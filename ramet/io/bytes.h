// Little-endian numbers in bytes.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ramet/base/error.h"

namespace ramet {

using Bytes = std::span<const std::byte>;

template <std::unsigned_integral T>
T load_le(Bytes from, std::size_t offset = 0) {
  ensure(offset <= from.size() && from.size() - offset >= sizeof(T), "a number was read outside its record");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= std::to_integer<std::uint64_t>(from[offset + i]) << (8 * i);
  return static_cast<T>(value);
}

template <std::unsigned_integral T>
void append_le(std::vector<std::byte>& to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to.push_back(static_cast<std::byte>(std::uint64_t{value} >> (8 * i)));
}

inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline Bytes as_bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

}  // namespace ramet
