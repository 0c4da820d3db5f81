#include "ramet/backend/cpu/pointwise.h"

#include <cmath>

#include "ramet/backend/cpu/cpu_target.h"
#include "ramet/base/error.h"

namespace ramet::cpu {
namespace {

// The loop around a formula without state.
template <class Of>
UnaryF64 loop(Of) {
  return [](const double* x, double* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] = Of{}(x[i]);
  };
}

template <class Of>
BinaryF64 loop(Of, Operands form) {
  switch (form) {
    case Operands::kFull:
      return [](const double* a, const double* b, double* y, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) y[i] = Of{}(a[i], b[i]);
      };
    case Operands::kScalarLeft:
      return [](const double* a, const double* b, double* y, std::size_t n) {
        const double left = n == 0 ? 0 : *a;  // read first: y may be a
        for (std::size_t i = 0; i < n; ++i) y[i] = Of{}(left, b[i]);
      };
    case Operands::kScalarRight:
      return [](const double* a, const double* b, double* y, std::size_t n) {
        const double right = n == 0 ? 0 : *b;
        for (std::size_t i = 0; i < n; ++i) y[i] = Of{}(a[i], right);
      };
  }
  throw InternalError("binary_f64: unknown operand form");
}

double sigmoid(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
double relu(double x) { return 0 > x ? 0 : x; }
double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

}  // namespace

UnaryF32 unary_f32(Unary op) { return simd().unary[static_cast<int>(op)]; }
BinaryF32 binary_f32(Binary op, Operands form) { return simd().binary[static_cast<int>(form)][static_cast<int>(op)]; }
CompareF32 compare_f32(Compare op, Operands form) {
  return simd().compare[static_cast<int>(form)][static_cast<int>(op)];
}
SelectF32 select_f32(Operands form) { return simd().select[static_cast<int>(form)]; }
LoopF32 chain_f32(const Link* links, std::size_t count) {
  std::size_t code = 0;
  for (std::size_t i = 0; i < count; ++i) code = code * kLinkCount + static_cast<std::size_t>(links[i]);
  return simd().chain[count - 2][code];
}
LoopF32 choose_f32(Compare op) { return simd().choose[static_cast<int>(op)]; }
LoopF32 round_f32() { return simd().round; }
LoopF32 descend_f32() { return simd().descend; }
LoopF32 adam_f32() { return simd().adam; }
LoopF32 adam_of_rounded_f32() { return simd().adam_of_rounded; }
NarrowF32 narrow_f32() { return simd().narrow; }
WidenF32 widen_f32() { return simd().widen; }
ReduceF32 reduce_f32(Reduce op) { return simd().reduce[static_cast<int>(op)]; }

UnaryF64 unary_f64(Unary op) {
  switch (op) {
    case Unary::kIdentity: return loop([](double x) { return x; });
    case Unary::kRelu: return loop([](double x) { return relu(x); });
    case Unary::kSigmoid: return loop([](double x) { return sigmoid(x); });
    case Unary::kTanh: return loop([](double x) { return std::tanh(x); });
    case Unary::kAbs: return loop([](double x) { return std::fabs(x); });
    case Unary::kNeg: return loop([](double x) { return -x; });
    case Unary::kSquare: return loop([](double x) { return x * x; });
    case Unary::kSqrt: return loop([](double x) { return std::sqrt(x); });
    case Unary::kRsqrt: return loop([](double x) { return 1 / std::sqrt(x); });
    case Unary::kReciprocal: return loop([](double x) { return 1 / x; });
    case Unary::kSign: return loop([](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; });
    case Unary::kFloor: return loop([](double x) { return std::floor(x); });
    case Unary::kCeil: return loop([](double x) { return std::ceil(x); });
    case Unary::kRound: return loop([](double x) { return std::nearbyint(x); });
    case Unary::kExp: return loop([](double x) { return std::exp(x); });
    case Unary::kExpm1: return loop([](double x) { return std::expm1(x); });
    case Unary::kLog: return loop([](double x) { return std::log(x); });
    case Unary::kLog1p: return loop([](double x) { return std::log1p(x); });
    case Unary::kErf: return loop([](double x) { return std::erf(x); });
    case Unary::kSin: return loop([](double x) { return std::sin(x); });
    case Unary::kCos: return loop([](double x) { return std::cos(x); });
    case Unary::kSoftplus: return loop([](double x) { return relu(x) + std::log1p(std::exp(-std::fabs(x))); });
    case Unary::kSoftsign: return loop([](double x) { return x / (1 + std::fabs(x)); });
    case Unary::kSilu: return loop([](double x) { return x * sigmoid(x); });
    case Unary::kGelu: return loop([](double x) { return 0.5 * x * (1 + std::erf(x * 0.70710678118654752)); });
    case Unary::kGeluSlope:
      return loop([](double x) {
        return 0.5 * (1 + std::erf(x * 0.70710678118654752)) + x * 0.39894228040143268 * std::exp(-0.5 * x * x);
      });
    case Unary::kGeluTanh:
      return loop([](double x) { return 0.5 * x * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))); });
    case Unary::kElu: return loop([](double x) { return x > 0 ? x : std::expm1(x); });
    case Unary::kSelu:
      return loop([](double x) { return 1.05070098735548049 * (x > 0 ? x : 1.67326324235437728 * std::expm1(x)); });
    case Unary::kRelu6: return loop([](double x) { return clamp(x, 0, 6); });
    case Unary::kHardSigmoid: return loop([](double x) { return clamp(x / 6 + 0.5, 0, 1); });
    case Unary::kReluMask: return loop([](double x) { return x > 0 ? 1.0 : 0.0; });
  }
  throw InternalError("unary_f64: unknown function");
}

BinaryF64 binary_f64(Binary op, Operands form) {
  switch (op) {
    case Binary::kAdd: return loop([](double a, double b) { return a + b; }, form);
    case Binary::kSub: return loop([](double a, double b) { return a - b; }, form);
    case Binary::kMul: return loop([](double a, double b) { return a * b; }, form);
    case Binary::kDiv: return loop([](double a, double b) { return a / b; }, form);
    case Binary::kMaximum: return loop([](double a, double b) { return a > b || a != a ? a : b; }, form);
    case Binary::kMinimum: return loop([](double a, double b) { return a < b || a != a ? a : b; }, form);
    case Binary::kPow: return loop([](double a, double b) { return std::pow(a, b); }, form);
  }
  throw InternalError("binary_f64: unknown function");
}

}  // namespace ramet::cpu
