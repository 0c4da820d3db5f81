#include "ramet/train/datasets.h"

#include <algorithm>
#include <filesystem>

#include "ramet/io/idx.h"

namespace ramet::datasets {
namespace {

IdxArray read(const std::string& folder, const std::string& name, std::size_t rank) {
  for (const std::string& path : {folder + "/" + name + ".gz", folder + "/" + name}) {
    if (!std::filesystem::exists(path)) continue;
    IdxArray file = read_idx(path, std::size_t{1} << 28);
    if (file.type != IdxType::u8 || file.shape.size() != rank)
      throw DataError(cat(path, ": expected bytes of rank ", rank, "; found rank ", file.shape.size()));
    return file;
  }
  throw DataError(cat(folder, "/", name, ".gz is missing; install the Debian package dataset-fashion-mnist"));
}

Samples read_samples(const std::string& folder, const std::string& prefix) {
  const IdxArray images = read(folder, prefix + "-images-idx3-ubyte", 3),
                 labels = read(folder, prefix + "-labels-idx1-ubyte", 1);
  if (images.shape[0] != labels.shape[0])
    throw DataError(cat(folder, ": ", prefix, " has ", images.shape[0], " images and ", labels.shape[0], " labels"));
  Samples out{Array({images.shape[0], images.shape[1], images.shape[2], 1}, DType::u8),
              Array({labels.shape[0]}, DType::i32)};
  std::copy(images.bytes.begin(), images.bytes.end(), out.x.data<std::uint8_t>().begin());
  std::copy(labels.bytes.begin(), labels.bytes.end(), out.y.data<std::int32_t>().begin());
  return out;
}

}  // namespace

Split fashion_mnist(const std::string& folder) { return {read_samples(folder, "train"), read_samples(folder, "t10k")}; }

}  // namespace ramet::datasets
