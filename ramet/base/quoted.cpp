#include "ramet/base/quoted.h"

#include "ramet/base/utf8.h"

namespace ramet {

std::string quoted(std::string_view text) {
  constexpr std::size_t kMostBytes = 200;
  std::string out = "'";
  while (!text.empty()) {
    if (out.size() > kMostBytes) return out + "…'";
    const CodePoint point = decode_utf8(text.substr(0, 4));
    const auto bytes = static_cast<std::size_t>(point.bytes);
    const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
    const bool breaks_line = point.value == 0x2028 || point.value == 0x2029;
    const bool turns_direction =
        (point.value >= 0x202A && point.value <= 0x202E) || (point.value >= 0x2066 && point.value <= 0x2069);
    if (bytes > 0 && !control && !breaks_line && !turns_direction) {
      out += text.substr(0, bytes);
      text.remove_prefix(bytes);
      continue;
    }
    const auto byte = static_cast<unsigned char>(text.front());
    out += "\\x";
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
    text.remove_prefix(1);
  }
  return out + "'";
}

}  // namespace ramet
