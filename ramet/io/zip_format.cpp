#include "ramet/io/zip_format.h"

#include <algorithm>

#include "ramet/base/utf8.h"

namespace ramet::zip {

std::string name_fault(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (name.empty()) return "the name is empty";
  if (name.size() > 512) return "the name is longer than 512 bytes";
  if (!is_utf8(name)) return "the name is not UTF-8";
  if (std::any_of(name.begin(), name.end(), is_control)) return "the name has a control character";
  if (name.find('\\') != name.npos) return "the name has a backslash";
  if (name.front() == '/') return "the name is an absolute path";
  if (name.size() >= 2 && name[1] == ':') return "the name begins with a drive";
  if (name.back() == '/') name.remove_suffix(1);
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return "a part of the name is empty, '.' or '..'";
    if (slash == name.npos) return {};
    name.remove_prefix(slash + 1);
  }
}

}  // namespace ramet::zip
