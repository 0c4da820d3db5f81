// The kernel gradient of a depthwise convolution: one vector of channels at a time, up to four taps of a kernel line in
// registers while a line of dy passes. Lines and pixels are added in order, so only the channels may be cut into parts.
#include "ramet/backend/cpu/simd.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

struct Range {
  std::int64_t begin, end;
};

// Output columns whose tap kx lies inside the image.
Range columns_of(const Conv2D& s, std::int64_t kx) {
  const std::int64_t first = kx * s.dilation_w - s.pad_left;
  const std::int64_t begin = first >= 0 ? 0 : (-first + s.stride_w - 1) / s.stride_w;
  const std::int64_t end = s.w - first <= 0 ? 0 : (s.w - first + s.stride_w - 1) / s.stride_w;
  return {begin, end < s.ow ? end : s.ow};
}

// sum[i] += sum over ox in [begin, end) of dy(ox) x(ox, tap i); x points at tap 0 of output column 0.
template <int kTaps>
void add_columns(const Conv2D& s, const float* x, const float* dy, Range columns, std::size_t count, float* sum) {
  Vec total[kTaps];
#pragma GCC unroll 4
  for (int i = 0; i < kTaps; ++i) total[i] = load(sum + i * kLanes);
  const std::int64_t step = s.stride_w * s.c, tap = s.dilation_w * s.c;
  if (count == kLanes) {
    for (std::int64_t ox = columns.begin; ox < columns.end; ++ox) {
      const Vec d = load(dy + ox * s.c);
#pragma GCC unroll 4
      for (int i = 0; i < kTaps; ++i) total[i] = mul_add(d, load(x + ox * step + i * tap), total[i]);
    }
  } else {
    for (std::int64_t ox = columns.begin; ox < columns.end; ++ox) {
      const Vec d = load_part(dy + ox * s.c, count);
#pragma GCC unroll 4
      for (int i = 0; i < kTaps; ++i) total[i] = mul_add(d, load_part(x + ox * step + i * tap, count), total[i]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kTaps; ++i) store(sum + i * kLanes, total[i]);
}

// A line of dy against one line of x: taps in fours where all are inside, single ones at the borders.
void add_line(const Conv2D& s, const float* x, const float* dy, std::size_t count, float* sum) {
  for (std::int64_t kx = 0; kx < s.kw;) {
    const int taps = s.kw - kx >= 4 ? 4 : static_cast<int>(s.kw - kx);
    Range shared{0, s.ow};
    for (int i = 0; i < taps; ++i) {
      const Range own = columns_of(s, kx + i);
      if (own.begin > shared.begin) shared.begin = own.begin;
      if (own.end < shared.end) shared.end = own.end;
    }
    const bool any = shared.begin < shared.end;
    const float* first = x + (kx * s.dilation_w - s.pad_left) * s.c;
    for (int i = 0; i < taps; ++i) {  // left of the shared columns, or everything when there are none
      const Range own = columns_of(s, kx + i);
      add_columns<1>(s, first + i * s.dilation_w * s.c, dy, {own.begin, any ? shared.begin : own.end}, count,
                     sum + (kx + i) * kLanes);
    }
    if (any) {
      switch (taps) {
        case 4: add_columns<4>(s, first, dy, shared, count, sum + kx * kLanes); break;
        case 3: add_columns<3>(s, first, dy, shared, count, sum + kx * kLanes); break;
        case 2: add_columns<2>(s, first, dy, shared, count, sum + kx * kLanes); break;
        default: add_columns<1>(s, first, dy, shared, count, sum + kx * kLanes);
      }
      for (int i = 0; i < taps; ++i) {
        add_columns<1>(s, first + i * s.dilation_w * s.c, dy, {shared.end, columns_of(s, kx + i).end}, count,
                       sum + (kx + i) * kLanes);
      }
    }
    kx += taps;
  }
}

// Channels [c, c + count) for all taps; the sums stay in L1 while the images stream past.
void kernel_grad_vector(const ConvKernelGrad& conv, std::int64_t c, std::size_t count, float* sum) {
  const Conv2D& s = conv.shape;
  const std::int64_t taps = s.kh * s.kw;
  for (std::int64_t t = 0; t < taps; ++t) {
    store(sum + t * kLanes, conv.accumulate ? load_some(conv.dkernel + t * s.c + c, count) : Vec{});
  }
  for (std::int64_t line = 0; line < s.n * s.oh; ++line) {
    const float* dy = conv.dy + line * s.ow * s.c + c;
    for (std::int64_t ky = 0; ky < s.kh; ++ky) {
      const std::int64_t iy = line % s.oh * s.stride_h - s.pad_top + ky * s.dilation_h;
      if (iy < 0 || iy >= s.h) continue;
      add_line(s, conv.x + (line / s.oh * s.h + iy) * s.w * s.c + c, dy, count, sum + ky * s.kw * kLanes);
    }
  }
  for (std::int64_t t = 0; t < taps; ++t) store_some(conv.dkernel + t * s.c + c, load(sum + t * kLanes), count);
}

// Vectors of channels [begin, end).
void kernel_grad_vectors(const ConvKernelGrad& conv, std::int64_t begin, std::int64_t end, void* scratch) {
  for (std::int64_t v = begin; v < end; ++v) {
    const std::int64_t c = v * kLanes, left = conv.shape.c - c;
    kernel_grad_vector(conv, c, static_cast<std::size_t>(left < kLanes ? left : kLanes), static_cast<float*>(scratch));
  }
}

}  // namespace

void fill_depthwise_kernel_grad(SimdKernels& t) { t.depthwise_kernel_grad = kernel_grad_vectors; }

}  // namespace ramet::cpu::RAMET_SIMD
