#include "ramet/array/device.h"

#include <charconv>

#include "ramet/base/error.h"

namespace ramet {

Device::Device(std::string_view name) {
  const auto colon = name.find(':');
  const auto kind_name = name.substr(0, colon);
  if (kind_name == "gpu")
    kind = Kind::gpu;
  else
    require(kind_name == "cpu", "unknown device '", name, "'; a device is written 'cpu:0' or 'gpu:0'");
  if (colon == std::string_view::npos) return;
  const auto digits = name.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  require(error == std::errc() && end == digits.data() + digits.size() && index >= 0, "unknown device '", name,
          "'; a device is written 'cpu:0' or 'gpu:0'");
}

std::string Device::name() const { return (kind == Kind::cpu ? "cpu:" : "gpu:") + std::to_string(index); }

}  // namespace ramet
