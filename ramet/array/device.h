// Where a computation runs: "cpu:0", "cpu:1" (virtual devices with threads and memory of their own), "gpu:0".
#pragma once
#include <ostream>
#include <string>
#include <string_view>

namespace ramet {

struct Device {
  enum class Kind : unsigned char { cpu, gpu };
  Kind kind = Kind::cpu;
  int index = 0;

  Device() = default;
  Device(Kind k, int i) : kind(k), index(i) {}
  Device(std::string_view name);  // UsageError on anything else than kind:index
  Device(const char* name) : Device(std::string_view(name)) {}
  std::string name() const;
  bool operator==(const Device&) const = default;
  auto operator<=>(const Device&) const = default;
};

// How many devices of a kind there are (cpu: virtual ones), and their names: "['cpu:0', 'cpu:1', …]". Known to the
// backends, where these are defined.
int device_count(Device::Kind kind);
std::string available_devices();

inline std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.name(); }

}  // namespace ramet
