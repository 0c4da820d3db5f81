#include "ramet/array/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "ramet/base/error.h"

using namespace ramet;

namespace {

struct Moments {
  double mean = 0, variance = 0, fourth = 0;  // the fourth central moment, over the variance squared
};

template <class T>
Moments moments_of(const std::vector<T>& values) {
  Moments m;
  const auto n = static_cast<double>(values.size());
  for (const double x : values) m.mean += x / n;
  for (const double x : values) m.variance += (x - m.mean) * (x - m.mean) / n;
  for (const double x : values) m.fourth += std::pow(x - m.mean, 4) / n / (m.variance * m.variance);
  return m;
}

}  // namespace

TEST_CASE("philox: the known answers of Random123") {
  using Words = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE_TEMPLATE("random: any split of a range gives the same values", T, float, double) {
  const Stream stream{42, 7};
  const std::int64_t n = 41;
  const auto same_when_split = [&](auto fill) {
    std::vector<T> whole(n);
    fill(whole.data(), 0, n);
    for (std::int64_t cut = 0; cut <= n; ++cut) {
      std::vector<T> parts(n);
      fill(parts.data() + cut, cut, n);
      fill(parts.data(), 0, cut);
      REQUIRE(parts == whole);
    }
  };
  using Int = std::int64_t;
  same_when_split([&](T* out, Int begin, Int end) { fill_uniform(out, begin, end, stream, T(-1), T(1)); });
  same_when_split([&](T* out, Int begin, Int end) { fill_normal(out, begin, end, stream); });
  same_when_split([&](T* out, Int begin, Int end) { fill_truncated_normal(out, begin, end, stream); });
}

TEST_CASE("random: streams differ by seed and by counter, elements beyond 2^32 are reached") {
  const auto first_bits = [](Stream stream, std::int64_t at) {
    std::uint32_t bits = 0;
    fill_bits(&bits, at, at + 1, stream);
    return bits;
  };
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (std::uint64_t counter : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
      for (std::int64_t at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 34}) {
        seen.insert(first_bits({seed, counter}, at));
      }
    }
  }
  CHECK(seen.size() == 27);
}

TEST_CASE_TEMPLATE("fill_uniform: values fill [lo, hi) evenly and never reach hi", T, float, double) {
  std::vector<T> values(200'000);
  fill_uniform(values.data(), 0, 200'000, {1, 2}, T(-3), T(5));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  CHECK(*least >= T(-3));
  CHECK(*most < T(5));
  const Moments m = moments_of(values);
  CHECK(m.mean == doctest::Approx(1).epsilon(0.02));
  CHECK(m.variance == doctest::Approx(64.0 / 12).epsilon(0.01));
  CHECK(m.fourth == doctest::Approx(1.8).epsilon(0.01));

  const T hi = std::nextafter(T(1), T(2));  // here rounding would reach hi half of the time
  fill_uniform(values.data(), 0, 1000, {1, 2}, T(1), hi);
  CHECK(std::all_of(values.begin(), values.begin() + 1000, [](T x) { return x == 1; }));
  fill_uniform(values.data(), 0, 10, {1, 2}, T(2), T(2));
  CHECK(values[0] == 2);
  CHECK_THROWS_WITH_AS(fill_uniform(values.data(), 0, 1, {}, T(2), T(1)),
                       "fill_uniform: the bounds must be finite and in order; got 2 and 1", UsageError);
  CHECK_THROWS_AS(fill_uniform(values.data(), 0, 1, {}, T(0), T(NAN)), UsageError);
}

TEST_CASE_TEMPLATE("fill_normal: mean, deviation and tails are those of the normal distribution", T, float, double) {
  std::vector<T> values(400'000);
  fill_normal(values.data(), 0, 400'000, {3, 0}, T(2), T(0.5));
  const Moments m = moments_of(values);
  CHECK(m.mean == doctest::Approx(2).epsilon(0.002));
  CHECK(m.variance == doctest::Approx(0.25).epsilon(0.01));
  CHECK(m.fourth == doctest::Approx(3).epsilon(0.02));
  // The distribution function itself, at a few places.
  for (const double z : {-2.5, -1.0, -0.3, 0.0, 0.7, 1.5, 3.0}) {
    const auto below = std::count_if(values.begin(), values.end(), [&](T x) { return x < 2 + 0.5 * z; });
    CHECK(static_cast<double>(below) / 400'000 == doctest::Approx(0.5 * std::erfc(-z / std::sqrt(2.0))).epsilon(0.02));
  }
}

TEST_CASE("fill_normal: agrees with Box–Muller by the C library to the last digits") {
  std::vector<double> values(1000), uniforms(1000);
  fill_normal(values.data(), 0, 1000, {5, 6});
  fill_uniform(uniforms.data(), 0, 1000, {5, 6});
  for (std::size_t i = 0; i < 1000; i += 2) {
    const double radius = std::sqrt(-2 * std::log(uniforms[i] + 0x1p-53)), angle = 2 * M_PI * uniforms[i + 1];
    REQUIRE(std::fabs(values[i] - radius * std::cos(angle)) < 1e-14);
    REQUIRE(std::fabs(values[i + 1] - radius * std::sin(angle)) < 1e-14);
  }
}

TEST_CASE_TEMPLATE("fill_truncated_normal: nothing lies beyond two deviations", T, float, double) {
  std::vector<T> values(200'000);
  fill_truncated_normal(values.data(), 0, 200'000, {3, 0}, T(1), T(10));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  CHECK(*least >= T(-19));
  CHECK(*most <= T(21));
  CHECK(*least < T(-18.9));
  const Moments m = moments_of(values);
  CHECK(m.mean == doctest::Approx(1).epsilon(0.05));
  CHECK(std::sqrt(m.variance) == doctest::Approx(8.796).epsilon(0.005));
}

TEST_CASE("random: the first values of a stream never change") {
  using Floats = std::vector<float>;
  Floats uniform(3), normal(3), truncated(1);
  fill_uniform(uniform.data(), 0, 3, {1, 0});
  fill_normal(normal.data(), 0, 3, {1, 0});
  fill_truncated_normal(truncated.data(), 23, 24, {1, 0});
  CHECK(uniform == Floats{0.890259147f, 0.894684672f, 0.585725904f});
  CHECK(normal == Floats{0.380400747f, -0.296277881f, -0.249233425f});
  CHECK(truncated == Floats{-0.906101823f});  // its first draw lies beyond two deviations
  CHECK(permutation(8, {1, 0}) == std::vector<std::int64_t>{4, 6, 5, 7, 2, 3, 1, 0});
}

TEST_CASE("permutation: every number once, every order equally often") {
  CHECK(permutation(0, {}).empty());
  CHECK(permutation(1, {}) == std::vector<std::int64_t>{0});
  auto order = permutation(10'000, {1, 2});
  CHECK(order != permutation(10'000, {1, 3}));
  CHECK(order == permutation(10'000, {1, 2}));
  std::sort(order.begin(), order.end());
  for (std::int64_t i = 0; i < 10'000; ++i) REQUIRE(order[static_cast<std::size_t>(i)] == i);

  std::map<std::vector<std::int64_t>, int> times;
  for (std::uint64_t i = 0; i < 24'000; ++i) ++times[permutation(4, {9, i})];
  CHECK(times.size() == 24);
  for (const auto& [_, count] : times) CHECK(std::abs(count - 1000) < 150);
  CHECK_THROWS_AS(permutation(-1, {}), UsageError);
}

TEST_CASE("next_seed: draws repeat after set_random_seed and fit a positive 32-bit integer") {
  set_random_seed(11);
  std::vector<std::uint64_t> first, second;
  for (int i = 0; i < 100; ++i) first.push_back(next_seed());
  set_random_seed(11);
  for (int i = 0; i < 100; ++i) second.push_back(next_seed());
  CHECK(first == second);
  CHECK(std::set<std::uint64_t>(first.begin(), first.end()).size() == 100);
  for (const std::uint64_t seed : first) CHECK((seed >= 1 && seed < (std::uint64_t{1} << 31)));
  set_random_seed(12);
  CHECK(next_seed() != first[0]);
}

TEST_CASE("next_seed: concurrent draws are all different") {
  set_random_seed(13);
  std::vector<std::vector<std::uint64_t>> drawn(4);
  std::vector<std::thread> threads;
  for (auto& mine : drawn) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 250; ++i) mine.push_back(next_seed());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (const auto& mine : drawn) all.insert(mine.begin(), mine.end());
  CHECK(all.size() == 1000);
}
