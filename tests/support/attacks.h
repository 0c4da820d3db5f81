// The attack files (tools/attacks) and the ways a model can be opened: tests/attack_files_test.cpp tries each on each.
#pragma once
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "ramet/base/utf8.h"
#include "ramet/io/gzip.h"
#include "ramet/io/hdf5/hdf5_write.h"
#include "ramet/io/zip_write.h"
#include "ramet/ramet.h"
#include "tests/support/temporary_folder.h"

namespace ramet::testing {

// What a file that holds a model is made of.
struct Parts {
  std::string config, metadata = "{}", weights;
};

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Whether it can stand in a log: at most 1,000 bytes, and nothing that a terminal would obey.
inline bool is_one_short_line(std::string_view said) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return said.size() <= 1000 && std::none_of(said.begin(), said.end(), control) && is_utf8(said);
}

inline std::string archive_of(const Parts& parts) {
  MemorySink sink;
  ZipWriter zip(sink);
  zip.add("metadata.json", bytes_of(parts.metadata));
  zip.add("config.json", bytes_of(parts.config));
  zip.add("model.weights.h5", bytes_of(parts.weights));
  zip.finish();
  return text_of(sink.bytes());
}

inline std::string text_of(const hdf5::FileWriter& file) {
  std::string out;
  file.write([&](std::span<const std::byte> part) { out += text_of(part); });
  return out;
}

// The older form of `model` with other texts in its attributes.
inline std::string legacy_of(const Model& model, const std::string& config, const std::string& training) {
  hdf5::FileWriter file;
  file.attribute("", "keras_version", "3.15.1");
  file.attribute("", "model_config", config);
  if (!training.empty()) file.attribute("", "training_config", training);
  file.group("model_weights");
  std::vector<std::string> layers;
  for (const auto& layer : model.layers()) {
    const std::string group = "model_weights/" + layer->name();
    file.group(group);
    std::vector<std::string> names;
    for (const auto& v : layer->weights()) {
      names.push_back(v->path);
      file.dataset(group + "/" + v->path, v->stored().dtype(), v->stored().shape(),
                   {static_cast<const std::byte*>(v->stored().raw()), v->stored().byte_size()});
    }
    if (names.empty()) continue;
    file.attribute(group, "weight_names", std::span<const std::string>(names));
    layers.push_back(layer->name());
  }
  file.attribute("model_weights", "layer_names", std::span<const std::string>(layers));
  return text_of(file);
}

inline std::string attack_data(const std::string& name) { return std::string(RAMET_TEST_DATA) + "/attacks/" + name; }

inline std::vector<Json> attack_table(const std::string& name) {
  std::ifstream in(attack_data(name));
  std::vector<Json> out;
  for (std::string line; std::getline(in, line);) out.push_back(Json::parse(line));
  return out;
}

inline std::string attack_file(const std::string& name) {
  GzipFile file(attack_data(name + ".gz"));
  std::string out, part(1 << 16, '\0');
  while (const std::size_t got = file.read(part.data(), part.size())) out.append(part, 0, got);
  return out;
}

// A text, or [head, piece, count, tail] with '#' in the piece standing for its number.
inline std::string attack_text(const Json& json) {
  if (json.is_string()) return json.as_string();
  const JsonArray& parts = json.as_array();
  const std::string& piece = parts[1].as_string();
  const std::size_t mark = piece.find('#');
  std::string out = parts[0].as_string();
  for (std::int64_t i = 0; i < parts[2].as_int(); ++i)
    out += mark == piece.npos ? piece : piece.substr(0, mark) + std::to_string(i) + piece.substr(mark + 1);
  return out + parts[3].as_string();
}

// A file that tells whether anybody opened it.
class Secret {
 public:
  explicit Secret(const std::string& path) : events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    put(path, "nobody may read this");
    require(inotify_add_watch(events_, path.c_str(), IN_OPEN | IN_ACCESS) >= 0, "no watch on ", path);
  }
  ~Secret() { ::close(events_); }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  bool opened() const {  // since the last time it was asked
    char buffer[4096];
    bool any = false;
    while (::read(events_, buffer, sizeof buffer) > 0) any = true;
    return any;
  }

 private:
  int events_;
};

}  // namespace ramet::testing
