// Everything that was recorded goes through a file: the model that comes back is the same model, and saving it again
// gives the same bytes.
#include <doctest/doctest.h>

#include "ramet/ramet.h"
#include "tests/support/layer_case.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

std::vector<std::vector<double>> values(const Arrays& arrays) {
  std::vector<std::vector<double>> out;
  for (const Array& a : arrays) out.push_back(a.to_doubles());
  return out;
}

bool same_bits(const Arrays& a, const Arrays& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i)
    same = a[i].shape() == b[i].shape() && a[i].dtype() == b[i].dtype() &&
           std::equal(static_cast<const char*>(a[i].raw()), static_cast<const char*>(a[i].raw()) + a[i].byte_size(),
                      static_cast<const char*>(b[i].raw()));
  return same;
}

void check_round_trip(const Model& model) {
  const auto file = save_to_memory(model);
  const Model back = load_model(file);
  CHECK(back.to_json() == model.to_json());
  CHECK(same_bits(back.get_weights(), model.get_weights()));
  CHECK(save_to_memory(back) == file);
}

// The recorded call as a model of one layer: every array is an input.
Model model_of(const LayerRef& layer, const LayerCase& recorded) {
  Arg::List inputs;
  const auto input = [&](const Array& a) {
    inputs.push_back(Arg(Input({.dtype = std::string(keras_name(a.dtype())), .batch_shape = a.shape()})));
    return inputs.back().leaf();
  };
  CallArgs args;
  args.args.push_back(recorded.call.inputs.map<Tensor>(input));
  for (const auto& more : recorded.call.more) args.args.push_back(more.map<Tensor>(input));
  for (const auto& [key, value] : recorded.call.kwargs) args.kwargs.emplace_back(key, value.map<Tensor>(input));
  const Tensor out = layer->call(args);
  return Model(Arg(Nest<Tensor>(std::move(inputs))), Arg(out));
}

}  // namespace

TEST_CASE("every recorded graph is the same after a file, and the file the same after the model") {
  const Recording recording("graphs");
  std::size_t count = 0;
  for (const Json& c : recording.cases()) {
    CAPTURE(c.at("seed").as_int());
    const Model model(std::dynamic_pointer_cast<ModelLayer>(deserialize_layer(c.at("config"))));
    model.layer().set_weights(recording.arrays(c.at("weights")));
    try {
      check_round_trip(model);
      ++count;
    } catch (const Error& error) { FAIL_CHECK(std::string(error.what())); }
  }
  CHECK(count == recording.cases().size());
  CHECK(count >= 390);
}

TEST_CASE("every recorded layer is the same after a file") {
  std::size_t count = 0, refused = 0;
  for (const char* name : {"layer_random", "layer_more"}) {
    const Recording recording(name);
    for (const Json& c : recording.cases()) {
      const std::string config = c.at("config").dump();
      CAPTURE(config);
      LayerRef layer;
      Model model;
      const LayerCase recorded = read_random_case(recording, c);
      try {
        layer = deserialize_layer(c.at("config"));
        model = model_of(layer, recorded);
      } catch (const Error&) {  // arguments refused by name, cells that are called by a layer only, empty outputs
        ++refused;
        continue;
      }
      try {
        layer->set_weights(recorded.weights);
        check_round_trip(model);
        ++count;
      } catch (const Error& error) { FAIL_CHECK(std::string(error.what())); }
    }
  }
  MESSAGE(count, " layers, ", refused, " cannot stand in a model");
  CHECK(count >= 900);
}

TEST_CASE("configs have no key that Keras' class would not know") {
  std::size_t count = 0;
  for (const char* name : {"layer_random", "layer_more", "layer_attention"})
    for (const Recording recording(name); const Json& c : recording.cases()) {
      LayerRef layer;
      try {
        layer = deserialize_layer(c.at("config"));
      } catch (const Error&) {
        continue;  // arguments refused by name
      }
      ++count;
      const JsonObject& theirs = c.at("config").at("config").as_object();
      for (const auto& [key, value] : layer->get_config()) {
        const std::string what = cat(layer->class_name(), ".", key);
        CAPTURE(what);
        CHECK((theirs.contains(key) || value.is_null()));
      }
    }
  CHECK(count >= 1000);
}

TEST_CASE("six trained models go on after a file as if there had been none") {
  const Recording recording("training_runs");
  for (const Json& c : recording.cases()) {
    CAPTURE(c.at("name").as_string());
    Model model(std::dynamic_pointer_cast<ModelLayer>(deserialize_layer(c.at("config"))));
    model.compile_from_config(c.at("compile").as_object());
    model.layer().set_weights(recording.arrays(c.at("initial")));
    const auto file = save_to_memory(model);
    Model back = load_model(file);
    CHECK(back.compiled());
    CHECK(Json(back.get_compile_config()) == Json(model.get_compile_config()));
    CHECK(values(back.get_weights()) == values(model.get_weights()));
    CHECK(back.optimizer_variables().size() == model.optimizer_variables().size());
    CHECK(save_to_memory(back) == file);
  }
}
