#include "ramet/base/strings.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "ramet/base/error.h"

namespace ramet {
namespace {

// The C library's classification follows the locale; names of classes do not.
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char to_lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_word(char c) {
  return is_lower(c) || is_upper(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower);
  return out;
}

// Edits that turn a into b: insert, delete, replace a character, or swap two neighbours ("trian" is one from "train").
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

template <class Text>
std::string nearest_of(std::string_view word, std::span<const Text> choices) {
  constexpr std::size_t kLongestWord = 200;  // a longer one is no slip of the fingers, and distances cost its square
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  if (word.empty() || word.size() > kLongestWord) return {};
  for (const std::string_view choice : choices) {
    if (choice.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(lower(word), lower(choice));
    if (distance < best_distance && distance < choice.size()) {
      best = choice;
      best_distance = distance;
    }
  }
  return std::string(best);
}

}  // namespace

// The two replacements of Keras' to_snake_case, in its order:
//   (.)([A-Z][a-z]+) → \1_\2    then    ([a-z])([A-Z]) → \1_\2
std::string snake_case(std::string_view class_name) {
  std::string name, spaced, out;
  std::copy_if(class_name.begin(), class_name.end(), std::back_inserter(name), is_word);

  for (std::size_t i = 0; i < name.size();) {
    spaced += name[i++];
    if (i + 1 >= name.size() || !is_upper(name[i]) || !is_lower(name[i + 1])) continue;
    spaced += '_';
    spaced += name[i++];
    while (i < name.size() && is_lower(name[i])) spaced += name[i++];
  }
  for (std::size_t i = 0; i < spaced.size(); ++i) {
    if (i > 0 && is_lower(spaced[i - 1]) && is_upper(spaced[i])) out += '_';
    out += to_lower(spaced[i]);
  }
  return out;
}

std::string nearest(std::string_view word, std::span<const std::string> choices) { return nearest_of(word, choices); }

std::string nearest(std::string_view word, std::span<const std::string_view> choices) {
  return nearest_of(word, choices);
}

std::string with_thousands(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string readable_size(std::int64_t bytes) {
  static constexpr std::array<const char*, 6> units{"B", "KB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  auto size = static_cast<double>(bytes);
  for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.2f %s", size, units[unit]);
  return text.data();
}

}  // namespace ramet
