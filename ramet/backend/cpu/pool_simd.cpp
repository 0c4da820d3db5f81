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

// Windows of 2 x 2 side by side, as most networks have them, and whole vectors of channels.
bool is_quads(const Pool2D& s) {
  return s.kh == 2 && s.kw == 2 && s.stride_h == 2 && s.stride_w == 2 && s.pad_top == 0 && s.pad_left == 0 &&
         2 * s.oh <= s.h && 2 * s.ow <= s.w && s.c % kLanes == 0;
}

// Calls with the offsets of the four elements of every window in output line `line`, and of the output.
template <class Body>
void each_quad(const Pool2D& s, std::int64_t line, Body body) {
  const std::int64_t top = (line / s.oh * s.h + line % s.oh * 2) * s.w * s.c, below = top + s.w * s.c;
  std::int64_t y = line * s.ow * s.c;
  for (std::int64_t ox = 0; ox < s.ow; ++ox) {
    const std::int64_t left = 2 * ox * s.c;
    for (std::int64_t c = 0; c < s.c; c += kLanes, y += kLanes)
      body(top + left + c, top + left + s.c + c, below + left + c, below + left + s.c + c, y);
  }
}

void max_pool_quads(const MaxPool& pool, std::int64_t begin, std::int64_t end) {
  const float* x = pool.x;
  for (std::int64_t line = begin; line < end; ++line)
    each_quad(pool.shape, line, [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d, std::int64_t y) {
      store(pool.y + y, maximum(maximum(maximum(load(x + a), load(x + b)), load(x + c)), load(x + d)));
    });
}

// One window has one largest element, the first: what is not beaten by a later one.
void max_pool_grad_quads(const MaxPoolGrad& pool, std::int64_t begin, std::int64_t end) {
  const auto beats = [](Vec v, Vec best) { return (v > best) | ((v != v) & (best == best)); };
  const auto put = [](float* to, VecI chosen, Vec d) { store(to, chosen ? d : Vec{}); };
  const float* x = pool.x;
  float* dx = pool.dx;
  for (std::int64_t line = begin; line < end; ++line)
    each_quad(pool.shape, line, [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d, std::int64_t y) {
      const Vec va = load(x + a), vb = load(x + b), vc = load(x + c), vd = load(x + d), dy = load(pool.dy + y);
      const VecI second = beats(vb, va);
      const Vec upper = second ? vb : va;
      const VecI third = beats(vc, upper);
      const Vec three = third ? vc : upper;
      const VecI fourth = beats(vd, three);
      put(dx + a, ~(second | third | fourth), dy);
      put(dx + b, second & ~(third | fourth), dy);
      put(dx + c, third & ~fourth, dy);
      put(dx + d, fourth, dy);
    });
}

void max_pool(const MaxPool& pool, std::int64_t begin, std::int64_t end) {
  const Pool2D& s = pool.shape;
  if (is_quads(s)) return max_pool_quads(pool, begin, end);
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
  const bool quads = is_quads(s), covered = quads && 2 * s.oh == s.h && 2 * s.ow == s.w;
  for (std::int64_t image = begin; image < end; ++image) {
    const std::int64_t at = image * s.h * s.w * s.c;
    if (!covered) __builtin_memset(pool.dx + at, 0, static_cast<std::size_t>(s.h * s.w * s.c) * sizeof(float));
    if (quads) {
      max_pool_grad_quads(pool, image * s.oh, (image + 1) * s.oh);
      continue;
    }
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
