#include "ramet/array/random.h"

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/random/random_ops.h"

namespace ramet::cpu {
namespace {

struct Args {
  std::int64_t count;
};

// Pieces are cut by count, not by thread, and an element's value depends on its place only.
constexpr std::int64_t kPiece = 4096;

template <bool normal>
Step make(const Site& site) {
  const Args args{element_count(site.out().shape)};
  const auto step = [&](auto zero) {
    return make_step(args, [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      const auto* state = b.input<std::int64_t>(0);
      const Stream stream{static_cast<std::uint64_t>(state[0]), static_cast<std::uint64_t>(state[1])};
      T* y = b.output<T>(0);
      b.pool.parallel_for(static_cast<int>((a.count + kPiece - 1) / kPiece), [&](int i) {
        const auto begin = i * kPiece, end = std::min(a.count, begin + kPiece);
        if constexpr (normal)
          fill_normal(y + begin, begin, end, stream);
        else
          fill_uniform(y + begin, begin, end, stream);
      });
    });
  };
  return site.out().dtype == DType::f64 ? step(double{}) : step(float{});
}

}  // namespace

void add_random_kernels(KernelList& list) {
  list.push_back({&ops::random_uniform_op, "philox", always, make<false>});
  list.push_back({&ops::random_normal_op, "philox", always, make<true>});
}

}  // namespace ramet::cpu
