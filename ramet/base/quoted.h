// Foreign text inside an error message.
#pragma once
#include <string>
#include <string_view>

namespace ramet {

// The text in single quotes on one line: control characters and what is not UTF-8 as \xNN, long texts shortened.
std::string quoted(std::string_view text);

}  // namespace ramet
