// New models out of old ones: cut, replace, insert, take out, rename, freeze.
//
// Each function returns a model and leaves the source as it was. Layers it does not touch are the source's own, weights
// and all: training one model trains the other, unless `weights` says otherwise. A layer of a nested model is named by
// its path, "encoder/dense". A Sequential stays one. The result is not compiled.
#pragma once
#include "ramet/graph/clone.h"

namespace ramet {

struct SurgeryOptions {
  Weights weights = Weights::share;
  std::string name = "";  // of the new model; empty: the source's (extract: a new one)
};

// One name or several.
class LayerNames {
 public:
  LayerNames(const char* name) : names_{name} {}
  LayerNames(std::string name) : names_{std::move(name)} {}
  LayerNames(std::initializer_list<const char*> names) : names_(names.begin(), names.end()) {}
  LayerNames(std::vector<std::string> names) : names_(std::move(names)) {}
  const std::vector<std::string>& list() const { return names_; }

 private:
  std::vector<std::string> names_;
};

// What lies from the layers `from` (they included) to the outputs of the layers `to`. An Input stands for itself; any
// other layer of `from` is fed by new Inputs in the place of its arguments, called <layer>_input. A shared layer counts
// with every call that `from` is enough for.
Model extract(const Model& model, const LayerNames& from, const LayerNames& to, const SurgeryOptions& options = {});

// `layer` is called wherever the old one was, with the same arguments.
Model replace_layer(const Model& model, const std::string& name, const LayerRef& layer,
                    const SurgeryOptions& options = {});

// Whoever took the output of the named layer takes that of `layer`, which follows it.
Model insert_after(const Model& model, const std::string& name, const LayerRef& layer,
                   const SurgeryOptions& options = {});

// Whoever took the output of the named layer takes its input. For layers with one input and one output.
Model remove(const Model& model, const std::string& name, const SurgeryOptions& options = {});

// Old name → new name. A renamed layer is a new one on the same weights.
Model rename(const Model& model, const std::map<std::string, std::string>& names, const SurgeryOptions& options = {});

// The named layers are new ones on the same weights which are not trained, or are. (model.freeze() freezes a model
// itself.)
Model freeze(const Model& model, const LayerNames& names, const SurgeryOptions& options = {});
Model unfreeze(const Model& model, const LayerNames& names, const SurgeryOptions& options = {});

}  // namespace ramet
