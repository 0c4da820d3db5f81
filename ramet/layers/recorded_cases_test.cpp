// Every layer against real Keras: the recorded calls of tests/data, forward and back, on the plain and the fast
// kernels.
#include <doctest/doctest.h>

#include <iostream>
#include <map>

#include "ramet/backend/reference.h"
#include "tests/support/layer_case.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

struct Tally {
  int run = 0, failed = 0, refused = 0, left_out = 0;
};
using Tallies = std::map<std::string, Tally>;

bool registered(const std::string& class_name) {
  for (const auto& r : builtin_layers())
    if (r.class_name == class_name) return true;
  return false;
}

// Arguments we refuse by name; the refusal is the expected result.
bool refused_on_purpose(const std::string& message) { return message.find("is not supported") != std::string::npos; }

// Where Keras itself is wrong and we are not like it.
bool keras_errs(const Json& json, const LayerCase& recorded) {
  // Rows of its sparsemax do not always sum to 1.
  if (json.at("config").dump().find("\"sparsemax\"") != std::string::npos) return true;
  // Called on real tensors it makes windows larger than the input give empty outputs; called symbolically it refuses,
  // as we always do.
  bool empty_input = false, empty_output = false;
  recorded.call.inputs.each([&](const Array& x) { empty_input = empty_input || x.size() == 0; });
  for (const Array& y : recorded.outputs) empty_output = empty_output || y.size() == 0;
  return empty_output && !empty_input;
}

void run_case(const Json& json, const std::string& id, const LayerCase& recorded, Tallies& tallies) {
  const std::string& name = json.at("class").as_string();
  Tally& tally = tallies[name];
  if (keras_errs(json, recorded)) {
    ++tally.left_out;
    return;
  }
  for (const Backend* backend : {&cpu_backend(), &reference_backend()}) {
    std::vector<std::string> wrong;
    try {
      wrong = differences(recorded, deserialize_layer(json.at("config")), *backend);
    } catch (const Error& error) {
      if (refused_on_purpose(error.what())) {
        ++tally.refused;
        return;
      }
      wrong = {cat("threw: ", error.what())};
    }
    for (const auto& line : wrong)
      MESSAGE(name, " ", id, " on ", backend->name(), ": ", line, "   ", json.at("config").at("config").dump());
    CHECK(wrong.empty());
    tally.failed += !wrong.empty();
  }
  ++tally.run;
}

void print(const char* title, const Tallies& tallies) {
  std::cout << title << ":";
  for (const auto& [name, t] : tallies) {
    std::cout << " " << name << " " << t.run;
    if (t.refused) std::cout << " (" << t.refused << " refused)";
    if (t.left_out) std::cout << " (" << t.left_out << " left out)";
    if (t.failed) std::cout << " (" << t.failed << " FAILED)";
  }
  std::cout << std::endl;
}

void run_random(const char* file, Tallies& tallies,
                LayerCase (*read)(const Recording&, const Json&) = read_random_case) {
  const Recording recording(file);
  int line = 0;
  for (const Json& json : recording.cases()) {
    ++line;
    if (!registered(json.at("class").as_string())) continue;
    if (const Json* quirk = json.as_object().find("quirk"); quirk && !quirk->is_null()) continue;
    if (json.as_object().contains("second_outputs")) continue;  // stateful: its own test
    LayerCase recorded = read(recording, json);
    // jax.grad does not carry the mask of a tensor, so the gradients recorded beside masks are those without them.
    // There only values are compared; gradients under masks are proved by the recorded graphs and training runs.
    for (const Array& mask : recorded.call.masks)
      if (mask.defined()) recorded.call.seeds.clear();
    run_case(json, cat(file, ":", line), recorded, tallies);
  }
}

}  // namespace

TEST_CASE("layers agree with Keras' own layer tests") {
  const Recording recording("layer_cases");
  Tallies tallies;
  for (const Json& json : recording.cases()) {
    if (!registered(json.at("class").as_string())) continue;
    const std::string id = cat("layer_cases id ", json.at("id").as_int());
    if (const Json* error = json.as_object().find("error")) {
      // "ValueError: message"; ours begins with the class instead.
      const std::string& text = error->as_string();
      const std::string expected = text.substr(text.find(": ") + 2);
      std::string got = "nothing";
      try {
        deserialize_layer(json.at("config"));
      } catch (const Error& e) { got = e.what(); }
      CHECK_MESSAGE(got.find(expected) != std::string::npos, id, ": expected \"", expected, "\", got \"", got, "\"");
      ++tallies[json.at("class").as_string()].run;
    } else
      run_case(json, id, read_suite_case(recording, json), tallies);
  }
  print("layer_cases", tallies);
}

TEST_CASE("layers with random arguments agree with Keras: outputs, masks, new weights, gradients") {
  Tallies tallies;
  run_random("layer_random", tallies);
  run_random("layer_more", tallies);
  run_random("layer_attention", tallies);
  print("random cases", tallies);
  // Containers and functions are tested as graphs.
  for (const auto& r : builtin_layers())
    if (r.package.empty() && r.class_name != "InputLayer" && r.class_name != "Functional" &&
        r.class_name != "Sequential" && r.class_name != "Lambda")
      CHECK_MESSAGE(tallies[r.class_name].run > 0, "no recorded case of ", r.class_name);
}

TEST_CASE("layers under mixed_bfloat16 agree with Keras: types, outputs, masks, new weights, gradients") {
  Tallies tallies;
  run_random("brain_layers", tallies, read_brain_case);
  print("mixed_bfloat16", tallies);
  int run = 0;
  for (const auto& [name, tally] : tallies) run += tally.run;
  CHECK(run >= 50);
}
