// A sample of every op: one random instruction with random shapes, in float32 or float64. What the op conformance suite
// runs on.
#pragma once
#include <random>

#include "ramet/ops/cluster/cluster.h"
#include "ramet/ops/matmul/linear.h"
#include "ramet/ops/op_list.h"
#include "ramet/ops/ops.h"

namespace ramet::testing {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  bool chance(double p) { return real(0, 1) < p; }
  // Sizes 0 and 1 come up often: they are where kernels go wrong.
  std::int64_t size(bool zero = true) { return chance(0.15) ? (zero && chance(0.3) ? 0 : 1) : integer(1, 7); }
  Shape shape(std::size_t rank, bool zero = true) {
    Shape out;
    for (std::size_t i = 0; i < rank; ++i) out.push_back(size(zero));
    return out;
  }
  Array array(const Spec& spec, double low = -2, double high = 2) {
    Array out(spec.shape, spec.dtype);
    visit_element(spec.dtype, [&](auto zero) {
      using T = decltype(zero);
      for (auto& x : out.data<T>()) {
        if constexpr (std::is_same_v<T, bool>)
          x = chance(0.5);
        else if constexpr (std::is_integral_v<T>)
          x = static_cast<T>(integer(std::is_signed_v<T> ? -5 : 0, 5));
        else
          x = static_cast<T>(real(low, high));
      }
    });
    return out;
  }

 private:
  std::mt19937 engine_;
};

struct Sample {
  std::unique_ptr<Program> program = std::make_unique<Program>();
  Arrays inputs;
  // Values away from kinks and poles, for the gradient check.
  Value input(Random& random, Spec spec, double low = -2, double high = 2) {
    inputs.push_back(random.array(spec, low, high));
    return program->input(cat("x", inputs.size() - 1), std::move(spec));
  }
  void output(const Values& ys) {
    for (const Value& y : ys) program->output("y", y);
  }
};

inline Shape broadcast_partner(Random& random, const Shape& shape) {
  Shape out = shape;
  for (auto& size : out)
    if (random.chance(0.3)) size = 1;
  const auto drop = static_cast<std::ptrdiff_t>(
      random.chance(0.3) && !out.empty() ? random.integer(1, static_cast<std::int64_t>(out.size())) : 0);
  out.erase(out.begin(), out.begin() + drop);
  return out;
}

inline Sample pointwise_sample(const ops::PointwiseRow& row, Random& random, DType dtype) {
  using Kind = ops::PointwiseKind;
  Sample s;
  const Shape shape = random.shape(static_cast<std::size_t>(random.integer(0, 3)));
  const bool logic = row.kind == Kind::logic_unary || row.kind == Kind::logic_binary;
  const DType type = logic ? DType::boolean : dtype;
  const bool positive = row.op == &ops::log_op || row.op == &ops::sqrt_op || row.op == &ops::rsqrt_op ||
                        row.op == &ops::reciprocal_op || row.op == &ops::log1p_op || row.op == &ops::pow_op;
  Values in{s.input(random, {shape, type}, positive ? 0.2 : -2, 2)};
  const bool unary = row.kind == Kind::float_unary || row.kind == Kind::number_unary || row.kind == Kind::test_unary ||
                     row.kind == Kind::logic_unary;
  if (!unary) {
    const bool divisor = row.op == &ops::div_op || row.op == &ops::mod_op || row.op == &ops::floor_divide_op;
    Shape partner = broadcast_partner(random, shape);
    in.push_back(s.input(random, {partner, type}, divisor ? 0.5 : -2, 2));
    if (random.chance(0.5)) std::swap(in[0], in[1]);
    if (divisor && in[1].id == 0) std::swap(in[0], in[1]);
    if (row.op == &ops::pow_op && in[0].id != 0) std::swap(in[0], in[1]);
  }
  s.output(s.program->emit(*row.op, in, Attrs::make(NoAttrs{})));
  return s;
}

// The sample for an op, or an empty program for one this table does not know (which fails the suite).
Sample op_sample(const OpDef& op, Random& random, DType dtype);

inline ops::PoolAttrs pool_attrs(Random& random, const Shape& x, std::size_t spatial) {
  ops::PoolAttrs a;
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto w = random.integer(1, 3);
    a.window.push_back(w);
    a.strides.push_back(random.integer(1, 3));
    a.pad_before.push_back(random.integer(0, w - 1));
    a.pad_after.push_back(std::max<std::int64_t>(random.integer(0, w - 1), w - x[i + 1] - a.pad_before.back()));
  }
  return a;
}

inline ops::ConvAttrs conv_attrs(Random& random, const Shape& x, const Shape& window, std::int64_t groups) {
  ops::ConvAttrs a;
  a.groups = groups;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const auto stride = random.integer(1, 3), dilation = stride > 1 ? 1 : random.integer(1, 2),
               reach = (window[i] - 1) * dilation + 1;
    a.strides.push_back(stride), a.dilation.push_back(dilation), a.pad_before.push_back(random.integer(0, reach - 1));
    a.pad_after.push_back(std::max<std::int64_t>(random.integer(0, reach - 1), reach - x[i + 1] - a.pad_before.back()));
  }
  return a;
}

}  // namespace ramet::testing
