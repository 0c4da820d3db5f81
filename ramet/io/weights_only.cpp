// Model::save_weights and load_weights: .weights.h5, shards under a .weights.json, and the older .h5 form.
#include <algorithm>
#include <filesystem>

#include "ramet/base/quoted.h"
#include "ramet/io/bytes.h"
#include "ramet/io/file.h"
#include "ramet/io/keras_archive.h"
#include "ramet/io/legacy_h5.h"
#include "ramet/io/shards.h"
#include "ramet/io/zip_read.h"

namespace ramet {
namespace {

void take(Model& model, const hdf5::Group& root, const MappedFile& file) {
  std::vector<io::Source> sources;
  if (io::is_legacy_weights(root))
    sources = io::match_legacy_weights(root, model);
  else if (root.contains("model_weights"))
    sources = io::match_legacy_weights(root.group("model_weights"), model);
  else
    sources = io::match_weights(root, io::weight_groups(model, false));
  io::replace_weights(sources, [&] { file.check(); });
}

}  // namespace

void Model::save_weights(const std::string& path) const {
  require(static_cast<bool>(*this), "save_weights: there is no model");
  if (path.ends_with(".weights.json")) return io::save_shards(*this, path, {});
  require(path.ends_with(".weights.h5"), "save_weights: ", quoted(path),
          " must end in .weights.h5 (or .weights.json for shards)");
  const auto groups = io::weight_groups(*this, true);
  const hdf5::FileWriter weights = io::weights_writer(groups);
  AtomicFile file(path);
  weights.write([&](std::span<const std::byte> part) { file.write(part); });
  file.commit();
}

void Model::load_weights(const std::string& path) {
  require(static_cast<bool>(*this), "load_weights: there is no model");
  if (path.ends_with(".weights.json")) return io::load_shards(*this, path);
  const auto file = MappedFile::open(path);
  const auto load = [&](Bytes bytes) {
    if (!path.ends_with(".keras")) return take(*this, hdf5::open(bytes), *file);
    const ZipReader zip(bytes, path, {.bytes = bytes.size() * 4 + (std::uint64_t{64} << 20)});
    const ZipMember* member = zip.find("model.weights.h5");
    if (!member) throw DataError("it holds no model.weights.h5");
    const auto unpacked = zip.read(*member);
    take(*this, hdf5::open(unpacked), *file);
  };
  try {
    file->read(load);
  } catch (const Error& error) {
    const std::string what = error.what();
    throw DataError(what.starts_with(path) ? what : cat(path, ": ", what));
  }
}

}  // namespace ramet
