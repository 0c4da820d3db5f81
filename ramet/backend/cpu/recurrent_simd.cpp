// The cells, and the layout of their kernels.
#include "ramet/backend/cpu/recurrent_loop.h"
#include "ramet/backend/cpu/recurrent_math.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// For the gradient. Asks at the same time for where the next step's will be written.
template <int kCount>
void keep_gates(std::int64_t units, const CellPlace& p, const Vec (&gates)[kCount]) {
  if (p.gates == nullptr) return;
#pragma GCC unroll 4
  for (int g = 0; g < kCount; ++g) {
    store_some(p.gates + g * units, gates[g], p.count);
    if (p.gates_next != 0) __builtin_prefetch(p.gates + p.gates_next + g * units, 1, 2);
  }
}

Vec with_base(std::int64_t units, const CellPlace& p, const float* sums, int gate) {
  return load(sums + gate * kLanes) + load_some(p.base + gate * units, p.count);
}

// h' = tanh(v + u)
struct SimpleRnn {
  using Sums = GateSumsOf<1, 1>;

  static void gates(std::int64_t, const CellPlace&, float*) {}

  static void states(std::int64_t units, const CellPlace& p, const float* sums) {
    const Vec h[1] = {tanh(with_base(units, p, sums, 0))};
    store(p.next_h, h[0]);
    keep_gates(units, p, h);
  }
};

// z, r = σ(v + u),  g = tanh(v + r u),  h' = z h + (1 - z) g
struct Gru {
  using Sums = GateSumsOf<3, 4>;

  static void gates(std::int64_t units, const CellPlace& p, float* sums) {
#pragma GCC unroll 2
    for (int g = 0; g < 2; ++g) {
      const Vec u = load_some(p.recurrent_bias + g * units, p.count);
      store(sums + g * kLanes, gate_sigmoid(with_base(units, p, sums, g) + u));
    }
  }

  static void states(std::int64_t units, const CellPlace& p, const float* sums) {
    const Vec v = with_base(units, p, sums, 2);
    const Vec u = load(sums + 3 * kLanes) + load_some(p.recurrent_bias + 2 * units, p.count);
    const Vec z = load(sums), r = load(sums + kLanes), g = tanh(mul_add(r, u, v));
    store(p.next_h, mul_add(z, load(p.h), mul_add(-z, g, g)));
    keep_gates(units, p, {z, r, g, u});
  }
};

// i, f, o = σ(v + u),  g = tanh(v + u),  c' = f c + i g,  h' = o tanh(c')
struct Lstm {
  using Sums = GateSumsOf<4, 4>;

  static void gates(std::int64_t units, const CellPlace& p, float* sums) {
    const Vec i = gate_sigmoid(with_base(units, p, sums, 0)), f = gate_sigmoid(with_base(units, p, sums, 1));
    const Vec g = tanh(with_base(units, p, sums, 2)), o = gate_sigmoid(with_base(units, p, sums, 3));
    store(p.c, mul_add(f, load(p.c), i * g));
    store(sums, o);
    keep_gates(units, p, {i, f, g, o});
  }

  static void states(std::int64_t, const CellPlace& p, const float* sums) {
    store(p.next_h, load(sums) * tanh(load(p.c)));
  }
};

std::size_t packed_size(std::int64_t depth, std::int64_t units, int gates) {
  return static_cast<std::size_t>(depth * units * gates + kLanes);  // a whole vector may be read at the end
}

void pack(const float* kernel, std::int64_t depth, std::int64_t units, int gates, float* packed) {
  for (std::int64_t unit = 0; unit < units; unit += kLanes) {
    const auto count = static_cast<std::size_t>(units - unit < kLanes ? units - unit : kLanes);
    for (std::int64_t k = 0; k < depth; ++k)
      for (int g = 0; g < gates; ++g, packed += count)
        store_some(packed, load_some(kernel + (k * gates + g) * units + unit, count), count);
  }
  store(packed, Vec{});
}

// h before and after the step, c, x, and a place in the list of rows.
std::int64_t scratch_row(const RecurrentShape& s) {
  return 3 * padded_units(s.units) + padded_units(s.features) + kLanes;
}

void forward(const RecurrentForward& f, std::int64_t begin, std::int64_t end, float* scratch) {
  switch (f.shape.cell) {
    case CellKind::kSimpleRnn: return run_loop<SimpleRnn>(f, begin, end, scratch);
    case CellKind::kGru: return run_loop<Gru>(f, begin, end, scratch);
    case CellKind::kLstm: return run_loop<Lstm>(f, begin, end, scratch);
  }
}

}  // namespace

void fill_recurrent(SimdKernels& t) {
  t.recurrent_packed_size = packed_size;
  t.pack_recurrent = pack;
  t.recurrent_scratch_row = scratch_row;
  t.recurrent_forward = forward;
}

}  // namespace ramet::cpu::RAMET_SIMD
