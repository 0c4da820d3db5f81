#include "ramet/array/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <numeric>
#include <random>
#include <utility>

#include "ramet/base/error.h"

namespace ramet {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    k = {k[0] + 0x9E3779B9, k[1] + 0xBB67AE85};  // golden ratio and sqrt(3) - 1
  }
  return c;
}

namespace {

using Words = std::array<std::uint32_t, 4>;

Words block_of(Stream stream, std::uint64_t block) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  return philox({low(block), high(block), low(stream.counter), high(stream.counter)},
                {low(stream.seed), high(stream.seed)});
}

std::uint64_t word64(const Words& words, int i) { return std::uint64_t{words[2 * i + 1]} << 32 | words[2 * i]; }

// Natural logarithm of x in (0, 1]. Our own, like sine and cosine below: those of the C library differ in the last bit
// from machine to machine, and these numbers must not.
double log_of(double x) {
  constexpr double kLn2 = 0.693147180559945309417;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1022;
  double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) | 0x3FE0000000000000);  // in [1/2, 1)
  if (m < 0.707106781186547524) {
    m *= 2;
    --exponent;
  }
  // ln m = 2 (s + s³/3 + s⁵/5 + …) with s = (m − 1)/(m + 1), |s| < 0.172: twelve terms reach the last bit.
  static constexpr std::array<double, 12> terms{1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                                1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (const double term : terms) sum = sum * s2 + term;
  return exponent * kLn2 + 2 * s * sum;
}

// cos 2πu and sin 2πu for u in [0, 1), by Taylor series in the eighth of the circle around the nearest axis.
std::pair<double, double> cos_sin_of_turn(double u) {
  constexpr double kTwoPi = 6.28318530717958647693;
  const int axis = static_cast<int>(4 * u + 0.5);
  const double t = kTwoPi * (u - 0.25 * axis), t2 = t * t;
  // c = 1 − t²/(1·2) (1 − t²/(3·4) (1 − …)) and s = t (1 − t²/(2·3) (1 − t²/(4·5) (1 − …))): the innermost first.
  static constexpr std::array<double, 8> cos_terms{1.0 / 240, 1.0 / 182, 1.0 / 132, 1.0 / 90,
                                                   1.0 / 56,  1.0 / 30,  1.0 / 12,  1.0 / 2};
  static constexpr std::array<double, 8> sin_terms{1.0 / 272, 1.0 / 210, 1.0 / 156, 1.0 / 110,
                                                   1.0 / 72,  1.0 / 42,  1.0 / 20,  1.0 / 6};
  double c = 1, s = 1;
  for (int k = 0; k < 8; ++k) {
    c = 1 - c * (t2 * cos_terms[k]);
    s = 1 - s * (t2 * sin_terms[k]);
  }
  s *= t;
  switch (axis & 3) {
    case 0: return {c, s};
    case 1: return {-s, c};
    case 2: return {-c, -s};
    default: return {s, -c};
  }
}

// Box–Muller: two independent normal values from u1 in (0, 1] and u2 in [0, 1).
std::pair<double, double> box_muller(double u1, double u2) {
  const double radius = std::sqrt(-2 * log_of(u1));
  const auto [c, s] = cos_sin_of_turn(u2);
  return {radius * c, radius * s};
}

// How many values of type T a block of 128 bits holds, and which.
template <class T>
struct Block;

template <>
struct Block<float> {
  static constexpr int kValues = 4;

  static std::array<double, 4> uniforms(const Words& w) {
    const auto unit = [](std::uint32_t word) { return (word >> 8) * 0x1p-24; };
    return {unit(w[0]), unit(w[1]), unit(w[2]), unit(w[3])};
  }

  static std::array<double, 4> normals(const Words& w) {
    const auto [a, b] = box_muller((w[0] + 1.0) * 0x1p-32, w[1] * 0x1p-32);
    const auto [c, d] = box_muller((w[2] + 1.0) * 0x1p-32, w[3] * 0x1p-32);
    return {a, b, c, d};
  }
};

template <>
struct Block<double> {
  static constexpr int kValues = 2;

  static std::array<double, 2> uniforms(const Words& w) {
    const auto unit = [](std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; };
    return {unit(word64(w, 0)), unit(word64(w, 1))};
  }

  static std::array<double, 2> normals(const Words& w) {
    const auto [u1, u2] = uniforms(w);
    const auto [a, b] = box_muller(u1 + 0x1p-53, u2);
    return {a, b};
  }
};

// Writes elements [begin, end), of which each block holds `per_block`: make(words) gives them all.
template <class T, class Make>
void fill(T* out, std::int64_t begin, std::int64_t end, int per_block, Stream stream, const Make& make) {
  ensure(0 <= begin && begin <= end, "random: the range [", begin, ", ", end, ") is none");
  std::int64_t lane = begin % per_block;
  for (std::int64_t block = begin / per_block; begin < end; ++block, lane = 0) {
    const auto values = make(block_of(stream, static_cast<std::uint64_t>(block)));
    for (; lane < per_block && begin < end; ++lane, ++begin) *out++ = static_cast<T>(values[lane]);
  }
}

template <class T>
void uniform(T* out, std::int64_t begin, std::int64_t end, Stream stream, T lo, T hi) {
  require(lo <= hi && std::isfinite(hi - lo), "fill_uniform: the bounds must be finite and in order; got ", lo, " and ",
          hi);
  const T last = lo < hi ? std::nextafter(hi, lo) : lo;
  fill(out, begin, end, Block<T>::kValues, stream, [&](const Words& words) {
    auto values = Block<T>::uniforms(words);
    // In double, then cut: rounding may reach hi.
    for (double& u : values)
      u = std::min(double{last}, static_cast<double>(static_cast<T>(lo + (double{hi} - lo) * u)));
    return values;
  });
}

template <class T>
void normal(T* out, std::int64_t begin, std::int64_t end, Stream stream, T mean, T stddev) {
  fill(out, begin, end, Block<T>::kValues, stream, [&](const Words& words) {
    auto values = Block<T>::normals(words);
    for (double& z : values) z = mean + stddev * z;
    return values;
  });
}

// Element i begins as it does in normal(). If that lies too far out it draws from blocks of its own, i + 2^48,
// i + 2·2^48, … until a value fits, whatever other elements do.
template <class T>
void truncated_normal(T* out, std::int64_t begin, std::int64_t end, Stream stream, T mean, T stddev) {
  const auto draw_again = [&](std::int64_t i) {
    for (std::uint64_t block = static_cast<std::uint64_t>(i);;) {
      block += std::uint64_t{1} << 48;
      for (const double z : Block<T>::normals(block_of(stream, block))) {
        if (std::fabs(z) <= 2) return z;
      }
    }
  };
  std::int64_t i = begin / Block<T>::kValues * Block<T>::kValues;  // the first element of the block made next
  fill(out, begin, end, Block<T>::kValues, stream, [&](const Words& words) {
    auto values = Block<T>::normals(words);
    for (double& z : values) {
      if (std::fabs(z) > 2) z = draw_again(i);
      z = mean + stddev * z;
      ++i;
    }
    return values;
  });
}

}  // namespace

void fill_bits(std::uint32_t* out, std::int64_t begin, std::int64_t end, Stream stream) {
  fill(out, begin, end, 4, stream, [](const Words& words) { return words; });
}

void fill_uniform(float* out, std::int64_t begin, std::int64_t end, Stream stream, float lo, float hi) {
  uniform(out, begin, end, stream, lo, hi);
}
void fill_uniform(double* out, std::int64_t begin, std::int64_t end, Stream stream, double lo, double hi) {
  uniform(out, begin, end, stream, lo, hi);
}
void fill_normal(float* out, std::int64_t begin, std::int64_t end, Stream stream, float mean, float stddev) {
  normal(out, begin, end, stream, mean, stddev);
}
void fill_normal(double* out, std::int64_t begin, std::int64_t end, Stream stream, double mean, double stddev) {
  normal(out, begin, end, stream, mean, stddev);
}
void fill_truncated_normal(float* out, std::int64_t begin, std::int64_t end, Stream stream, float mean, float stddev) {
  truncated_normal(out, begin, end, stream, mean, stddev);
}
void fill_truncated_normal(double* out, std::int64_t begin, std::int64_t end, Stream stream, double mean,
                           double stddev) {
  truncated_normal(out, begin, end, stream, mean, stddev);
}

std::vector<std::int64_t> permutation(std::int64_t n, Stream stream) {
  require(n >= 0, "permutation: the count must not be negative; got ", n);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});

  std::uint64_t drawn = 0;
  Words words{};
  const auto next = [&] {
    if (drawn % 2 == 0) words = block_of(stream, drawn / 2);
    return word64(words, static_cast<int>(drawn++ % 2));
  };
  // Fisher–Yates. Draws in the incomplete last multiple of `choices` are thrown away, so that none is favoured.
  for (auto choices = static_cast<std::uint64_t>(n); choices > 1; --choices) {
    const std::uint64_t limit = ~std::uint64_t{0} / choices * choices;
    std::uint64_t draw = next();
    while (draw >= limit) draw = next();
    std::swap(order[choices - 1], order[draw % choices]);
  }
  return order;
}

namespace {

struct ProcessSeed {
  std::mutex mutex;
  Stream stream{(std::uint64_t{std::random_device{}()} << 32) | std::random_device{}(), 0};
};

ProcessSeed& process_seed() {
  static ProcessSeed seed;
  return seed;
}

}  // namespace

void set_random_seed(std::uint64_t seed) {
  ProcessSeed& process = process_seed();
  const std::lock_guard lock(process.mutex);
  process.stream = {seed, 0};
}

std::uint64_t next_seed() {
  ProcessSeed& process = process_seed();
  const std::lock_guard lock(process.mutex);
  const std::uint64_t draw = word64(block_of(process.stream, 0), 0);
  ++process.stream.counter;
  return draw % 0x7FFFFFFF + 1;
}

}  // namespace ramet
