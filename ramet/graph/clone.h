// clone_model: the same graph on new layers. docs/clone.md tells why it is written as it is.
#pragma once
#include "ramet/graph/model.h"

namespace ramet {

// What the new weights are.
enum class Weights : unsigned char {
  fresh,  // initialized anew: Keras' meaning
  copy,   // equal to the source's, and separate from then on
  share,  // the source's own: training one trains the other
};

using LayerMap = std::map<LayerRef, LayerRef>;  // layer of the source → layer of the clone

// A symbolic tensor, or data that the clone then carries itself (an input named input_wrapper_for_<name>).
using CloneInput = std::variant<Tensor, Array>;

struct CloneOptions {
  // Which layer stands for one of the source's; layer->clone() when empty. Not asked about InputLayers.
  std::function<LayerRef(const LayerRef&)> clone_function = nullptr;
  // How a layer is called; layer->call(args) when empty. Not for Sequential models.
  std::function<Tensor(const LayerRef&, const CallArgs&)> call_function = nullptr;
  std::vector<CloneInput> input_tensors = {};  // one for each of model.inputs()
  bool recursive = false;                      // the functions are used inside nested models too
  Weights weights = Weights::fresh;            // for layers whose clone has the same weights
  std::optional<Device> device = std::nullopt;
  std::string dtype = "";         // another dtype policy for all layers
  bool compile = false;           // compiled as the source is; with its weights also its optimizer's state, copied
  LayerMap* layer_map = nullptr;  // filled with who became whom
};

// The source is never changed: no node is added to its layers, no recorded argument touched, no weight shared unless
// asked for.
Model clone_model(const Model& model, const CloneOptions& options = {});

// Gives the weights of the keys to the values, copied or shared, where both have the same shapes.
void take_weights(const LayerMap& twins, Weights how);

}  // namespace ramet
