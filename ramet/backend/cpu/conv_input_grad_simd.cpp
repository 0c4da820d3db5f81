// The gradient of a convolution's input: for each phase (conv_phase.h) a dense product over dy with its part of the
// kernel.
#include "ramet/backend/cpu/conv_direct.h"
#include "ramet/backend/cpu/conv_gather.h"
#include "ramet/backend/cpu/conv_phase.h"
#include "ramet/backend/cpu/gemm_blocks.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

std::int64_t padded(std::int64_t columns) { return panels_of(columns) * kPanel; }

// Rows (tap, filter) and columns channel: each tap of the kernel is transposed.
void pack_phase(const Conv2D& s, const Phases& p, const float* kernel, float* packed) {
  const std::int64_t channels = s.c / s.groups, filters = s.f / s.groups;
  const std::int64_t k = p.h.taps * p.w.taps * filters, step = block_k(k);
  for (std::int64_t k0 = 0; k0 < k; k0 += step) {
    const std::int64_t k1 = k0 + step < k ? k0 + step : k;
    for (std::int64_t j = 0; j < channels; j += kPanel) {
      const int count = static_cast<int>(channels - j < kPanel ? channels - j : kPanel);
      for (std::int64_t at = k0; at < k1;) {
        const std::int64_t tap = at / filters, from = at % filters;
        const std::int64_t run = filters - from < k1 - at ? filters - from : k1 - at;
        const std::int64_t ky = p.h.first_tap + tap / p.w.taps * p.h.tap_step,
                           kx = p.w.first_tap + tap % p.w.taps * p.w.tap_step;
        pack_transposed(kernel + ((ky * s.kw + kx) * channels + j) * s.f + from, s.f, count, run, packed, kPanel);
        packed += run * kPanel;
        at += run;
      }
    }
  }
}

void pack_input_grad(const Conv2D& s, const float* kernel, float* packed) {
  const std::int64_t channels = s.c / s.groups, filters = s.f / s.groups;
  for (std::int64_t rh = 0; rh < s.stride_h; ++rh) {
    for (std::int64_t rw = 0; rw < s.stride_w; ++rw) {
      const Phases p = phases_of(s, rh, rw);
      for (std::int64_t group = 0; group < s.groups; ++group) {
        pack_phase(s, p, kernel + group * filters, packed);
        packed += p.h.taps * p.w.taps * filters * padded(channels);
      }
    }
  }
}

std::size_t packed_size(const Conv2D& s) {
  return static_cast<std::size_t>(s.groups * padded(s.c / s.groups) * s.kh * s.kw * (s.f / s.groups));
}

// dy as the rows of one phase's product.
Gather gather_phase(const Conv2D& s, const Phases& p, const float* dy) {
  Gather g{};
  g.image = dy;
  g.height = s.oh, g.width = s.ow, g.pixel_stride = s.f, g.channels = s.f / s.groups;
  g.taps_h = p.h.taps, g.taps_w = p.w.taps;
  g.first_h = p.h.first_output, g.first_w = p.w.first_output;
  g.delta_h = p.h.output_delta, g.delta_w = p.w.output_delta;
  g.step_h = g.step_w = 1;
  g.rows_h = p.h.count, g.rows_w = p.w.count;
  return g;
}

// The rows of dx in one phase of one group, of which this part takes its share.
void run_phase(const ConvInputGrad& conv, const Phases& p, std::int64_t group, const float* packed, int part, int parts,
               float* scratch) {
  const Conv2D& s = conv.shape;
  const std::int64_t channels = s.c / s.groups, filters = s.f / s.groups, rows = s.n * p.h.count * p.w.count;
  if (rows == 0) return;
  const RowMap to{p.h.count, p.w.count, s.h * s.w * s.c, s.stride_h * s.w * s.c, s.stride_w * s.c};
  float* const dx = conv.dx + (p.h.begin * s.w + p.w.begin) * s.c + group * channels;
  if (p.h.taps * p.w.taps == 0) {  // between the strides of a narrow kernel
    for (std::int64_t row = rows * part / parts; row < rows * (part + 1) / parts; ++row)
      __builtin_memset(dx + to.offset(row), 0, static_cast<std::size_t>(channels) * sizeof(float));
    return;
  }
  const Gather g = gather_phase(s, p, conv.dy + group * filters);
  Blocks b{};
  b.n = channels, b.k = p.h.taps * p.w.taps * filters;
  b.row_begin = rows * part / parts, b.row_end = rows * (part + 1) / parts;
  b.column_end = channels;
  b.a = gathered_rows(g);
  if (is_pointwise(s)) b.a.matrix = g.image, b.a.ld = s.f;
  b.b.packed = packed;
  b.c = dx;
  b.c_rows.column_stride = s.stride_w * s.c;
  if (s.stride_h != 1 || s.stride_w != 1) b.c_rows = to;
  if (takes_direct(g, channels)) {
    run_direct(g, b, scratch);
  } else {
    run_blocks(b, scratch);
  }
}

constexpr std::size_t kAlignment = 64;

void input_grad_part(const ConvInputGrad& conv, int part, int parts, void* scratch) {
  const std::uintptr_t aligned = (reinterpret_cast<std::uintptr_t>(scratch) + kAlignment - 1) / kAlignment * kAlignment;
  const Conv2D& s = conv.shape;
  const float* packed = conv.packed_kernel;
  for (std::int64_t rh = 0; rh < s.stride_h; ++rh) {
    for (std::int64_t rw = 0; rw < s.stride_w; ++rw) {
      const Phases p = phases_of(s, rh, rw);
      for (std::int64_t group = 0; group < s.groups; ++group) {
        run_phase(conv, p, group, packed, part, parts, reinterpret_cast<float*>(aligned));
        packed += p.h.taps * p.w.taps * (s.f / s.groups) * padded(s.c / s.groups);
      }
    }
  }
}

std::size_t input_grad_scratch(const ConvInputGrad& conv) {
  const Conv2D& s = conv.shape;
  std::size_t floats = 0;
  for (std::int64_t rh = 0; rh < s.stride_h; ++rh) {
    for (std::int64_t rw = 0; rw < s.stride_w; ++rw) {
      const Phases p = phases_of(s, rh, rw);
      const Gather g = gather_phase(s, p, nullptr);
      const std::size_t needed =
          takes_direct(g, s.c / s.groups)
              ? direct_scratch(g)
              : blocks_scratch(s.n * p.h.count * p.w.count, s.c / s.groups, kMostSteps, false, gathered_line(g));
      if (needed > floats) floats = needed;
    }
  }
  return floats * sizeof(float) + kAlignment;
}

}  // namespace

void fill_conv_input_grad(SimdKernels& t) {
  t.conv_input_grad_packed_size = packed_size;
  t.pack_conv_input_grad = pack_input_grad;
  t.conv_input_grad_scratch = input_grad_scratch;
  t.conv_input_grad_part = input_grad_part;
}

}  // namespace ramet::cpu::RAMET_SIMD
