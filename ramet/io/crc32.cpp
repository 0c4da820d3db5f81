#include "ramet/io/crc32.h"

#include <zlib.h>

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ramet {
namespace {

std::uint32_t by_zlib(std::uint32_t crc, std::span<const std::byte> bytes) {
  if (bytes.empty()) return crc;
  return static_cast<std::uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

#if defined(__x86_64__)

// The bytes are the coefficients of a polynomial over {0, 1}, the first bit standing for the highest power, and the CRC
// is its remainder modulo P (both inverted, at the beginning and at the end). Words are bit-reversed: the lowest bit is
// the highest power.
constexpr std::uint32_t kPolynomial = 0xEDB88320;  // P without x^32

// x^n mod P as a factor of a carry-less product; the shift makes up for the product of reversed words being one short.
constexpr long long power_of_x(int n) {
  std::uint32_t value = 0x80000000;
  for (int i = 0; i < n; ++i) value = (value >> 1) ^ (value & 1 ? kPolynomial : 0);
  return static_cast<long long>(std::uint64_t{value} << 1);
}

// A lane of 128 bits moved `distance` bits towards the end of the message, where `next` is added to it.
template <int distance>
[[gnu::target("pclmul,sse4.1")]] inline __m128i fold(__m128i lane, __m128i next) {
  constexpr long long kHigh = power_of_x(distance + 32), kLow = power_of_x(distance - 32);
  const __m128i factors = _mm_set_epi64x(kLow, kHigh);
  const __m128i high = _mm_clmulepi64_si128(lane, factors, 0x00), low = _mm_clmulepi64_si128(lane, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(high, low), next);
}

[[gnu::target("pclmul,sse4.1")]] inline __m128i load(const std::byte* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

// Four lanes are folded over the message; their sum has the remainder that the message has. REQUIRES: 64 bytes or more.
[[gnu::target("pclmul,sse4.1")]] std::uint32_t by_folding(std::uint32_t crc, std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  std::size_t count = bytes.size();
  __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128(static_cast<int>(~crc)));
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
  constexpr std::uint32_t kNothingBefore = 0xFFFFFFFF;  // inverted 0: the beginning is in the sum already
  return by_zlib(by_zlib(kNothingBefore, sum), {at, count});
}

bool can_fold() {
  static const bool can = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return can;
}

#endif

}  // namespace

std::uint32_t extend_crc32(std::uint32_t crc, std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (bytes.size() >= 64 && can_fold()) return by_folding(crc, bytes);
#endif
  return by_zlib(crc, bytes);
}

}  // namespace ramet
