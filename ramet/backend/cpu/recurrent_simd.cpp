// The cells of LSTM and GRU, and the layout of their recurrent kernels.
#include "ramet/backend/cpu/recurrent_loop.h"
#include "ramet/backend/cpu/recurrent_math.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// Asks for the next step's x of this row and block: its lines lie too far apart for the hardware to guess.
template <int kGates>
void fetch_ahead(const float* x, std::int64_t ahead, std::int64_t units) {
#pragma GCC unroll 4
  for (int g = 0; g < kGates; ++g) __builtin_prefetch(x + ahead * kGates * units + g * units, 0, 2);
}

// For the gradient. Asks at the same time for where the next step's will be written.
void keep_gates(const RecurrentForward& f, const CellPlace& p, Vec a, Vec b, Vec c, Vec d) {
  const std::int64_t units = f.shape.units;
  float* const to = f.gates + p.at * 4 * units + p.unit;
  const Vec gates[4] = {a, b, c, d};
#pragma GCC unroll 4
  for (int g = 0; g < 4; ++g) {
    store_some(to + g * units, gates[g], p.count);
    if (p.ahead != 0) __builtin_prefetch(to + (p.ahead * 4 + g) * units, 1, 2);
  }
}

// i, f, o = σ(x + h·U),  g = tanh(x + h·U),  c' = f c + i g,  h' = o tanh(c')
struct Lstm {
  static constexpr int kGates = 4;
  static constexpr int kMostRows = kLanes == 16 ? 6 : 2;  // 24 or 8 sums, 4 of the kernel, 1 of h

  static void gates(const RecurrentForward& f, const CellPlace& p, float* sums) {
    const std::int64_t units = f.shape.units;
    const float* const x = f.x + p.at * 4 * units + p.unit;
    if (p.ahead != 0) fetch_ahead<4>(x, p.ahead, units);
    Vec z[4];
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) z[g] = load(sums + g * kLanes) + load_some(x + g * units, p.count);
    const Vec i = gate_sigmoid(z[0]), forget = gate_sigmoid(z[1]), g = gate_tanh(z[2]), o = gate_sigmoid(z[3]);
    store(p.c, mul_add(forget, load(p.c), i * g));
    store(sums, o);
    if (f.gates != nullptr) keep_gates(f, p, i, forget, g, o);
  }

  static void states(const RecurrentForward&, const CellPlace& p, const float* sums) {
    store(p.next_h, load(sums) * gate_tanh(load(p.c)));
  }
};

// u = h·U + b,  z, r = σ(x + u),  g = tanh(x + r u),  h' = z h + (1 - z) g
struct Gru {
  static constexpr int kGates = 3;
  static constexpr int kMostRows = kLanes == 16 ? 8 : 3;  // 24 or 9 sums, 3 of the kernel, 1 of h

  static void gates(const RecurrentForward& f, const CellPlace& p, float* sums) {
    const std::int64_t units = f.shape.units;
    const float *const x = f.x + p.at * 3 * units + p.unit, *const bias = f.bias + p.unit;
    if (p.ahead != 0) fetch_ahead<3>(x, p.ahead, units);
#pragma GCC unroll 2
    for (int g = 0; g < 2; ++g) {
      const Vec u = load(sums + g * kLanes) + load_some(bias + g * units, p.count);
      store(sums + g * kLanes, gate_sigmoid(load_some(x + g * units, p.count) + u));
    }
  }

  static void states(const RecurrentForward& f, const CellPlace& p, const float* sums) {
    const std::int64_t units = f.shape.units;
    const Vec x = load_some(f.x + (p.at * 3 + 2) * units + p.unit, p.count);
    const Vec u = load(sums + 2 * kLanes) + load_some(f.bias + 2 * units + p.unit, p.count);
    const Vec z = load(sums), r = load(sums + kLanes), g = gate_tanh(mul_add(r, u, x));
    store(p.next_h, mul_add(z, load(p.h), mul_add(-z, g, g)));
    if (f.gates != nullptr) keep_gates(f, p, z, r, g, u);
  }
};

std::size_t packed_size(std::int64_t units, int gates) {
  return static_cast<std::size_t>(units * units * gates + kLanes);  // a whole vector may be read at the end
}

void pack(const float* kernel, std::int64_t units, int gates, float* packed) {
  for (std::int64_t unit = 0; unit < units; unit += kLanes) {
    const auto count = static_cast<std::size_t>(units - unit < kLanes ? units - unit : kLanes);
    for (std::int64_t k = 0; k < units; ++k)
      for (int g = 0; g < gates; ++g, packed += count)
        store_some(packed, load_some(kernel + (k * gates + g) * units + unit, count), count);
  }
  store(packed, Vec{});
}

}  // namespace

void fill_recurrent(SimdKernels& t) {
  t.recurrent_packed_size = packed_size;
  t.pack_recurrent = pack;
  t.recurrent_scratch_row = loop_scratch_row;
  t.lstm_forward = run_loop<Lstm>;
  t.gru_forward = run_loop<Gru>;
}

}  // namespace ramet::cpu::RAMET_SIMD
