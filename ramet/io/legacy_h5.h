// Whole models in the older .h5 form, and weights files of that time. Internal to ramet/io.
#pragma once
#include "ramet/io/hdf5/hdf5_read.h"
#include "ramet/io/model_file.h"
#include "ramet/io/sink.h"
#include "ramet/io/weights_file.h"

namespace ramet::io {

Model load_legacy_model(std::span<const std::byte> file, const LoadOptions& options, const std::string& who);
void write_legacy_model(Sink& sink, const Model& model);

// Weights by the order of the layers that have any, as these files hold them at `root`. DataError when the counts or
// shapes differ.
std::vector<Source> match_legacy_weights(const hdf5::Group& root, const Model& model);
bool is_legacy_weights(const hdf5::Group& root);

}  // namespace ramet::io
