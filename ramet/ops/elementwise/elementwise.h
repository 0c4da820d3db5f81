// Pointwise ops: one result element from the elements at the same place, with NumPy's broadcasting.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

// Which types a pointwise op takes and gives.
enum class PointwiseKind : unsigned char {
  float_unary,    // floating → same
  number_unary,   // any number → same
  test_unary,     // floating → bool
  float_binary,   // floating, floating → same
  number_binary,  // numbers (bool too for maximum and minimum) → same
  compare,        // any, any → bool
  logic_unary,    // bool → bool
  logic_binary,   // bool, bool → bool
};

struct PointwiseRow {
  const OpDef* op;
  PointwiseKind kind;
};
std::span<const PointwiseRow> pointwise_table();  // every op below but select and cast

extern const OpDef neg_op, abs_op, sign_op, square_op, relu_op, exp_op, expm1_op, log_op, log1p_op, sqrt_op, rsqrt_op,
    reciprocal_op, sin_op, cos_op, tanh_op, erf_op, sigmoid_op, softplus_op, gelu_op, gelu_slope_op, floor_op, ceil_op,
    round_op, is_nan_op;
extern const OpDef add_op, sub_op, mul_op, div_op, pow_op, maximum_op, minimum_op, floor_divide_op, mod_op, atan2_op;
extern const OpDef equal_op, not_equal_op, less_op, less_equal_op, greater_op, greater_equal_op, and_op, or_op, xor_op,
    not_op;
extern const OpDef select_op, cast_op;

struct CastAttrs {
  std::string dtype = "float32";
  static constexpr auto fields = Fields{field("dtype", &CastAttrs::dtype)};
};

Value neg(Value x);
Value abs(Value x);
Value sign(Value x);
Value square(Value x);
Value relu(Value x);
Value exp(Value x);
Value expm1(Value x);
Value log(Value x);
Value log1p(Value x);
Value sqrt(Value x);
Value rsqrt(Value x);
Value reciprocal(Value x);
Value sin(Value x);
Value cos(Value x);
Value tanh(Value x);
Value erf(Value x);
Value sigmoid(Value x);
Value softplus(Value x);
Value gelu(Value x);        // x Φ(x), by erf
Value gelu_slope(Value x);  // its derivative
Value floor(Value x);
Value ceil(Value x);
Value round(Value x);  // halves to even
Value is_nan(Value x);
Value logical_not(Value x);

// Operands of different types are promoted as NumPy does; division of integers gives float32.
Value add(Value a, Value b);
Value sub(Value a, Value b);
Value mul(Value a, Value b);
Value div(Value a, Value b);
Value pow(Value a, Value b);
Value maximum(Value a, Value b);
Value minimum(Value a, Value b);
Value floor_divide(Value a, Value b);
Value mod(Value a, Value b);
Value atan2(Value a, Value b);
Value equal(Value a, Value b);
Value not_equal(Value a, Value b);
Value less(Value a, Value b);
Value less_equal(Value a, Value b);
Value greater(Value a, Value b);
Value greater_equal(Value a, Value b);
Value logical_and(Value a, Value b);
Value logical_or(Value a, Value b);
Value logical_xor(Value a, Value b);

Value select(Value condition, Value yes, Value no);
Value cast(Value x, DType dtype);  // x itself when the type is the same

// A constant of x's type; `scalar_like(x, 2)` broadcasts against x.
Value scalar_like(Value x, double value);
// Sums the axes that broadcasting added, so that the result has `shape`. What every broadcasting gradient ends with.
Value sum_to(Value x, const Shape& shape);

}  // namespace ramet::ops

namespace ramet {
// Arithmetic on values, inside layers and Lambda functions.
Value operator+(Value a, Value b);
Value operator-(Value a, Value b);
Value operator*(Value a, Value b);
Value operator/(Value a, Value b);
Value operator-(Value x);
Value operator+(Value a, double b);
Value operator-(Value a, double b);
Value operator*(Value a, double b);
Value operator/(Value a, double b);
Value operator+(double a, Value b);
Value operator-(double a, Value b);
Value operator*(double a, Value b);
Value operator/(double a, Value b);
}  // namespace ramet
