// The functions that emit pointwise ops: type promotion, scalars, operators.
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/reduce/reduce.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::ops {
namespace {

Value unary(const OpDef& op, Value x) { return emit(op, {x}, NoAttrs{})[0]; }

Value float_unary(const OpDef& op, Value x) { return unary(op, is_floating(x.dtype()) ? x : cast(x, DType::f32)); }

Value binary(const OpDef& op, Value a, Value b) {
  const DType dtype = promote(a.dtype(), b.dtype());
  return emit(op, {cast(a, dtype), cast(b, dtype)}, NoAttrs{})[0];
}

// For ops that leave the integers.
Value float_binary(const OpDef& op, Value a, Value b) {
  DType dtype = promote(a.dtype(), b.dtype());
  if (!is_floating(dtype)) dtype = DType::f32;
  return emit(op, {cast(a, dtype), cast(b, dtype)}, NoAttrs{})[0];
}

// Arithmetic on two booleans counts them, as Python does.
Value number_binary(const OpDef& op, Value a, Value b) {
  DType dtype = promote(a.dtype(), b.dtype());
  if (dtype == DType::boolean) dtype = DType::i32;
  return emit(op, {cast(a, dtype), cast(b, dtype)}, NoAttrs{})[0];
}

Value as_bool(Value x) { return x.dtype() == DType::boolean ? x : not_equal(x, scalar_like(x, 0)); }

}  // namespace

Value neg(Value x) { return unary(neg_op, x); }
Value abs(Value x) { return unary(abs_op, x); }
Value sign(Value x) { return unary(sign_op, x); }
Value square(Value x) { return unary(square_op, x); }
Value relu(Value x) { return unary(relu_op, x); }
Value exp(Value x) { return float_unary(exp_op, x); }
Value expm1(Value x) { return float_unary(expm1_op, x); }
Value log(Value x) { return float_unary(log_op, x); }
Value log1p(Value x) { return float_unary(log1p_op, x); }
Value sqrt(Value x) { return float_unary(sqrt_op, x); }
Value rsqrt(Value x) { return float_unary(rsqrt_op, x); }
Value reciprocal(Value x) { return float_unary(reciprocal_op, x); }
Value sin(Value x) { return float_unary(sin_op, x); }
Value cos(Value x) { return float_unary(cos_op, x); }
Value tanh(Value x) { return float_unary(tanh_op, x); }
Value erf(Value x) { return float_unary(erf_op, x); }
Value sigmoid(Value x) { return float_unary(sigmoid_op, x); }
Value softplus(Value x) { return float_unary(softplus_op, x); }
Value gelu(Value x) { return float_unary(gelu_op, x); }
Value gelu_slope(Value x) { return float_unary(gelu_slope_op, x); }
Value floor(Value x) { return is_floating(x.dtype()) ? unary(floor_op, x) : x; }
Value ceil(Value x) { return is_floating(x.dtype()) ? unary(ceil_op, x) : x; }
Value round(Value x) { return is_floating(x.dtype()) ? unary(round_op, x) : x; }
Value is_nan(Value x) { return float_unary(is_nan_op, x); }
Value logical_not(Value x) { return unary(not_op, as_bool(x)); }

Value add(Value a, Value b) { return number_binary(add_op, a, b); }
Value sub(Value a, Value b) { return number_binary(sub_op, a, b); }
Value mul(Value a, Value b) { return number_binary(mul_op, a, b); }
Value div(Value a, Value b) { return float_binary(div_op, a, b); }
Value pow(Value a, Value b) { return float_binary(pow_op, a, b); }
Value atan2(Value a, Value b) { return float_binary(atan2_op, a, b); }
Value maximum(Value a, Value b) { return binary(maximum_op, a, b); }
Value minimum(Value a, Value b) { return binary(minimum_op, a, b); }
Value floor_divide(Value a, Value b) { return number_binary(floor_divide_op, a, b); }
Value mod(Value a, Value b) { return number_binary(mod_op, a, b); }
Value equal(Value a, Value b) { return binary(equal_op, a, b); }
Value not_equal(Value a, Value b) { return binary(not_equal_op, a, b); }
Value less(Value a, Value b) { return binary(less_op, a, b); }
Value less_equal(Value a, Value b) { return binary(less_equal_op, a, b); }
Value greater(Value a, Value b) { return binary(greater_op, a, b); }
Value greater_equal(Value a, Value b) { return binary(greater_equal_op, a, b); }
Value logical_and(Value a, Value b) { return emit(and_op, {as_bool(a), as_bool(b)}, NoAttrs{})[0]; }
Value logical_or(Value a, Value b) { return emit(or_op, {as_bool(a), as_bool(b)}, NoAttrs{})[0]; }
Value logical_xor(Value a, Value b) { return emit(xor_op, {as_bool(a), as_bool(b)}, NoAttrs{})[0]; }

Value select(Value condition, Value yes, Value no) {
  const DType dtype = promote(yes.dtype(), no.dtype());
  return emit(select_op, {as_bool(condition), cast(yes, dtype), cast(no, dtype)}, NoAttrs{})[0];
}

Value cast(Value x, DType dtype) {
  return x.dtype() == dtype ? x : emit(cast_op, {x}, CastAttrs{std::string(keras_name(dtype))})[0];
}

Value scalar_like(Value x, double value) { return constant(x.program(), Array::scalar(value, x.dtype())); }

Value sum_to(Value x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const std::size_t lead = x.rank() - shape.size();
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (i < lead || (shape[i - lead] == 1 && x.shape()[i] != 1)) axes.push_back(static_cast<std::int64_t>(i));
  return reshape(axes.empty() ? x : reduce_sum(x, axes), shape);
}

}  // namespace ramet::ops

namespace ramet {
namespace {
// A plain number next to an integer value makes it a float only when the number itself is not whole.
Value like(Value x, double v) {
  if (!is_floating(x.dtype()) && v != static_cast<double>(static_cast<std::int64_t>(v)))
    return ops::constant(x.program(), Array::scalar(v, DType::f32));
  return ops::constant(x.program(), Array::scalar(v, x.dtype() == DType::boolean ? DType::i32 : x.dtype()));
}
}  // namespace

Value operator+(Value a, Value b) { return ops::add(a, b); }
Value operator-(Value a, Value b) { return ops::sub(a, b); }
Value operator*(Value a, Value b) { return ops::mul(a, b); }
Value operator/(Value a, Value b) { return ops::div(a, b); }
Value operator-(Value x) { return ops::neg(x); }
Value operator+(Value a, double b) { return ops::add(a, like(a, b)); }
Value operator-(Value a, double b) { return ops::sub(a, like(a, b)); }
Value operator*(Value a, double b) { return ops::mul(a, like(a, b)); }
Value operator/(Value a, double b) { return ops::div(a, like(a, b)); }
Value operator+(double a, Value b) { return ops::add(like(b, a), b); }
Value operator-(double a, Value b) { return ops::sub(like(b, a), b); }
Value operator*(double a, Value b) { return ops::mul(like(b, a), b); }
Value operator/(double a, Value b) { return ops::div(like(b, a), b); }
}  // namespace ramet
