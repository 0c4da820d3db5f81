#include "ramet/backend/cpu/pool.h"

#include <cmath>

#include "ramet/backend/cpu/part_grid.h"

namespace ramet::cpu {
namespace {

double work_of(const Pool2D& s) {
  return static_cast<double>(s.n * s.oh * s.ow) * static_cast<double>(s.c) * static_cast<double>(s.kh * s.kw);
}

std::int64_t share(std::int64_t count, int part, int parts) { return count * part / parts; }

// For windows too large for an index byte: finds each largest element again and adds to its gradient, image by image.
void max_pool_grad_image(const MaxPoolGrad& pool, std::int64_t image) {
  const Pool2D& s = pool.shape;
  const float* x = pool.x + image * s.h * s.w * s.c;
  const float* dy = pool.dy + image * s.oh * s.ow * s.c;
  float* dx = pool.dx + image * s.h * s.w * s.c;
  std::fill(dx, dx + s.h * s.w * s.c, 0.0f);
  for (std::int64_t o = 0; o < s.oh * s.ow * s.c; ++o) {
    const std::int64_t c = o % s.c, y0 = o / s.c / s.ow * s.stride_h - s.pad_top,
                       x0 = o / s.c % s.ow * s.stride_w - s.pad_left;
    std::int64_t best = -1;
    for (std::int64_t iy = std::max<std::int64_t>(y0, 0); iy < std::min(y0 + s.kh, s.h); ++iy) {
      for (std::int64_t ix = std::max<std::int64_t>(x0, 0); ix < std::min(x0 + s.kw, s.w); ++ix) {
        const std::int64_t at = (iy * s.w + ix) * s.c + c;
        if (best < 0 || x[at] > x[best] || (std::isnan(x[at]) && !std::isnan(x[best]))) best = at;
      }
    }
    if (best >= 0) dx[best] += dy[o];
  }
}

}  // namespace

int pool_parts(const MaxPool& pool, int threads) {
  return parts_for(work_of(pool.shape), pool.shape.n * pool.shape.oh, threads);
}
void pool_part(const MaxPool& pool, int part, int parts) {
  const std::int64_t lines = pool.shape.n * pool.shape.oh;
  simd().max_pool(pool, share(lines, part, parts), share(lines, part + 1, parts));
}

int pool_parts(const MaxPoolGrad& pool, int threads) {
  return parts_for(work_of(pool.shape), pool.shape.n * (pool.index != nullptr ? pool.shape.h : 1), threads);
}
void pool_part(const MaxPoolGrad& pool, int part, int parts) {
  const Pool2D& s = pool.shape;
  if (pool.index != nullptr)
    return simd().max_pool_grad(pool, share(s.n * s.h, part, parts), share(s.n * s.h, part + 1, parts));
  for (std::int64_t image = share(s.n, part, parts); image < share(s.n, part + 1, parts); ++image)
    max_pool_grad_image(pool, image);
}

int pool_parts(const AveragePool& pool, int threads) {
  return parts_for(work_of(pool.shape), pool.shape.n * pool.shape.oh, threads);
}
void pool_part(const AveragePool& pool, int part, int parts) {
  const std::int64_t lines = pool.shape.n * pool.shape.oh;
  simd().average_pool(pool, share(lines, part, parts), share(lines, part + 1, parts));
}

int pool_parts(const AveragePoolGrad& pool, int threads) {
  return parts_for(work_of(pool.shape), pool.shape.n * pool.shape.h, threads);
}
void pool_part(const AveragePoolGrad& pool, int part, int parts) {
  const std::int64_t lines = pool.shape.n * pool.shape.h;
  simd().average_pool_grad(pool, share(lines, part, parts), share(lines, part + 1, parts));
}

}  // namespace ramet::cpu
