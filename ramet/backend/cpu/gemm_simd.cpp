// f32 products: which of the three ways a product goes, and what its region of C needs.
#include "ramet/backend/cpu/gemm_blocks.h"
#include "ramet/backend/cpu/gemm_brain.h"
#include "ramet/backend/cpu/gemm_dot.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

void pack_rows(const void* self, std::int64_t row, int rows, std::int64_t k0, std::int64_t k, float* out, int stride) {
  const Gemm& g = *static_cast<const Gemm*>(self);
  pack_transposed(g.a + row * g.lda + k0, g.lda, rows, k, out, stride);
}

// Few columns are packed as rows: dot products need no padding to a panel. That is op(B) stored transposed.
Gemm unpack_few_columns(Gemm g) {
  if (g.packed_b == nullptr || g.n > kFewRows) return g;
  g.b = g.packed_b;
  g.ldb = g.k;
  g.trans_b = true;
  g.packed_b = nullptr;
  return g;
}

// y = a B for one row: whole rows of B stream past, eight at a time, while y stays in L1.
void stream_rows(const Gemm& g, std::int64_t column_begin, std::int64_t column_end) {
  constexpr std::int64_t kColumns = 2048;
  const std::int64_t a_step = g.trans_a ? g.lda : 1;
  for (std::int64_t j0 = column_begin; j0 < column_end; j0 += kColumns) {
    const std::int64_t n = column_end - j0 < kColumns ? column_end - j0 : kColumns;
    float* c = g.c + j0;
    const float* bias = g.epilogue.bias != nullptr ? g.epilogue.bias + j0 : nullptr;
    if (!g.accumulate) {
      for (std::int64_t j = 0; j < n; ++j) c[j] = bias != nullptr ? bias[j] : 0.0f;
    }
    for (std::int64_t k = 0; k < g.k; k += 8) {
      const std::int64_t steps = g.k - k < 8 ? g.k - k : 8;
      const float* row[8];
      Vec a[8];
      for (std::int64_t p = 0; p < steps; ++p) row[p] = g.b + (k + p) * g.ldb + j0, a[p] = splat(g.a[(k + p) * a_step]);
      std::int64_t j = 0;
      if (steps == 8) {
        for (; j + kLanes <= n; j += kLanes) {
          Vec sum = load(c + j);
#pragma GCC unroll 8
          for (int p = 0; p < 8; ++p) sum = mul_add(a[p], load(row[p] + j), sum);
          store(c + j, sum);
        }
      }
      for (; j < n; j += kLanes) {
        const std::size_t count = static_cast<std::size_t>(n - j < kLanes ? n - j : kLanes);
        Vec sum = load_some(c + j, count);
        for (std::int64_t p = 0; p < steps; ++p) sum = mul_add(a[p], load_some(row[p] + j, count), sum);
        store_some(c + j, sum, count);
      }
    }
    finish_row(c, n, g.accumulate ? bias : nullptr, g.epilogue.residual ? g.epilogue.residual + j0 : nullptr,
               g.epilogue);
  }
}

// One row by a packed B, without the loops over blocks: this is where tiny models spend their time.
void multiply_row(const Gemm& g, std::int64_t column_begin, std::int64_t column_end) {
  static const float kZeros[8 * kLanes] = {};
  const GemmEpilogue& e = g.epilogue;
  const bool finish = (g.accumulate && e.bias != nullptr) || e.residual != nullptr || e.activation > 1;
  const std::int64_t step = block_k(g.k), padded = panels_of(g.n) * kPanel;
  std::int64_t k0 = 0;
  do {  // also once for k = 0
    const std::int64_t k = g.k - k0 < step ? g.k - k0 : step;
    const Run all{0, 0, k, 0};
    Tile t{};
    t.run = &all, t.runs = 1;
    t.a_stride = g.trans_a ? g.lda : 1;
    t.a = g.a + k0 * t.a_stride;
    t.b_stride = kPanel;
    t.panel_stride = k * kPanel;
    const bool done = !finish && k0 + step >= g.k;
    t.floor = done && e.activation == 1 ? 0.0f : -__builtin_inff();
    t.ceiling = done ? e.ceiling : __builtin_inff();
    const bool from_c = k0 > 0 || g.accumulate;
    for (std::int64_t j = column_begin; j < column_end;) {
      int vecs = widest(1);
      while (vecs > 1 && j + vecs * kLanes > column_end) vecs /= 2;
      const std::int64_t left = column_end - j;
      const float* init = from_c ? g.c + j : e.bias != nullptr ? e.bias + j : kZeros;
      t.b = g.packed_b + k0 * padded + j / kPanel * kPanel * k + j % kPanel;
      if (left >= vecs * kLanes) {
        t.init = init;
        t.c = g.c + j;
        tile_kernel(1, vecs, ReadA::kPacked)(t);
        j += vecs * kLanes;
      } else {
        float last[kLanes] = {};
        copy_row(init, left, last);
        t.init = t.c = last;
        tile_kernel(1, 1, ReadA::kPacked)(t);
        copy_row(last, left, g.c + j);
        j = column_end;
      }
    }
    k0 += step;
  } while (k0 < g.k);
  if (!finish) return;
  finish_row(g.c + column_begin, column_end - column_begin, g.accumulate && e.bias ? e.bias + column_begin : nullptr,
             e.residual ? e.residual + column_begin : nullptr, e);
}

// One row by a few packed columns, the last layer of a tiny model. There is one panel, hence one region.
void multiply_head(const Gemm& g) {
  const GemmEpilogue& e = g.epilogue;
  for (std::int64_t j = 0; j < g.n; ++j) g.c[j] = (g.accumulate ? g.c[j] : 0.0f) + dot(g.a, g.packed_b + j * g.k, g.k);
  if (e.bias != nullptr || e.residual != nullptr || e.activation != 0) { finish_row(g.c, g.n, e.bias, e.residual, e); }
}

bool is_packed_head(const Gemm& g) { return g.m == 1 && g.packed_b != nullptr && g.n <= kFewRows && !g.trans_a; }
bool is_packed_row(const Gemm& g) { return g.m == 1 && g.packed_b != nullptr && g.n > kFewRows; }

bool is_brain_row(const Gemm& g) { return g.m == 1 && g.packed_brain != nullptr; }

bool streams(const Gemm& g) { return g.m == 1 && g.packed_b == nullptr && !g.trans_b && !takes_dots(g); }

// A single column of C lies in memory like a row: C^T = B^T A, where A (k x m) streams by rows. This is the weight
// gradient of Dense(1).
bool is_streamed_column(const Gemm& g) {
  return g.n == 1 && g.ldc == 1 && g.trans_a && g.packed_b == nullptr && g.epilogue.bias == nullptr && g.m > kFewRows;
}

Gemm transposed(const Gemm& g) {
  Gemm t = g;
  t.m = 1;
  t.n = g.m;
  t.a = g.b;
  t.lda = g.ldb;
  t.trans_a = !g.trans_b;
  t.b = g.a;
  t.ldb = g.lda;
  t.trans_b = false;
  return t;
}

std::size_t packed_size(std::int64_t k, std::int64_t n) {
  return static_cast<std::size_t>(n <= kFewRows ? n * k : panels_of(n) * kPanel * k);
}

void pack(const float* b, std::int64_t ldb, bool trans_b, std::int64_t k, std::int64_t n, float* packed) {
  if (n > kFewRows) return pack_panels(b, ldb, trans_b, k, n, packed);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t p = 0; p < k; ++p) packed[j * k + p] = trans_b ? b[j * ldb + p] : b[p * ldb + j];
  }
}

constexpr std::size_t kAlignment = 64;

std::size_t scratch_bytes(const Gemm& given) {
  if (is_packed_row(given) || is_packed_head(given) || is_brain_row(given)) return 0;
  const Gemm g = unpack_few_columns(given);
  if (streams(g) || is_streamed_column(g)) return 0;
  const std::size_t floats = takes_dots(g) ? dots_scratch(g) : blocks_scratch(g.m, g.n, g.k, g.packed_b == nullptr);
  return floats == 0 ? 0 : floats * sizeof(float) + kAlignment;
}

void region(const Gemm& given, const GemmRegion& r, void* scratch) {
  if (is_brain_row(given)) {
    if (r.row_begin < r.row_end) multiply_brain_row(given, r.column_begin, r.column_end);
    return;
  }
  if (is_packed_row(given)) {
    if (r.row_begin < r.row_end) multiply_row(given, r.column_begin, r.column_end);
    return;
  }
  if (is_packed_head(given)) {
    if (r.row_begin < r.row_end && r.column_begin < r.column_end) multiply_head(given);
    return;
  }
  const Gemm g = unpack_few_columns(given);
  if (streams(g)) return stream_rows(g, r.column_begin, r.column_end);
  if (is_streamed_column(g)) return stream_rows(transposed(g), r.row_begin, r.row_end);
  const std::uintptr_t aligned = (reinterpret_cast<std::uintptr_t>(scratch) + kAlignment - 1) / kAlignment * kAlignment;
  float* floats = reinterpret_cast<float*>(aligned);
  if (takes_dots(g)) return run_dots(g, r, floats);
  Blocks b{};
  b.n = g.n;
  b.k = g.k;
  b.row_begin = r.row_begin;
  b.row_end = r.row_end;
  b.column_begin = r.column_begin;
  b.column_end = r.column_end;
  b.a = g.trans_a ? LeftFactor{nullptr, nullptr, nullptr, g.lda, g.a} : LeftFactor{pack_rows, &g, g.a, g.lda};
  b.b = {g.packed_b, g.packed_brain, g.b, g.ldb, g.trans_b};
  b.c = g.c;
  b.c_rows = {0, 0, 0, 0, g.ldc};
  b.accumulate = g.accumulate;
  b.epilogue = g.epilogue;
  run_blocks(b, floats);
}

}  // namespace

void fill_gemm(SimdKernels& t) {
  t.tile_rows = kTileRows;
  t.panel = kPanel;
  t.packed_b_size = packed_size;
  t.pack_b = pack;
  t.pack_b_brain = pack_brain_panels;
  t.gemm_scratch = scratch_bytes;
  t.gemm_region = region;
}

}  // namespace ramet::cpu::RAMET_SIMD
