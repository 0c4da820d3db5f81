// Model files: what Keras saves opens here, what is saved here opens in Keras.
//
// A file is data. Loading runs nothing, opens no other file, takes memory in proportion to the file, and ends in a
// model or in one DataError that says where: "theirs.keras: config.json/config/layers/3: …".
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ramet/graph/model.h"
#include "ramet/layers/core/lambda.h"

namespace ramet {

// Bounds on what a file may ask for, per call.
struct LoadLimits {
  // Weights take at most file size × weights_per_byte + weights_more bytes.
  std::uint64_t weights_per_byte = 4, weights_more = std::uint64_t{64} << 20;
};

struct LoadOptions {
  // C++ functions by the name of the function in the file, and for Lambda layers also by the name of the layer. Python
  // code in a file is never run.
  std::map<std::string, AnyFunction> functions = {};
  // Layers of the caller: {ScaleLayer::registration("my_package")}.
  std::vector<LayerRegistration> layers = {};
  // Classes of the caller of every kind: {object<PinballLoss>("my_package"), object<Lion2>("my_package")}.
  std::vector<ObjectRegistration> objects = {};
  // As the file says, with the optimizer's state. An optimizer, loss or metric that is not known here leaves the model
  // uncompiled and a warning that names it; `strict` makes that an error.
  bool compile = true, strict = false;
  bool refuse_nonfinite = false;  // weights that are NaN or infinite are an error rather than a warning
  LoadLimits limits = {};
};

// Opens a .keras archive, the same unpacked in a folder, or a whole model in the older .h5 form; the content decides.
// The model tells the Keras version and warnings in `layer().file_info`.
Model load_model(const std::string& path, const LoadOptions& options = {});
// The same from memory; `who` stands for the path in messages.
Model load_model(std::span<const std::byte> file, const LoadOptions& options = {}, const std::string& who = "model");

// The bytes of a .keras archive.
std::vector<std::byte> save_to_memory(const Model& model);

}  // namespace ramet
