#include "ramet/io/crc32.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The bytes are the coefficients of a polynomial over {0, 1}, the first bit standing for the highest power, and the CRC
// is its remainder modulo P. Everything here is bit-reversed: the lowest bit of a word is its highest power.

namespace ramet {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320;  // P without x^32

constexpr std::uint32_t times_x(std::uint32_t value) { return (value >> 1) ^ (value & 1 ? kPolynomial : 0); }

// kTables[k][b]: the remainder of byte b followed by k zero bytes.
constexpr std::size_t kSlices = 16;
constexpr auto kTables = [] {
  std::array<std::array<std::uint32_t, 256>, kSlices> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = times_x(value);
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < kSlices; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}();

// `state` is the inverted CRC. Sixteen bytes a step, their tables independent of each other.
std::uint32_t by_tables(std::uint32_t state, const std::byte* at, std::size_t count) {
  for (; count >= kSlices; count -= kSlices, at += kSlices) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < kSlices; ++i) {
      const auto mixed = i < 4 ? (state >> (8 * i)) & 0xFF : 0;
      next ^= kTables[kSlices - 1 - i][std::to_integer<std::uint32_t>(at[i]) ^ mixed];
    }
    state = next;
  }
  for (; count > 0; --count, ++at) {
    state = (state >> 8) ^ kTables[0][(state ^ std::to_integer<std::uint32_t>(*at)) & 0xFF];
  }
  return state;
}

#if defined(__x86_64__)

// x^n mod P as a factor of a carry-less product; the shift makes up for the product of reversed words being one short.
constexpr long long power_of_x(int n) {
  std::uint32_t value = 0x80000000;
  for (int i = 0; i < n; ++i) value = times_x(value);
  return static_cast<long long>(std::uint64_t{value} << 1);
}

// A lane of 128 bits moved `distance` bits towards the end of the message, where `next` is added to it.
template <int distance>
[[gnu::target("pclmul,sse4.1")]] inline __m128i fold(__m128i lane, __m128i next) {
  const __m128i factors = _mm_set_epi64x(power_of_x(distance - 32), power_of_x(distance + 32));
  const __m128i high = _mm_clmulepi64_si128(lane, factors, 0x00), low = _mm_clmulepi64_si128(lane, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(high, low), next);
}

[[gnu::target("pclmul,sse4.1")]] inline __m128i load(const std::byte* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

// Four lanes are folded over the message; their sum has the remainder that the message has.
[[gnu::target("pclmul,sse4.1")]] std::uint32_t by_folding(std::uint32_t state, const std::byte* at, std::size_t count) {
  __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i b = load(at + 16), c = load(at + 32), d = load(at + 48);
  for (count -= 64, at += 64; count >= 64; count -= 64, at += 64) {
    a = fold<512>(a, load(at));
    b = fold<512>(b, load(at + 16));
    c = fold<512>(c, load(at + 32));
    d = fold<512>(d, load(at + 48));
  }
  a = fold<128>(fold<128>(fold<128>(a, b), c), d);
  std::array<std::byte, 16> sum;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(sum.data()), a);
  return by_tables(by_tables(0, sum.data(), sum.size()), at, count);
}

bool can_fold() {
  static const bool can = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return can;
}

#endif

}  // namespace

std::uint32_t extend_crc32_by_tables(std::uint32_t crc, std::span<const std::byte> bytes) {
  return ~by_tables(~crc, bytes.data(), bytes.size());
}

std::uint32_t extend_crc32(std::uint32_t crc, std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (bytes.size() >= 64 && can_fold()) return ~by_folding(~crc, bytes.data(), bytes.size());
#endif
  return extend_crc32_by_tables(crc, bytes);
}

}  // namespace ramet
