// SimpleRNN, GRU and LSTM step by step and unit by unit. Sums in double, so that comparing with it measures the other's
// rounding.
#include <cmath>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/elementwise/scalar.h"
#include "ramet/ops/recurrent/recurrent.h"

namespace ramet::cpu {
namespace {

using ops::RecurrentCell;

struct Args {
  std::int64_t batch, steps, features, units;
  bool reverse, masked, sequence;
};

template <class T>
using Row = std::vector<T>;

template <class T>
Row<T> take(const T* from, std::int64_t at, std::int64_t size) {
  return Row<T>(from + at * size, from + (at + 1) * size);
}

template <class T>
void put(T* to, std::int64_t at, const Row<T>& row) {
  if (to) std::copy(row.begin(), row.end(), to + at * static_cast<std::int64_t>(row.size()));
}

// bias + v·kernel of one row; a null bias is zero.
template <class T>
Row<T> product(const Row<T>& v, const T* kernel, const T* bias, std::size_t width) {
  Row<T> out(width);
  for (std::size_t j = 0; j < width; ++j) {
    double sum = bias ? static_cast<double>(bias[j]) : 0;
    for (std::size_t k = 0; k < v.size(); ++k)
      sum += static_cast<double>(v[k]) * static_cast<double>(kernel[k * width + j]);
    out[j] = static_cast<T>(sum);
  }
  return out;
}

// to += d·kernelᵀ of one row.
template <class T>
void add_transposed_product(const Row<T>& d, const T* kernel, Row<T>& to) {
  for (std::size_t k = 0; k < to.size(); ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < d.size(); ++j)
      sum += static_cast<double>(d[j]) * static_cast<double>(kernel[k * d.size() + j]);
    to[k] += static_cast<T>(sum);
  }
}

// to += vᵀ d, and v of size one for a bias.
template <class T>
void add_outer_product(const Row<T>& v, const Row<T>& d, Row<double>& to) {
  for (std::size_t k = 0; k < v.size(); ++k)
    for (std::size_t j = 0; j < d.size(); ++j)
      to[k * d.size() + j] += static_cast<double>(v[k]) * static_cast<double>(d[j]);
}

template <class T>
void put_sums(T* to, const Row<double>& sums) {
  for (std::size_t i = 0; i < sums.size() && to; ++i) to[i] = static_cast<T>(sums[i]);
}

// One unit of a step: v and u hold what x and h bring to its gates.
template <class T, const RecurrentCell& cell>
void step(const T* v, const T* u, T* gate, T& h, [[maybe_unused]] T& c) {
  const scalar::Sigmoid sigmoid;
  if constexpr (cell.gates == ops::kSimpleRnn.gates) {
    h = gate[0] = std::tanh(v[0] + u[0]);
  } else if constexpr (cell.gates == ops::kGru.gates) {
    gate[0] = sigmoid(v[0] + u[0]), gate[1] = sigmoid(v[1] + u[1]), gate[3] = u[2];
    gate[2] = std::tanh(v[2] + gate[1] * u[2]);
    h = gate[0] * h + (1 - gate[0]) * gate[2];
  } else {
    for (const int k : {0, 1, 3}) gate[k] = sigmoid(v[k] + u[k]);
    gate[2] = std::tanh(v[2] + u[2]);
    c = gate[1] * c + gate[0] * gate[2];
    h = gate[3] * std::tanh(c);
  }
}

// And back: dv, du from dh and dc, which become what passes to the states before by other ways.
template <class T, const RecurrentCell& cell>
void step_back(const T* gate, T h, [[maybe_unused]] T c, T& dh, [[maybe_unused]] T& dc, T* dv, T* du) {
  if constexpr (cell.gates == ops::kSimpleRnn.gates) {
    dv[0] = du[0] = dh * (1 - gate[0] * gate[0]);
    dh = 0;
  } else if constexpr (cell.gates == ops::kGru.gates) {
    const T z = gate[0], r = gate[1], g = gate[2], da = dh * (1 - z) * (1 - g * g);
    dv[0] = du[0] = dh * (h - g) * z * (1 - z);
    dv[1] = du[1] = da * gate[3] * r * (1 - r);
    dv[2] = da, du[2] = da * r;
    dh *= z;
  } else {
    const T i = gate[0], f = gate[1], g = gate[2], o = gate[3], t = std::tanh(f * c + i * g);
    const T d_c = dc + dh * o * (1 - t * t);
    dv[0] = d_c * g * i * (1 - i), dv[1] = d_c * c * f * (1 - f), dv[2] = d_c * i * (1 - g * g);
    dv[3] = dh * t * o * (1 - o);
    std::copy(dv, dv + 4, du);
    dc = d_c * f, dh = 0;
  }
}

template <class T, const RecurrentCell& cell>
void forward(const Args& a, const Buffers& b) {
  constexpr auto gates = static_cast<std::size_t>(cell.gates), kept = static_cast<std::size_t>(cell.kept);
  const T *x = b.input<T>(0), *kernel = b.input<T>(1), *recurrent_kernel = b.input<T>(2), *bias = b.input<T>(3);
  const bool* mask = a.masked ? b.input<bool>(4 + cell.states) : nullptr;
  T *sequence = b.output<T>(cell.states), *gates_out = b.output<T>(2 * cell.states + 1);
  const auto n = static_cast<std::size_t>(a.units);
  for (std::int64_t row = 0; row < a.batch; ++row) {
    Row<T> state[2] = {{}, Row<T>(n)};
    for (std::size_t i = 0; i < cell.states; ++i) state[i] = take(b.input<T>(4 + i), row, a.units);
    for (std::int64_t count = 0; count < a.steps; ++count) {
      const std::int64_t t = a.reverse ? a.steps - 1 - count : count, at = row * a.steps + t;
      for (std::size_t i = 0; i < cell.states; ++i) put(b.output<T>(cell.states + 1 + i), t * a.batch + row, state[i]);
      Row<T> gate(kept * n);
      if (!mask || mask[at]) {
        const Row<T> v = product(take(x, at, a.features), kernel, bias, gates * n);
        const Row<T> u = product(state[0], recurrent_kernel, cell.biases == 2 ? bias + gates * n : nullptr, gates * n);
        for (std::size_t k = 0; k < n; ++k) {
          T in[gates], from_h[gates], out[kept];
          for (std::size_t g = 0; g < gates; ++g) in[g] = v[g * n + k], from_h[g] = u[g * n + k];
          step<T, cell>(in, from_h, out, state[0][k], state[1][k]);
          for (std::size_t g = 0; g < kept; ++g) gate[g * n + k] = out[g];
        }
      }
      put(gates_out, t * a.batch + row, gate), put(sequence, at, state[0]);
    }
    for (std::size_t i = 0; i < cell.states; ++i) put(b.output<T>(i), row, state[i]);
  }
}

template <class T, const RecurrentCell& cell>
void gradient(const Args& a, const Buffers& b) {
  constexpr auto gates = static_cast<std::size_t>(cell.gates), kept = static_cast<std::size_t>(cell.kept);
  constexpr std::size_t gates_at = 3 + cell.states;
  std::size_t input = gates_at + 1 + cell.states;
  const T *x = b.input<T>(0), *kernel = b.input<T>(1), *recurrent_kernel = b.input<T>(2);
  const T* dsequence = a.sequence ? b.input<T>(input++) : nullptr;
  const bool* mask = a.masked ? b.input<bool>(input) : nullptr;
  const auto n = static_cast<std::size_t>(a.units), width = gates * n;
  Row<double> dkernel(static_cast<std::size_t>(a.features) * width), drecurrent(n * width);
  Row<double> dbias(width), drecurrent_bias(width);
  for (std::int64_t row = 0; row < a.batch; ++row) {
    Row<T> d[2] = {{}, Row<T>(n)};
    for (std::size_t i = 0; i < cell.states; ++i) d[i] = take(b.input<T>(gates_at + 1 + i), row, a.units);
    for (std::int64_t count = a.steps; count-- > 0;) {
      const std::int64_t t = a.reverse ? a.steps - 1 - count : count, at = row * a.steps + t;
      const std::int64_t kept_at = t * a.batch + row;
      Row<T> dv(width), du(width), dx(static_cast<std::size_t>(a.features));
      for (std::size_t k = 0; k < n && dsequence; ++k) d[0][k] += dsequence[static_cast<std::size_t>(at) * n + k];
      if (!mask || mask[at]) {
        const Row<T> gate = take(b.input<T>(gates_at), kept_at, cell.kept * a.units);
        Row<T> state[2] = {{}, Row<T>(n)};
        for (std::size_t i = 0; i < cell.states; ++i) state[i] = take(b.input<T>(3 + i), kept_at, a.units);
        for (std::size_t k = 0; k < n; ++k) {
          T in[kept], out_v[gates], out_u[gates];
          for (std::size_t g = 0; g < kept; ++g) in[g] = gate[g * n + k];
          step_back<T, cell>(in, state[0][k], state[1][k], d[0][k], d[1][k], out_v, out_u);
          for (std::size_t g = 0; g < gates; ++g) dv[g * n + k] = out_v[g], du[g * n + k] = out_u[g];
        }
        add_transposed_product(du, recurrent_kernel, d[0]);
        add_transposed_product(dv, kernel, dx);
        add_outer_product(take(x, at, a.features), dv, dkernel), add_outer_product(state[0], du, drecurrent);
        add_outer_product({T(1)}, dv, dbias), add_outer_product({T(1)}, du, drecurrent_bias);
      }
      put(b.output<T>(0), at, dx);
    }
    for (std::size_t i = 0; i < cell.states; ++i) put(b.output<T>(4 + i), row, d[i]);
  }
  if (cell.biases == 2) dbias.insert(dbias.end(), drecurrent_bias.begin(), drecurrent_bias.end());
  put_sums(b.output<T>(1), dkernel), put_sums(b.output<T>(2), drecurrent), put_sums(b.output<T>(3), dbias);
}

// REQUIRES: `Attrs` of the op or of its gradient.
template <class Attrs, auto run_f32, auto run_f64>
Step make(const Site& site) {
  const auto& at = site.attrs<Attrs>();
  bool sequence = false;
  if constexpr (requires { at.sequence; }) sequence = at.sequence;
  const Spec& x = site.in(0);
  const Args args{x.dim(0), x.dim(1), x.dim(2), site.in(2).dim(0), at.reverse, at.masked, sequence};
  return x.dtype == DType::f64 ? make_step(args, [](const Args& a, const Buffers& b) { run_f64(a, b); })
                               : make_step(args, [](const Args& a, const Buffers& b) { run_f32(a, b); });
}

template <const RecurrentCell& cell>
void add_cell(KernelList& list, std::string_view name) {
  list.push_back({cell.op, name, always, make<ops::RecurrentAttrs, forward<float, cell>, forward<double, cell>>});
  list.push_back(
      {cell.grad, name, always, make<ops::RecurrentGradAttrs, gradient<float, cell>, gradient<double, cell>>});
}

}  // namespace

void add_recurrent_kernels(KernelList& list) {
  add_cell<ops::kSimpleRnn>(list, "ref_simple_rnn");
  add_cell<ops::kGru>(list, "ref_gru");
  add_cell<ops::kLstm>(list, "ref_lstm");
}

}  // namespace ramet::cpu
