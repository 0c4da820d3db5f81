// Pooling with vectors along the channels. The gradient of a mean is gathered: an input pixel asks every window that
// covers it.
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

// Calls with (channel, count) for each vector of channels.
template <class Body>
void each_vector(std::int64_t channels, Body body) {
  for (std::int64_t c = 0; c < channels; c += kLanes) body(c, static_cast<std::size_t>(least(kLanes, channels - c)));
}

void max_pool(const MaxPool& pool, std::int64_t begin, std::int64_t end) {
  const Pool2D& s = pool.shape;
  for (std::int64_t line = begin; line < end; ++line) {
    const float* image = pool.x + line / s.oh * s.h * s.w * s.c;
    const Range rows = window(line % s.oh, s.kh, s.stride_h, s.pad_top, s.h);
    for (std::int64_t ox = 0; ox < s.ow; ++ox) {
      const Range columns = window(ox, s.kw, s.stride_w, s.pad_left, s.w);
      each_vector(s.c, [&](std::int64_t c, std::size_t count) {
        Vec best = splat(-__builtin_inff());
        for (std::int64_t iy = rows.begin; iy < rows.end; ++iy) {
          for (std::int64_t ix = columns.begin; ix < columns.end; ++ix)
            best = maximum(best, load_some(image + (iy * s.w + ix) * s.c + c, count));
        }
        store_some(pool.y + (line * s.ow + ox) * s.c + c, best, count);
      });
    }
  }
}

// Adds dy to the gradient of the first largest element of one window, which is looked up again.
void max_pool_grad_window(const Pool2D& s, const float* x, const float* dy, float* dx, Range rows, Range columns) {
  each_vector(s.c, [&](std::int64_t c, std::size_t count) {
    Vec best = splat(-__builtin_inff());
    VecI chosen = {};  // the first cell, if nothing exceeds -inf
    std::int32_t cell = 0;
    for (std::int64_t iy = rows.begin; iy < rows.end; ++iy) {
      for (std::int64_t ix = columns.begin; ix < columns.end; ++ix, ++cell) {
        const Vec v = load_some(x + (iy * s.w + ix) * s.c + c, count);
        const VecI better = (v > best) | ((v != v) & (best == best));
        chosen = better ? splat(cell) : chosen;
        best = better ? v : best;
      }
    }
    const Vec d = load_some(dy + c, count);
    cell = 0;
    for (std::int64_t iy = rows.begin; iy < rows.end; ++iy) {
      for (std::int64_t ix = columns.begin; ix < columns.end; ++ix, ++cell) {
        float* at = dx + (iy * s.w + ix) * s.c + c;
        store_some(at, load_some(at, count) + (chosen == splat(cell) ? d : Vec{}), count);
      }
    }
  });
}

// Whole images, because windows may overlap: every window adds to what its neighbours gave.
void max_pool_grad(const MaxPoolGrad& pool, std::int64_t begin, std::int64_t end) {
  const Pool2D& s = pool.shape;
  for (std::int64_t image = begin; image < end; ++image) {
    const std::int64_t at = image * s.h * s.w * s.c;
    __builtin_memset(pool.dx + at, 0, static_cast<std::size_t>(s.h * s.w * s.c) * sizeof(float));
    for (std::int64_t oy = 0; oy < s.oh; ++oy) {
      const Range rows = window(oy, s.kh, s.stride_h, s.pad_top, s.h);
      for (std::int64_t ox = 0; ox < s.ow; ++ox)
        max_pool_grad_window(s, pool.x + at, pool.dy + ((image * s.oh + oy) * s.ow + ox) * s.c, pool.dx + at, rows,
                             window(ox, s.kw, s.stride_w, s.pad_left, s.w));
    }
  }
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
