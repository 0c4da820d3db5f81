#include "ramet/io/shards.h"

#include <filesystem>

#include "ramet/base/quoted.h"
#include "ramet/io/bytes.h"
#include "ramet/io/file.h"
#include "ramet/io/weights_file.h"

namespace ramet::io {
namespace {

constexpr std::string_view kEnd = ".weights.json";

std::string shard_name(const std::string& stem, std::size_t i) {
  const std::string number = std::to_string(i);
  return cat(stem, "_", std::string(5 - std::min<std::size_t>(5, number.size()), '0'), number, ".weights.h5");
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

bool plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 255 && name.ends_with(".weights.h5") && name.find('/') == std::string::npos &&
         name.find('\\') == std::string::npos && name.find('\0') == std::string::npos && name[0] != '.';
}

}  // namespace

void save_shards(const Model& model, const std::string& path, const ShardOptions& options) {
  const std::string stem = path.substr(0, path.size() - kEnd.size()), folder = folder_of(path);
  std::vector<hdf5::FileWriter> files(1);
  std::vector<std::string> names{shard_name(stem, 0)};
  JsonObject map;
  std::uint64_t in_shard = 0, total = 0;
  const auto groups = weight_groups(model, true);
  for (const auto& group : groups) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < group.variables.size(); ++i) {
      const Array& value = group.variables[i]->stored();
      const std::uint64_t bytes = value.byte_size();
      require(bytes <= options.shard_bytes, "save_weights: the weight '", group.variables[i]->path, "' of ", bytes,
              " bytes is larger than a shard of ", options.shard_bytes);
      if (in_shard + bytes > options.shard_bytes) {
        names.push_back(shard_name(stem, files.size()));
        files.emplace_back();
        in_shard = 0;
      }
      if (used.empty() || used.back() != files.size() - 1) {
        used.push_back(files.size() - 1);
        files.back().group(group.path);
        files.back().attribute(group.path, "name", group.name);
      }
      files.back().dataset(cat(group.path, "/", i), value.dtype(), value.shape(),
                           {static_cast<const std::byte*>(value.raw()), value.byte_size()});
      in_shard += bytes, total += bytes;
    }
    JsonArray in;
    for (const std::size_t k : used) in.push_back(Json(names[k].substr(folder.size())));
    if (in.empty()) {
      files.back().group(group.path);
      in.push_back(Json(names.back().substr(folder.size())));
    }
    map.set("/" + group.path, in.size() == 1 ? in[0] : Json(std::move(in)));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    AtomicFile file(names[i]);
    files[i].write([&](std::span<const std::byte> part) { file.write(part); });
    file.commit();
  }
  const Json index(JsonObject{{"metadata", Json(JsonObject{{"total_size", Json(total)}})}, {"weight_map", Json(map)}});
  AtomicFile file(path);
  file.write(as_bytes_of(index.dump(4)));
  file.commit();
}

void load_shards(Model& model, const std::string& path) {
  const std::string folder = folder_of(path);
  std::map<std::string, std::shared_ptr<const MappedFile>> files;
  std::map<std::string, hdf5::Group> roots;
  const auto open = [&](const std::string& name) -> const hdf5::Group& {
    if (!plain_name(name)) throw DataError(cat("weight_map: ", quoted(name), " is not the plain name of a shard"));
    if (const auto it = roots.find(name); it != roots.end()) return it->second;
    files[name] = MappedFile::open(folder + name, MappedFile::Links::refuse);
    return roots.emplace(name, hdf5::open(files[name]->bytes())).first->second;
  };
  const auto check_all = [&] {
    for (const auto& [name, file] : files)
      if (file) file->check();
  };
  try {
    const io::UnblockedBusErrors heard;
    const Json json = MappedFile::open(path)->read([](Bytes bytes) { return Json::parse(as_text(bytes)); });
    const JsonObject& map = json.at("weight_map").as_object();
    std::vector<Source> sources;
    for (const auto& group : weight_groups(model, false)) {
      if (group.variables.empty()) continue;
      const Json& entry = map.at("/" + group.path);
      std::vector<std::string> names;
      if (entry.is_string())
        names.push_back(entry.as_string());
      else
        for (const Json& name : entry.as_array()) names.push_back(name.as_string());
      // A group may be spread over several shards; a variable is in one of them.
      std::map<std::string, const hdf5::Group*> where;
      for (const auto& name : names)
        if (const hdf5::Group& root = open(name); root.contains(group.path))
          for (const auto& child : root.group(group.path).names()) where.emplace(child, &root);
      check_count(group, where.size());
      for (std::size_t i = 0; i < group.variables.size(); ++i) {
        const auto found = where.find(std::to_string(i));
        if (found == where.end())
          throw DataError(cat("layer '", group.name, "': no shard holds '", group.path, "/", i, "'"));
        sources.push_back(
            match_variable(found->second->dataset(cat(group.path, "/", i)), group.variables[i], group.name));
      }
    }
    replace_weights(sources, check_all);
  } catch (const Error& error) {
    check_all();
    const std::string what = error.what();
    throw DataError(what.starts_with(path) ? what : cat(path, ": ", what));
  }
}

}  // namespace ramet::io
