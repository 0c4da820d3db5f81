// Several pointwise functions in one loop: what flows between them stays in registers, where one loop each would write
// and read it.
#include "ramet/backend/cpu/comparisons.h"
#include "ramet/backend/cpu/simd.h"
#include "ramet/backend/cpu/simd_parts.h"

namespace ramet::cpu::RAMET_SIMD {
namespace {

// Of gives y for a vector of each of kOperands operands.
template <int kOperands, class Of>
void loop(const LoopOperand* operands, float* y, std::size_t n) {
  alignas(64) float same[kOperands][kLanes];  // operands of one element
  const float* p[kOperands];
  std::size_t step[kOperands];
#pragma GCC unroll 8
  for (int k = 0; k < kOperands; ++k) {
    p[k] = operands[k].p;
    step[k] = operands[k].scalar ? 0 : kLanes;
    if (!operands[k].scalar || n == 0) continue;
    store(same[k], splat(*p[k]));
    p[k] = same[k];
  }
  for (; n >= kLanes; n -= kLanes, y += kLanes) {
    Vec v[kOperands];
#pragma GCC unroll 8
    for (int k = 0; k < kOperands; ++k) v[k] = load(p[k]), p[k] += step[k];
    store(y, Of{}(v));
  }
  if (n == 0) return;
  Vec v[kOperands];
#pragma GCC unroll 8
  for (int k = 0; k < kOperands; ++k) v[k] = step[k] == 0 ? load(p[k]) : load_part(p[k], n);
  store_part(y, Of{}(v), n);
}

constexpr int power(int links) { return links == 0 ? 1 : kLinkCount * power(links - 1); }

// The links are the digits of kCode.
template <int kLinks, int kCode>
struct Chain {
  Vec operator()(const Vec* v) const {
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
    return x;
  }
};

template <int kLinks, int kCode = power(kLinks) - 1>
void fill_chains(LoopF32* table) {
  table[kCode] = loop<kLinks + 1, Chain<kLinks, kCode>>;
  if constexpr (kCode > 0) fill_chains<kLinks, kCode - 1>(table);
}

template <class Of>
void set(SimdKernels& table, Compare name, Of) {
  struct Choice {
    Vec operator()(const Vec* v) const { return Of{}(v[0], v[1]) ? v[2] : v[3]; }
  };
  table.choose[static_cast<int>(name)] = loop<4, Choice>;
}

struct Descent {
  Vec operator()(const Vec* v) const { return v[0] - v[1] * v[2] / (sqrt(v[3]) + v[4]); }
};

}  // namespace

void fill_loops(SimdKernels& t) {
  fill_chains<2>(t.chain[0]);
  fill_chains<3>(t.chain[1]);
  fill_chains<4>(t.chain[2]);
  each_comparison([&](Compare name, auto of) { set(t, name, of); });
  t.descend = loop<5, Descent>;
}

}  // namespace ramet::cpu::RAMET_SIMD
