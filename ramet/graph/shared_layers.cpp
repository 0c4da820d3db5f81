#include "ramet/graph/shared_layers.h"

#include "ramet/base/quoted.h"
#include "ramet/graph/load_context.h"

namespace ramet {
namespace {

thread_local SharedLayers* writing = nullptr;

// Ours or Keras'; empty when there is none.
std::string mark_of(const JsonObject& entry) {
  for (const std::string_view key : {kSharedMark, std::string_view("shared_object_id")})
    if (const Json* mark = entry.find(key); mark && mark->is_int()) return cat(key, " ", mark->as_int());
  return {};
}

}  // namespace

SharedLayers::SharedLayers(const Layer& root) : before_(writing) {
  count(root);
  for (const auto& [layer, places] : places_)
    if (places == 1) numbers_.erase(layer);
  writing = this;
}
SharedLayers::~SharedLayers() { writing = before_; }

// A layer's number is the place where it was met first, so that a file is the same each time.
void SharedLayers::count(const Layer& layer) {
  numbers_.try_emplace(&layer, static_cast<int>(numbers_.size()) + 1);
  if (places_[&layer]++ > 0) return;
  for (const auto& inner : layer.sublayers()) count(*inner);
}

int SharedLayers::number_of(const Layer& layer) {
  if (!writing) return 0;
  const auto it = writing->numbers_.find(&layer);
  return it == writing->numbers_.end() ? 0 : it->second;
}

LayerRef shared_layer(const JsonObject& entry, LayerRef layer) {
  LoadContext* loading = LoadContext::current();
  const std::string mark = loading ? mark_of(entry) : "";
  if (mark.empty()) return layer;
  LayerRef& known = loading->made[mark];
  if (!known) return known = std::move(layer);
  if (known->class_name() != layer->class_name() || known->get_config() != layer->get_config())
    throw DataError(cat("the layer ", quoted(layer->name()), " and the layer ", quoted(known->name()),
                        " have the mark of one shared layer (", mark, ") and are not the same"));
  return known;
}

}  // namespace ramet
