// What holds while a model is made from a file: whose classes are known besides ours, which Keras wrote it, and how
// much memory its weights may take.
#pragma once
#include <compare>
#include <map>
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
  std::vector<ObjectRegistration> objects = {};  // the caller's, before ours
  std::map<std::string, AnyFunction> functions = {};
  std::optional<KerasVersion> version = std::nullopt;
  std::uint64_t weight_bytes = 0;  // what weights may still take together
  bool values_follow = false;      // from the file, so weights are not initialized
  // Keras up to 3.15 records the default of `training` on calls although nobody passed it.
  bool training_leaks = true;
  int depth = 0;  // of nested layers
  // The layers made so far that the file marks as shared, by that mark: one layer may stand in several models.
  std::map<std::string, std::shared_ptr<Layer>> made = {};
  std::size_t layers_made = 0, calls_traced = 0;
  std::string unknown = "";  // the last optimizer, loss, … that is not known here: "metric 'AUC'"

  // What was left out: the first kMostWarnings, each said once, and how many more there are.
  void warn(std::string text);
  std::vector<std::string> take_warnings();

  // The one of this thread, or null outside of loading.
  static LoadContext* current();

 private:
  std::vector<std::string> warnings_ = {};
  std::size_t more_ = 0;
};

// The most of everything that a file may bring. Calls count as often as they are traced: a model that calls a model
// that calls a model twice each, and so on, is small in the file only.
inline constexpr int kDeepestNesting = 32;
inline constexpr std::size_t kMostLayers = 100'000, kMostCalls = 100'000, kMostCallsTraced = 250'000;
inline constexpr std::size_t kMostWarnings = 100;
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 31;

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

class ModelLayer;

// A model from {"class_name", "config", …}: what files and texts have in common. REQUIRES: a LoadContext. DataError
// with the place in the JSON text for everything that is wrong.
std::shared_ptr<ModelLayer> deserialize_model(const Json& object);

// A tree takes many times the memory of its text, so the nodes of one are bounded by the length of the other.
JsonLimits config_limits(std::string_view text);

// DataError unless `name` can stand in a path of a weights file and in a line of text: 1 to 512 bytes, no control
// characters, no '/', not "..".
void check_name(std::string_view name);

// [null, 28, 28] as a shape; null is None. DataError for sizes that are negative or larger than kLargestSize.
Shape shape_from(const Json& json);

// Whether no integer in this value or in its lists is beyond ±kLargestSize.
bool sizes_fit(const Json& json);

// An error with its place in the JSON text: "/config/layers/3: …". What is already placed gets the prefix in front.
std::string at_pointer(std::string_view prefix, std::string_view what);

}  // namespace ramet
