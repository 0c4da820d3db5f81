// Reading and writing single code points of UTF-8.
#pragma once
#include <string>
#include <string_view>

namespace ramet {

struct CodePoint {
  char32_t value = 0;
  int bytes = 0;  // how many bytes it took; 0 when the text does not begin with valid UTF-8
};

// The first code point of `text`. Overlong forms, surrogates and values past U+10FFFF are not valid; nor is an empty
// text.
CodePoint decode_utf8(std::string_view text);

// REQUIRES: `value` is at most U+10FFFF and no surrogate.
void append_utf8(std::string& out, char32_t value);

bool is_utf8(std::string_view text);

}  // namespace ramet
