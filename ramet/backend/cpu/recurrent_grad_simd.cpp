// The gradient of one step of LSTM and GRU, but for the recurrent product.
#include "ramet/backend/cpu/recurrent.h"
#include "ramet/backend/cpu/recurrent_math.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// Calls with (unit, count) for each vector of units.
template <class Body>
void each_vector(std::int64_t units, Body body) {
  for (std::int64_t unit = 0; unit < units; unit += kLanes)
    body(unit, static_cast<std::size_t>(units - unit < kLanes ? units - unit : kLanes));
}

// A row that is masked passes its gradients on and gives none to its inputs; returns whether it was one.
bool pass_masked(const RecurrentGradStep& step, std::int64_t row, std::int64_t at) {
  const RecurrentGrad& g = *step.grad;
  if (g.mask == nullptr || g.mask[at]) return false;
  const std::int64_t units = g.shape.units, width = g.shape.gates * units;
  float* const dh = step.dh + row * units;
  for (std::int64_t i = 0; i < units && g.dsequence != nullptr; ++i) dh[i] += g.dsequence[at * units + i];
  const auto bytes = static_cast<std::size_t>(width) * sizeof(float);
  __builtin_memset(step.dz + row * width, 0, bytes);
  if (g.dx != nullptr) __builtin_memset(g.dx + at * width, 0, bytes);
  if (g.du != nullptr) __builtin_memset(g.du + at * width, 0, bytes);
  return true;
}

// dσ = s (1 - s)
Vec sigmoid_slope(Vec s) { return mul_add(-s, s, s); }
Vec tanh_slope(Vec t) { return mul_add(-t, t, 1.0f); }

// With c = f c₀ + i g and T = tanh(c):  dc += dh o (1 - T²),
// di = dc g,  df = dc c₀,  dg = dc i,  do = dh T,  dc₀ = dc f;  each gate's times the slope of its activation is dz.
void lstm_grad_step(const RecurrentGradStep& step, std::int64_t begin, std::int64_t end) {
  const RecurrentGrad& grad = *step.grad;
  const std::int64_t units = grad.shape.units;
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t at = row * grad.shape.steps + step.t;
    if (pass_masked(step, row, at)) continue;
    const float *gates = grad.gates + at * 4 * units, *c0 = grad.entered + at * units;
    float *dh = step.dh + row * units, *dc = step.dc + row * units, *dz = step.dz + row * 4 * units;
    float* const dx = grad.dx == nullptr ? dz : grad.dx + at * 4 * units;
    each_vector(units, [&](std::int64_t unit, std::size_t n) {
      const auto gate = [&](int k) { return load_some(gates + k * units + unit, n); };
      const Vec i = gate(0), f = gate(1), g = gate(2), o = gate(3), before = load_some(c0 + unit, n);
      const Vec t = gate_tanh(mul_add(f, before, i * g));
      Vec d = load_some(dh + unit, n);
      if (grad.dsequence != nullptr) d += load_some(grad.dsequence + at * units + unit, n);
      const Vec d_c = mul_add(d * o, tanh_slope(t), load_some(dc + unit, n));
      store_some(dh + unit, Vec{}, n);
      store_some(dc + unit, d_c * f, n);
      const Vec out[4] = {d_c * g * sigmoid_slope(i), d_c * before * sigmoid_slope(f), d_c * i * tanh_slope(g),
                          d * t * sigmoid_slope(o)};
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        store_some(dz + k * units + unit, out[k], n);
        store_some(dx + k * units + unit, out[k], n);
      }
    });
  }
}

// With u the candidate's recurrent product:  dz = dh (h₀ - g),  da = dh (1 - z)(1 - g²),  dr = da u,  du = da r;
// dh₀ = dh z and what comes back through the products.
void gru_grad_step(const RecurrentGradStep& step, std::int64_t begin, std::int64_t end) {
  const RecurrentGrad& grad = *step.grad;
  const std::int64_t units = grad.shape.units;
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t at = row * grad.shape.steps + step.t;
    if (pass_masked(step, row, at)) continue;
    const float *gates = grad.gates + at * 4 * units, *h0 = grad.entered + at * units;
    float *dh = step.dh + row * units, *dz = step.dz + row * 3 * units;
    float* const dx = grad.dx == nullptr ? dz : grad.dx + at * 3 * units;
    float* const du = grad.du == nullptr ? dz : grad.du + at * 3 * units;
    each_vector(units, [&](std::int64_t unit, std::size_t n) {
      const auto gate = [&](int k) { return load_some(gates + k * units + unit, n); };
      const Vec z = gate(0), r = gate(1), g = gate(2), u = gate(3);
      Vec d = load_some(dh + unit, n);
      if (grad.dsequence != nullptr) d += load_some(grad.dsequence + at * units + unit, n);
      store_some(dh + unit, d * z, n);
      const Vec da = mul_add(-z, d, d) * tanh_slope(g);
      const Vec in[3] = {d * (load_some(h0 + unit, n) - g) * sigmoid_slope(z), da * u * sigmoid_slope(r), da};
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) {
        const Vec recurrent = k == 2 ? da * r : in[k];
        store_some(dx + k * units + unit, in[k], n);
        store_some(du + k * units + unit, recurrent, n);
        store_some(dz + k * units + unit, recurrent, n);
      }
    });
  }
}

}  // namespace

void fill_recurrent_grad(SimdKernels& t) {
  t.lstm_grad_step = lstm_grad_step;
  t.gru_grad_step = gru_grad_step;
}

}  // namespace ramet::cpu::RAMET_SIMD
