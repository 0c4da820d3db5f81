// LSTM and GRU step by step and unit by unit. Sums in double, so that comparing with it measures the other's rounding.
#include <cmath>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/elementwise/scalar.h"
#include "ramet/ops/recurrent/recurrent.h"

namespace ramet::cpu {
namespace {

struct Args {
  std::int64_t batch, steps, units;
  bool reverse, masked, sequence;
};

template <class T>
using Row = std::vector<T>;

// h·U of one row, `width` columns.
template <class T>
void product(const Row<T>& h, const T* kernel, Row<T>& out) {
  for (std::size_t j = 0; j < out.size(); ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < h.size(); ++k)
      sum += static_cast<double>(h[k]) * static_cast<double>(kernel[k * out.size() + j]);
    out[j] = static_cast<T>(sum);
  }
}

// d·Uᵀ of one row, added to `to`.
template <class T>
void add_transposed_product(const Row<T>& d, const T* kernel, Row<T>& to) {
  for (std::size_t k = 0; k < to.size(); ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < d.size(); ++j)
      sum += static_cast<double>(d[j]) * static_cast<double>(kernel[k * d.size() + j]);
    to[k] += static_cast<T>(sum);
  }
}

template <class T>
void put(T* to, std::int64_t at, const Row<T>& row) {
  if (to) std::copy(row.begin(), row.end(), to + at * static_cast<std::int64_t>(row.size()));
}

template <class T>
Row<T> take(const T* from, std::int64_t at, std::int64_t size) {
  return Row<T>(from + at * size, from + (at + 1) * size);
}

template <class T, int gates>
void forward(const Args& a, const Buffers& b) {
  constexpr bool lstm = gates == 4;
  const T *x = b.input<T>(0), *kernel = b.input<T>(1), *bias = b.input<T>(2);
  const bool* mask = a.masked ? b.input<bool>(4) : nullptr;
  T *last_h = b.output<T>(0), *last_c = lstm ? b.output<T>(1) : nullptr;
  T *sequence = b.output<T>(lstm ? 2 : 1), *h_entered = b.output<T>(lstm ? 3 : 2);
  T *c_entered = lstm ? b.output<T>(4) : nullptr, *kept = b.output<T>(lstm ? 5 : 3);
  const auto n = static_cast<std::size_t>(a.units);
  for (std::int64_t row = 0; row < a.batch; ++row) {
    Row<T> h = take(b.input<T>(lstm ? 2 : 3), row, a.units), c(lstm ? n : 0), u(gates * n);
    if (lstm) c = take(b.input<T>(3), row, a.units);
    for (std::int64_t step = 0; step < a.steps; ++step) {
      const std::int64_t at = row * a.steps + (a.reverse ? a.steps - 1 - step : step);
      put(h_entered, at, h), put(c_entered, at, c);
      Row<T> gate(4 * n);
      if (!mask || mask[at]) {
        const Row<T> in = take(x, at, gates * a.units);
        product(h, kernel, u);
        for (std::size_t k = 0; k < n; ++k) {
          T *p = &gate[k], *q = &gate[n + k], *g = &gate[2 * n + k], *o = &gate[3 * n + k];
          if (lstm) {
            *p = scalar::Sigmoid{}(in[k] + u[k]), *q = scalar::Sigmoid{}(in[n + k] + u[n + k]);
            *g = std::tanh(in[2 * n + k] + u[2 * n + k]),
            *o = scalar::Sigmoid{}(in[gates * n - n + k] + u[gates * n - n + k]);
            c[k] = *q * c[k] + *p * *g;
            h[k] = *o * std::tanh(c[k]);
          } else {
            *o = u[2 * n + k] + bias[2 * n + k];
            *p = scalar::Sigmoid{}(in[k] + u[k] + bias[k]), *q = scalar::Sigmoid{}(in[n + k] + u[n + k] + bias[n + k]);
            *g = std::tanh(in[2 * n + k] + *q * *o);
            h[k] = *p * h[k] + (1 - *p) * *g;
          }
        }
      }
      put(kept, at, gate), put(sequence, at, h);
    }
    put(last_h, row, h), put(last_c, row, c);
  }
}

template <class T, int gates>
void gradient(const Args& a, const Buffers& b) {
  constexpr bool lstm = gates == 4;
  std::size_t input = lstm ? 5 : 4;
  const T* kernel = b.input<T>(2);
  const T* dsequence = a.sequence ? b.input<T>(input++) : nullptr;
  const bool* mask = a.masked ? b.input<bool>(input) : nullptr;
  T *dx = b.output<T>(0), *du = lstm ? nullptr : b.output<T>(1);
  const auto n = static_cast<std::size_t>(a.units);
  for (std::int64_t row = 0; row < a.batch; ++row) {
    Row<T> dh = take(b.input<T>(3), row, a.units), dc(lstm ? n : 0);
    if (lstm) dc = take(b.input<T>(4), row, a.units);
    for (std::int64_t step = a.steps; step-- > 0;) {
      const std::int64_t at = row * a.steps + (a.reverse ? a.steps - 1 - step : step);
      Row<T> d(gates * n), in(gates * n);
      for (std::size_t k = 0; k < n && dsequence; ++k) dh[k] += dsequence[static_cast<std::size_t>(at) * n + k];
      if (!mask || mask[at]) {
        const Row<T> gate = take(b.input<T>(0), at, 4 * a.units), before = take(b.input<T>(1), at, a.units);
        for (std::size_t k = 0; k < n; ++k) {
          const T p = gate[k], q = gate[n + k], g = gate[2 * n + k], o = gate[3 * n + k];
          if (lstm) {
            const T t = std::tanh(q * before[k] + p * g), d_c = dc[k] + dh[k] * o * (1 - t * t);
            d[k] = d_c * g * p * (1 - p), d[n + k] = d_c * before[k] * q * (1 - q);
            d[2 * n + k] = d_c * p * (1 - g * g), d[gates * n - n + k] = dh[k] * t * o * (1 - o);
            dc[k] = d_c * q, dh[k] = 0;
          } else {
            const T da = dh[k] * (1 - p) * (1 - g * g);
            in[k] = dh[k] * (before[k] - g) * p * (1 - p), in[n + k] = da * o * q * (1 - q), in[2 * n + k] = da;
            d[k] = in[k], d[n + k] = in[n + k], d[2 * n + k] = da * q;
            dh[k] *= p;
          }
        }
        add_transposed_product(d, kernel, dh);
      }
      put(dx, at, lstm ? d : in), put(du, at, d);
    }
    put(b.output<T>(lstm ? 1 : 2), row, dh);
    if (lstm) put(b.output<T>(2), row, dc);
  }
}

template <int gates>
Step make_forward(const Site& site) {
  const auto& at = site.attrs<ops::RecurrentAttrs>();
  const Spec& x = site.in(0);
  const Args args{x.dim(0), x.dim(1), x.dim(2) / gates, at.reverse, at.masked, false};
  return x.dtype == DType::f64 ? make_step(args, [](const Args& a, const Buffers& b) { forward<double, gates>(a, b); })
                               : make_step(args, [](const Args& a, const Buffers& b) { forward<float, gates>(a, b); });
}

template <int gates>
Step make_gradient(const Site& site) {
  const auto& at = site.attrs<ops::RecurrentGradAttrs>();
  const Spec& x = site.in(0);
  const Args args{x.dim(0), x.dim(1), x.dim(2) / 4, at.reverse, at.masked, at.sequence};
  return x.dtype == DType::f64 ? make_step(args, [](const Args& a, const Buffers& b) { gradient<double, gates>(a, b); })
                               : make_step(args, [](const Args& a, const Buffers& b) { gradient<float, gates>(a, b); });
}

}  // namespace

void add_recurrent_kernels(KernelList& list) {
  list.push_back({&ops::lstm_op, "ref_lstm", always, make_forward<4>});
  list.push_back({&ops::gru_op, "ref_gru", always, make_forward<3>});
  list.push_back({&ops::lstm_grad_op, "ref_lstm", always, make_gradient<4>});
  list.push_back({&ops::gru_grad_op, "ref_gru", always, make_gradient<3>});
}

}  // namespace ramet::cpu
