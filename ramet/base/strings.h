// Small things done with text: names, lists, numbers for people, and columns of a terminal.
#pragma once
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

// Keras' automatic name of a class: MultiHeadAttention → multi_head_attention, Conv2D → conv2d, PReLU → p_re_lu.
std::string snake_case(std::string_view class_name);

// The choice a misspelt word most likely meant, ignoring case; empty when none is near. The first wins a tie.
std::string nearest(std::string_view word, std::span<const std::string> choices);
std::string nearest(std::string_view word, std::span<const std::string_view> choices);

// The parts, each written as a stream writes it, with `separator` between them.
template <class Range>
std::string join(const Range& parts, std::string_view separator = ", ") {
  std::ostringstream out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out << separator;
    first = false;
    out << part;
  }
  return std::move(out).str();
}

// The first few parts, and how many there are when that is not all: "a, b, … (20,000 in all)".
template <class Range>
std::string join_some(const Range& parts, std::string_view separator = ", ", std::size_t most = 8);

// 1234567 → "1,234,567".
std::string with_thousands(std::int64_t number);

template <class Range>
std::string join_some(const Range& parts, std::string_view separator, std::size_t most) {
  const std::span all(parts);
  if (all.size() <= most) return join(all, separator);
  return join(all.first(most), separator) + std::string(separator) + "… (" +
         with_thousands(static_cast<std::int64_t>(all.size())) + " in all)";
}

// In units of 1024 with two decimals, as Keras' summary: 0 → "0.00 B", 227880 → "222.54 KB". REQUIRES: bytes >= 0.
std::string readable_size(std::int64_t bytes);

// Terminal columns of UTF-8 text: two for East Asian wide characters and emoji, none for combining marks and controls.
int display_width(std::string_view text);

enum class LongWord {
  fold,      // goes on in the next line
  ellipsis,  // is cut to the width and ends in "…"
};

// Lines no wider than `width` columns, broken between words and at '\n', without spaces at their ends. At least one
// line. Throws UsageError when width < 1. A character wider than the width stands in a line of its own.
std::vector<std::string> wrap(std::string_view text, int width, LongWord long_word = LongWord::fold);

}  // namespace ramet
