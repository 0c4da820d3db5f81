// Several pointwise functions in one loop: what flows between them stays in registers, where one loop each would write
// and read it.
#include "ramet/backend/cpu/brain.h"
#include "ramet/backend/cpu/comparisons.h"
#include "ramet/backend/cpu/simd.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// Of gives kResults results for a vector of each of kOperands operands.
template <int kOperands, int kResults, class Of>
void loop(const LoopOperand* operands, float* const* results, std::size_t n) {
  static_assert(kOperands <= kMostOperands && kResults <= kMostResults);
  alignas(64) float same[kOperands][kLanes];  // operands of one element
  const float* p[kOperands];
  std::size_t step[kOperands];
  float* y[kResults];
  for (int k = 0; k < kResults; ++k) y[k] = results[k];
#pragma GCC unroll 8
  for (int k = 0; k < kOperands; ++k) {
    p[k] = operands[k].p;
    step[k] = operands[k].scalar ? 0 : kLanes;
    if (!operands[k].scalar || n == 0) continue;
    store(same[k], splat(*p[k]));
    p[k] = same[k];
  }
  for (; n >= kLanes; n -= kLanes) {
    Vec v[kOperands], of[kResults];
#pragma GCC unroll 8
    for (int k = 0; k < kOperands; ++k) v[k] = load(p[k]), p[k] += step[k];
    Of{}(v, of);
#pragma GCC unroll 8
    for (int k = 0; k < kResults; ++k) store(y[k], of[k]), y[k] += kLanes;
  }
  if (n == 0) return;
  Vec v[kOperands], of[kResults];
#pragma GCC unroll 8
  for (int k = 0; k < kOperands; ++k) v[k] = step[k] == 0 ? load(p[k]) : load_part(p[k], n);
  Of{}(v, of);
#pragma GCC unroll 8
  for (int k = 0; k < kResults; ++k) store_part(y[k], of[k], n);
}

constexpr int power(int links) { return links == 0 ? 1 : kLinkCount * power(links - 1); }

// The links are the digits of kCode.
template <int kLinks, int kCode>
struct Chain {
  void operator()(const Vec* v, Vec* y) const {
    Vec x = v[0];
#pragma GCC unroll 4
    for (int k = 0; k < kLinks; ++k) {
      switch (static_cast<Link>(kCode / power(kLinks - 1 - k) % kLinkCount)) {
        case Link::kAdd: x = x + v[k + 1]; break;
        case Link::kSub: x = x - v[k + 1]; break;
        case Link::kMul: x = x * v[k + 1]; break;
      }
      keep_in_register(x);  // or a product and a sum would be rounded as one, unlike in loops of their own
    }
    *y = x;
  }
};

template <int kLinks, int kCode = power(kLinks) - 1>
void fill_chains(LoopF32* table) {
  table[kCode] = loop<kLinks + 1, 1, Chain<kLinks, kCode>>;
  if constexpr (kCode > 0) fill_chains<kLinks, kCode - 1>(table);
}

template <class Of>
void set(SimdKernels& table, Compare name, Of) {
  struct Choice {
    void operator()(const Vec* v, Vec* y) const { *y = Of{}(v[0], v[1]) ? v[2] : v[3]; }
  };
  table.choose[static_cast<int>(name)] = loop<4, 1, Choice>;
}

struct Rounding {
  void operator()(const Vec* v, Vec* y) const { *y = rounded_float(*v); }
};

Vec descent(Vec w, Vec m, Vec rate, Vec v, Vec epsilon) { return w - m * rate / (sqrt(v) + epsilon); }

struct Descent {
  void operator()(const Vec* v, Vec* y) const { *y = descent(v[0], v[1], v[2], v[3], v[4]); }
};

template <bool kRounded>
struct Adam {
  void operator()(const Vec* v, Vec* y) const {
    const Vec g = kRounded ? rounded_float(v[0]) : v[0];
    y[0] = mean(g, v[1], v[2]);
    Vec square = g * g;
    keep_in_register(square);
    y[1] = mean(square, v[3], v[4]);
    y[2] = descent(v[5], y[0], v[6], y[1], v[7]);
  }
  static Vec mean(Vec x, Vec before, Vec rate) {
    Vec change = (x - before) * rate;
    keep_in_register(change);  // as in a chain
    return before + change;
  }
};

}  // namespace

void fill_loops(SimdKernels& t) {
  fill_chains<2>(t.chain[0]);
  fill_chains<3>(t.chain[1]);
  fill_chains<4>(t.chain[2]);
  each_comparison([&](Compare name, auto of) { set(t, name, of); });
  t.round = loop<1, 1, Rounding>;
  t.descend = loop<5, 1, Descent>;
  t.adam = loop<8, 3, Adam<false>>;
  t.adam_of_rounded = loop<8, 3, Adam<true>>;
}

}  // namespace ramet::cpu::RAMET_SIMD
