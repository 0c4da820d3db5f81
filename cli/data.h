// The arrays of .npz files, matched to a model by the names in the file.
#pragma once
#include "ramet/array/feed.h"
#include "ramet/graph/model.h"
#include "ramet/io/npz.h"

namespace ramet::cli {

// Reads a file, or stdin for "-".
NamedArrays read_npz(const std::string& path);

// Names of the model's inputs: those of its InputLayers, in flat order. Empty while a Sequential has no input shape.
std::vector<std::string> input_names(const Model& model);
// What Keras calls the outputs in losses, metrics and logs: keys where they are a dict, else names of layers. Flat
// order.
std::vector<std::string> target_names(const Model& model);
// Names of the output layers, in flat order; a repeated name becomes name_1, name_2.
std::vector<std::string> unique_output_names(const Model& model);

// One array per input under its name, or under any name where there is one input. DataError otherwise.
Feed inputs_from(const NamedArrays& file, const Model& model, const std::string& who);

// x or x/<input>, y or y/<output>, sample_weight or sample_weight/<output>.
struct TrainingData {
  Feed x, y, sample_weight;
};
TrainingData training_data_from(const NamedArrays& file, const Model& model, const std::string& who);

}  // namespace ramet::cli
