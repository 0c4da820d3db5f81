// Layers that stand in several models, which a file holds several times: each is marked, so that it is one layer again.
#pragma once
#include "ramet/graph/layer.h"

namespace ramet {

// Beside the entry of such a layer: its number. Keras has a mark of its own (shared_object_id), but when it reads one
// it mistakes the numbers of the layer's calls, so ours is written.
inline constexpr std::string_view kSharedMark = "ramet_shared";

// While it lives, what this thread writes is inside `root`.
class SharedLayers {
 public:
  explicit SharedLayers(const Layer& root);
  ~SharedLayers();
  SharedLayers(const SharedLayers&) = delete;
  SharedLayers& operator=(const SharedLayers&) = delete;
  // The number of a layer that stands at several places; 0 for others.
  static int number_of(const Layer& layer);

 private:
  void count(const Layer& layer);
  std::map<const Layer*, int> places_, numbers_;
  SharedLayers* before_;
};

// The layer that an entry of a file means: the one that was made for the same mark before, or `layer`. DataError when
// that is another class or has another configuration.
LayerRef shared_layer(const JsonObject& entry, LayerRef layer);

}  // namespace ramet
