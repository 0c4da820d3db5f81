// Foreign text inside an error message.
#pragma once
#include <string>
#include <string_view>

namespace ramet {

// The text in single quotes on one line: control characters and what is not UTF-8 as \xNN, long texts shortened.
std::string quoted(std::string_view text);
// Overloads, so that std::quoted, which escapes nothing, is never the better match for a std::string.
inline std::string quoted(const std::string& text) { return quoted(std::string_view(text)); }
inline std::string quoted(const char* text) { return quoted(std::string_view(text)); }

// The text without quotes: line breaks and tabs as spaces, other control characters and what is not UTF-8 as \xNN, none
// of either at the end. Longer than `most` bytes, it loses its middle to a "…". REQUIRES: most >= 16.
std::string one_line(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace ramet
