#include "ramet/graph/load_context.h"

#include <charconv>

namespace ramet {
namespace {

thread_local LoadContext* current_context = nullptr;

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

std::string at_pointer(std::string_view prefix, std::string_view what) {
  return what.starts_with('/') ? cat(prefix, what) : cat(prefix, ": ", what);
}

}  // namespace ramet
