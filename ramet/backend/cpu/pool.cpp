#include "ramet/backend/cpu/pool.h"

#include "ramet/backend/cpu/part_grid.h"

namespace ramet::cpu {
namespace {

double work_of(const Pool2D& s) {
  return static_cast<double>(s.n * s.oh * s.ow) * static_cast<double>(s.c) * static_cast<double>(s.kh * s.kw);
}

std::int64_t share(std::int64_t count, int part, int parts) { return count * part / parts; }

}  // namespace

int pool_parts(const MaxPool& pool, int threads) {
  return parts_for(work_of(pool.shape), pool.shape.n * pool.shape.oh, threads);
}
void pool_part(const MaxPool& pool, int part, int parts) {
  const std::int64_t lines = pool.shape.n * pool.shape.oh;
  simd().max_pool(pool, share(lines, part, parts), share(lines, part + 1, parts));
}

int pool_parts(const MaxPoolGrad& pool, int threads) { return parts_for(work_of(pool.shape), pool.shape.n, threads); }
void pool_part(const MaxPoolGrad& pool, int part, int parts) {
  simd().max_pool_grad(pool, share(pool.shape.n, part, parts), share(pool.shape.n, part + 1, parts));
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
