// Files that hold what is rarely written (tests/data/written, made by Keras): they open, predict and measure what Keras
// does, and are written again as they were.
#include <doctest/doctest.h>

#include <cmath>

#include "ramet/io/file.h"
#include "ramet/io/zip_read.h"
#include "tests/support/own_objects.h"
#include "tests/support/recording.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

const Recording& recording() {
  static const Recording recorded("written");
  return recorded;
}

std::string file_of(const Json& c) { return cat(RAMET_TEST_DATA, "/written/", c.at("file").as_string(), ".keras"); }

Json config_of(std::span<const std::byte> file) {
  const ZipReader zip(file, "test");
  const auto bytes = zip.read(*zip.find("config.json"));
  return Json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Without what changes no model: marks of shared objects, shapes for building, the default of `training` that Keras
// records. Sizes of tensors that Ramet knows and Keras does not (docs/differences.md) are left out, too.
Json normalized(const Json& json) {
  if (json.is_array()) {
    JsonArray out;
    for (const Json& item : json.as_array()) out.push_back(normalized(item));
    return Json(std::move(out));
  }
  if (!json.is_object()) return json.is_bool() ? Json(json.as_bool() ? 1 : 0) : json;
  JsonObject out;
  for (const auto& [key, value] : json.as_object()) {
    static constexpr std::string_view kSkipped[] = {
        "shared_object_id",    "build_config", "training", "shape",
        "quantization_config", "ramet_shared", "delta"};  // of Huber, which 3.15 forgets
    if (std::find(std::begin(kSkipped), std::end(kSkipped), key) != std::end(kSkipped)) continue;
    if (key == "compile_config" && value.is_object() && value.as_object().empty()) continue;
    out.set(key, normalized(value));
  }
  return Json(std::move(out));
}

// The first place where two documents differ; empty when there is none.
std::string difference(const Json& a, const Json& b, const std::string& at = "") {
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.as_object()) {
      const Json* other = b.as_object().find(key);
      if (!other) return cat(at, "/", key, " is missing");
      if (auto d = difference(value, *other, cat(at, "/", key)); !d.empty()) return d;
    }
    for (const auto& [key, value] : b.as_object())
      if (!a.as_object().contains(key) && !value.is_null()) return cat(at, "/", key, " is new");
    return {};
  }
  if (a.is_array() && b.is_array() && a.as_array().size() == b.as_array().size()) {
    for (std::size_t i = 0; i < a.as_array().size(); ++i)
      if (auto d = difference(a.as_array()[i], b.as_array()[i], cat(at, "/", i)); !d.empty()) return d;
    return {};
  }
  return a == b ? std::string() : cat(at, ": ", a.dump(), " became ", b.dump());
}

// Sums of at most ten terms near one.
constexpr double kTolerance = 3e-6;

void check_near(const Array& got, const Array& want) {
  REQUIRE(got.shape() == want.shape());
  CHECK(max_difference(got, want) < kTolerance);
}

}  // namespace

TEST_CASE("written files: what Keras wrote opens, predicts and measures the same, and is written again as it was") {
  register_own();
  for (const Json& c : recording().cases()) {
    const std::string name = c.at("file").as_string();
    CAPTURE(name);
    try {
      const Model model = load_model(file_of(c));
      const bool unknown = !c.at("unknown").is_null();
      const auto& warnings = model.layer().file_info.warnings;
      CHECK(warnings.size() == (unknown ? 1 : 0));
      for (const std::string& warning : warnings) INFO(warning);
      if (unknown) {
        CHECK(!model.compiled());
        CHECK(warnings.at(0).find(c.at("unknown").as_string()) != std::string::npos);
        CHECK_THROWS_AS(load_model(file_of(c), {.strict = true}), DataError);
      }
      const Arrays got = model.predict(Feed(recording().arrays(c.at("x"))));
      const Arrays want = recording().arrays(c.at("predictions"));
      REQUIRE(got.size() == want.size());
      for (std::size_t i = 0; i < got.size(); ++i) check_near(got[i], want[i]);
      if (!c.at("logs").is_null()) {
        const Logs logs =
            model.evaluate(Feed(recording().arrays(c.at("x"))), Feed(recording().arrays(c.at("y"))), {.verbose = 0});
        CHECK(logs.size() == c.at("logs").as_object().size());
        for (const auto& [key, value] : c.at("logs").as_object()) {
          CAPTURE(key);
          REQUIRE(logs.find(key));
          CHECK(std::abs(*logs.find(key) - value.as_double()) < 4 * kTolerance);
        }
      }
      const auto file = save_to_memory(model);
      const auto mapped = MappedFile::open(file_of(c));
      Json theirs = config_of(mapped->bytes());
      if (unknown) theirs.as_object().erase("compile_config");
      CHECK(difference(normalized(theirs), normalized(config_of(file))) == "");
      CHECK(save_to_memory(load_model(file)) == file);
    } catch (const Error& error) { FAIL_CHECK(std::string(error.what())); }
  }
  CHECK(recording().cases().size() >= 35);
}
