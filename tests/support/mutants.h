// Damaged copies of a file, the same for the same seed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace ramet::testing {

// One to four of: a byte changed, a byte set to a telling value, a number of four bytes set, bytes removed, repeated or
// moved, the end cut off.
inline std::string mutant(const std::string& original, std::uint64_t seed) {
  static constexpr std::string_view kTelling("\x00\xFF\x7F\x80\x01PK'\"{}[](),:0-9", 20);
  std::mt19937_64 random(seed);
  std::string out = original;
  const auto below = [&](std::size_t n) { return n ? static_cast<std::size_t>(random() % n) : 0; };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    if (out.empty()) return out;
    const std::size_t at = below(out.size()), length = std::min(out.size() - at, 1 + below(32));
    switch (below(7)) {
      case 0: out[at] = static_cast<char>(out[at] ^ (1 << below(8))); break;
      case 1: out[at] = kTelling[below(kTelling.size())]; break;
      case 2:
        for (std::size_t i = 0; i < 4 && at + i < out.size(); ++i) out[at + i] = below(2) ? '\xFF' : '\0';
        break;
      case 3: out.erase(at, length); break;
      case 4: out.insert(at, out.substr(at, length)); break;
      case 5: out.replace(below(out.size() - length + 1), length, out.substr(at, length)); break;
      default: out.resize(out.size() - below(std::min<std::size_t>(out.size(), 40)));
    }
  }
  return out;
}

}  // namespace ramet::testing
