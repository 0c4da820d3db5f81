// Loops over contiguous floats: unary functions, binary functions, comparisons and select.
#include "ramet/backend/cpu/simd_math.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

struct Identity { static Vec of(Vec x) { return x; } };
struct Relu { static Vec of(Vec x) { return max_or_second(Vec{}, x); } };  // NaN stays NaN
struct ReluMask { static Vec of(Vec x) { return x > 0.0f ? splat(1.0f) : Vec{}; } };
struct Abs { static Vec of(Vec x) { return abs(x); } };
struct Neg { static Vec of(Vec x) { return -x; } };
struct Square { static Vec of(Vec x) { return x * x; } };
struct Sqrt { static Vec of(Vec x) { return sqrt(x); } };
struct Rsqrt { static Vec of(Vec x) { return 1.0f / sqrt(x); } };
struct Reciprocal { static Vec of(Vec x) { return 1.0f / x; } };
struct Sign {  // NaN and zeros give themselves
  static Vec of(Vec x) { return x > 0.0f ? splat(1.0f) : (x < 0.0f ? splat(-1.0f) : x); }
};
struct Floor { static Vec of(Vec x) { return round_to<_MM_FROUND_TO_NEG_INF>(x); } };
struct Ceil { static Vec of(Vec x) { return round_to<_MM_FROUND_TO_POS_INF>(x); } };
struct Round { static Vec of(Vec x) { return round_to<_MM_FROUND_TO_NEAREST_INT>(x); } };  // ties to even
struct Exp { static Vec of(Vec x) { return exp(x); } };
struct Expm1 { static Vec of(Vec x) { return expm1(x); } };
struct Log { static Vec of(Vec x) { return log(x); } };
struct Log1p { static Vec of(Vec x) { return log1p(x); } };
struct Tanh { static Vec of(Vec x) { return tanh(x); } };
struct Sigmoid { static Vec of(Vec x) { return sigmoid(x); } };
struct Erf { static Vec of(Vec x) { return erf(x); } };
struct Softplus { static Vec of(Vec x) { return softplus(x); } };
struct Sin { static Vec of(Vec x) { return by_lane([](float v) { return __builtin_sinf(v); }, x); } };
struct Cos { static Vec of(Vec x) { return by_lane([](float v) { return __builtin_cosf(v); }, x); } };
struct Softsign { static Vec of(Vec x) { return x / (1.0f + abs(x)); } };
struct Silu { static Vec of(Vec x) { return x * sigmoid(x); } };
struct Gelu { static Vec of(Vec x) { return 0.5f * x * (1.0f + erf(x * 0.70710678118654752f)); } };
struct GeluTanh {
  static Vec of(Vec x) { return 0.5f * x * (1.0f + tanh(0.79788456080286536f * mul_add(0.044715f * x, x * x, x))); }
};
struct Elu { static Vec of(Vec x) { return x > 0.0f ? x : expm1(x); } };
struct Selu {
  static Vec of(Vec x) { return 1.05070098735548049f * (x > 0.0f ? x : 1.67326324235437728f * expm1(x)); }
};
struct Relu6 { static Vec of(Vec x) { return clamp(x, 0.0f, 6.0f); } };
struct HardSigmoid { static Vec of(Vec x) { return clamp(mul_add(x, 1.0f / 6.0f, 0.5f), 0.0f, 1.0f); } };

template <class Op>
void unary(const float* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, Op::of(load(x + i)));
  if (i < n) store_part(y + i, Op::of(load_part(x + i, n - i)), n - i);
}

struct Add { static Vec of(Vec a, Vec b) { return a + b; } };
struct Sub { static Vec of(Vec a, Vec b) { return a - b; } };
struct Mul { static Vec of(Vec a, Vec b) { return a * b; } };
struct Div { static Vec of(Vec a, Vec b) { return a / b; } };
struct Maximum { static Vec of(Vec a, Vec b) { return maximum(a, b); } };
struct Minimum { static Vec of(Vec a, Vec b) { return minimum(a, b); } };
struct Pow {
  static Vec of(Vec a, Vec b) {
    Vec y = a;
    for (int i = 0; i < kLanes; ++i) y[i] = __builtin_powf(a[i], b[i]);
    return y;
  }
};

struct Equal { static VecI of(Vec a, Vec b) { return a == b; } };
struct NotEqual { static VecI of(Vec a, Vec b) { return a != b; } };
struct Less { static VecI of(Vec a, Vec b) { return a < b; } };
struct LessEqual { static VecI of(Vec a, Vec b) { return a <= b; } };
struct Greater { static VecI of(Vec a, Vec b) { return a > b; } };
struct GreaterEqual { static VecI of(Vec a, Vec b) { return a >= b; } };

// An operand of n elements, or one element for all of them.
template <bool kScalar>
struct Operand {
  const float* p;
  Vec all;
  explicit Operand(const float* from) : p(from), all(kScalar ? splat(*from) : Vec{}) {}
  Vec at(std::size_t i) const { return kScalar ? all : load(p + i); }
  Vec part(std::size_t i, std::size_t n) const { return kScalar ? all : load_part(p + i, n); }
};

constexpr bool scalar_left(Operands o) { return o == Operands::kScalarLeft; }
constexpr bool scalar_right(Operands o) { return o == Operands::kScalarRight; }

template <class Op, Operands kForm>
void binary(const float* a, const float* b, float* y, std::size_t n) {
  if (n == 0) return;
  const Operand<scalar_left(kForm)> left(a);
  const Operand<scalar_right(kForm)> right(b);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, Op::of(left.at(i), right.at(i)));
  if (i < n) store_part(y + i, Op::of(left.part(i, n - i), right.part(i, n - i)), n - i);
}

typedef std::uint8_t VecB __attribute__((vector_size(kLanes)));

template <class Op, Operands kForm>
void compare(const float* a, const float* b, std::uint8_t* y, std::size_t n) {
  if (n == 0) return;
  const Operand<scalar_left(kForm)> left(a);
  const Operand<scalar_right(kForm)> right(b);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const VecB ones = __builtin_convertvector(Op::of(left.at(i), right.at(i)) & 1, VecB);
    __builtin_memcpy(y + i, &ones, sizeof ones);
  }
  if (i == n) return;
  const VecI last = Op::of(left.part(i, n - i), right.part(i, n - i)) & 1;
  for (std::size_t j = 0; i + j < n; ++j) y[i + j] = static_cast<std::uint8_t>(last[j]);
}

template <Operands kForm>
void select(const std::uint8_t* mask, const float* a, const float* b, float* y, std::size_t n) {
  if (n == 0) return;
  const Operand<scalar_left(kForm)> left(a);
  const Operand<scalar_right(kForm)> right(b);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    VecB m;
    __builtin_memcpy(&m, mask + i, sizeof m);
    store(y + i, __builtin_convertvector(m, VecI) != 0 ? left.at(i) : right.at(i));
  }
  for (; i < n; ++i) y[i] = mask[i] != 0 ? a[scalar_left(kForm) ? 0 : i] : b[scalar_right(kForm) ? 0 : i];
}

template <class Op>
void set(SimdKernels& table, Unary name) { table.unary[static_cast<int>(name)] = unary<Op>; }

template <class Op>
void set(SimdKernels& table, Binary name) {
  const int i = static_cast<int>(name);
  table.binary[static_cast<int>(Operands::kFull)][i] = binary<Op, Operands::kFull>;
  table.binary[static_cast<int>(Operands::kScalarLeft)][i] = binary<Op, Operands::kScalarLeft>;
  table.binary[static_cast<int>(Operands::kScalarRight)][i] = binary<Op, Operands::kScalarRight>;
}

template <class Op>
void set(SimdKernels& table, Compare name) {
  const int i = static_cast<int>(name);
  table.compare[static_cast<int>(Operands::kFull)][i] = compare<Op, Operands::kFull>;
  table.compare[static_cast<int>(Operands::kScalarLeft)][i] = compare<Op, Operands::kScalarLeft>;
  table.compare[static_cast<int>(Operands::kScalarRight)][i] = compare<Op, Operands::kScalarRight>;
}

void fill_unary(SimdKernels& t) {
  set<Identity>(t, Unary::kIdentity);
  set<Relu>(t, Unary::kRelu);
  set<Sigmoid>(t, Unary::kSigmoid);
  set<Tanh>(t, Unary::kTanh);
  set<Abs>(t, Unary::kAbs);
  set<Neg>(t, Unary::kNeg);
  set<Square>(t, Unary::kSquare);
  set<Sqrt>(t, Unary::kSqrt);
  set<Rsqrt>(t, Unary::kRsqrt);
  set<Reciprocal>(t, Unary::kReciprocal);
  set<Sign>(t, Unary::kSign);
  set<Floor>(t, Unary::kFloor);
  set<Ceil>(t, Unary::kCeil);
  set<Round>(t, Unary::kRound);
  set<Exp>(t, Unary::kExp);
  set<Expm1>(t, Unary::kExpm1);
  set<Log>(t, Unary::kLog);
  set<Log1p>(t, Unary::kLog1p);
  set<Erf>(t, Unary::kErf);
  set<Sin>(t, Unary::kSin);
  set<Cos>(t, Unary::kCos);
  set<Softplus>(t, Unary::kSoftplus);
  set<Softsign>(t, Unary::kSoftsign);
  set<Silu>(t, Unary::kSilu);
  set<Gelu>(t, Unary::kGelu);
  set<GeluTanh>(t, Unary::kGeluTanh);
  set<Elu>(t, Unary::kElu);
  set<Selu>(t, Unary::kSelu);
  set<Relu6>(t, Unary::kRelu6);
  set<HardSigmoid>(t, Unary::kHardSigmoid);
  set<ReluMask>(t, Unary::kReluMask);
}

}  // namespace

void fill_pointwise(SimdKernels& t) {
  fill_unary(t);
  set<Add>(t, Binary::kAdd);
  set<Sub>(t, Binary::kSub);
  set<Mul>(t, Binary::kMul);
  set<Div>(t, Binary::kDiv);
  set<Maximum>(t, Binary::kMaximum);
  set<Minimum>(t, Binary::kMinimum);
  set<Pow>(t, Binary::kPow);
  set<Equal>(t, Compare::kEqual);
  set<NotEqual>(t, Compare::kNotEqual);
  set<Less>(t, Compare::kLess);
  set<LessEqual>(t, Compare::kLessEqual);
  set<Greater>(t, Compare::kGreater);
  set<GreaterEqual>(t, Compare::kGreaterEqual);
  t.select[static_cast<int>(Operands::kFull)] = select<Operands::kFull>;
  t.select[static_cast<int>(Operands::kScalarLeft)] = select<Operands::kScalarLeft>;
  t.select[static_cast<int>(Operands::kScalarRight)] = select<Operands::kScalarRight>;
}

}  // namespace ramet::cpu::RAMET_SIMD
