// Depthwise convolution: no product to speak of, so vectors run along the channels. For every pixel the taps that fall inside
// the image are listed once and then applied to all channels.
#include "ramet/backend/cpu/gemm_blocks.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

struct Tap {
  const float *x, *kernel;
};

constexpr int kMostTaps = 64;  // listed at once; larger kernels take several rounds

template <int kVecs>
void apply_vecs(const Tap* tap, int taps, const float* init, float* y, std::int64_t c) {
  Vec sum[kVecs];
#pragma GCC unroll 4
  for (int v = 0; v < kVecs; ++v) sum[v] = init != nullptr ? load(init + c + v * kLanes) : Vec{};
  for (int t = 0; t < taps; ++t) {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      sum[v] = mul_add(load(tap[t].x + c + v * kLanes), load(tap[t].kernel + c + v * kLanes), sum[v]);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVecs; ++v) store(y + c + v * kLanes, sum[v]);
}

// y = init + sum over the taps of x * kernel, for all channels; init null means zero.
void apply(const Tap* tap, int taps, const float* init, float* y, std::int64_t channels) {
  std::int64_t c = 0;
  for (; c + 4 * kLanes <= channels; c += 4 * kLanes) apply_vecs<4>(tap, taps, init, y, c);
  for (; c + kLanes <= channels; c += kLanes) apply_vecs<1>(tap, taps, init, y, c);
  if (c == channels) return;
  const std::size_t rest = static_cast<std::size_t>(channels - c);
  Vec sum = init != nullptr ? load_part(init + c, rest) : Vec{};
  for (int t = 0; t < taps; ++t) sum = mul_add(load_part(tap[t].x + c, rest), load_part(tap[t].kernel + c, rest), sum);
  store_part(y + c, sum, rest);
}

// Gathers taps and applies them whenever the list is full.
struct TapList {
  const float* init;
  float* y;
  std::int64_t channels;
  Tap tap[kMostTaps];
  int count = 0;
  void add(const float* x, const float* kernel) {
    if (count == kMostTaps) flush();
    tap[count++] = {x, kernel};
  }
  void flush() {
    apply(tap, count, init, y, channels);
    init = y;
    count = 0;
  }
};

bool inside(std::int64_t at, std::int64_t size) { return static_cast<std::uint64_t>(at) < static_cast<std::uint64_t>(size); }

// Output lines [begin, end) of all images.
void forward_lines(const ConvForward& conv, std::int64_t begin, std::int64_t end) {
  const Conv2D& s = conv.shape;
  const GemmEpilogue& e = conv.epilogue;
  for (std::int64_t line = begin; line < end; ++line) {
    const float* image = conv.x + line / s.oh * s.h * s.w * s.c;
    const std::int64_t y0 = line % s.oh * s.stride_h - s.pad_top;
    for (std::int64_t ox = 0; ox < s.ow; ++ox) {
      const std::int64_t x0 = ox * s.stride_w - s.pad_left, at = (line * s.ow + ox) * s.c;
      TapList list{e.bias, conv.y + at, s.c, {}, 0};
      for (std::int64_t ky = 0; ky < s.kh; ++ky) {
        const std::int64_t iy = y0 + ky * s.dilation_h;
        if (!inside(iy, s.h)) continue;
        for (std::int64_t kx = 0; kx < s.kw; ++kx) {
          const std::int64_t ix = x0 + kx * s.dilation_w;
          if (inside(ix, s.w)) list.add(image + (iy * s.w + ix) * s.c, conv.kernel + (ky * s.kw + kx) * s.c);
        }
      }
      list.flush();
      if (e.residual != nullptr || e.activation != 0) {
        finish_row(conv.y + at, s.c, nullptr, e.residual ? e.residual + at : nullptr, e.activation);
      }
    }
  }
}

// Input lines [begin, end) of all images: iy = oy stride + ky dilation - pad, solved for oy.
void input_grad_lines(const ConvInputGrad& conv, std::int64_t begin, std::int64_t end) {
  const Conv2D& s = conv.shape;
  for (std::int64_t line = begin; line < end; ++line) {
    const float* image = conv.dy + line / s.h * s.oh * s.ow * s.c;
    for (std::int64_t ix = 0; ix < s.w; ++ix) {
      TapList list{nullptr, conv.dx + (line * s.w + ix) * s.c, s.c, {}, 0};
      for (std::int64_t ky = 0; ky < s.kh; ++ky) {
        const std::int64_t y = line % s.h + s.pad_top - ky * s.dilation_h;
        if (y < 0 || y % s.stride_h != 0 || y / s.stride_h >= s.oh) continue;
        for (std::int64_t kx = 0; kx < s.kw; ++kx) {
          const std::int64_t x = ix + s.pad_left - kx * s.dilation_w;
          if (x < 0 || x % s.stride_w != 0 || x / s.stride_w >= s.ow) continue;
          list.add(image + (y / s.stride_h * s.ow + x / s.stride_w) * s.c, conv.kernel + (ky * s.kw + kx) * s.c);
        }
      }
      list.flush();
    }
  }
}

// Channels [begin, end), at most one vector of them, for all taps at once; sums stay in L1 while the images stream past.
void kernel_grad_vector(const ConvKernelGrad& conv, std::int64_t c, std::size_t count, float* sum) {
  const Conv2D& s = conv.shape;
  const std::int64_t taps = s.kh * s.kw;
  for (std::int64_t t = 0; t < taps; ++t) {
    store(sum + t * kLanes, conv.accumulate ? load_some(conv.dkernel + t * s.c + c, count) : Vec{});
  }
  for (std::int64_t line = 0; line < s.n * s.oh; ++line) {
    const float* image = conv.x + line / s.oh * s.h * s.w * s.c;
    const std::int64_t y0 = line % s.oh * s.stride_h - s.pad_top;
    for (std::int64_t ox = 0; ox < s.ow; ++ox) {
      const Vec dy = load_some(conv.dy + (line * s.ow + ox) * s.c + c, count);
      const std::int64_t x0 = ox * s.stride_w - s.pad_left;
      for (std::int64_t ky = 0; ky < s.kh; ++ky) {
        const std::int64_t iy = y0 + ky * s.dilation_h;
        if (!inside(iy, s.h)) continue;
        for (std::int64_t kx = 0; kx < s.kw; ++kx) {
          const std::int64_t ix = x0 + kx * s.dilation_w;
          if (!inside(ix, s.w)) continue;
          float* at = sum + (ky * s.kw + kx) * kLanes;
          store(at, mul_add(dy, load_some(image + (iy * s.w + ix) * s.c + c, count), load(at)));
        }
      }
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

void fill_depthwise(SimdKernels& t) {
  t.depthwise_forward = forward_lines;
  t.depthwise_input_grad = input_grad_lines;
  t.depthwise_kernel_grad = kernel_grad_vectors;
}

}  // namespace ramet::cpu::RAMET_SIMD
