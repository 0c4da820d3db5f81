// Files that real versions of Keras wrote: they open, and predict what that Keras predicted.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

const Array& find(const NamedArrays& arrays, const std::string& name) {
  for (const auto& [key, value] : arrays)
    if (key == name) return value;
  throw DataError("no array " + name);
}

// Sums of at most a hundred terms near one, a few in a row: 16 roundings of 2⁻²³ each way.
constexpr double kTolerance = 16 * 1.2e-7 * 8;

double distance(const Array& a, const Array& b) {
  const auto x = a.to_doubles(), y = b.to_doubles();
  double out = x.size() == y.size() ? 0 : 1e30;
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) out = std::max(out, std::abs(x[i] - y[i]));
  return out;
}

}  // namespace

TEST_CASE("files of Keras 3.0 to 3.15 and of Keras 2 open and predict the same") {
  const std::string folder = std::string(RAMET_TEST_DATA) + "/keras_files";
  std::size_t opened = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".keras" && entry.path().extension() != ".h5") continue;
    CAPTURE(path);
    const NamedArrays data = load_npz((entry.path().parent_path() / entry.path().stem()).string() + ".npz");
    try {
      const Model model = load_model(path);
      CHECK(!model.layer().file_info.keras_version.empty());
      CHECK(model.compiled());
      const Arrays got = model.predict({find(data, "words"), find(data, "image")});
      CHECK(distance(got[0], find(data, "out")) < kTolerance);
      CHECK(distance(got[1], find(data, "side")) < kTolerance);
      // And once more through our own file.
      const Arrays again = load_model(save_to_memory(model)).predict({find(data, "words"), find(data, "image")});
      CHECK(distance(again[0], got[0]) == 0);
    } catch (const Error& error) { FAIL_CHECK(std::string(error.what())); }
    ++opened;
  }
  CHECK(opened >= 7);
}
