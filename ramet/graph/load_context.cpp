#include "ramet/graph/load_context.h"

#include <algorithm>
#include <charconv>

namespace ramet {
namespace {

thread_local LoadContext* current_context = nullptr;

// Arguments of Keras up to 3.16 that are not here yet. While they are off nobody needs to hear of them.
constexpr std::string_view kKnownOff[] = {"quantization_config", "input_axes", "output_axes"};

}  // namespace

std::optional<KerasVersion> KerasVersion::parse(std::string_view text) {
  KerasVersion version;
  int* const parts[] = {&version.major, &version.minor, &version.patch};
  const char *at = text.data(), *const end = at + text.size();
  for (int* part : parts) {
    const auto read = std::from_chars(at, end, *part);
    if (read.ec != std::errc() || *part < 0) return part == parts[0] ? std::nullopt : std::optional(version);
    at = read.ptr;
    if (at == end || *at != '.') return version;
    ++at;
  }
  return version;
}

LoadContext* LoadContext::current() { return current_context; }

LoadScope::LoadScope(LoadContext& context) : before_(current_context) { current_context = &context; }
LoadScope::~LoadScope() { current_context = before_; }

void leave_out(std::string_view class_name, std::string_view key, const Json& value) {
  const bool off = value.is_null() || (value.is_bool() && !value.as_bool());
  if (!off) throw DataError(cat(class_name, ": the argument '", key, "' = ", value.dump(), " is not supported"));
  if (!current_context || std::find(std::begin(kKnownOff), std::end(kKnownOff), key) != std::end(kKnownOff)) return;
  auto& warnings = current_context->warnings;
  std::string text = cat(class_name, ": the argument '", key, "' = ", value.dump(), " is not known here and left out");
  if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) warnings.push_back(std::move(text));
}

std::string at_pointer(std::string_view prefix, std::string_view what) {
  return what.starts_with('/') ? cat(prefix, what) : cat(prefix, ": ", what);
}

}  // namespace ramet
