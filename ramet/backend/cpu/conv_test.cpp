#include "ramet/backend/cpu/conv.h"

#include <cmath>
#include <random>
#include <vector>

#include "ramet/backend/cpu/every_target.h"

namespace ramet::cpu {
namespace {

std::mt19937 gen(11);

std::vector<float> random_values(std::int64_t n) {
  std::uniform_real_distribution<float> dist(-1, 1);
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& v : x) v = dist(gen);
  return x;
}

// The definition: calls use(x index, kernel index, y index) for every product in the convolution.
template <class Use>
void every_product(const Conv2D& s, Use use) {
  const std::int64_t cg = s.c / s.groups, fg = s.f / s.groups;
  for (std::int64_t n = 0; n < s.n; ++n)
    for (std::int64_t oy = 0; oy < s.oh; ++oy)
      for (std::int64_t ox = 0; ox < s.ow; ++ox)
        for (std::int64_t ky = 0; ky < s.kh; ++ky)
          for (std::int64_t kx = 0; kx < s.kw; ++kx) {
            const std::int64_t iy = oy * s.stride_h + ky * s.dilation_h - s.pad_top,
                               ix = ox * s.stride_w + kx * s.dilation_w - s.pad_left;
            if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w) continue;
            for (std::int64_t f = 0; f < s.f; ++f)
              for (std::int64_t c = 0; c < cg; ++c)
                use(((n * s.h + iy) * s.w + ix) * s.c + f / fg * cg + c, ((ky * s.kw + kx) * cg + c) * s.f + f,
                    ((n * s.oh + oy) * s.ow + ox) * s.f + f);
          }
}

// Sums of `terms` products of at most 1, with random signs.
void check_close(const std::vector<float>& got, const std::vector<double>& want, double terms) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::fabs(got[i] - want[i]);
    if (!(error <= worst)) worst = error;
  }
  CHECK(worst <= (8 * terms + 16) * 6e-8);
}

template <class Pass>
void run(const Pass& pass, int parts) {
  for (int part = 0; part < parts; ++part) {
    std::vector<char> scratch(conv_scratch(pass));
    conv_part(pass, part, parts, scratch.data());
  }
}

struct Sizes {
  std::int64_t x, kernel, y;
  explicit Sizes(const Conv2D& s)
      : x(s.n * s.h * s.w * s.c), kernel(s.kh * s.kw * (s.c / s.groups) * s.f), y(s.n * s.oh * s.ow * s.f) {}
};

void check_forward(const Conv2D& s, bool packed, int activation, bool residual) {
  const Sizes size(s);
  const auto x = random_values(size.x), kernel = random_values(size.kernel), bias = random_values(s.f),
             add = random_values(size.y);
  std::vector<float> packing(conv_packed_size(s), NAN), y(size.y, NAN);
  pack_conv_kernel(s, kernel.data(), packing.data());
  ConvForward conv{.shape = s,
                   .x = x.data(),
                   .kernel = kernel.data(),
                   .packed_kernel = packed ? packing.data() : nullptr,
                   .y = y.data()};
  conv.epilogue = {.bias = bias.data(), .activation = activation, .residual = residual ? add.data() : nullptr};
  run(conv, 1);
  std::vector<double> want(size.y);
  for (std::int64_t i = 0; i < size.y; ++i) want[i] = bias[i % s.f] + (residual ? double(add[i]) : 0.0);
  every_product(s, [&](auto xi, auto ki, auto yi) { want[yi] += double(x[xi]) * kernel[ki]; });
  for (double& v : want) v = activation == 1 ? std::fmax(v, 0) : activation == 3 ? std::tanh(v) : v;
  check_close(y, want, double(s.kh * s.kw * s.c));
  const auto whole = y;
  for (const int parts : {2, 3}) {
    y.assign(size.y, NAN);
    run(conv, parts);
    CHECK(y == whole);
  }
}

void check_input_grad(const Conv2D& s) {
  const Sizes size(s);
  const auto dy = random_values(size.y), kernel = random_values(size.kernel);
  std::vector<float> packing(conv_input_grad_packed_size(s), NAN), dx(size.x, NAN);
  pack_conv_input_grad(s, kernel.data(), packing.data());
  const ConvInputGrad conv{
      .shape = s, .dy = dy.data(), .kernel = kernel.data(), .packed_kernel = packing.data(), .dx = dx.data()};
  run(conv, 1);
  std::vector<double> want(size.x);
  every_product(s, [&](auto xi, auto ki, auto yi) { want[xi] += double(dy[yi]) * kernel[ki]; });
  check_close(dx, want, double(s.kh * s.kw * s.f));
  const auto whole = dx;
  for (const int parts : {2, 3}) {
    dx.assign(size.x, NAN);
    run(conv, parts);
    CHECK(dx == whole);
  }
}

void check_kernel_grad(const Conv2D& s, bool accumulate) {
  const Sizes size(s);
  const auto x = random_values(size.x), dy = random_values(size.y), before = random_values(size.kernel);
  auto dkernel = before;
  const ConvKernelGrad conv{
      .shape = s, .x = x.data(), .dy = dy.data(), .dkernel = dkernel.data(), .accumulate = accumulate};
  run(conv, 1);
  std::vector<double> want(size.kernel);
  for (std::int64_t i = 0; i < size.kernel; ++i) want[i] = accumulate ? before[i] : 0;
  every_product(s, [&](auto xi, auto ki, auto yi) { want[ki] += double(x[xi]) * dy[yi]; });
  check_close(dkernel, want, double(s.n * s.oh * s.ow));
  const auto whole = dkernel;
  for (const int parts : {2, 3}) {
    std::copy(before.begin(), before.end(), dkernel.begin());
    run(conv, parts);
    CHECK(dkernel == whole);
  }
}

int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(gen); }

// A shape with strides, dilations and uneven padding; the output may need more padding at the end than at the start.
Conv2D random_shape(std::int64_t groups, std::int64_t channels, std::int64_t filters) {
  Conv2D s{.n = pick(1, 2),
           .h = pick(1, 12),
           .w = pick(1, 12),
           .c = groups * channels,
           .kh = pick(1, 4),
           .kw = pick(1, 4),
           .f = groups * filters};
  s.stride_h = pick(1, 3), s.stride_w = pick(1, 3), s.dilation_h = pick(1, 3), s.dilation_w = pick(1, 3);
  s.pad_top = pick(0, 3), s.pad_left = pick(0, 3), s.groups = groups;
  s.oh = std::max<std::int64_t>(0, (s.h + s.pad_top + pick(0, 3) - (s.kh - 1) * s.dilation_h - 1)) / s.stride_h + 1;
  s.ow = std::max<std::int64_t>(0, (s.w + s.pad_left + pick(0, 3) - (s.kw - 1) * s.dilation_w - 1)) / s.stride_w + 1;
  return s;
}

void check_all(const Conv2D& s, int trial) {
  INFO("n ", s.n, " h ", s.h, " w ", s.w, " c ", s.c, " kh ", s.kh, " kw ", s.kw, " oh ", s.oh, " ow ", s.ow, " f ",
       s.f, " stride ", s.stride_h, " ", s.stride_w, " dilation ", s.dilation_h, " ", s.dilation_w, " pad ", s.pad_top,
       " ", s.pad_left, " groups ", s.groups);
  const int activations[] = {0, 1, 3};
  check_forward(s, trial % 2 == 0, activations[trial % 3], trial % 4 < 2);
  check_input_grad(s);
  check_kernel_grad(s, trial % 2 == 1);
}

}  // namespace

TEST_CASE("conv: random strides, dilations, padding and groups match the definition in all three directions") {
  on_every_target([] {
    for (int trial = 0; trial < 120; ++trial) {
      const int groups = trial % 3 == 0 ? pick(2, 4) : 1;
      check_all(random_shape(groups, trial % 5 == 0 ? 3 : pick(1, 40), pick(1, 40)), trial);
    }
  });
}

TEST_CASE("conv: padding that is left out of lines of many channels, in all three directions") {
  on_every_target([] {
    for (int trial = 0; trial < 60; ++trial) {
      Conv2D s = random_shape(1, pick(32, 80), pick(20, 100));
      s.h = pick(2, 6), s.w = pick(5, 17);
      s.kh = pick(1, 3), s.kw = pick(1, 5);
      s.pad_top = pick(0, 2), s.pad_left = pick(0, 4);
      if (trial % 3 > 0) s.stride_h = s.stride_w = 1;
      if (trial % 3 > 1) s.dilation_h = s.dilation_w = 1;
      s.oh = (s.h + 2 * s.pad_top - 1) / s.stride_h + 1, s.ow = (s.w + s.pad_left + pick(0, 3)) / s.stride_w;
      check_all(s, trial);
    }
  });
}

TEST_CASE("conv: depthwise in all three directions, with and without a channel multiplier") {
  on_every_target([] {
    for (int trial = 0; trial < 60; ++trial) check_all(random_shape(pick(2, 70), 1, trial % 5 == 0 ? 2 : 1), trial);
  });
}

TEST_CASE("conv: a depthwise kernel with more taps than one round holds") {
  on_every_target([] {
    check_all({.n = 1,
               .h = 11,
               .w = 12,
               .c = 20,
               .kh = 9,
               .kw = 9,
               .oh = 11,
               .ow = 12,
               .f = 20,
               .pad_top = 4,
               .pad_left = 4,
               .groups = 20},
              0);
  });
}

TEST_CASE("conv: pointwise, stem and 3x3 shapes of ResNet, larger than one block") {
  on_every_target([] {
    check_all({.n = 1, .h = 20, .w = 20, .c = 130, .oh = 20, .ow = 20, .f = 70}, 0);
    check_all({.n = 2, .h = 9, .w = 9, .c = 64, .oh = 5, .ow = 5, .f = 40, .stride_h = 2, .stride_w = 2}, 1);
    check_all({.n = 2, .h = 5, .w = 6, .c = 120, .oh = 5, .ow = 6, .f = 210, .groups = 3}, 0);
    check_all({.n = 1, .h = 7, .w = 7, .c = 300, .oh = 7, .ow = 7, .f = 20}, 3);
    check_all({.n = 1,
               .h = 30,
               .w = 30,
               .c = 3,
               .kh = 7,
               .kw = 7,
               .oh = 15,
               .ow = 15,
               .f = 64,
               .stride_h = 2,
               .stride_w = 2,
               .pad_top = 2,
               .pad_left = 2},
              2);
    check_all(
        {.n = 1, .h = 14, .w = 14, .c = 96, .kh = 3, .kw = 3, .oh = 14, .ow = 14, .f = 48, .pad_top = 1, .pad_left = 1},
        3);
  });
}

TEST_CASE("conv: an empty batch is no work") {
  on_every_target([] { check_all({.n = 0, .h = 5, .w = 5, .c = 3, .kh = 3, .kw = 3, .oh = 3, .ow = 3, .f = 8}, 0); });
}

}  // namespace ramet::cpu
