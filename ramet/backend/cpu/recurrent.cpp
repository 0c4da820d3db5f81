#include "ramet/backend/cpu/recurrent.h"

#include <algorithm>
#include <cstring>

#include "ramet/backend/cpu/part_grid.h"

namespace ramet::cpu {
namespace {

// Rows and steps of one block of the gradient: what they leave for the kernels' gradients stays in L2, and sums of them
// are long enough for the products to be fast.
constexpr std::int64_t kBlockRows = 128;

std::int64_t share(std::int64_t count, int part, int parts) { return count * part / parts; }
std::int64_t width(const RecurrentShape& s) { return s.gates * s.units; }
std::int64_t block_steps(const RecurrentShape& s) { return std::clamp<std::int64_t>(kBlockRows / s.batch, 1, s.steps); }

// Steps [begin, end) counted as the forward pass goes; in time they begin at `first`.
struct Block {
  std::int64_t begin, end, first;
  Block(const RecurrentShape& s, std::int64_t block) {
    end = s.steps - block * block_steps(s);
    begin = std::max<std::int64_t>(0, end - block_steps(s));
    first = s.reverse ? s.steps - end : begin;
  }
};

// Whether a vector of units never lies in two panels, so that the walk can write them.
bool writes_panels(const RecurrentShape& s) {
  const std::int64_t panel = simd().panel;
  return s.units % (panel / 2) == 0 && width(s) >= panel && block_steps(s) * s.batch <= kMostPanelRows;
}

// C (m x n) [+]= A B; C is dense unless the caller says otherwise.
Gemm product(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, float* c, bool accumulate) {
  Gemm g;
  g.m = m, g.n = n, g.k = k;
  g.a = a, g.lda = k;
  g.c = c, g.ldc = n;
  g.accumulate = accumulate;
  return g;
}

// dx of one step = dv · kernelᵀ, or dh += du · recurrent_kernelᵀ: `columns` of them.
Gemm product_back(const RecurrentShape& s, std::int64_t columns, const float* d, const float* packed, float* to,
                  bool accumulate) {
  Gemm g = product(s.batch, columns, width(s), d, to, accumulate);
  g.packed_b = packed;
  return g;
}

// Gradient of a kernel with `rows` rows [+]= entriesᵀ · d, over the rows and steps of a block.
Gemm kernel_product(const RecurrentShape& s, std::int64_t rows, std::int64_t steps, const float* entries,
                    const float* d, float* to, bool accumulate) {
  Gemm g = product(rows, width(s), steps * s.batch, entries, to, accumulate);
  g.trans_a = true, g.lda = rows;
  (writes_panels(s) ? g.packed_b : g.b) = d, g.ldb = width(s);
  return g;
}

// Where things lie in the scratch of a gradient; x and dv and du are those of a block. Panels are null where the
// products pack themselves.
struct GradScratch {
  float *packed_kernel, *packed_recurrent_kernel, *dh, *dc, *x, *dv, *du, *dv_panels, *du_panels;
  char* products;
  std::size_t product_each, bytes;
};

// Of the block `index`: with several parts, neighbouring blocks are under way at the same time.
GradScratch grad_scratch(const RecurrentShape& s, std::int64_t index, int parts, void* scratch) {
  GradScratch out{};
  const auto take = [&](std::size_t bytes) {
    char* const here = static_cast<char*>(scratch) + out.bytes;
    out.bytes += (bytes + 63) / 64 * 64;
    return here;
  };
  const auto floats = [&](std::int64_t count) {
    return reinterpret_cast<float*>(take(static_cast<std::size_t>(count) * sizeof(float)));
  };
  const std::int64_t steps = block_steps(s), rows = steps * s.batch;
  const auto packed = [&](std::int64_t n) { return floats(static_cast<std::int64_t>(packed_b_size(width(s), n))); };
  out.packed_kernel = packed(s.features), out.packed_recurrent_kernel = packed(s.units);
  out.dh = floats(s.batch * s.units), out.dc = floats(s.batch * s.units);
  for (std::int64_t which = 0; which < (parts > 1 ? 2 : 1); ++which) {
    const bool here = parts == 1 || which == index % 2;
    const auto of_block = [&](float*& at, std::int64_t count) {
      float* const place = floats(count);
      if (here) at = place;
    };
    of_block(out.x, rows * s.features);
    of_block(out.dv, rows * width(s));
    if (s.cell == CellKind::kGru) of_block(out.du, rows * width(s));
    if (!writes_panels(s)) continue;
    const auto size = static_cast<std::int64_t>(packed_b_size(rows, width(s)));
    of_block(out.dv_panels, size);
    if (s.cell == CellKind::kGru) of_block(out.du_panels, size);
  }
  if (s.cell != CellKind::kGru) out.du = out.dv, out.du_panels = out.dv_panels;
  static float something = 0;
  for (const Gemm& each : {product_back(s, s.features, nullptr, &something, nullptr, false),
                           product_back(s, s.units, nullptr, &something, nullptr, true),
                           kernel_product(s, s.features, steps, nullptr, &something, nullptr, true),
                           kernel_product(s, s.units, steps, nullptr, &something, nullptr, true)})
    out.product_each = std::max(out.product_each, (gemm_scratch(each) + 63) / 64 * 64);
  out.products = take(out.product_each * static_cast<std::size_t>(2 * parts));
  return out;
}

bool any_row(const RecurrentGrad& g, std::int64_t t, std::int64_t begin, std::int64_t end) {
  if (g.mask == nullptr) return true;
  for (std::int64_t row = begin; row < end; ++row)
    if (g.mask[row * g.shape.steps + t]) return true;
  return false;
}

}  // namespace

std::size_t recurrent_packed_size(std::int64_t depth, std::int64_t units, int gates) {
  return simd().recurrent_packed_size(depth, units, gates);
}

void pack_recurrent(const float* kernel, std::int64_t depth, std::int64_t units, int gates, float* packed) {
  simd().pack_recurrent(kernel, depth, units, gates, packed);
}

// A step of few rows costs what reading the kernels costs; the one for x is then better read once for many steps. The
// one for many features would not stay in L2 while the rows of a step go by.
bool projects_first(const RecurrentShape& s) {
  constexpr std::int64_t kFewRows = 4, kManyFeatures = 1024;
  return (s.batch < kFewRows && s.steps > 1) || s.features > kManyFeatures;
}

int recurrent_parts(const RecurrentShape& s, int threads) {
  const double work = static_cast<double>(s.batch * s.steps) * static_cast<double>(s.units + s.features) *
                      static_cast<double>(width(s));
  return parts_for(work, s.batch, threads);
}

std::size_t recurrent_forward_scratch(const RecurrentShape& s) {
  return static_cast<std::size_t>(s.batch * simd().recurrent_scratch_row(s)) * sizeof(float);
}

void recurrent_forward_part(const RecurrentForward& f, int part, int parts, void* scratch) {
  const std::int64_t begin = share(f.shape.batch, part, parts), end = share(f.shape.batch, part + 1, parts);
  float* const own = static_cast<float*>(scratch) + begin * simd().recurrent_scratch_row(f.shape);
  simd().recurrent_forward(f, begin, end, own);
}

std::size_t recurrent_grad_scratch(const RecurrentShape& s, int parts) {
  return grad_scratch(s, 0, parts, nullptr).bytes;
}

std::int64_t recurrent_grad_blocks(const RecurrentShape& s) { return ceil_div(s.steps, block_steps(s)); }

void recurrent_grad_prepare(const RecurrentGrad& g, int parts, void* scratch) {
  const RecurrentShape& s = g.shape;
  const GradScratch at = grad_scratch(s, 0, parts, scratch);
  pack_b(g.recurrent_kernel, width(s), true, width(s), s.units, at.packed_recurrent_kernel);
  if (g.dx != nullptr) pack_b(g.kernel, width(s), true, width(s), s.features, at.packed_kernel);
  const auto bytes = static_cast<std::size_t>(s.batch * s.units) * sizeof(float);
  std::memcpy(at.dh, g.dh, bytes);
  if (g.dc != nullptr) std::memcpy(at.dc, g.dc, bytes);
}

void recurrent_grad_walk(const RecurrentGrad& g, std::int64_t index, int part, int parts, void* scratch) {
  const RecurrentShape& s = g.shape;
  const Block block(s, index);
  const GradScratch at = grad_scratch(s, index, parts, scratch);
  void* const own = at.products + at.product_each * static_cast<std::size_t>(part);
  const std::int64_t begin = share(s.batch, part, parts), end = share(s.batch, part + 1, parts);
  for (std::int64_t n = block.end; n-- > block.begin;) {
    const std::int64_t t = s.reverse ? s.steps - 1 - n : n, rows = (t - block.first) * s.batch;
    RecurrentGradStep step{&g, t, at.dh, at.dc, at.dv + rows * width(s), at.du + rows * width(s)};
    if (writes_panels(s)) {
      step.dv_panels = at.dv_panels + rows * simd().panel, step.du_panels = at.du_panels + rows * simd().panel;
      step.panel_stride = (block.end - block.begin) * s.batch * simd().panel;
    }
    simd().recurrent_grad_step(step, begin, end);
    if ((n > 0 || g.dh0 != nullptr) && any_row(g, t, begin, end))
      simd().gemm_region(product_back(s, s.units, step.du, at.packed_recurrent_kernel, at.dh, true),
                         {begin, end, 0, s.units}, own);
    if (g.dx != nullptr) {
      Gemm dx = product_back(s, s.features, step.dv, at.packed_kernel, g.dx + t * s.features, false);
      dx.ldc = s.steps * s.features;
      simd().gemm_region(dx, {begin, end, 0, s.features}, own);
    }
    for (std::int64_t row = begin; row < end && g.dkernel != nullptr; ++row)
      std::copy_n(g.x + (row * s.steps + t) * s.features, s.features, at.x + (rows + row) * s.features);
  }
  if (block.begin > 0) return;
  const std::size_t from = static_cast<std::size_t>(begin * s.units),
                    bytes = static_cast<std::size_t>((end - begin) * s.units) * sizeof(float);
  if (g.dh0 != nullptr) std::memcpy(g.dh0 + from, at.dh + from, bytes);
  if (g.dc0 != nullptr) std::memcpy(g.dc0 + from, at.dc + from, bytes);
}

void recurrent_grad_gather(const RecurrentGrad& g, std::int64_t index, int part, int parts, void* scratch) {
  const RecurrentShape& s = g.shape;
  const Block block(s, index);
  const GradScratch at = grad_scratch(s, index, parts, scratch);
  void* const own = at.products + at.product_each * static_cast<std::size_t>(parts + part);
  const std::int64_t steps = block.end - block.begin;
  const bool more = index > 0, panels = writes_panels(s);
  if (g.drecurrent_kernel != nullptr)
    gemm_part(kernel_product(s, s.units, steps, g.h_entered + block.first * s.batch * s.units,
                             panels ? at.du_panels : at.du, g.drecurrent_kernel, more),
              part, parts, own);
  if (g.dkernel != nullptr)
    gemm_part(kernel_product(s, s.features, steps, at.x, panels ? at.dv_panels : at.dv, g.dkernel, more), part, parts,
              own);
  if (g.dbias == nullptr) return;
  const std::int64_t begin = share(width(s), part, parts), count = share(width(s), part + 1, parts) - begin;
  const auto sum = [&](const float* d, float* to) {
    simd().sum_rows(d + begin, steps * s.batch, width(s), count, more, to + begin);
  };
  sum(at.dv, g.dbias);
  if (s.cell == CellKind::kGru) sum(at.du, g.dbias + width(s));
}

}  // namespace ramet::cpu
