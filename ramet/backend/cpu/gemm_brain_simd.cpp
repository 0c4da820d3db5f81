#include "ramet/backend/cpu/gemm_brain.h"

#include "ramet/backend/cpu/brain.h"
#include "ramet/backend/cpu/gemm_blocks.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// kPanels panels by one row of A: c[j] = init[j] + sum over k, in the order of k, as run_tile.
template <int kPanels>
void multiply_panels(const float* a, std::int64_t a_step, const std::uint16_t* b, std::int64_t k, const float* init,
                     float* c) {
  Vec sum[2 * kPanels];
#pragma GCC unroll 8
  for (int v = 0; v < 2 * kPanels; ++v) sum[v] = Vec{};
  for (std::int64_t p = 0; p < k; ++p, b += kPanel) {
    const Vec x = splat(a[p * a_step]);
#pragma GCC unroll 4
    for (int q = 0; q < kPanels; ++q) {
      const VecU pairs = load_pairs(b + q * k * kPanel);
      sum[2 * q] = mul_add(x, even(pairs), sum[2 * q]);
      sum[2 * q + 1] = mul_add(x, odd(pairs), sum[2 * q + 1]);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < 2 * kPanels; ++v) store(c + v * kLanes, load(init + v * kLanes) + sum[v]);
}

}  // namespace

void pack_brain_panels(const std::uint16_t* b, std::int64_t ldb, bool transposed, std::int64_t k, std::int64_t n,
                       std::uint16_t* packed) {
  const std::int64_t step = block_k(k);
  for (std::int64_t k0 = 0; k0 < k; k0 += step) {
    const std::int64_t end = k - k0 < step ? k : k0 + step;
    for (std::int64_t j0 = 0; j0 < n; j0 += kPanel) {
      for (std::int64_t p = k0; p < end; ++p, packed += kPanel) {
        for (int i = 0; i < kPanel; ++i) {
          const std::int64_t j = j0 + i;
          const std::uint16_t value = j >= n ? std::uint16_t{0} : transposed ? b[j * ldb + p] : b[p * ldb + j];
          packed[2 * (i % kLanes) + i / kLanes] = value;
        }
      }
    }
  }
}

void widen_panel(const std::uint16_t* packed, std::int64_t k, float* out) {
  for (std::int64_t p = 0; p < k; ++p, packed += kPanel, out += kPanel) {
    const VecU pairs = load_pairs(packed);
    store(out, even(pairs));
    store(out + kLanes, odd(pairs));
  }
}

void multiply_brain_row(const Gemm& g, std::int64_t column_begin, std::int64_t column_end) {
  constexpr int kMostPanels = 4;  // eight sums keep the multipliers busy
  static const float kZeros[kMostPanels * kPanel] = {};
  const GemmEpilogue& e = g.epilogue;
  const std::int64_t step = block_k(g.k), padded = panels_of(g.n) * kPanel, a_step = g.trans_a ? g.lda : 1;
  std::int64_t k0 = 0;
  do {  // also once for k = 0
    const std::int64_t k = g.k - k0 < step ? g.k - k0 : step;
    const float* a = g.a + k0 * a_step;
    const bool from_c = k0 > 0 || g.accumulate;
    for (std::int64_t j = column_begin; j < column_end;) {
      const std::uint16_t* b = g.packed_brain + k0 * padded + j * k;
      const float* init = from_c ? g.c + j : e.bias != nullptr ? e.bias + j : kZeros;
      const std::int64_t left = column_end - j;
      if (left >= kMostPanels * kPanel) {
        multiply_panels<kMostPanels>(a, a_step, b, k, init, g.c + j);
        j += kMostPanels * kPanel;
      } else if (left >= kPanel) {
        multiply_panels<1>(a, a_step, b, k, init, g.c + j);
        j += kPanel;
      } else {
        float first[kPanel] = {}, last[kPanel];
        copy_row(init, left, first);
        multiply_panels<1>(a, a_step, b, k, first, last);
        copy_row(last, left, g.c + j);
        j = column_end;
      }
    }
    k0 += step;
  } while (k0 < g.k);
  if ((g.accumulate && e.bias != nullptr) || e.residual != nullptr || e.activation != 0)
    finish_row(g.c + column_begin, column_end - column_begin, g.accumulate && e.bias ? e.bias + column_begin : nullptr,
               e.residual ? e.residual + column_begin : nullptr, e);
}

}  // namespace ramet::cpu::RAMET_SIMD
