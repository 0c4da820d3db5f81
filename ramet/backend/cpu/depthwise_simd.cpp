// Depthwise convolution, forward and input gradient: vectors run along the channels, and each vector of the kernel
// serves several pixels of a line at once.
#include "ramet/backend/cpu/conv_phase.h"
#include "ramet/backend/cpu/gemm_blocks.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

constexpr float kNoFloor = -__builtin_inff(), kNoCeiling = __builtin_inff();
constexpr int kMostTaps = 64;  // applied at once; larger kernels take several rounds

// Output (t, u) sums over taps (i, j) of source pixel (t step_h + first_h + i delta_h, u step_w + first_w + j delta_w).
struct Pass {
  std::int64_t channels;
  const float* source;  // one image
  std::int64_t height, width;
  const float* kernel;                        // of tap (0, 0)
  std::int64_t kernel_step_h, kernel_step_w;  // in floats
  std::int64_t taps_h, taps_w, first_h, first_w, delta_h, delta_w, step_h, step_w;
  float* out;                           // of (0, 0)
  std::int64_t out_step_h, out_step_w;  // in floats
  std::int64_t columns;
  const float* bias;
  float floor, ceiling;
};

// What a run of pixels needs: the same taps for all of them, offsets counted from each pixel's own.
struct Taps {
  std::int64_t source[kMostTaps], kernel[kMostTaps];
  int count;
};

bool inside(std::int64_t at, std::int64_t size) {
  return static_cast<std::uint64_t>(at) < static_cast<std::uint64_t>(size);
}

// One vector of channels, or its first `count`, for kPixels pixels.
template <int kPixels>
void apply_vector(const Pass& p, const Taps& taps, const float* source, float* out, bool first, bool last,
                  std::int64_t c, std::size_t count) {
  const std::int64_t step = p.step_w * p.channels;
  Vec sum[kPixels];
#pragma GCC unroll 8
  for (int i = 0; i < kPixels; ++i) {
    sum[i] = !first              ? load_some(out + i * p.out_step_w + c, count)
             : p.bias != nullptr ? load_some(p.bias + c, count)
                                 : Vec{};
  }
  if (count == kLanes) {
    for (int t = 0; t < taps.count; ++t) {
      const Vec k = load(p.kernel + taps.kernel[t] + c);
      const float* x = source + taps.source[t] + c;
#pragma GCC unroll 8
      for (int i = 0; i < kPixels; ++i) sum[i] = mul_add(load(x + i * step), k, sum[i]);
    }
  } else {
    for (int t = 0; t < taps.count; ++t) {
      const Vec k = load_part(p.kernel + taps.kernel[t] + c, count);
      const float* x = source + taps.source[t] + c;
#pragma GCC unroll 8
      for (int i = 0; i < kPixels; ++i) sum[i] = mul_add(load_part(x + i * step, count), k, sum[i]);
    }
  }
  const Vec floor = splat(last ? p.floor : kNoFloor), ceiling = splat(last ? p.ceiling : kNoCeiling);
#pragma GCC unroll 8
  for (int i = 0; i < kPixels; ++i)
    store_some(out + i * p.out_step_w + c, min_or_second(ceiling, max_or_second(floor, sum[i])), count);
}

template <int kPixels>
void apply(const Pass& p, const Taps& taps, std::int64_t u, float* line, bool first, bool last) {
  const float* source = p.source + (u * p.step_w + p.first_w) * p.channels;
  for (std::int64_t c = 0; c < p.channels; c += kLanes) {
    const std::int64_t left = p.channels - c;
    apply_vector<kPixels>(p, taps, source, line + u * p.out_step_w, first, last, c,
                          static_cast<std::size_t>(left < kLanes ? left : kLanes));
  }
}

// Pixels [begin, end) of a line, which all use the same taps.
void apply_run(const Pass& p, const Taps& taps, std::int64_t begin, std::int64_t end, float* line, bool first,
               bool last) {
  std::int64_t u = begin;
  for (; u + 8 <= end; u += 8) apply<8>(p, taps, u, line, first, last);
  for (; u + 4 <= end; u += 4) apply<4>(p, taps, u, line, first, last);
  for (; u < end; ++u) apply<1>(p, taps, u, line, first, last);
}

// Columns whose taps all lie inside the image.
struct Interior {
  std::int64_t begin, end;
};

Interior interior_of(const Pass& p) {
  const std::int64_t reach = (p.taps_w - 1) * p.delta_w;
  const std::int64_t low = p.first_w + (reach < 0 ? reach : 0), high = p.first_w + (reach > 0 ? reach : 0);
  // u step + low >= 0 and u step + high < width
  std::int64_t begin = low >= 0 ? 0 : (-low + p.step_w - 1) / p.step_w;
  std::int64_t end = p.width - high <= 0 ? 0 : (p.width - high + p.step_w - 1) / p.step_w;
  if (end > p.columns) end = p.columns;
  if (begin > end || p.taps_w == 0) begin = end = 0;
  return {begin, end};
}

// Applies the taps of line t for columns [begin, end); only one column when not all taps of `u` are inside.
void run_columns(const Pass& p, std::int64_t t, std::int64_t begin, std::int64_t end, bool check, float* line) {
  if (begin >= end) return;
  Taps taps;
  taps.count = 0;
  bool first = true;
  for (std::int64_t i = 0; i < p.taps_h; ++i) {
    const std::int64_t y = t * p.step_h + p.first_h + i * p.delta_h;
    if (!inside(y, p.height)) continue;
    for (std::int64_t j = 0; j < p.taps_w; ++j) {
      if (check && !inside(begin * p.step_w + p.first_w + j * p.delta_w, p.width)) continue;
      if (taps.count == kMostTaps) {
        apply_run(p, taps, begin, end, line, first, false);
        taps.count = 0;
        first = false;
      }
      taps.source[taps.count] = (y * p.width + j * p.delta_w) * p.channels;
      taps.kernel[taps.count++] = i * p.kernel_step_h + j * p.kernel_step_w;
    }
  }
  apply_run(p, taps, begin, end, line, first, true);
}

void run_line(const Pass& p, const Interior& interior, std::int64_t t) {
  float* line = p.out + t * p.out_step_h;
  for (std::int64_t u = 0; u < interior.begin; ++u) run_columns(p, t, u, u + 1, true, line);
  run_columns(p, t, interior.begin, interior.end, false, line);
  for (std::int64_t u = interior.end; u < p.columns; ++u) run_columns(p, t, u, u + 1, true, line);
}

// Output lines [begin, end) of all images.
void forward_lines(const ConvForward& conv, std::int64_t begin, std::int64_t end) {
  const Conv2D& s = conv.shape;
  const GemmEpilogue& e = conv.epilogue;
  const bool finish = e.residual != nullptr || e.activation > 1;
  Pass p{};
  p.channels = s.c, p.height = s.h, p.width = s.w;
  p.kernel = conv.kernel, p.kernel_step_h = s.kw * s.c, p.kernel_step_w = s.c;
  p.taps_h = s.kh, p.taps_w = s.kw, p.first_h = -s.pad_top, p.first_w = -s.pad_left;
  p.delta_h = s.dilation_h, p.delta_w = s.dilation_w, p.step_h = s.stride_h, p.step_w = s.stride_w;
  p.out_step_h = s.ow * s.c, p.out_step_w = s.c, p.columns = s.ow;
  p.bias = e.bias;
  p.floor = !finish && e.activation == 1 ? 0.0f : kNoFloor;
  p.ceiling = finish ? kNoCeiling : e.ceiling;
  const Interior interior = interior_of(p);
  for (std::int64_t line = begin; line < end; ++line) {
    p.source = conv.x + line / s.oh * s.h * s.w * s.c;
    p.out = conv.y + line / s.oh * s.oh * s.ow * s.c;
    run_line(p, interior, line % s.oh);
    const std::int64_t at = line * s.ow * s.c;
    if (finish) finish_row(conv.y + at, s.ow * s.c, nullptr, e.residual ? e.residual + at : nullptr, e);
  }
}

// Input lines [begin, end) of all images; a line takes part in every phase of columns.
void input_grad_lines(const ConvInputGrad& conv, std::int64_t begin, std::int64_t end) {
  const Conv2D& s = conv.shape;
  for (std::int64_t line = begin; line < end; ++line) {
    const std::int64_t iy = line % s.h, residue_h = (iy + s.pad_top) % s.stride_h;
    for (std::int64_t residue_w = 0; residue_w < s.stride_w; ++residue_w) {
      const Phases f = phases_of(s, residue_h, residue_w);
      Pass p{};
      p.channels = s.c, p.height = s.oh, p.width = s.ow;
      p.source = conv.dy + line / s.h * s.oh * s.ow * s.c;
      p.kernel = conv.kernel + (f.h.first_tap * s.kw + f.w.first_tap) * s.c;
      p.kernel_step_h = f.h.tap_step * s.kw * s.c, p.kernel_step_w = f.w.tap_step * s.c;
      p.taps_h = f.w.taps == 0 ? 0 : f.h.taps, p.taps_w = f.w.taps;
      p.first_h = f.h.first_output, p.first_w = f.w.first_output;
      p.delta_h = f.h.output_delta, p.delta_w = f.w.output_delta, p.step_h = p.step_w = 1;
      p.out = conv.dx + ((line - iy + f.h.begin) * s.w + f.w.begin) * s.c;
      p.out_step_h = s.stride_h * s.w * s.c, p.out_step_w = s.stride_w * s.c, p.columns = f.w.count;
      p.floor = kNoFloor;
      p.ceiling = kNoCeiling;
      run_line(p, interior_of(p), (iy - f.h.begin) / s.stride_h);
    }
  }
}

}  // namespace

void fill_depthwise(SimdKernels& t) {
  t.depthwise_forward = forward_lines;
  t.depthwise_input_grad = input_grad_lines;
}

}  // namespace ramet::cpu::RAMET_SIMD
