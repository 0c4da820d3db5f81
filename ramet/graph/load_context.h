// What holds while a model is made from a file: whose classes are known besides ours, which Keras wrote it, and how
// much memory its weights may take.
#pragma once
#include <compare>
#include <optional>

#include "ramet/graph/registry.h"

namespace ramet {

// 3.15.1; compares as versions do.
struct KerasVersion {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const KerasVersion&) const = default;
  static std::optional<KerasVersion> parse(std::string_view text);
};

struct LoadContext {
  std::vector<LayerRegistration> layers = {};  // the caller's, before ours
  std::optional<KerasVersion> version = std::nullopt;
  // Weights are not initialized, because the file's values follow, and take at most so many bytes together.
  std::optional<std::uint64_t> weight_bytes = std::nullopt;
  // Keras up to 3.15 records the default of `training` on calls although nobody passed it.
  bool training_leaks = true;
  int depth = 0;                           // of nested models
  std::vector<std::string> warnings = {};  // what was left out, each said once

  // The one of this thread, or null outside of loading.
  static LoadContext* current();
};

// Makes `context` this thread's while it lives.
class LoadScope {
 public:
  explicit LoadScope(LoadContext& context);
  ~LoadScope();
  LoadScope(const LoadScope&) = delete;
  LoadScope& operator=(const LoadScope&) = delete;

 private:
  LoadContext* before_;
};

// Meets an argument of `class_name` that is not known here, as files of a later Keras may hold: switched off (null or
// false) it is left out and the context warns of it; else DataError, which names it.
void leave_out(std::string_view class_name, std::string_view key, const Json& value);

// An error with its place in the JSON text: "/config/layers/3: …". What is already placed gets the prefix in front.
std::string at_pointer(std::string_view prefix, std::string_view what);

}  // namespace ramet
