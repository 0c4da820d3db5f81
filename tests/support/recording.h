// Recorded values from real Keras: tests/data/NAME.jsonl holds one case a line, NAME.bin the arrays they point into.
#pragma once
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ramet/array/array.h"
#include "ramet/base/json.h"

namespace ramet::testing {

class Recording {
 public:
  explicit Recording(const std::string& name) {
    const std::string base = std::string(RAMET_TEST_DATA) + "/" + name;
    std::ifstream lines(base + ".jsonl");
    require(lines.good(), "cannot open ", base, ".jsonl");
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) cases_.push_back(Json::parse(line));
    std::ifstream binary(base + ".bin", std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(binary), std::istreambuf_iterator<char>());
  }
  const std::vector<Json>& cases() const { return cases_; }

  // The array that {"dtype", "shape", "offset"} stands for.
  Array array(const Json& json) const {
    Shape shape;
    for (const Json& size : json.at("shape").as_array()) shape.push_back(size.as_int());
    Array out(shape, dtype_from(json.at("dtype").as_string()));
    const auto offset = static_cast<std::size_t>(json.at("offset").as_int());
    require(offset + out.byte_size() <= bytes_.size(), "an array lies outside the recording");
    std::copy_n(bytes_.data() + offset, out.byte_size(), static_cast<char*>(out.raw()));
    return out;
  }
  Arrays arrays(const Json& json) const {
    Arrays out;
    for (const Json& item : json.as_array()) out.push_back(array(item));
    return out;
  }

 private:
  std::vector<Json> cases_;
  std::vector<char> bytes_;
};

}  // namespace ramet::testing
