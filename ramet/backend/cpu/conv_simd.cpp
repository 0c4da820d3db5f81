// Convolutions as products over gathered rows, group by group.
#include "ramet/backend/cpu/conv_direct.h"
#include "ramet/backend/cpu/conv_gather.h"
#include "ramet/backend/cpu/gemm_blocks.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

constexpr std::size_t kAlignment = 64;

float* aligned(void* scratch) {
  return reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(scratch) + kAlignment - 1) / kAlignment *
                                  kAlignment);
}

std::size_t bytes(std::size_t floats) { return floats == 0 ? 0 : floats * sizeof(float) + kAlignment; }

std::int64_t padded(std::int64_t columns) { return panels_of(columns) * kPanel; }

// x as the rows of the forward product: one row per output pixel.
Gather gather_input(const Conv2D& s, const float* x, std::int64_t group) {
  const std::int64_t channels = s.c / s.groups;
  Gather g{};
  g.image = x != nullptr ? x + group * channels : nullptr;
  g.height = s.h, g.width = s.w, g.pixel_stride = s.c, g.channels = channels;
  g.taps_h = s.kh, g.taps_w = s.kw;
  g.first_h = -s.pad_top, g.first_w = -s.pad_left;
  g.delta_h = s.dilation_h, g.delta_w = s.dilation_w;
  g.step_h = s.stride_h, g.step_w = s.stride_w;
  g.rows_h = s.oh, g.rows_w = s.ow;
  return g;
}

void forward_region(const ConvForward& conv, const GemmRegion& r, void* scratch) {
  const Conv2D& s = conv.shape;
  const std::int64_t filters = s.f / s.groups, k = s.kh * s.kw * (s.c / s.groups);
  for (std::int64_t group = 0; group < s.groups; ++group) {
    const Gather gather = gather_input(s, conv.x, group);
    Blocks b{};
    b.n = filters, b.k = k;
    b.row_begin = r.row_begin, b.row_end = r.row_end, b.column_begin = r.column_begin, b.column_end = r.column_end;
    b.a = gathered_rows(gather);
    if (is_pointwise(s)) b.a.matrix = gather.image, b.a.ld = s.c;
    b.b.packed = conv.packed_kernel != nullptr ? conv.packed_kernel + group * padded(filters) * k : nullptr;
    b.b.matrix = conv.kernel != nullptr ? conv.kernel + group * filters : nullptr;
    b.b.ld = s.f;
    b.c = conv.y + group * filters;
    b.c_rows.column_stride = s.f;
    b.epilogue = conv.epilogue;
    if (b.epilogue.bias != nullptr) b.epilogue.bias += group * filters;
    if (b.epilogue.residual != nullptr) b.epilogue.residual += group * filters;
    if (conv.packed_kernel != nullptr && takes_direct(gather, filters)) {
      run_direct(gather, b, aligned(scratch));
    } else {
      run_blocks(b, aligned(scratch));
    }
  }
}

std::size_t forward_scratch(const ConvForward& conv) {
  const Conv2D& s = conv.shape;
  const Gather gather = gather_input(s, nullptr, 0);
  if (conv.packed_kernel != nullptr && takes_direct(gather, s.f / s.groups)) return bytes(direct_scratch(gather));
  return bytes(blocks_scratch(s.n * s.oh * s.ow, s.f / s.groups, s.kh * s.kw * (s.c / s.groups),
                              conv.packed_kernel == nullptr, gathered_line(gather)));
}

std::size_t packed_size(const Conv2D& s) {
  return static_cast<std::size_t>(s.groups * padded(s.f / s.groups) * s.kh * s.kw * (s.c / s.groups));
}

void pack_kernel(const Conv2D& s, const float* kernel, float* packed) {
  const std::int64_t filters = s.f / s.groups, k = s.kh * s.kw * (s.c / s.groups);
  for (std::int64_t group = 0; group < s.groups; ++group, packed += padded(filters) * k) {
    pack_panels(kernel + group * filters, s.f, false, k, filters, packed);
  }
}

// The kernel gradient: row (tap, channel), column filter, and k runs over the output pixels.
void kernel_grad_region(const ConvKernelGrad& conv, const GemmRegion& r, void* scratch) {
  const Conv2D& s = conv.shape;
  const std::int64_t filters = s.f / s.groups;
  for (std::int64_t group = 0; group < s.groups; ++group) {
    const Gather gather = gather_input(s, conv.x, group);
    Blocks b{};
    b.n = filters, b.k = s.n * s.oh * s.ow;
    b.row_begin = r.row_begin, b.row_end = r.row_end, b.column_begin = r.column_begin, b.column_end = r.column_end;
    b.a = {pack_gathered_transposed, &gather, nullptr, 0};
    if (is_pointwise(s)) b.a = {nullptr, nullptr, nullptr, s.c, gather.image};
    b.b.matrix = conv.dy + group * filters;
    b.b.ld = s.f;
    b.c = conv.dkernel + group * filters;
    b.c_rows.column_stride = s.f;
    b.accumulate = conv.accumulate;
    if (takes_direct_kernel_grad(gather, filters)) {
      run_direct_kernel_grad(gather, b, aligned(scratch));
    } else {
      run_blocks(b, aligned(scratch));
    }
  }
}

std::size_t kernel_grad_scratch(const ConvKernelGrad& conv) {
  const Conv2D& s = conv.shape;
  const Gather gather = gather_input(s, nullptr, 0);
  if (takes_direct_kernel_grad(gather, s.f / s.groups)) return bytes(direct_kernel_grad_scratch(gather));
  return bytes(blocks_scratch(s.kh * s.kw * (s.c / s.groups), s.f / s.groups, s.n * s.oh * s.ow, true));
}

}  // namespace

void fill_conv(SimdKernels& t) {
  t.conv_packed_size = packed_size;
  t.pack_conv_kernel = pack_kernel;
  t.conv_forward_scratch = forward_scratch;
  t.conv_forward_region = forward_region;
  t.conv_kernel_grad_scratch = kernel_grad_scratch;
  t.conv_kernel_grad_region = kernel_grad_region;
}

}  // namespace ramet::cpu::RAMET_SIMD
