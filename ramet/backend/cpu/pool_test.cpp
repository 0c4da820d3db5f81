#include "ramet/backend/cpu/pool.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ramet/backend/cpu/every_target.h"

namespace ramet::cpu {
namespace {

std::mt19937 gen(5);

int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(gen); }

// Small integers, so that windows hold equal elements.
std::vector<float> random_values(std::int64_t n) {
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& v : x) v = static_cast<float>(pick(-6, 6));
  return x;
}

// Every window holds at least one pixel, as "same" and "valid" padding guarantee.
Pool2D random_shape() {
  Pool2D s{.n = pick(1, 3), .h = pick(1, 11), .w = pick(1, 11), .c = pick(1, 40), .kh = pick(1, 4), .kw = pick(1, 4)};
  s.stride_h = pick(1, 3), s.stride_w = pick(1, 3);
  s.pad_top = pick(0, static_cast<int>(s.kh) - 1), s.pad_left = pick(0, static_cast<int>(s.kw) - 1);
  s.oh = (s.h + s.pad_top - 1) / s.stride_h + 1, s.ow = (s.w + s.pad_left - 1) / s.stride_w + 1;
  return s;
}

// Windows of 2 x 2 side by side with a channel count that vectors divide, with or without a rest of the image.
Pool2D random_quads() {
  Pool2D s{.n = pick(1, 3), .h = pick(2, 9), .w = pick(2, 9), .c = 16 * pick(1, 3), .kh = 2, .kw = 2};
  s.stride_h = s.stride_w = 2;
  s.oh = s.h / 2, s.ow = s.w / 2;
  return s;
}

// Calls use(output index, input index, tap) for every element of every window, in the order of the taps.
template <class Use>
void every_tap(const Pool2D& s, Use use) {
  for (std::int64_t o = 0; o < s.n * s.oh * s.ow * s.c; ++o) {
    const std::int64_t c = o % s.c, ox = o / s.c % s.ow, oy = o / s.c / s.ow % s.oh, n = o / s.c / s.ow / s.oh;
    for (std::int64_t tap = 0; tap < s.kh * s.kw; ++tap) {
      const std::int64_t iy = oy * s.stride_h - s.pad_top + tap / s.kw, ix = ox * s.stride_w - s.pad_left + tap % s.kw;
      if (iy >= 0 && iy < s.h && ix >= 0 && ix < s.w) use(o, ((n * s.h + iy) * s.w + ix) * s.c + c, tap);
    }
  }
}

template <class Pool>
void run(const Pool& pool, int parts) {
  for (int part = 0; part < parts; ++part) pool_part(pool, part, parts);
}

}  // namespace

TEST_CASE("max pool: largest element, first tap of equal ones, and a gradient that goes there") {
  on_every_target([] {
    for (int trial = 0; trial < 60; ++trial) {
      const Pool2D s = trial % 3 == 0 ? random_quads() : random_shape();
      const std::int64_t inputs = s.n * s.h * s.w * s.c, outputs = s.n * s.oh * s.ow * s.c;
      const auto x = random_values(inputs), dy = random_values(outputs);
      std::vector<float> want(outputs, -INFINITY), want_dx(inputs);
      std::vector<std::int64_t> source(outputs);
      every_tap(s, [&](auto o, auto i, auto) {
        if (x[i] > want[o]) want[o] = x[i], source[o] = i;
      });
      for (std::int64_t o = 0; o < outputs; ++o) want_dx[source[o]] += dy[o];
      for (const int parts : {1, 3}) {
        std::vector<float> y(outputs), dx(inputs, NAN);
        run(MaxPool{.shape = s, .x = x.data(), .y = y.data()}, parts);
        CHECK(y == want);
        run(MaxPoolGrad{.shape = s, .dy = dy.data(), .x = x.data(), .dx = dx.data()}, parts);
        CHECK(dx == want_dx);
      }
    }
  });
}

TEST_CASE("max pool: NaN wins its window, and -inf everywhere sends the gradient to the first element") {
  on_every_target([] {
    const Pool2D s{.n = 1, .h = 1, .w = 6, .c = 1, .kw = 3, .oh = 1, .ow = 2, .stride_w = 3};
    const std::vector<float> x{1, NAN, 3, -INFINITY, -INFINITY, -INFINITY}, dy{5, 7};
    std::vector<float> y(2), dx(6, NAN);
    pool_part(MaxPool{.shape = s, .x = x.data(), .y = y.data()}, 0, 1);
    CHECK(std::isnan(y[0]));
    CHECK(y[1] == -INFINITY);
    pool_part(MaxPoolGrad{.shape = s, .dy = dy.data(), .x = x.data(), .dx = dx.data()}, 0, 1);
    CHECK(dx == std::vector<float>{0, 5, 0, 7, 0, 0});
  });
}

TEST_CASE("max pool: NaN and -inf in windows of 2 x 2") {
  on_every_target([] {
    const Pool2D s{.n = 1, .h = 2, .w = 4, .c = 16, .kh = 2, .kw = 2, .oh = 1, .ow = 2, .stride_h = 2, .stride_w = 2};
    for (int nan = 0; nan < 4; ++nan) {
      std::vector<float> x(128, 1), dy(32, 5), y(32), dx(128, 9), want(128);
      for (int c = 0; c < 16; ++c) {
        x[static_cast<std::size_t>((nan / 2 * 4 + nan % 2) * 16 + c)] = NAN;
        want[static_cast<std::size_t>((nan / 2 * 4 + nan % 2) * 16 + c)] = 5;
        for (const int cell : {2, 3, 6, 7}) x[static_cast<std::size_t>(cell * 16 + c)] = -INFINITY;
        want[static_cast<std::size_t>(2 * 16 + c)] = 5;
      }
      pool_part(MaxPool{.shape = s, .x = x.data(), .y = y.data()}, 0, 1);
      CHECK(std::isnan(y[0]));
      CHECK(y[16] == -INFINITY);
      pool_part(MaxPoolGrad{.shape = s, .dy = dy.data(), .x = x.data(), .dx = dx.data()}, 0, 1);
      CHECK(dx == want);
    }
  });
}

TEST_CASE("average pool: mean over the pixels inside the image, and its gradient") {
  on_every_target([] {
    for (int trial = 0; trial < 60; ++trial) {
      const Pool2D s = random_shape();
      const std::int64_t inputs = s.n * s.h * s.w * s.c, outputs = s.n * s.oh * s.ow * s.c;
      const auto x = random_values(inputs), dy = random_values(outputs);
      std::vector<double> sum(outputs), count(outputs), want_dx(inputs);
      every_tap(s, [&](auto o, auto i, auto) { sum[o] += x[i], count[o] += 1; });
      every_tap(s, [&](auto o, auto i, auto) { want_dx[i] += dy[o] / count[o]; });
      std::vector<float> y(outputs), dx(inputs, NAN), cut(inputs, NAN);
      run(AveragePool{.shape = s, .x = x.data(), .y = y.data()}, 2);
      run(AveragePoolGrad{.shape = s, .dy = dy.data(), .dx = dx.data()}, 1);
      run(AveragePoolGrad{.shape = s, .dy = dy.data(), .dx = cut.data()}, 3);
      CHECK(cut == dx);
      for (std::int64_t o = 0; o < outputs; ++o) CHECK(std::fabs(y[o] - sum[o] / count[o]) <= 1e-5);
      for (std::int64_t i = 0; i < inputs; ++i) CHECK(std::fabs(dx[i] - want_dx[i]) <= 1e-4);
    }
  });
}

}  // namespace ramet::cpu
