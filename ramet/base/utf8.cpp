#include "ramet/base/utf8.h"

namespace ramet {

CodePoint decode_utf8(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};

  const int bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  // 0x80..0xBF continue a sequence, 0xC0 and 0xC1 could only begin an overlong one, 0xF5 and above pass U+10FFFF.
  if (lead < 0xC2 || lead > 0xF4 || text.size() < static_cast<std::size_t>(bytes)) return {};

  char32_t value = lead & (0xFFu >> (bytes + 1));
  for (int i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  const char32_t smallest = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || surrogate || value > 0x10FFFF) return {};
  return {value, bytes};
}

void append_utf8(std::string& out, char32_t value) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((value >> shift) & 0x3F)); };
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0 | (value >> 6));
    tail(0);
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0 | (value >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0 | (value >> 18));
    tail(12), tail(6), tail(0);
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    if (point.bytes == 0) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

}  // namespace ramet
