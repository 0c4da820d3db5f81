#include "ramet/plan/offsets.h"

#include <algorithm>
#include <numeric>

namespace ramet {

Packing pack(const std::vector<Lifetime>& values) {
  constexpr std::size_t kAlign = 64;
  const auto rounded = [](std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; };
  Packing out;
  out.offsets.assign(values.size(), 0);

  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a].bytes > values[b].bytes; });

  std::vector<std::size_t> placed;  // by offset
  for (const auto i : order) {
    const std::size_t need = rounded(values[i].bytes);
    std::size_t at = 0;
    for (const auto j : placed) {
      if (values[j].last < values[i].first || values[i].last < values[j].first) continue;  // never alive together
      if (out.offsets[j] >= at + need) break;                                              // fits before this one
      at = std::max(at, out.offsets[j] + rounded(values[j].bytes));
    }
    out.offsets[i] = at;
    out.bytes = std::max(out.bytes, at + need);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                   [&](auto a, auto b) { return out.offsets[a] < out.offsets[b]; }),
                  i);
  }

  int steps = 0;
  for (const auto& v : values) steps = std::max(steps, v.last + 1);
  std::vector<std::ptrdiff_t> change(static_cast<std::size_t>(steps) + 1, 0);
  for (const auto& v : values) {
    change[static_cast<std::size_t>(v.first)] += static_cast<std::ptrdiff_t>(rounded(v.bytes));
    change[static_cast<std::size_t>(v.last) + 1] -= static_cast<std::ptrdiff_t>(rounded(v.bytes));
  }
  std::ptrdiff_t live = 0;
  for (const auto c : change) out.live_maximum = std::max(out.live_maximum, static_cast<std::size_t>(live += c));
  return out;
}

}  // namespace ramet
