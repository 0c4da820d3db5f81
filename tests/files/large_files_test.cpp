// Files that are large in one way only, and sound: they open while one waits.
#include <doctest/doctest.h>

#include <ctime>

#include "tests/support/attacks.h"
#include "tests/support/model_text.h"

namespace ramet::testing {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr double kMostSeconds = 60;
#else
constexpr double kMostSeconds = 4;
#endif

const std::string kDense = R"("units": 4)";

Model opened_soon(const std::string& text) {
  const std::clock_t begin = std::clock();
  Model model = Model::from_json(text, std::uint64_t{64} << 20);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < kMostSeconds);
  return model;
}

}  // namespace

TEST_CASE("large files: a layer with 500000 arguments that are off, of which 100 are told") {
  const std::string more = pieces(500'000, [](std::size_t i) { return cat("\"k", i, "\": null"); });
  const TemporaryFolder folder;
  const Model small = Model::from_json(model_of("Dense", kDense));
  small.save_weights(folder / "w.weights.h5");
  const std::string archive =
      archive_of({model_of("Dense", cat(kDense, ", ", more)), "{}", content_of(folder / "w.weights.h5")});
  const std::clock_t begin = std::clock();
  const Model model = load_model(bytes_of(archive));
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < kMostSeconds);
  const auto& warnings = model.layer().file_info.warnings;
  REQUIRE(warnings.size() == 101);
  CHECK(warnings[0] == "Dense: the argument 'k0' = null is not known here and left out");
  CHECK(warnings[100] == "… and 499900 warnings more");
}

TEST_CASE("large files: 100000 inputs of one Add, 100000 outputs of a model, by place and by name") {
  const auto in = [](std::size_t) { return tensor("in"); };
  const Model sum = opened_soon(model_of("Add", R"("trainable": true)", list_of(100'000, in)));
  CHECK(sum.output().shape() == Shape{None, 4});
  const std::string x = layer("Dense", "x", kDense, call_on(tensor("in")));
  const auto place_of_x = [](std::size_t) { return place("x"); };
  CHECK(opened_soon(model_text(x, list_of(100'000, place_of_x))).output().size() == 100'000);
  const auto named = [](std::size_t i) { return cat("\"y", (i * 7919) % 100'000, "\": ", place("x")); };
  CHECK(opened_soon(model_text(x, cat("{", pieces(100'000, named), "}"))).output().size() == 100'000);
}

TEST_CASE("large files: a layer that needs 20000 others and stands before them all") {
  const auto entry = [](std::size_t i) { return layer("Identity", numbered("x", i), "", call_on(tensor("in"))); };
  const auto needed = [](std::size_t i) { return tensor(numbered("x", i)); };
  const std::string add = layer("Add", "y", "", call_on(list_of(20'000, needed)));
  CHECK(opened_soon(model_text(cat(add, ", ", pieces(20'000, entry)), place("y"))).layers().size() == 20'002);
}

}  // namespace ramet::testing
