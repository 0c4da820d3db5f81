#include "ramet/base/config.h"

#include <charconv>

namespace ramet {

Json encode(float v) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, v).ptr;
  double out = v;
  std::from_chars(digits, end, out);
  return Json(out);
}

}  // namespace ramet
