// Binary functions, comparisons and select over contiguous floats, with a single element allowed on either side.
#include "ramet/backend/cpu/comparisons.h"
#include "ramet/backend/cpu/simd.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// An operand of n elements, or one element for all of them (read before anything is written: y may be the operand).
template <bool kScalar>
struct Operand {
  const float* p;
  Vec all;
  explicit Operand(const float* from) : p(from), all(kScalar ? splat(*from) : Vec{}) {}
  Vec at(std::size_t i) const { return kScalar ? all : load(p + i); }
  Vec part(std::size_t i, std::size_t n) const { return kScalar ? all : load_part(p + i, n); }
};

template <Operands kForm>
using Left = Operand<kForm == Operands::kScalarLeft>;
template <Operands kForm>
using Right = Operand<kForm == Operands::kScalarRight>;

template <class Of, Operands kForm>
void loop(const float* a, const float* b, float* y, std::size_t n) {
  if (n == 0) return;
  const Left<kForm> left(a);
  const Right<kForm> right(b);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, Of{}(left.at(i), right.at(i)));
  if (i < n) store_part(y + i, Of{}(left.part(i, n - i), right.part(i, n - i)), n - i);
}

template <class Of, Operands kForm>
void compare_loop(const float* a, const float* b, std::uint8_t* y, std::size_t n) {
  if (n == 0) return;
  const Left<kForm> left(a);
  const Right<kForm> right(b);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store_bytes(y + i, Of{}(left.at(i), right.at(i)) & 1);
  if (i == n) return;
  const VecI last = Of{}(left.part(i, n - i), right.part(i, n - i)) & 1;
  for (std::size_t j = 0; i + j < n; ++j) y[i + j] = static_cast<std::uint8_t>(last[j]);
}

template <Operands kForm>
void select_loop(const std::uint8_t* mask, const float* a, const float* b, float* y, std::size_t n) {
  if (n == 0) return;
  const Left<kForm> left(a);
  const Right<kForm> right(b);
  const float scalar_a = *a, scalar_b = *b;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) { store(y + i, load_bytes(mask + i) != 0 ? left.at(i) : right.at(i)); }
  for (; i < n; ++i) {
    y[i] = mask[i] != 0 ? (kForm == Operands::kScalarLeft ? scalar_a : a[i])
                        : (kForm == Operands::kScalarRight ? scalar_b : b[i]);
  }
}

template <class Of>
void set(SimdKernels& table, Binary name, Of) {
  const int i = static_cast<int>(name);
  table.binary[static_cast<int>(Operands::kFull)][i] = loop<Of, Operands::kFull>;
  table.binary[static_cast<int>(Operands::kScalarLeft)][i] = loop<Of, Operands::kScalarLeft>;
  table.binary[static_cast<int>(Operands::kScalarRight)][i] = loop<Of, Operands::kScalarRight>;
}

template <class Of>
void set(SimdKernels& table, Compare name, Of) {
  const int i = static_cast<int>(name);
  table.compare[static_cast<int>(Operands::kFull)][i] = compare_loop<Of, Operands::kFull>;
  table.compare[static_cast<int>(Operands::kScalarLeft)][i] = compare_loop<Of, Operands::kScalarLeft>;
  table.compare[static_cast<int>(Operands::kScalarRight)][i] = compare_loop<Of, Operands::kScalarRight>;
}

Vec pow_by_lane(Vec a, Vec b) {
  Vec y = a;
  for (int i = 0; i < kLanes; ++i) y[i] = __builtin_powf(a[i], b[i]);
  return y;
}

}  // namespace

void fill_binary(SimdKernels& t) {
  set(t, Binary::kAdd, [](Vec a, Vec b) { return a + b; });
  set(t, Binary::kSub, [](Vec a, Vec b) { return a - b; });
  set(t, Binary::kMul, [](Vec a, Vec b) { return a * b; });
  set(t, Binary::kDiv, [](Vec a, Vec b) { return a / b; });
  set(t, Binary::kMaximum, [](Vec a, Vec b) { return maximum(a, b); });
  set(t, Binary::kMinimum, [](Vec a, Vec b) { return minimum(a, b); });
  set(t, Binary::kPow, [](Vec a, Vec b) { return pow_by_lane(a, b); });
  each_comparison([&](Compare name, auto of) { set(t, name, of); });
  t.select[static_cast<int>(Operands::kFull)] = select_loop<Operands::kFull>;
  t.select[static_cast<int>(Operands::kScalarLeft)] = select_loop<Operands::kScalarLeft>;
  t.select[static_cast<int>(Operands::kScalarRight)] = select_loop<Operands::kScalarRight>;
}

}  // namespace ramet::cpu::RAMET_SIMD
