#include "ramet/plan/offsets.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ramet {
namespace {

constexpr std::size_t kAlign = 64;

std::size_t rounded(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

bool together(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

std::size_t live_maximum(const std::vector<Lifetime>& values) {
  int steps = 0;
  for (const auto& v : values) steps = std::max(steps, v.last + 1);
  std::vector<std::ptrdiff_t> change(static_cast<std::size_t>(steps) + 1, 0);
  for (const auto& v : values) {
    change[static_cast<std::size_t>(v.first)] += static_cast<std::ptrdiff_t>(rounded(v.bytes));
    change[static_cast<std::size_t>(v.last) + 1] -= static_cast<std::ptrdiff_t>(rounded(v.bytes));
  }
  std::ptrdiff_t live = 0, most = 0;
  for (const auto c : change) most = std::max(most, live += c);
  return static_cast<std::size_t>(most);
}

// Each in turn, those with the largest key first, at the lowest place that is free for its whole life.
Packing pack_by(const std::vector<Lifetime>& values, const std::function<double(const Lifetime&)>& key) {
  Packing out;
  out.offsets.assign(values.size(), 0);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key(values[a]) > key(values[b]); });

  std::vector<std::size_t> placed;  // by offset
  for (const auto i : order) {
    const std::size_t need = rounded(values[i].bytes);
    std::size_t at = 0;
    for (const auto j : placed) {
      if (!together(values[j], values[i])) continue;
      if (out.offsets[j] >= at + need) break;  // fits before this one
      at = std::max(at, out.offsets[j] + rounded(values[j].bytes));
    }
    out.offsets[i] = at;
    out.bytes = std::max(out.bytes, at + need);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                   [&](auto a, auto b) { return out.offsets[a] < out.offsets[b]; }),
                  i);
  }
  return out;
}

}  // namespace

Packing pack(const std::vector<Lifetime>& values) {
  const auto bytes = [](const Lifetime& v) { return static_cast<double>(v.bytes); };
  const auto steps = [](const Lifetime& v) { return static_cast<double>(v.last - v.first + 1); };
  const std::size_t least = live_maximum(values);
  Packing best = pack_by(values, bytes);
  const std::function<double(const Lifetime&)> others[] = {
      [&](const Lifetime& v) { return bytes(v) * steps(v); }, [&](const Lifetime& v) { return steps(v); },
      [&](const Lifetime& v) { return -v.first; }, [&](const Lifetime& v) { return v.last; }};
  for (const auto& key : others) {
    if (best.bytes == least) break;
    if (Packing other = pack_by(values, key); other.bytes < best.bytes) best = std::move(other);
  }
  best.live_maximum = least;
  return best;
}

}  // namespace ramet
