#include "ramet/base/quoted.h"

#include "ramet/base/utf8.h"

namespace ramet {
namespace {

// Whether a terminal or a log would do something else with it than show it.
bool is_control(char32_t c) {
  const bool breaks_line = c == 0x2028 || c == 0x2029;
  const bool turns_direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || breaks_line || turns_direction;
}

void append_code(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += "0123456789abcdef"[byte >> 4];
  out += "0123456789abcdef"[byte & 15];
}

// Moves the first character of `text` to `out`; of one that cannot be shown, the first byte.
void append_shown(std::string& out, std::string_view& text) {
  const CodePoint point = decode_utf8(text.substr(0, 4));
  const bool shown = point.bytes > 0 && !is_control(point.value);
  const std::size_t bytes = shown ? static_cast<std::size_t>(point.bytes) : 1;
  if (shown)
    out += text.substr(0, bytes);
  else
    append_code(out, text.front());
  text.remove_prefix(bytes);
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t kMostBytes = 200;
  std::string out = "'";
  while (!text.empty()) {
    if (out.size() > kMostBytes) return out + "…'";
    append_shown(out, text);
  }
  return out + "'";
}

std::string one_line(std::string_view text, std::size_t most) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t'; };
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string out;
  while (!text.empty()) {
    if (is_space(text.front())) {
      out += ' ';
      text.remove_prefix(1);
    } else {
      append_shown(out, text);
    }
  }
  if (out.size() <= most) return out;
  // Three quarters before the cut. A line that was cut is cut at the same place again when words are put before it.
  constexpr std::string_view kCut = "…";
  std::size_t head = most / 4 * 3, tail = out.size() - (most - head - kCut.size());
  while (continues_character(out[head])) --head;
  while (tail < out.size() && continues_character(out[tail])) ++tail;
  return out.substr(0, head).append(kCut).append(out, tail);
}

}  // namespace ramet
