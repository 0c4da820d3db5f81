#include "ramet/graph/load_context.h"

#include <algorithm>
#include <charconv>

#include "ramet/base/quoted.h"
#include "ramet/graph/model.h"

namespace ramet {
namespace {

thread_local LoadContext* current_context = nullptr;

// Arguments of Keras up to 3.16 that are not here yet. While they are off nobody needs to hear of them.
constexpr std::string_view kKnownOff[] = {"quantization_config"};

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

void LoadContext::warn(std::string text) {
  if (warnings_.size() == kMostWarnings) return void(++more_);
  if (std::find(warnings_.begin(), warnings_.end(), text) != warnings_.end()) return;
  warnings_.push_back(std::move(text));
}

std::vector<std::string> LoadContext::take_warnings() {
  if (more_ > 0) warnings_.push_back(cat("… and ", more_, " warnings more"));
  return std::exchange(warnings_, {});
}

LoadContext* LoadContext::current() { return current_context; }

LoadScope::LoadScope(LoadContext& context) : before_(current_context) { current_context = &context; }
LoadScope::~LoadScope() { current_context = before_; }

void leave_out(std::string_view class_name, std::string_view key, const Json& value) {
  const bool off = value.is_null() || (value.is_bool() && !value.as_bool());
  if (!off) throw DataError(cat(class_name, ": the argument ", quoted(key), " = ", value.dump(), " is not supported"));
  if (!current_context || std::find(std::begin(kKnownOff), std::end(kKnownOff), key) != std::end(kKnownOff)) return;
  current_context->warn(
      cat(class_name, ": the argument ", quoted(key), " = ", value.dump(), " is not known here and left out"));
}

std::shared_ptr<ModelLayer> deserialize_model(const Json& object) {
  LayerRef layer;
  try {
    layer = deserialize_layer(object);
  } catch (const Error& error) {
    const std::string what = error.what();
    throw DataError(what.starts_with('/') ? "/config" + what : "/: " + what);
  }
  auto model = std::dynamic_pointer_cast<ModelLayer>(layer);
  if (!model) throw DataError(cat("/class_name: '", layer->class_name(), "' is a layer, not a model"));
  return model;
}

// Keras writes about 17 bytes for a node. A text that holds an initializer's array may be long.
JsonLimits config_limits(std::string_view text) {
  return {.nodes = 500'000 + text.size() / 16, .text_bytes = std::max(JsonLimits{}.text_bytes, text.size())};
}

void check_name(std::string_view name) {
  const auto refuse = [&](const char* what) { throw DataError(cat("the name ", quoted(name), " ", what)); };
  if (name.empty()) refuse("is empty");
  if (name.size() > 512) refuse("is longer than 512 bytes");
  if (name == "." || name == "..") refuse("means a folder");
  if (name.find('/') != name.npos) refuse("holds a '/'");
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    refuse("holds a control character");
}

Shape shape_from(const Json& json) {
  Shape shape;
  for (const Json& size : json.as_array()) {
    shape.push_back(size.is_null() ? None : size.as_int());
    if (!size.is_null() && (shape.back() < 0 || shape.back() > kLargestSize))
      throw DataError(cat("a shape holds the size ", shape.back()));
  }
  if (shape.size() > kMostAxes) throw DataError(cat("a shape has ", shape.size(), " axes; the most are ", kMostAxes));
  return shape;
}

bool sizes_fit(const Json& json) {
  if (json.is_array()) return std::all_of(json.as_array().begin(), json.as_array().end(), sizes_fit);
  return !json.is_int() || (json.as_int() <= kLargestSize && json.as_int() >= -kLargestSize);
}

std::string at_pointer(std::string_view prefix, std::string_view what) {
  return what.starts_with('/') ? cat(prefix, what) : cat(prefix, ": ", what);
}

}  // namespace ramet
