// Pooling with vectors along the channels. Gradients are gathered: an input pixel asks every window that covers it.
#include "ramet/backend/cpu/simd.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
std::int64_t most(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

struct Range {
  std::int64_t begin, end;
  std::int64_t size() const { return most(end - begin, 0); }
};

// Input positions of output `o` that lie inside the image.
Range window(std::int64_t o, std::int64_t kernel, std::int64_t stride, std::int64_t pad, std::int64_t size) {
  const std::int64_t first = o * stride - pad;
  return {most(first, 0), least(first + kernel, size)};
}

// Outputs whose window covers input `i`.
Range covering(std::int64_t i, std::int64_t kernel, std::int64_t stride, std::int64_t pad, std::int64_t outputs) {
  const std::int64_t reach = i + pad - kernel + 1;  // o * stride >= reach
  return {reach <= 0 ? 0 : (reach + stride - 1) / stride, least((i + pad) / stride + 1, outputs)};
}

// The first n <= kLanes bytes.
VecI load_some_bytes(const std::uint8_t* p, std::size_t n) {
  if (n == kLanes) return load_bytes(p);
  VecI v = {};
  for (std::size_t i = 0; i < n; ++i) v[i] = p[i];
  return v;
}

void store_some_bytes(std::uint8_t* p, VecI v, std::size_t n) {
  if (n == kLanes) return store_bytes(p, v);
  for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<std::uint8_t>(v[i]);
}

// Calls with (channel, count) for each vector of channels.
template <class Body>
void each_vector(std::int64_t channels, Body body) {
  for (std::int64_t c = 0; c < channels; c += kLanes) body(c, static_cast<std::size_t>(least(kLanes, channels - c)));
}

template <bool kIndex>
void max_pool_lines(const MaxPool& pool, std::int64_t begin, std::int64_t end) {
  const Pool2D& s = pool.shape;
  for (std::int64_t line = begin; line < end; ++line) {
    const float* image = pool.x + line / s.oh * s.h * s.w * s.c;
    const std::int64_t oy = line % s.oh, y0 = oy * s.stride_h - s.pad_top;
    const Range rows = window(oy, s.kh, s.stride_h, s.pad_top, s.h);
    for (std::int64_t ox = 0; ox < s.ow; ++ox) {
      const std::int64_t x0 = ox * s.stride_w - s.pad_left, at = (line * s.ow + ox) * s.c;
      const Range columns = window(ox, s.kw, s.stride_w, s.pad_left, s.w);
      each_vector(s.c, [&](std::int64_t c, std::size_t count) {
        Vec best = splat(-__builtin_inff());
        [[maybe_unused]] VecI tap =
            splat(std::int32_t((rows.begin - y0) * s.kw + columns.begin - x0));  // if nothing exceeds -inf
        for (std::int64_t iy = rows.begin; iy < rows.end; ++iy) {
          for (std::int64_t ix = columns.begin; ix < columns.end; ++ix) {
            const Vec v = load_some(image + (iy * s.w + ix) * s.c + c, count);
            if constexpr (kIndex) {
              const VecI better = (v > best) | ((v != v) & (best == best));
              tap = better ? splat(std::int32_t((iy - y0) * s.kw + ix - x0)) : tap;
              best = better ? v : best;
            } else {
              best = maximum(best, v);
            }
          }
        }
        store_some(pool.y + at + c, best, count);
        if constexpr (kIndex) store_some_bytes(pool.index + at + c, tap, count);
      });
    }
  }
}

void max_pool(const MaxPool& pool, std::int64_t begin, std::int64_t end) {
  pool.index != nullptr ? max_pool_lines<true>(pool, begin, end) : max_pool_lines<false>(pool, begin, end);
}

// Input pixels of lines [begin, end): body(pixel's offset, image, iy, ix, covering lines, covering columns).
template <class Body>
void each_input_pixel(const Pool2D& s, std::int64_t begin, std::int64_t end, Body body) {
  for (std::int64_t line = begin; line < end; ++line) {
    const Range rows = covering(line % s.h, s.kh, s.stride_h, s.pad_top, s.oh);
    for (std::int64_t ix = 0; ix < s.w; ++ix) {
      body((line * s.w + ix) * s.c, line / s.h, line % s.h, ix, rows, covering(ix, s.kw, s.stride_w, s.pad_left, s.ow));
    }
  }
}

void max_pool_grad(const MaxPoolGrad& pool, std::int64_t begin, std::int64_t end) {
  const Pool2D& s = pool.shape;
  each_input_pixel(
      s, begin, end,
      [&](std::int64_t at, std::int64_t image, std::int64_t iy, std::int64_t ix, Range rows, Range columns) {
        each_vector(s.c, [&](std::int64_t c, std::size_t count) {
          Vec sum = {};
          for (std::int64_t oy = rows.begin; oy < rows.end; ++oy) {
            for (std::int64_t ox = columns.begin; ox < columns.end; ++ox) {
              const std::int64_t from = ((image * s.oh + oy) * s.ow + ox) * s.c + c;
              const std::int64_t tap = (iy - oy * s.stride_h + s.pad_top) * s.kw + ix - ox * s.stride_w + s.pad_left;
              const VecI chosen = load_some_bytes(pool.index + from, count) == splat(std::int32_t(tap));
              sum += chosen ? load_some(pool.dy + from, count) : Vec{};
            }
          }
          store_some(pool.dx + at + c, sum, count);
        });
      });
}

void average_pool(const AveragePool& pool, std::int64_t begin, std::int64_t end) {
  const Pool2D& s = pool.shape;
  for (std::int64_t line = begin; line < end; ++line) {
    const float* image = pool.x + line / s.oh * s.h * s.w * s.c;
    const Range rows = window(line % s.oh, s.kh, s.stride_h, s.pad_top, s.h);
    for (std::int64_t ox = 0; ox < s.ow; ++ox) {
      const Range columns = window(ox, s.kw, s.stride_w, s.pad_left, s.w);
      const float share = 1.0f / static_cast<float>(rows.size() * columns.size());
      each_vector(s.c, [&](std::int64_t c, std::size_t count) {
        Vec sum = {};
        for (std::int64_t iy = rows.begin; iy < rows.end; ++iy) {
          for (std::int64_t ix = columns.begin; ix < columns.end; ++ix)
            sum += load_some(image + (iy * s.w + ix) * s.c + c, count);
        }
        store_some(pool.y + (line * s.ow + ox) * s.c + c, sum * share, count);
      });
    }
  }
}

void average_pool_grad(const AveragePoolGrad& pool, std::int64_t begin, std::int64_t end) {
  const Pool2D& s = pool.shape;
  each_input_pixel(
      s, begin, end, [&](std::int64_t at, std::int64_t image, std::int64_t, std::int64_t, Range rows, Range columns) {
        each_vector(s.c, [&](std::int64_t c, std::size_t count) {
          Vec sum = {};
          for (std::int64_t oy = rows.begin; oy < rows.end; ++oy) {
            const std::int64_t high = window(oy, s.kh, s.stride_h, s.pad_top, s.h).size();
            for (std::int64_t ox = columns.begin; ox < columns.end; ++ox) {
              const std::int64_t wide = window(ox, s.kw, s.stride_w, s.pad_left, s.w).size();
              const float share = 1.0f / static_cast<float>(high * wide);
              sum = mul_add(load_some(pool.dy + ((image * s.oh + oy) * s.ow + ox) * s.c + c, count), share, sum);
            }
          }
          store_some(pool.dx + at + c, sum, count);
        });
      });
}

}  // namespace

void fill_pool(SimdKernels& t) {
  t.max_pool = max_pool;
  t.max_pool_grad = max_pool_grad;
  t.average_pool = average_pool;
  t.average_pool_grad = average_pool_grad;
}

}  // namespace ramet::cpu::RAMET_SIMD
