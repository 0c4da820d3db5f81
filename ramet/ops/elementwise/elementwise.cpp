#include "ramet/ops/elementwise/elementwise.h"

#include <array>
#include <numbers>

#include "ramet/ops/constant/constant.h"
#include "ramet/ops/reduce/reduce.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::ops {
namespace {

using Kind = PointwiseKind;

bool accepts(Kind kind, DType d) {
  switch (kind) {
    case Kind::float_unary:
    case Kind::test_unary:
    case Kind::float_binary: return is_floating(d);
    case Kind::number_unary: return d != DType::boolean;
    case Kind::number_binary:
    case Kind::compare: return true;
    case Kind::logic_unary:
    case Kind::logic_binary: return d == DType::boolean;
  }
  return false;
}

template <Kind kind>
std::vector<Spec> infer(const NoAttrs&, std::span<const Spec> in) {
  constexpr bool unary =
      kind == Kind::float_unary || kind == Kind::number_unary || kind == Kind::test_unary || kind == Kind::logic_unary;
  constexpr bool test = kind == Kind::test_unary || kind == Kind::compare;
  require(in.size() == (unary ? 1 : 2), "pointwise op with ", in.size(), " inputs");
  require(accepts(kind, in[0].dtype), "this operation is not defined for ", in[0].dtype);
  Spec out = in[0];
  if constexpr (!unary) {
    require(in[0].dtype == in[1].dtype, "pointwise op on ", in[0], " and ", in[1]);
    out.shape = broadcast_shapes(in[0].shape, in[1].shape);
  }
  if constexpr (test) out.dtype = DType::boolean;
  return {out};
}

template <Kind kind>
OpDef row(std::string_view name, Values (*vjp)(const Vjp&), Trait more = Trait::none) {
  return define_op<NoAttrs>({.name = name, .traits = Trait::pointwise | more, .infer = infer<kind>, .vjp = vjp});
}

// The gradient of y = f(x) given dy·f'(x) for each of x, y.
template <auto derivative>
Values unary_vjp(const Vjp& v) {
  return {v.dy() * derivative(v.in[0], v.out[0])};
}

// Gradient of a broadcasting binary op from both partial products.
Values binary(const Vjp& v, Value da, Value db) { return {sum_to(da, v.in[0].shape()), sum_to(db, v.in[1].shape())}; }

// Where a (strictly) wins its share of dy is 1; ties share it, as JAX and NumPy-based references do.
Values extremum_vjp(const Vjp& v, Value a_wins, Value b_wins) {
  const Value dy = v.dy(), zero = scalar_like(dy, 0), half = dy * 0.5;
  return binary(v, select(a_wins, dy, select(b_wins, zero, half)), select(b_wins, dy, select(a_wins, zero, half)));
}

}  // namespace

// The records. Beside each: its derivative, in terms of x (the input) and y (the result).
const OpDef neg_op = row<Kind::number_unary>("neg", [](const Vjp& v) -> Values { return {-v.dy()}; });
const OpDef abs_op = row<Kind::number_unary>("abs", unary_vjp<[](Value x, Value) { return sign(x); }>);
const OpDef sign_op = row<Kind::number_unary>("sign", nullptr);
const OpDef square_op = row<Kind::number_unary>("square", unary_vjp<[](Value x, Value) { return 2.0 * x; }>);
const OpDef relu_op = row<Kind::number_unary>("relu", [](const Vjp& v) -> Values {
  return {select(greater(v.out[0], scalar_like(v.out[0], 0)), v.dy(), scalar_like(v.dy(), 0))};
});
const OpDef exp_op = row<Kind::float_unary>("exp", unary_vjp<[](Value, Value y) { return y; }>);
const OpDef expm1_op = row<Kind::float_unary>("expm1", unary_vjp<[](Value, Value y) { return y + 1.0; }>);
const OpDef log_op = row<Kind::float_unary>("log", [](const Vjp& v) -> Values { return {v.dy() / v.in[0]}; });
const OpDef log1p_op =
    row<Kind::float_unary>("log1p", [](const Vjp& v) -> Values { return {v.dy() / (v.in[0] + 1.0)}; });
const OpDef sqrt_op = row<Kind::float_unary>("sqrt", [](const Vjp& v) -> Values { return {v.dy() * 0.5 / v.out[0]}; });
const OpDef rsqrt_op = row<Kind::float_unary>("rsqrt", unary_vjp<[](Value x, Value y) { return -0.5 * (y / x); }>);
const OpDef reciprocal_op = row<Kind::float_unary>("reciprocal", unary_vjp<[](Value, Value y) { return -square(y); }>);
const OpDef sin_op = row<Kind::float_unary>("sin", unary_vjp<[](Value x, Value) { return cos(x); }>);
const OpDef cos_op = row<Kind::float_unary>("cos", unary_vjp<[](Value x, Value) { return -sin(x); }>);
const OpDef tanh_op = row<Kind::float_unary>("tanh", unary_vjp<[](Value, Value y) { return 1.0 - square(y); }>);
// d erf(x) = 2/√π · e^(-x²)
const OpDef erf_op = row<Kind::float_unary>(
    "erf", unary_vjp<[](Value x, Value) { return (2.0 * std::numbers::inv_sqrtpi) * exp(-square(x)); }>);
const OpDef sigmoid_op = row<Kind::float_unary>("sigmoid", unary_vjp<[](Value, Value y) { return y * (1.0 - y); }>);
const OpDef softplus_op = row<Kind::float_unary>("softplus", unary_vjp<[](Value x, Value) { return sigmoid(x); }>);
const OpDef gelu_op = row<Kind::float_unary>("gelu", unary_vjp<[](Value x, Value) { return gelu_slope(x); }>);
// d (Φ(x) + x φ(x)) = (2 - x²) φ(x)
const OpDef gelu_slope_op = row<Kind::float_unary>("gelu_slope", unary_vjp<[](Value x, Value) {
                                                     constexpr double top =
                                                         std::numbers::inv_sqrtpi / std::numbers::sqrt2;
                                                     return (2.0 - square(x)) * (top * exp(-0.5 * square(x)));
                                                   }>);
const OpDef floor_op = row<Kind::float_unary>("floor", nullptr);
const OpDef ceil_op = row<Kind::float_unary>("ceil", nullptr);
const OpDef round_op = row<Kind::float_unary>("round", nullptr);
const OpDef is_nan_op = row<Kind::test_unary>("is_nan", nullptr);

const OpDef add_op = row<Kind::number_binary>(
    "add", [](const Vjp& v) { return binary(v, v.dy(), v.dy()); }, Trait::commutative);
const OpDef sub_op = row<Kind::number_binary>("sub", [](const Vjp& v) { return binary(v, v.dy(), -v.dy()); });
const OpDef mul_op = row<Kind::number_binary>(
    "mul", [](const Vjp& v) { return binary(v, v.dy() * v.in[1], v.dy() * v.in[0]); }, Trait::commutative);
const OpDef div_op = row<Kind::float_binary>("div", [](const Vjp& v) {
  const Value da = v.dy() / v.in[1];
  return binary(v, da, -(da * v.out[0]));
});
// d aᵇ = b·aᵇ⁻¹ da + aᵇ·ln a db; where b is 0 the first term is 0 even at a = 0, and ln of a ≤ 0 is taken as 0.
const OpDef pow_op = row<Kind::float_binary>("pow", [](const Vjp& v) {
  const Value a = v.in[0], b = v.in[1], zero = scalar_like(a, 0), one = scalar_like(a, 1);
  const Value da = select(equal(b, zero), zero, b * pow(a, select(equal(b, zero), one, b - 1.0)));
  const Value ln = log(select(greater(a, zero), a, one));
  return binary(v, v.dy() * da, v.dy() * v.out[0] * ln);
});
const OpDef maximum_op = row<Kind::number_binary>(
    "maximum", [](const Vjp& v) { return extremum_vjp(v, greater(v.in[0], v.in[1]), greater(v.in[1], v.in[0])); },
    Trait::commutative);
const OpDef minimum_op = row<Kind::number_binary>(
    "minimum", [](const Vjp& v) { return extremum_vjp(v, less(v.in[0], v.in[1]), less(v.in[1], v.in[0])); },
    Trait::commutative);
const OpDef floor_divide_op = row<Kind::number_binary>("floor_divide", nullptr);
// a mod b = a - b·⌊a/b⌋
const OpDef mod_op = row<Kind::number_binary>(
    "mod", [](const Vjp& v) { return binary(v, v.dy(), -(v.dy() * floor(v.in[0] / v.in[1]))); });
// θ = atan2(a, b):  dθ = (b da - a db) / (a² + b²)
const OpDef atan2_op = row<Kind::float_binary>("atan2", [](const Vjp& v) {
  const Value a = v.in[0], b = v.in[1], s = v.dy() / (square(a) + square(b));
  return binary(v, s * b, -(s * a));
});
const OpDef equal_op = row<Kind::compare>("equal", nullptr, Trait::commutative);
const OpDef not_equal_op = row<Kind::compare>("not_equal", nullptr, Trait::commutative);
const OpDef less_op = row<Kind::compare>("less", nullptr);
const OpDef less_equal_op = row<Kind::compare>("less_equal", nullptr);
const OpDef greater_op = row<Kind::compare>("greater", nullptr);
const OpDef greater_equal_op = row<Kind::compare>("greater_equal", nullptr);
const OpDef and_op = row<Kind::logic_binary>("and", nullptr, Trait::commutative);
const OpDef or_op = row<Kind::logic_binary>("or", nullptr, Trait::commutative);
const OpDef xor_op = row<Kind::logic_binary>("xor", nullptr, Trait::commutative);
const OpDef not_op = row<Kind::logic_unary>("not", nullptr);

const OpDef select_op = define_op<NoAttrs>(
    {.name = "select",
     .traits = Trait::pointwise,
     .infer = [](const NoAttrs&, std::span<const Spec> in) -> std::vector<Spec> {
       require(in[0].dtype == DType::boolean && in[1].dtype == in[2].dtype,
               "select: needs a bool condition and two values of one type; got ", in[0], ", ", in[1], ", ", in[2]);
       return {{broadcast_shapes(in[0].shape, broadcast_shapes(in[1].shape, in[2].shape)), in[1].dtype}};
     },
     .vjp = [](const Vjp& v) -> Values {
       const Value zero = scalar_like(v.dy(), 0);
       return {{},
               sum_to(select(v.in[0], v.dy(), zero), v.in[1].shape()),
               sum_to(select(v.in[0], zero, v.dy()), v.in[2].shape())};
     }});

const OpDef cast_op =
    define_op<CastAttrs>({.name = "cast",
                          .traits = Trait::pointwise,
                          .infer = [](const CastAttrs& a, std::span<const Spec> in) -> std::vector<Spec> {
                            return {{in[0].shape, dtype_from(a.dtype)}};
                          },
                          .vjp = [](const Vjp& v) -> Values {
                            if (!is_floating(v.in[0].dtype()) || !is_floating(v.out[0].dtype())) return {{}};
                            return {cast(v.dy(), v.in[0].dtype())};
                          }});

std::span<const PointwiseRow> pointwise_table() {
  static const std::array<PointwiseRow, 44> table = {{
      {&neg_op, Kind::number_unary},      {&abs_op, Kind::number_unary},
      {&sign_op, Kind::number_unary},     {&square_op, Kind::number_unary},
      {&relu_op, Kind::number_unary},     {&exp_op, Kind::float_unary},
      {&expm1_op, Kind::float_unary},     {&log_op, Kind::float_unary},
      {&log1p_op, Kind::float_unary},     {&sqrt_op, Kind::float_unary},
      {&rsqrt_op, Kind::float_unary},     {&reciprocal_op, Kind::float_unary},
      {&sin_op, Kind::float_unary},       {&cos_op, Kind::float_unary},
      {&tanh_op, Kind::float_unary},      {&erf_op, Kind::float_unary},
      {&sigmoid_op, Kind::float_unary},   {&softplus_op, Kind::float_unary},
      {&gelu_op, Kind::float_unary},      {&gelu_slope_op, Kind::float_unary},
      {&floor_op, Kind::float_unary},     {&ceil_op, Kind::float_unary},
      {&round_op, Kind::float_unary},     {&is_nan_op, Kind::test_unary},
      {&add_op, Kind::number_binary},     {&sub_op, Kind::number_binary},
      {&mul_op, Kind::number_binary},     {&div_op, Kind::float_binary},
      {&pow_op, Kind::float_binary},      {&maximum_op, Kind::number_binary},
      {&minimum_op, Kind::number_binary}, {&floor_divide_op, Kind::number_binary},
      {&mod_op, Kind::number_binary},     {&atan2_op, Kind::float_binary},
      {&equal_op, Kind::compare},         {&not_equal_op, Kind::compare},
      {&less_op, Kind::compare},          {&less_equal_op, Kind::compare},
      {&greater_op, Kind::compare},       {&greater_equal_op, Kind::compare},
      {&and_op, Kind::logic_binary},      {&or_op, Kind::logic_binary},
      {&xor_op, Kind::logic_binary},      {&not_op, Kind::logic_unary},
  }};
  return table;
}

}  // namespace ramet::ops
