// The gradient of one step of a recurrent layer, but for the products.
#include "ramet/backend/cpu/gemm_pack.h"
#include "ramet/backend/cpu/recurrent.h"
#include "ramet/backend/cpu/recurrent_math.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

static_assert(kMostPanelRows <= kMostSteps, "the panels of a block are one block of pack_b");

// dσ = s (1 - s)
Vec sigmoid_slope(Vec s) { return mul_add(-s, s, s); }
Vec tanh_slope(Vec t) { return mul_add(-t, t, 1.0f); }

// What a cell gets of a vector of units: the states that entered and the gates, of which not every cell has all.
struct Given {
  Vec h, c, gate[4];
};
// dh and dc of the states after the step, which become what passes to those before; dv, and du of the last gate, which
// differs from dv in GRU only.
struct Wanted {
  Vec dh, dc, dv[4], du_last;
};

// d = dh (1 - h'²)
struct SimpleRnn {
  static constexpr int kGates = 1, kKept = 1;
  static constexpr bool kReadsH = false, kReadsC = false, kSplit = false;
  static void back(const Given& in, Wanted& d) {
    d.dv[0] = d.dh * tanh_slope(in.gate[0]);
    d.dh = Vec{};
  }
};

// With u the candidate's recurrent product:  dz = dh (h₀ - g),  da = dh (1 - z)(1 - g²),  dr = da u,  du = da r;
// dh₀ = dh z and what comes back through the products.
struct Gru {
  static constexpr int kGates = 3, kKept = 4;
  static constexpr bool kReadsH = true, kReadsC = false, kSplit = true;
  static void back(const Given& in, Wanted& d) {
    const Vec z = in.gate[0], r = in.gate[1], g = in.gate[2], u = in.gate[3];
    const Vec da = mul_add(-z, d.dh, d.dh) * tanh_slope(g);
    d.dv[0] = d.dh * (in.h - g) * sigmoid_slope(z);
    d.dv[1] = da * u * sigmoid_slope(r);
    d.dv[2] = da;
    d.du_last = da * r;
    d.dh *= z;
  }
};

// With c = f c₀ + i g and T = tanh(c):  dc += dh o (1 - T²),
// di = dc g,  df = dc c₀,  dg = dc i,  do = dh T,  dc₀ = dc f;  each times the slope of its activation.
struct Lstm {
  static constexpr int kGates = 4, kKept = 4;
  static constexpr bool kReadsH = false, kReadsC = true, kSplit = false;
  static void back(const Given& in, Wanted& d) {
    const Vec i = in.gate[0], f = in.gate[1], g = in.gate[2], o = in.gate[3];
    const Vec t = tanh(mul_add(f, in.c, i * g)), dc = mul_add(d.dh * o, tanh_slope(t), d.dc);
    d.dv[0] = dc * g * sigmoid_slope(i);
    d.dv[1] = dc * in.c * sigmoid_slope(f);
    d.dv[2] = dc * i * tanh_slope(g);
    d.dv[3] = d.dh * t * sigmoid_slope(o);
    d.dc = dc * f;
    d.dh = Vec{};
  }
};

// One vector of a row of d, from column j: as it is and, where wanted, in its panel.
void put(const RecurrentGradStep& step, float* d, float* panels, std::int64_t row, std::int64_t width, std::int64_t j,
         Vec v, std::size_t n) {
  store_some(d + row * width + j, v, n);
  if (panels != nullptr) store(panels + j / kPanel * step.panel_stride + row * kPanel + j % kPanel, v);
}

// A row that is masked passes its gradients on and gives none to its inputs.
template <class Cell>
void pass_row(const RecurrentGradStep& step, std::int64_t row) {
  const RecurrentGrad& g = *step.grad;
  const std::int64_t units = g.shape.units, width = Cell::kGates * units, at = row * g.shape.steps + step.t;
  float* const dh = step.dh + row * units;
  for (std::int64_t i = 0; i < units && g.dsequence != nullptr; ++i) dh[i] += g.dsequence[at * units + i];
  for (std::int64_t j = 0; j < width; j += kLanes) {
    const auto n = static_cast<std::size_t>(width - j < kLanes ? width - j : kLanes);
    put(step, step.dv, step.dv_panels, row, width, j, Vec{}, n);
    if constexpr (Cell::kSplit) put(step, step.du, step.du_panels, row, width, j, Vec{}, n);
  }
}

template <class Cell>
void back_row(const RecurrentGradStep& step, std::int64_t row) {
  const RecurrentGrad& g = *step.grad;
  const std::int64_t units = g.shape.units, width = Cell::kGates * units;
  const std::int64_t at = row * g.shape.steps + step.t, kept = step.t * g.shape.batch + row;
  const float* const gates = g.gates + kept * Cell::kKept * units;
  float *const dh = step.dh + row * units, *const dc = step.dc + row * units;
  // The step before is the next one; the hardware does not guess that.
  const std::int64_t next = step.t == (g.shape.reverse ? g.shape.steps - 1 : 0) ? 0 : g.shape.reverse ? 1 : -1;
  const std::int64_t ahead = next * g.shape.batch * units;
  for (std::int64_t unit = 0; unit < units; unit += kLanes) {
    const auto n = static_cast<std::size_t>(units - unit < kLanes ? units - unit : kLanes);
    Given in;
    Wanted d;
#pragma GCC unroll 4
    for (int k = 0; k < Cell::kKept; ++k) {
      in.gate[k] = load_some(gates + k * units + unit, n);
      __builtin_prefetch(gates + ahead * Cell::kKept + k * units + unit, 0, 2);
    }
    d.dh = load_some(dh + unit, n);
    if (g.dsequence != nullptr) d.dh += load_some(g.dsequence + at * units + unit, n);
    if constexpr (Cell::kReadsH) in.h = load_some(g.h_entered + kept * units + unit, n);
    if constexpr (Cell::kReadsC) {
      in.c = load_some(g.c_entered + kept * units + unit, n);
      __builtin_prefetch(g.c_entered + kept * units + ahead + unit, 0, 2);
      d.dc = load_some(dc + unit, n);
    }
    Cell::back(in, d);
    store_some(dh + unit, d.dh, n);
    if constexpr (Cell::kReadsC) store_some(dc + unit, d.dc, n);
#pragma GCC unroll 4
    for (int k = 0; k < Cell::kGates; ++k) {
      const std::int64_t j = k * units + unit;
      put(step, step.dv, step.dv_panels, row, width, j, d.dv[k], n);
      if constexpr (Cell::kSplit)
        put(step, step.du, step.du_panels, row, width, j, k == Cell::kGates - 1 ? d.du_last : d.dv[k], n);
    }
  }
}

template <class Cell>
void back_rows(const RecurrentGradStep& step, std::int64_t begin, std::int64_t end) {
  const RecurrentGrad& g = *step.grad;
  for (std::int64_t row = begin; row < end; ++row) {
    const bool masked = g.mask != nullptr && !g.mask[row * g.shape.steps + step.t];
    masked ? pass_row<Cell>(step, row) : back_row<Cell>(step, row);
  }
}

void grad_step(const RecurrentGradStep& step, std::int64_t begin, std::int64_t end) {
  switch (step.grad->shape.cell) {
    case CellKind::kSimpleRnn: return back_rows<SimpleRnn>(step, begin, end);
    case CellKind::kGru: return back_rows<Gru>(step, begin, end);
    case CellKind::kLstm: return back_rows<Lstm>(step, begin, end);
  }
}

// Four sums per column, so that they need not wait for each other.
void sum_rows(const float* rows, std::int64_t count, std::int64_t stride, std::int64_t columns, bool accumulate,
              float* to) {
  for (std::int64_t j = 0; j < columns; j += kLanes) {
    const auto n = static_cast<std::size_t>(columns - j < kLanes ? columns - j : kLanes);
    const auto row = [&](std::int64_t i) { return load_some(rows + i * stride + j, n); };
    Vec a{}, b{}, c{}, d{};
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) a += row(i), b += row(i + 1), c += row(i + 2), d += row(i + 3);
    for (; i < count; ++i) a += row(i);
    const Vec all = (a + b) + (c + d);
    store_some(to + j, accumulate ? load_some(to + j, n) + all : all, n);
  }
}

}  // namespace

void fill_recurrent_grad(SimdKernels& t) {
  t.recurrent_grad_step = grad_step;
  t.sum_rows = sum_rows;
}

}  // namespace ramet::cpu::RAMET_SIMD
