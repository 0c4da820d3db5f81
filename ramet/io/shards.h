// Weights spread over several files: x.weights.json names x_00000.weights.h5, … beside it. Internal to ramet/io.
#pragma once
#include "ramet/graph/model.h"

namespace ramet::io {

struct ShardOptions {
  std::uint64_t shard_bytes = std::uint64_t{10} << 30;  // a new file begins before one would exceed this
};

void save_shards(const Model& model, const std::string& path, const ShardOptions& options);
// Only files beside the .json are opened, by their plain names.
void load_shards(Model& model, const std::string& path);

}  // namespace ramet::io
