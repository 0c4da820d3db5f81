#include "ramet/ops/conv/conv.h"

#include <algorithm>

#include "ramet/ops/elementwise/elementwise.h"

namespace ramet::ops {
namespace {

std::int64_t reach(std::int64_t window, std::int64_t dilation) { return (window - 1) * dilation + 1; }

std::vector<Spec> infer_conv(const ConvAttrs& a, std::span<const Spec> in) {
  const Spec &x = in[0], &w = in[1];
  const std::size_t spatial = a.strides.size();
  require(a.dilation.size() == spatial && a.pad_before.size() == spatial && a.pad_after.size() == spatial &&
              x.dtype == w.dtype,
          "conv attributes");
  require(x.rank() == spatial + 2 && w.rank() == spatial + 2, "conv: needs ", spatial, " spatial axes; got ", x,
          " and kernel ", w);
  require(x.dim(-1) == w.dim(-2) * a.groups, "conv: input ", x, " has ", x.dim(-1), " channels, the kernel ", w,
          " with ", a.groups, " groups takes ", w.dim(-2) * a.groups);
  require(a.groups > 0 && w.dim(-1) % a.groups == 0, "conv: ", w.dim(-1), " filters cannot be divided into ", a.groups,
          " groups");
  Spec out{{x.dim(0)}, x.dtype};
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto padded = x.shape[i + 1] + a.pad_before[i] + a.pad_after[i], k = reach(w.shape[i], a.dilation[i]);
    const auto size = padded < k ? 0 : (padded - k) / a.strides[i] + 1;
    require(size > 0 || x.shape[i + 1] == 0,
            "Computed output size would be zero or negative. Received `inputs shape=", to_string(x.shape),
            "`, `kernel shape=", to_string(w.shape), "`; use padding = \"same\" or a larger input");
    out.shape.push_back(size);
  }
  out.shape.push_back(w.dim(-1));
  return {out};
}

std::vector<Spec> infer_grad(const ConvGradAttrs& a, std::span<const Spec> in) {
  require(in.size() == 2 && in[0].dtype == in[1].dtype && a.shape.size() == a.strides.size() + 2, "conv gradient of ",
          in[0], " and ", in[1]);
  return {{a.shape, in[0].dtype}};
}

ConvGradAttrs grad_attrs(const ConvAttrs& a, const Shape& shape) {
  return {shape, a.strides, a.dilation, a.pad_before, a.groups};
}

// The convolution whose input is `x`, kernel `w` and output `y`.
ConvAttrs forward_attrs(const ConvGradAttrs& a, const Shape& x, const Shape& w, const Shape& y) {
  ConvAttrs out{a.strides, a.dilation, a.pad_before, {}, a.groups};
  for (std::size_t i = 0; i < a.strides.size(); ++i)
    out.pad_after.push_back((y[i + 1] - 1) * a.strides[i] + reach(w[i], a.dilation[i]) - x[i + 1] - a.pad_before[i]);
  return out;
}

ConvGradAttrs with_shape(ConvGradAttrs a, const Shape& shape) {
  a.shape = shape;
  return a;
}

}  // namespace

// All three are one trilinear form  Σ x·w·y  over the places a window touches, read with a different one left open; so
// each gradient is the form with another one left open.
const OpDef conv_op = define_op<ConvAttrs>({.name = "conv", .infer = infer_conv, .vjp = [](const Vjp& v) -> Values {
                                              const auto& a = v.as<ConvAttrs>();
                                              const Value x = v.in[0], w = v.in[1];
                                              return {conv_input_grad(v.dy(), w, grad_attrs(a, x.shape())),
                                                      conv_kernel_grad(x, v.dy(), grad_attrs(a, w.shape()))};
                                            }});
const OpDef conv_input_grad_op =
    define_op<ConvGradAttrs>({.name = "conv_input_grad", .infer = infer_grad, .vjp = [](const Vjp& v) -> Values {
                                const auto& a = v.as<ConvGradAttrs>();
                                const Value y = v.in[0], w = v.in[1];
                                return {conv(v.dy(), w, forward_attrs(a, a.shape, w.shape(), y.shape())),
                                        conv_kernel_grad(v.dy(), y, with_shape(a, w.shape()))};
                              }});
const OpDef conv_kernel_grad_op =
    define_op<ConvGradAttrs>({.name = "conv_kernel_grad", .infer = infer_grad, .vjp = [](const Vjp& v) -> Values {
                                const auto& a = v.as<ConvGradAttrs>();
                                const Value x = v.in[0], y = v.in[1];
                                return {conv_input_grad(y, v.dy(), with_shape(a, x.shape())),
                                        conv(x, v.dy(), forward_attrs(a, x.shape(), a.shape, y.shape()))};
                              }});

Value conv(Value x, Value kernel, ConvAttrs attrs) { return emit(conv_op, {x, kernel}, std::move(attrs))[0]; }
Value conv_input_grad(Value dy, Value kernel, ConvGradAttrs attrs) {
  return emit(conv_input_grad_op, {dy, kernel}, std::move(attrs))[0];
}
Value conv_kernel_grad(Value x, Value dy, ConvGradAttrs attrs) {
  return emit(conv_kernel_grad_op, {x, dy}, std::move(attrs))[0];
}

SamePadding same_padding(std::int64_t size, std::int64_t window, std::int64_t stride, std::int64_t dilation) {
  const auto out = (size + stride - 1) / stride;
  const auto total = std::max<std::int64_t>((out - 1) * stride + reach(window, dilation) - size, 0);
  return {total / 2, total - total / 2};
}

}  // namespace ramet::ops
