// Names of the pointwise kernels, so that a plan looks each one up once.
#pragma once
#include <cstddef>

namespace ramet::cpu {

// The first five are also the activations that a product applies to its tile (gemm.h).
enum class Unary {
  kIdentity,
  kRelu,
  kSigmoid,
  kTanh,
  kGelu,
  kAbs,
  kNeg,
  kSquare,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kSign,
  kFloor,
  kCeil,
  kRound,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kErf,
  kSin,
  kCos,
  kSoftplus,
  kSoftsign,
  kSilu,
  kGeluTanh,
  kElu,
  kSelu,
  kRelu6,
  kHardSigmoid,
  kReluMask,   // 1 where x > 0, else 0
  kGeluSlope,  // of kGelu
};
inline constexpr std::size_t kUnaryCount = static_cast<std::size_t>(Unary::kGeluSlope) + 1;

// Maximum and minimum give NaN when either operand is NaN, as NumPy's do.
enum class Binary { kAdd, kSub, kMul, kDiv, kMaximum, kMinimum, kPow };
inline constexpr std::size_t kBinaryCount = static_cast<std::size_t>(Binary::kPow) + 1;

enum class Compare { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
inline constexpr std::size_t kCompareCount = static_cast<std::size_t>(Compare::kGreaterEqual) + 1;

// Which operands hold n elements; the other one holds a single element.
enum class Operands { kFull, kScalarLeft, kScalarRight };
inline constexpr std::size_t kOperandsCount = static_cast<std::size_t>(Operands::kScalarRight) + 1;

// What a chain does to the value it carries and to its next operand: value + operand, value - operand or value *
// operand.
enum class Link { kAdd, kSub, kMul };
inline constexpr int kLinkCount = static_cast<int>(Link::kMul) + 1, kMostLinks = 4;
// Of a loop over several functions.
inline constexpr int kMostOperands = 8, kMostResults = 3;

enum class Reduce { kSum, kMax, kMin, kSumOfSquares };
inline constexpr std::size_t kReduceCount = static_cast<std::size_t>(Reduce::kSumOfSquares) + 1;

}  // namespace ramet::cpu
