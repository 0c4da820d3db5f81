#include "ramet/base/utf8.h"

#include <doctest/doctest.h>

using namespace ramet;

TEST_CASE("utf8: every code point survives encoding and decoding") {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, value);
    const CodePoint back = decode_utf8(text);
    if (back.value != value || back.bytes != static_cast<int>(text.size())) FAIL("lost ", static_cast<unsigned>(value));
    if (!text.empty() && text.size() > 1 && is_utf8(text.substr(0, text.size() - 1))) FAIL("cut text taken as valid");
  }
}

TEST_CASE("utf8: overlong forms, surrogates and stray bytes are not valid") {
  for (const char* bad :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3(", "\xE2\x82", "\xE2(\xA1"}) {
    CAPTURE(bad);
    CHECK(decode_utf8(bad).bytes == 0);
    CHECK_FALSE(is_utf8(std::string("fine ") + bad));
  }
  CHECK(is_utf8(""));
  CHECK(decode_utf8("").bytes == 0);
}
