#include "ramet/io/model_file.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "ramet/io/file.h"
#include "ramet/io/zip_read.h"
#include "ramet/io/zip_write.h"
#include "ramet/layers/layers.h"
#include "ramet/ops/ops.h"

namespace ramet {
namespace {

// A folder of its own that goes away.
struct Folder {
  std::string path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ramet-XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr, "no temporary folder");
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return path + "/" + name; }
};

Model nested_model() {
  const auto in = Input({4}, {.name = "in"});
  const auto a = Input({3});
  const Model inner(a, BatchNormalization()(Dense(3, {.activation = "relu"})(a)), {.name = "inner"});
  const auto x = Dense(3, {}, {.name = "first"})(in);
  return Model(in, Add()({inner(x), inner(Dense(3)(x))}), {.name = "whole"});
}

std::vector<std::vector<double>> weights_of(const Model& model) {
  std::vector<std::vector<double>> out;
  for (const Array& w : model.get_weights()) out.push_back(w.to_doubles());
  return out;
}

// An archive with one member replaced, or taken away when `content` is null.
std::vector<std::byte> with_member(std::span<const std::byte> archive, const std::string& name, const char* content) {
  const ZipReader zip(archive, "test");
  MemorySink sink;
  ZipWriter out(sink);
  for (const auto& member : zip.members()) {
    if (member.name != name)
      out.add(member.name, zip.read(member));
    else if (content)
      out.add(name, std::as_bytes(std::span(content, std::char_traits<char>::length(content))));
  }
  out.finish();
  return sink.take();
}

}  // namespace

TEST_CASE("model file: every form brings back the weights") {
  const Folder folder;
  const Model model = nested_model();
  for (const char* name : {"m.keras", "m.h5"}) {
    CAPTURE(name);
    model.save(folder / name);
    const Model back = load_model(folder / name);
    CHECK(weights_of(back) == weights_of(model));
    CHECK(back.name() == "whole");
    CHECK(back.layer().file_info.keras_version == "3.15.1");
  }
  for (const char* name : {"m.weights.h5", "m.weights.json"}) {
    CAPTURE(name);
    model.save_weights(folder / name);
    Model twin = nested_model();
    CHECK(weights_of(twin) != weights_of(model));
    twin.load_weights(folder / name);
    CHECK(weights_of(twin) == weights_of(model));
  }
  for (const char* name : {"m.keras", "m.h5"}) {
    Model twin = nested_model();
    twin.load_weights(folder / name);
    CHECK(weights_of(twin) == weights_of(model));
  }
}

TEST_CASE("model file: an unpacked folder opens like the archive") {
  const Folder folder;
  const Model model = nested_model();
  const auto archive = save_to_memory(model);
  const ZipReader zip(archive, "test");
  for (const auto& member : zip.members()) {
    const auto bytes = zip.read(member);
    std::ofstream(folder / member.name.c_str(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  CHECK(weights_of(load_model(folder.path)) == weights_of(model));
}

TEST_CASE("model file: what is wrong is said with its place, and nothing is opened") {
  const Folder folder;
  const auto good = save_to_memory(nested_model());
  const auto refused = [&](const char* member, const char* content, const char* message) {
    CHECK_THROWS_WITH_AS(load_model(with_member(good, member, content)), doctest::Contains(message), DataError);
  };
  refused("config.json", nullptr, "no config.json");
  refused("config.json", "{", "config.json");
  refused("config.json", R"({"class_name": "Dense", "config": {"units": 3}})", "is a layer, not a model");
  refused("config.json", R"({"class_name": "Sequential", "config": {"name": "s", "layers": [
      {"class_name": "Dense", "config": {"units": -1}}]}})",
          "config.json/config/layers/0");
  refused("config.json", R"({"class_name": "Sequential", "config": {"name": "s", "layers": [
      {"class_name": "Dens", "config": {"units": 1}}]}})",
          "did you mean 'Dense'?");
  refused("config.json", R"({"class_name": "Sequential", "config": {"name": "s", "layers": [
      {"class_name": "Lambda", "config": {"name": "twice", "function":
        {"class_name": "__lambda__", "config": {"code": "4wAAAA=="}}}}]}})",
          R"({.functions = {{"twice", fn}}})");
  refused("config.json", R"({"class_name": "Sequential", "config": {"name": "s", "layers": [
      {"class_name": "InputLayer", "config": {"batch_shape": [null, 4]}},
      {"class_name": "Dense", "config": {"units": 2000000000}}]}})",
          "takes more memory than the file's weights justify");
  refused("metadata.json", "[]", "metadata.json");
  refused("model.weights.h5", nullptr, "model.weights.h5: the file is missing");
  refused("model.weights.h5", "not HDF5", "model.weights.h5");
  CHECK_THROWS_WITH_AS(load_model(folder / "none.keras"), doctest::Contains("none.keras"), DataError);
  CHECK_THROWS_WITH_AS(nested_model().save(folder / "m.kears"), doctest::Contains("must end in .keras"), UsageError);
  CHECK_THROWS_WITH_AS(nested_model().save_weights(folder / "m.h5"), doctest::Contains(".weights.h5"), UsageError);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("model file: weights of another model leave the model as it was") {
  const Folder folder;
  const auto in = Input({4});
  const Model other(in, Dense(3)(Dense(5)(in)));
  other.save_weights(folder / "o.weights.h5");
  other.save(folder / "o.h5");
  Model model = nested_model();
  const auto before = weights_of(model);
  CHECK_THROWS_AS(model.load_weights(folder / "o.weights.h5"), DataError);
  CHECK_THROWS_WITH_AS(model.load_weights(folder / "o.h5"), doctest::Contains("Layer count mismatch"), DataError);
  CHECK(weights_of(model) == before);
}

TEST_CASE("model file: weights that are not finite are told, or refused where asked") {
  const Folder folder;
  Model model = nested_model();
  Arrays weights = model.get_weights();
  weights[0].data<float>()[2] = std::numeric_limits<float>::quiet_NaN();
  model.set_weights(weights);
  for (const char* name : {"n.keras", "n.h5"}) {
    model.save(folder / name);
    const auto warnings = load_model(folder / name).layer().file_info.warnings;
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("holds NaN or infinity") != std::string::npos);
    CHECK_THROWS_WITH_AS(load_model(folder / name, {.refuse_nonfinite = true}), doctest::Contains("NaN"), DataError);
  }
}

TEST_CASE("model file: Lambda functions come from the caller, by function or layer name") {
  const auto twice = [](Value x) { return x * 2; };
  const auto in = Input({2});
  CHECK_THROWS_WITH_AS(save_to_memory(Model(in, Lambda(twice)(in))), doctest::Contains("without a name"), UsageError);
  register_function("tests>twice", twice);
  const Model model(in, Lambda("tests>twice", {.name = "double"})(in));
  const auto file = save_to_memory(model);
  CHECK_NOTHROW(load_model(file));
  CHECK_NOTHROW(load_model(file, {.functions = {{"double", [](Value x) { return x * 3; }}}}));
}

TEST_CASE("model file: unknown keys beside configs survive, those inside are refused unless they are off") {
  const auto good = save_to_memory(nested_model());
  const char* config =
      R"({"class_name": "Sequential", "module": "keras", "note": {"by": "them"}, "config": {"name": "s",
      "trainable": true, "layers": [
      {"class_name": "InputLayer", "config": {"batch_shape": [null, 4], "dtype": "float32", "name": "i"}},
      {"class_name": "Flatten", "hint": [1, 2], "config": {"name": "f", "dtype": "float32", "later": null}}]}})";
  const Model model = load_model(with_member(good, "config.json", config));
  const std::string again = model.to_json();
  CHECK(again.find(R"("note": {"by": "them"})") != std::string::npos);
  CHECK(again.find(R"("hint": [1, 2])") != std::string::npos);
  std::string on = config;
  on.replace(on.find("null}}"), 4, "true");
  CHECK_THROWS_WITH_AS(load_model(with_member(good, "config.json", on.c_str())), doctest::Contains("'later'"),
                       DataError);
}

TEST_CASE(
    "model file: a later Keras is met with warnings, each said once, and an unknown key that is on with its name") {
  const auto good = save_to_memory(nested_model());
  std::string config =
      R"({"class_name": "Sequential", "module": "keras", "config": {"name": "s", "layers": [
      {"class_name": "InputLayer", "config": {"batch_shape": [null, 4], "name": "i"}},
      {"class_name": "ReLU", "config": {"name": "a", "later": null}},
      {"class_name": "ReLU", "config": {"name": "b", "later": null}},
      {"class_name": "ActivityRegularization", "config": {"name": "c", "hidden": false}}]},
      "compile_config": {"optimizer": {"class_name": "Adam", "config": {"sparse": false}}, "loss": "mse", "plan": null}})";
  const auto load = [&](const std::string& text) {
    const auto later = with_member(good, "metadata.json", R"({"keras_version": "3.99.0"})");
    return load_model(with_member(later, "config.json", text.c_str()));
  };
  CHECK(load(config).layer().file_info.warnings ==
        std::vector<std::string>{"ReLU: the argument 'later' = null is not known here and left out",
                                 "ActivityRegularization: the argument 'hidden' = false is not known here and left out",
                                 "written by Keras 3.99.0, which is newer than what is known here",
                                 "compile: the argument 'plan' = null is not known here and left out",
                                 "Adam: the argument 'sparse' = false is not known here and left out",
                                 "the file holds no state of the optimizer; it starts afresh"});
  for (const auto& [off, on, name] :
       {std::tuple{"\"later\": null", "\"later\": 1", "ReLU: the argument 'later' = 1"},
        std::tuple{"\"hidden\": false", "\"hidden\": true", "the argument 'hidden' = true"},
        std::tuple{"\"sparse\": false", "\"sparse\": []", "Adam: the argument 'sparse' = []"},
        std::tuple{"\"plan\": null", "\"plan\": 0.5", "compile: the argument 'plan' = 0.5"}}) {
    std::string changed = config;
    changed.replace(changed.find(off), std::string_view(off).size(), on);
    CHECK_THROWS_WITH_AS(load(changed), doctest::Contains(name), DataError);
  }
}

}  // namespace ramet
