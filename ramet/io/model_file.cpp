#include "ramet/io/model_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "ramet/base/quoted.h"
#include "ramet/io/bytes.h"
#include "ramet/io/file.h"
#include "ramet/io/keras_archive.h"
#include "ramet/io/legacy_h5.h"
#include "ramet/io/zip_read.h"

namespace ramet {
namespace {

constexpr unsigned char kHdf5Mark[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

bool is_hdf5(Bytes file) {
  return file.size() >= sizeof kHdf5Mark && std::equal(std::begin(kHdf5Mark), std::end(kHdf5Mark), file.begin(),
                                                       [](unsigned char a, std::byte b) { return std::byte{a} == b; });
}

// Pages that were read are given back at once, so that a mapped file does not count twice beside the weights made of
// it.
void give_back(Bytes part) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(part.data()) + page - 1) / page * page,
             end = reinterpret_cast<std::uintptr_t>(part.data() + part.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

// What Keras puts into an archive. Anything else is there for somebody else.
bool is_member_name(std::string_view name) {
  return name == "config.json" || name == "metadata.json" || name == "model.weights.h5" ||
         name == "model.weights.npz" || name.starts_with("assets/");
}

// Everything but the folder form. `mapped`: the bytes are those of a file and may be given back.
Model load_bytes(Bytes file, const LoadOptions& options, const std::string& who, bool mapped) {
  if (is_hdf5(file)) return io::load_legacy_model(file, options, who);
  ZipLimits limits;
  limits.bytes = file.size() * options.limits.weights_per_byte + options.limits.weights_more;
  limits.allows_name = is_member_name;
  const ZipReader zip(file, who, limits);
  io::ArchiveParts parts;
  parts.who = who;
  parts.file_bytes = file.size();
  const auto text = [&](const char* name) {
    const ZipMember* member = zip.find(name);
    if (!member) return std::string();
    const auto bytes = zip.read(*member);
    return std::string(as_text(bytes));
  };
  parts.config = text("config.json");
  if (parts.config.empty()) throw DataError(cat(who, ": not a model file: it has no config.json"));
  parts.metadata = text("metadata.json");
  std::vector<std::byte> unpacked;
  if (const ZipMember* weights = zip.find("model.weights.h5")) {
    if (weights->method == ZipMethod::stored) {
      zip.verify(*weights);
      parts.weights = zip.stored_view(*weights);
      if (mapped) give_back(parts.weights), parts.done = give_back;
    } else {
      unpacked = zip.read(*weights);
      parts.weights = unpacked;
    }
  } else if (zip.find("model.weights.npz"))
    throw DataError(cat(who, ": weights in .npz form are not supported; save with weights in HDF5"));
  return io::model_from_parts(parts, options);
}

Model load_folder(const std::string& path, const LoadOptions& options) {
  io::ArchiveParts parts;
  parts.who = path;
  // A link would lead out of the folder.
  const auto member = [&](const char* name) -> std::shared_ptr<const MappedFile> {
    const std::string file = cat(path, "/", name);
    std::error_code error;
    const bool there = std::filesystem::exists(std::filesystem::symlink_status(file, error));
    return there ? MappedFile::open(file, MappedFile::Links::refuse) : nullptr;
  };
  const auto text = [&](const char* name) {
    const auto file = member(name);
    return file ? file->read([](Bytes bytes) { return std::string(as_text(bytes)); }) : std::string();
  };
  parts.config = text("config.json");
  if (parts.config.empty()) throw DataError(cat(path, ": not a model: it has no config.json"));
  parts.metadata = text("metadata.json");
  const auto weights = member("model.weights.h5");
  const auto load = [&](Bytes bytes) {
    parts.weights = bytes;
    parts.file_bytes = parts.config.size() + parts.metadata.size() + bytes.size();
    return io::model_from_parts(parts, options);
  };
  if (!weights) return load({});
  parts.done = give_back;
  return weights->read(load);
}

bool ends_with(const std::string& path, std::string_view extension) {
  return path.size() > extension.size() && path.ends_with(extension);
}

}  // namespace

Model load_model(const std::string& path, const LoadOptions& options) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return load_folder(path, options);
  const auto file = MappedFile::open(path);
  return file->read([&](Bytes bytes) { return load_bytes(bytes, options, path, true); });
}

Model load_model(std::span<const std::byte> file, const LoadOptions& options, const std::string& who) {
  return load_bytes(file, options, who, false);
}

std::vector<std::byte> save_to_memory(const Model& model) {
  MemorySink sink;
  io::write_archive(sink, model);
  return sink.take();
}

void Model::save(const std::string& path) const {
  const bool archive = ends_with(path, ".keras"), older = ends_with(path, ".h5") || ends_with(path, ".hdf5");
  require(archive || older, "save: ", quoted(path), " must end in .keras (or .h5 for the older form)");
  require(!ends_with(path, ".weights.h5"), "save: ", quoted(path),
          " names a weights file; use save_weights, or a name that ends in .keras");
  AtomicFile file(path);
  if (archive)
    io::write_archive(file, *this);
  else
    io::write_legacy_model(file, *this);
  file.commit();
}

}  // namespace ramet
