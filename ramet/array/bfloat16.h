// Brain floats: the upper half of a float32, so the same range with 8 bits of mantissa. A type to store, not to compute
// with: arithmetic on one is arithmetic on the float it stands for.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

namespace ramet {

struct BFloat16 {
  std::uint16_t bits;

  BFloat16() = default;
  // To the nearest, ties to even; what is too large becomes infinite, NaN stays NaN.
  template <class T>
  requires std::is_arithmetic_v<T>
  explicit BFloat16(T value) : bits(rounded(static_cast<float>(value))) {}
  operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

 private:
  static std::uint16_t rounded(float value) {
    const auto whole = std::bit_cast<std::uint32_t>(value);
    // The payload of a NaN may lie in the lower half alone, which would leave an infinity.
    if (value != value) return static_cast<std::uint16_t>(whole >> 16 | 0x40);
    return static_cast<std::uint16_t>((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
  }
};
static_assert(sizeof(BFloat16) == 2);

}  // namespace ramet
