#include "ramet/backend/cpu/recurrent.h"

#include <algorithm>
#include <cstring>

#include "ramet/backend/cpu/part_grid.h"

namespace ramet::cpu {
namespace {

std::int64_t share(std::int64_t count, int part, int parts) { return count * part / parts; }

// dh += dz · kernelᵀ
Gemm recurrent_product(const RecurrentShape& s, const float* packed, const float* dz, float* dh) {
  Gemm g;
  g.m = s.batch, g.n = s.units, g.k = s.gates * s.units;
  g.a = dz, g.lda = g.k;
  g.packed_b = packed;
  g.c = dh, g.ldc = g.n;
  g.accumulate = true;
  return g;
}

struct GradScratch {
  std::size_t dh, dc, dz, product, product_each, bytes;
};

GradScratch grad_scratch(const RecurrentShape& s, int parts) {
  GradScratch out{};
  const auto take = [&](std::size_t bytes) {
    const std::size_t here = out.bytes;
    out.bytes += (bytes + 63) / 64 * 64;
    return here;
  };
  const auto states = static_cast<std::size_t>(s.batch * s.units) * sizeof(float);
  static const float something = 0;
  out.dh = take(states), out.dc = take(states), out.dz = take(static_cast<std::size_t>(s.gates) * states);
  out.product_each = (simd().gemm_scratch(recurrent_product(s, &something, nullptr, nullptr)) + 63) / 64 * 64;
  out.product = take(out.product_each * static_cast<std::size_t>(parts));
  return out;
}

bool any_row(const RecurrentGrad& g, std::int64_t t, std::int64_t begin, std::int64_t end) {
  if (g.mask == nullptr) return true;
  for (std::int64_t row = begin; row < end; ++row)
    if (g.mask[row * g.shape.steps + t]) return true;
  return false;
}

}  // namespace

std::size_t recurrent_packed_size(std::int64_t units, int gates) { return simd().recurrent_packed_size(units, gates); }

void pack_recurrent(const float* kernel, std::int64_t units, int gates, float* packed) {
  simd().pack_recurrent(kernel, units, gates, packed);
}

int recurrent_parts(const RecurrentShape& s, int threads) {
  const double work =
      static_cast<double>(s.batch * s.steps) * static_cast<double>(s.units) * static_cast<double>(s.gates * s.units);
  return parts_for(work, s.batch, threads);
}

std::size_t recurrent_forward_scratch(const RecurrentShape& s) {
  return static_cast<std::size_t>(s.batch * simd().recurrent_scratch_row(s.units)) * sizeof(float);
}

std::size_t recurrent_grad_scratch(const RecurrentShape& s, int parts) { return grad_scratch(s, parts).bytes; }

void recurrent_forward_part(const RecurrentForward& f, int part, int parts, void* scratch) {
  const std::int64_t begin = share(f.shape.batch, part, parts), end = share(f.shape.batch, part + 1, parts);
  float* const own = static_cast<float*>(scratch) + begin * simd().recurrent_scratch_row(f.shape.units);
  (f.shape.gates == 4 ? simd().lstm_forward : simd().gru_forward)(f, begin, end, own);
}

void recurrent_grad_part(const RecurrentGrad& g, int part, int parts, void* scratch) {
  const RecurrentShape& s = g.shape;
  const std::int64_t begin = share(s.batch, part, parts), end = share(s.batch, part + 1, parts);
  const std::size_t from = static_cast<std::size_t>(begin * s.units),
                    bytes = static_cast<std::size_t>((end - begin) * s.units) * sizeof(float);
  const GradScratch at = grad_scratch(s, parts);
  char* const base = static_cast<char*>(scratch);
  const auto floats = [&](std::size_t offset) { return reinterpret_cast<float*>(base + offset); };
  RecurrentGradStep step{&g, 0, floats(at.dh), floats(at.dc), floats(at.dz)};
  const Gemm product = recurrent_product(s, g.kernel, step.dz, step.dh);
  void* const product_scratch = base + at.product + at.product_each * static_cast<std::size_t>(part);

  std::memcpy(step.dh + from, g.dh + from, bytes);
  if (g.dc != nullptr) std::memcpy(step.dc + from, g.dc + from, bytes);
  for (std::int64_t n = s.steps; n-- > 0;) {
    step.t = s.reverse ? s.steps - 1 - n : n;
    (s.gates == 4 ? simd().lstm_grad_step : simd().gru_grad_step)(step, begin, end);
    if ((n > 0 || g.dh0 != nullptr) && any_row(g, step.t, begin, end))
      simd().gemm_region(product, {begin, end, 0, s.units}, product_scratch);
  }
  if (g.dh0 != nullptr) std::memcpy(g.dh0 + from, step.dh + from, bytes);
  if (g.dc0 != nullptr) std::memcpy(g.dc0 + from, step.dc + from, bytes);
}

}  // namespace ramet::cpu
