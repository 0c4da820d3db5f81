#include "ramet/backend/cpu/conv.h"

#include "ramet/backend/cpu/part_grid.h"

namespace ramet::cpu {
namespace {

// Multiplications of one pass.
double work_of(const Conv2D& s) {
  return static_cast<double>(s.n * s.oh * s.ow) * static_cast<double>(s.f) *
         static_cast<double>(s.kh * s.kw * (s.c / s.groups));
}

// Share `part` of `count` things.
struct Share {
  std::int64_t begin, end;
  Share(std::int64_t count, int part, int parts) : begin(count * part / parts), end(count * (part + 1) / parts) {}
};

std::int64_t channel_vectors(const Conv2D& s) { return ceil_div(s.c, simd().lanes); }

}  // namespace

std::size_t conv_packed_size(const Conv2D& s) { return is_depthwise(s) ? 0 : simd().conv_packed_size(s); }
void pack_conv_kernel(const Conv2D& s, const float* kernel, float* packed) {
  if (!is_depthwise(s)) simd().pack_conv_kernel(s, kernel, packed);
}

std::size_t conv_input_grad_packed_size(const Conv2D& s) {
  return is_depthwise(s) ? 0 : simd().conv_input_grad_packed_size(s);
}
void pack_conv_input_grad(const Conv2D& s, const float* kernel, float* packed) {
  if (!is_depthwise(s)) simd().pack_conv_input_grad(s, kernel, packed);
}

std::size_t conv_scratch(const ConvForward& conv) {
  return is_depthwise(conv.shape) ? 0 : simd().conv_forward_scratch(conv);
}

int conv_parts(const ConvForward& conv, int threads) {
  const Conv2D& s = conv.shape;
  return parts_for(work_of(s), is_depthwise(s) ? s.n * s.oh : tile_count(s.n * s.oh * s.ow, s.f / s.groups), threads);
}

void conv_part(const ConvForward& conv, int part, int parts, void* scratch) {
  const Conv2D& s = conv.shape;
  if (is_depthwise(s)) {
    const Share lines(s.n * s.oh, part, parts);
    return simd().depthwise_forward(conv, lines.begin, lines.end);
  }
  simd().conv_forward_region(conv, region_of(s.n * s.oh * s.ow, s.f / s.groups, part, parts), scratch);
}

std::size_t conv_scratch(const ConvInputGrad& conv) {
  return is_depthwise(conv.shape) ? 0 : simd().conv_input_grad_scratch(conv);
}

int conv_parts(const ConvInputGrad& conv, int threads) {
  const Conv2D& s = conv.shape;
  return parts_for(work_of(s), is_depthwise(s) ? s.n * s.h : ceil_div(s.n * s.h * s.w, simd().tile_rows), threads);
}

void conv_part(const ConvInputGrad& conv, int part, int parts, void* scratch) {
  if (!is_depthwise(conv.shape)) return simd().conv_input_grad_part(conv, part, parts, scratch);
  const Share lines(conv.shape.n * conv.shape.h, part, parts);
  simd().depthwise_input_grad(conv, lines.begin, lines.end);
}

std::size_t conv_scratch(const ConvKernelGrad& conv) {
  const Conv2D& s = conv.shape;
  if (is_depthwise(s)) return static_cast<std::size_t>(s.kh * s.kw * simd().lanes) * sizeof(float);
  return simd().conv_kernel_grad_scratch(conv);
}

int conv_parts(const ConvKernelGrad& conv, int threads) {
  const Conv2D& s = conv.shape;
  const std::int64_t tiles =
      is_depthwise(s) ? channel_vectors(s) : tile_count(s.kh * s.kw * (s.c / s.groups), s.f / s.groups);
  return parts_for(work_of(s), tiles, threads);
}

void conv_part(const ConvKernelGrad& conv, int part, int parts, void* scratch) {
  const Conv2D& s = conv.shape;
  if (is_depthwise(s)) {
    const Share vectors(channel_vectors(s), part, parts);
    return simd().depthwise_kernel_grad(conv, vectors.begin, vectors.end, scratch);
  }
  simd().conv_kernel_grad_region(conv, region_of(s.kh * s.kw * (s.c / s.groups), s.f / s.groups, part, parts), scratch);
}

}  // namespace ramet::cpu
