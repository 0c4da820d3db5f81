// The gradient of a convolution's input, in gather form. An input line iy feeds output line oy through tap ky when
//   iy = oy stride + ky dilation - pad.
// Lines with the same residue of iy + pad use the same taps: every stride-th of them is one `phase`, and along a phase
// oy grows by one from line to line. So each phase is a dense stride-1 convolution of dy with its own part of the
// kernel, and no multiplication by an inserted zero is ever done. For *_simd.cpp files only.
#pragma once
#include "ramet/backend/cpu/conv.h"

namespace ramet::cpu::RAMET_SIMD {

inline std::int64_t gcd(std::int64_t a, std::int64_t b) { return b == 0 ? a : gcd(b, a % b); }

// One axis of one phase: input positions begin, begin + stride, ... (count of them), taps first_tap, first_tap +
// tap_step, ..., and position t reads output t + first_output + i * output_delta through tap i.
struct Phase {
  std::int64_t begin, count, first_tap, tap_step, taps, first_output, output_delta;
};

inline Phase phase_of(std::int64_t residue, std::int64_t size, std::int64_t kernel, std::int64_t stride,
                      std::int64_t dilation, std::int64_t pad) {
  Phase p{};
  p.begin = ((residue - pad) % stride + stride) % stride;
  p.count = p.begin < size ? (size - p.begin + stride - 1) / stride : 0;
  p.tap_step = stride / gcd(stride, dilation);
  p.first_tap = 0;
  while (p.first_tap < kernel && p.first_tap < p.tap_step && p.first_tap * dilation % stride != residue) ++p.first_tap;
  const bool any = p.first_tap < kernel && p.first_tap < p.tap_step;
  p.taps = any ? (kernel - p.first_tap + p.tap_step - 1) / p.tap_step : 0;
  // begin + pad - first_tap * dilation is a multiple of the stride, perhaps a negative one.
  p.first_output = any ? (p.begin + pad - p.first_tap * dilation) / stride : 0;
  p.output_delta = -p.tap_step * dilation / stride;
  return p;
}

struct Phases {
  Phase h, w;
};

inline Phases phases_of(const Conv2D& s, std::int64_t residue_h, std::int64_t residue_w) {
  return {phase_of(residue_h, s.h, s.kh, s.stride_h, s.dilation_h, s.pad_top),
          phase_of(residue_w, s.w, s.kw, s.stride_w, s.dilation_w, s.pad_left)};
}

}  // namespace ramet::cpu::RAMET_SIMD
