// The functions of keras.ops, with Keras' names and order of arguments. Each is written once and takes Tensors, Values
// or Arrays (ramet/graph/operands.h); beside a Tensor or a Value also Arrays, and beside any of them numbers.
//
//   Array a = ops::sin(x) + 0.5 * x[Slice(0, 10)];
//   Tensor t = ops::clip(tensor, 0, 1);
//   Value m = ops::mean(v, {.axis = -1});
//
// `==` and `!=` ask whether two handles are the same, as everywhere in C++; ops::equal and ops::not_equal compare
// elements.
#pragma once
#include "ramet/graph/operands.h"

namespace ramet {
namespace ops {

#define RAMET_UNARY(function, class_name) \
  template <Operand X>                    \
  detail::Kind<X> function(const X& x) {  \
    return detail::op(class_name, {}, x); \
  }
#define RAMET_BINARY(function, class_name)                                        \
  template <class A, class B>                                                     \
  requires Operands<A, B> detail::Kind<A, B> function(const A& x1, const B& x2) { \
    return detail::op(class_name, {}, x1, x2);                                    \
  }
// sum(x), sum(x, -1), sum(x, {0, 1}, true), sum(x, {.axis = -1, .keepdims = true})
#define RAMET_REDUCTION(function, class_name)                                                \
  template <Operand X>                                                                       \
  detail::Kind<X> function(const X& x, const Axis& axis = {}, bool keepdims = false) {       \
    return detail::op(class_name, {{"axis", axis.json()}, {"keepdims", Json(keepdims)}}, x); \
  }                                                                                          \
  template <Operand X, std::same_as<ReduceOptions> O = ReduceOptions>                        \
  detail::Kind<X> function(const X& x, const O& options) {                                   \
    return ops::function(x, options.axis, options.keepdims);                                 \
  }

RAMET_UNARY(negative, "Negative")
RAMET_UNARY(absolute, "Absolute")
RAMET_UNARY(abs, "Absolute")
RAMET_UNARY(sign, "Sign")
RAMET_UNARY(square, "Square")
RAMET_UNARY(sqrt, "Sqrt")
RAMET_UNARY(rsqrt, "Rsqrt")
RAMET_UNARY(reciprocal, "Reciprocal")
RAMET_UNARY(exp, "Exp")
RAMET_UNARY(expm1, "Expm1")
RAMET_UNARY(log, "Log")
RAMET_UNARY(log1p, "Log1p")
RAMET_UNARY(sin, "Sin")
RAMET_UNARY(cos, "Cos")
RAMET_UNARY(tanh, "Tanh")
RAMET_UNARY(floor, "Floor")
RAMET_UNARY(ceil, "Ceil")
RAMET_UNARY(erf, "Erf")
RAMET_UNARY(isnan, "Isnan")
RAMET_UNARY(logical_not, "LogicalNot")
RAMET_UNARY(ravel, "Ravel")
RAMET_UNARY(relu, "Relu")
RAMET_UNARY(relu6, "Relu6")
RAMET_UNARY(sigmoid, "Sigmoid")
RAMET_UNARY(softplus, "Softplus")
RAMET_UNARY(softsign, "Softsign")
RAMET_UNARY(silu, "Silu")

// Operands of different types are promoted as NumPy does; division of integers gives float32.
RAMET_BINARY(add, "Add")
RAMET_BINARY(subtract, "Subtract")
RAMET_BINARY(multiply, "Multiply")
RAMET_BINARY(true_divide, "TrueDivide")
RAMET_BINARY(divide, "Divide")
RAMET_BINARY(floor_divide, "FloorDivide")
RAMET_BINARY(mod, "Mod")
RAMET_BINARY(power, "Power")
RAMET_BINARY(maximum, "Maximum")
RAMET_BINARY(minimum, "Minimum")
RAMET_BINARY(arctan2, "Arctan2")
RAMET_BINARY(matmul, "Matmul")
RAMET_BINARY(equal, "Equal")
RAMET_BINARY(not_equal, "NotEqual")
RAMET_BINARY(less, "Less")
RAMET_BINARY(less_equal, "LessEqual")
RAMET_BINARY(greater, "Greater")
RAMET_BINARY(greater_equal, "GreaterEqual")
RAMET_BINARY(logical_and, "LogicalAnd")
RAMET_BINARY(logical_or, "LogicalOr")
RAMET_BINARY(logical_xor, "LogicalXor")

RAMET_REDUCTION(sum, "Sum")
RAMET_REDUCTION(mean, "Mean")
RAMET_REDUCTION(max, "Max")
RAMET_REDUCTION(min, "Min")
RAMET_REDUCTION(amax, "Amax")
RAMET_REDUCTION(amin, "Amin")
RAMET_REDUCTION(prod, "Prod")
RAMET_REDUCTION(logsumexp, "Logsumexp")
RAMET_REDUCTION(any, "Any")
RAMET_REDUCTION(all, "All")
RAMET_REDUCTION(argmax, "Argmax")  // int32; the first of equals
RAMET_REDUCTION(argmin, "Argmin")
RAMET_REDUCTION(var, "Var")
RAMET_REDUCTION(std, "Std")

#undef RAMET_UNARY
#undef RAMET_BINARY
#undef RAMET_REDUCTION

template <class C, class A, class B>
requires Operands<C, A, B> detail::Kind<C, A, B> where(const C& condition, const A& x1, const B& x2) {
  return detail::op("Where", {}, condition, x1, x2);
}
// nullopt leaves a side open.
template <Operand X>
detail::Kind<X> clip(const X& x, std::optional<double> x_min, std::optional<double> x_max) {
  return detail::op("Clip", {{"x_min", encode(x_min)}, {"x_max", encode(x_max)}}, x);
}
template <Operand X>
detail::Kind<X> round(const X& x, int decimals = 0) {  // halves to even
  return detail::op("Round", {{"decimals", Json(decimals)}}, x);
}
template <Operand X>
detail::Kind<X> softmax(const X& x, int axis = -1) {
  return detail::op("Softmax", {{"axis", Json(axis)}}, x);
}
template <Operand X>
detail::Kind<X> log_softmax(const X& x, int axis = -1) {
  return detail::op("LogSoftmax", {{"axis", Json(axis)}}, x);
}
template <Operand X>
detail::Kind<X> cast(const X& x, std::string_view dtype) {
  return detail::op("Cast", {{"dtype", Json(dtype)}}, x);
}
template <Operand X>
detail::Kind<X> cast(const X& x, DType dtype) {
  return ops::cast(x, keras_name(dtype));
}
template <Operand X>
detail::Kind<X> zeros_like(const X& x, std::optional<std::string> dtype = std::nullopt) {
  return detail::op("ZerosLike", {{"dtype", encode(dtype)}}, x);
}
template <Operand X>
detail::Kind<X> ones_like(const X& x, std::optional<std::string> dtype = std::nullopt) {
  return detail::op("OnesLike", {{"dtype", encode(dtype)}}, x);
}

template <Operand X>
detail::Kind<X> convert_to_tensor(const X& x, std::optional<std::string> dtype = std::nullopt) {
  return detail::op("ConvertToTensor", {{"dtype", encode(dtype)}}, x);
}

// ---- shapes
template <Operand X>
detail::Kind<X> reshape(const X& x, const Shape& newshape) {  // one -1 is worked out
  return detail::op("Reshape", {{"newshape", encode(newshape)}}, x);
}
template <Operand X>
detail::Kind<X> transpose(const X& x, const Axis& axes = {}) {
  return detail::op("Transpose", {{"axes", axes.json()}}, x);
}
template <Operand X>
detail::Kind<X> swapaxes(const X& x, int axis1, int axis2) {
  return detail::op("Swapaxes", {{"axis1", Json(axis1)}, {"axis2", Json(axis2)}}, x);
}
template <Operand X>
detail::Kind<X> expand_dims(const X& x, int axis) {
  return detail::op("ExpandDims", {{"axis", Json(axis)}}, x);
}
template <Operand X>
detail::Kind<X> squeeze(const X& x, const Axis& axis = {}) {
  return detail::op("Squeeze", {{"axis", axis.json()}}, x);
}
template <Operand X>
detail::Kind<X> broadcast_to(const X& x, const Shape& shape) {
  return detail::op("BroadcastTo", {{"shape", encode(shape)}}, x);
}
template <Operand X>
detail::Kind<X> repeat(const X& x, std::int64_t repeats, std::optional<int> axis = std::nullopt) {
  return detail::op("Repeat", {{"repeats", Json(repeats)}, {"axis", encode(axis)}}, x);
}
template <Operand X>
detail::Kind<X> flip(const X& x, const Axis& axis = {}) {
  return detail::op("Flip", {{"axis", axis.json()}}, x);
}
// Before and after each axis, or one pair for all.
template <Operand X>
detail::Kind<X> pad(const X& x, const std::vector<std::vector<std::int64_t>>& pad_width,
                    const std::string& mode = "constant") {
  return detail::op("Pad", {{"pad_width", encode(pad_width)}, {"mode", Json(mode)}}, x);
}

// ---- several in or out
template <Operand X>
detail::Kind<X> concatenate(const std::vector<X>& xs, int axis = 0) {
  using T = detail::Kind<X>;
  return apply_op<T>("Concatenate", {detail::as_list<T>(xs)}, {{"axis", Json(axis)}}).at(0);
}
template <Operand X>
detail::Kind<X> concatenate(std::initializer_list<X> xs, int axis = 0) {
  return ops::concatenate(std::vector<X>(xs), axis);
}
template <Operand X>
detail::Kind<X> stack(const std::vector<X>& xs, int axis = 0) {
  using T = detail::Kind<X>;
  return apply_op<T>("Stack", {detail::as_list<T>(xs)}, {{"axis", Json(axis)}}).at(0);
}
template <Operand X>
detail::Kind<X> stack(std::initializer_list<X> xs, int axis = 0) {
  return ops::stack(std::vector<X>(xs), axis);
}
// Into equal parts, or before each of the indices.
template <Operand X>
std::vector<detail::Kind<X>> split(const X& x, const IntOrList& indices_or_sections, int axis = 0) {
  using T = detail::Kind<X>;
  return apply_op<T>("Split", {detail::as_argument<T>(x, nullptr)},
                     {{"indices_or_sections", encode(indices_or_sections)}, {"axis", Json(axis)}});
}

// ---- parts: get_item(x, {kAll, Slice(1, 3)}) is x[{kAll, Slice(1, 3)}] is Python's x[:, 1:3]
template <Operand X>
detail::Kind<X> get_item(const X& x, const std::vector<Index>& key) {
  using T = detail::Kind<X>;
  return apply_op<T>("GetItem", {detail::as_argument<T>(x, nullptr), detail::key_of<T>(key)}, {}).at(0);
}

}  // namespace ops

// ---- operators
template <Operand X>
detail::Kind<X> operator-(const X& x) {
  return ops::negative(x);
}
template <Operand X>
detail::Kind<X> operator~(const X& x) {
  return ops::logical_not(x);
}
#define RAMET_OPERATOR(sign, function)       \
  template <class A, class B>                \
  requires Operands<A, B> detail::Kind<A, B> \
  operator sign(const A& x1, const B& x2) { return ops::function(x1, x2); }
RAMET_OPERATOR(+, add)
RAMET_OPERATOR(-, subtract)
RAMET_OPERATOR(*, multiply)
RAMET_OPERATOR(/, true_divide)
RAMET_OPERATOR(%, mod)
RAMET_OPERATOR(<, less)
RAMET_OPERATOR(<=, less_equal)
RAMET_OPERATOR(>, greater)
RAMET_OPERATOR(>=, greater_equal)
RAMET_OPERATOR(&, logical_and)
RAMET_OPERATOR(|, logical_or)
RAMET_OPERATOR(^, logical_xor)
#undef RAMET_OPERATOR

}  // namespace ramet
