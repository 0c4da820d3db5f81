// One recorded call of a layer (tests/data: layer_cases, layer_random, layer_more), run again and compared.
#pragma once
#include <cmath>
#include <limits>

#include "ramet/graph/registry.h"
#include "tests/support/recording.h"
#include "tests/support/run_layer.h"

namespace ramet::testing {

struct LayerCase {
  LayerCall call;
  Arrays weights, outputs;
  std::optional<std::vector<Array>> masks;  // of the outputs; undefined where there is none
  std::optional<Arrays> weights_after;      // absent where nobody looked
  std::vector<Array> d_inputs, d_weights;   // undefined where none was recorded
  std::shared_ptr<LayerCase> whole;         // the same call in float32, where the case itself computes in bfloat16
};

inline bool is_array(const Json& json) { return json.is_object() && json.as_object().contains("offset"); }

inline Nest<Array> read_nest(const Recording& recording, const Json& json) {
  if (json.is_null()) return {};
  if (is_array(json)) return Nest<Array>(recording.array(json));
  if (!json.is_array()) return Nest<Array>(json);
  Nest<Array>::List list;
  for (const Json& item : json.as_array()) list.push_back(read_nest(recording, item));
  return Nest<Array>(std::move(list));
}

// Arrays of a list that may hold nulls; empty when the list itself is null or absent.
inline std::vector<Array> read_optional(const Recording& recording, const Json& owner, std::string_view key) {
  std::vector<Array> out;
  const Json* list = owner.as_object().find(key);
  if (!list || list->is_null()) return out;
  for (const Json& item : list->as_array()) out.push_back(item.is_null() ? Array() : recording.array(item));
  return out;
}

inline void read_keywords(const Recording& recording, const Json& json, LayerCall& call) {
  for (const auto& [key, value] : json.as_object()) {
    if (key == "training" && value.is_bool()) call.training = value.as_bool();
    if (!value.is_null()) call.kwargs.emplace_back(key, read_nest(recording, value));
  }
}

// layer_random and layer_more.
inline LayerCase read_random_case(const Recording& recording, const Json& json) {
  LayerCase out;
  const JsonArray& args = json.at("args").as_array();
  out.call.inputs = read_nest(recording, args.at(0));
  for (std::size_t i = 1; i < args.size(); ++i) out.call.more.push_back(read_nest(recording, args[i]));
  read_keywords(recording, json.at("kwargs"), out.call);
  out.call.masks = read_optional(recording, json, "masks");
  out.call.seeds = read_optional(recording, json, "r");
  out.weights = recording.arrays(json.at("weights"));
  out.outputs = recording.arrays(json.at("outputs"));
  out.masks = read_optional(recording, json, "output_masks");
  out.weights_after = json.at("weights_after").is_null() ? out.weights : recording.arrays(json.at("weights_after"));
  out.d_inputs = read_optional(recording, json, "d_inputs");
  out.d_weights = read_optional(recording, json, "d_weights");
  return out;
}

// brain_layers: as above, and the results of the same call in float32.
inline LayerCase read_brain_case(const Recording& recording, const Json& json) {
  LayerCase out = read_random_case(recording, json);
  const Json& whole = json.at("float32");
  out.whole = std::make_shared<LayerCase>();
  out.whole->outputs = recording.arrays(whole.at("outputs"));
  out.whole->weights_after =
      whole.at("weights_after").is_null() ? out.weights : recording.arrays(whole.at("weights_after"));
  out.whole->d_inputs = read_optional(recording, whole, "d_inputs");
  out.whole->d_weights = read_optional(recording, whole, "d_weights");
  return out;
}

// layer_cases: one tensor (""), a list ("0", "1", …), or arguments by name.
inline LayerCase read_suite_case(const Recording& recording, const Json& json) {
  LayerCase out;
  const JsonArray& names = json.at("inputs").as_array();
  const Arrays in = recording.arrays(json.at("in"));
  if (names.size() == 1 && names[0].as_string().empty())
    out.call.inputs = Nest<Array>(in[0]);
  else if (!names.empty() && names[0].as_string() == "0")
    out.call.inputs = Nest<Array>(Nest<Array>::List(in.begin(), in.end()));
  else
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i == 0)
        out.call.inputs = Nest<Array>(in[0]);
      else
        out.call.kwargs.emplace_back(names[i].as_string(), Nest<Array>(in[i]));
    }
  read_keywords(recording, json.at("call_kwargs"), out.call);
  out.weights = recording.arrays(json.at("weights"));
  out.outputs = read_nest(recording, json.at("out")).flatten();
  return out;
}

inline double largest(const Array& a) {
  double out = 0;
  for (const double v : a.to_doubles())
    if (std::isfinite(v)) out = std::max(out, std::abs(v));
  return out;
}

// How far two float32 computations of the same thing may lie apart. One rounding is ε = 2⁻²³ ≈ 1.2e-7 of what is
// rounded. A result is a sum of at most n terms, n ≤ the elements of all operands; the roundings of a sum add up like a
// random walk, √n of them, each of the size of a term, which is at most the product of the operands' largest elements
// (or the result itself, if that is larger). Both sides round, and a layer is a chain of a few such sums (normalize,
// multiply, add, activate): a factor of 8.
struct Tolerance {
  double terms = 1;      // n
  double magnitude = 1;  // of a term

  void operand(const Array& a) {
    terms += static_cast<double>(a.size());
    magnitude *= std::max(1.0, largest(a));
  }
  double bound(const Array& expected) const {
    return 8 * std::numeric_limits<float>::epsilon() * std::sqrt(terms) * std::max(magnitude, largest(expected));
  }
};

// How far a computation with brain floats may lie from the same in float32: as far as Keras' own does, twice, for which
// values are rounded on the way is not the same (XLA keeps some in float32), and by one rounding of the result.
inline double brain_bound(const Array& expected, const Array& whole) {
  return 2 * max_difference(expected.astype(DType::f64), whole.astype(DType::f64)) + std::ldexp(largest(whole), -7);
}

// What does not agree, a line each; empty when everything does.
inline std::vector<std::string> differences(const LayerCase& recorded, const LayerRef& layer, const Backend& backend) {
  std::vector<std::string> out;
  const auto compare = [&](const std::string& what, const Array& got, const Array& expected, const Tolerance& tolerance,
                           const Array& whole = {}) {
    if (got.shape() != expected.shape()) {
      out.push_back(cat(what, " has shape ", to_string(got.shape()), ", not ", to_string(expected.shape())));
      return;
    }
    if (whole.defined()) {
      if (got.dtype() != expected.dtype()) out.push_back(cat(what, " is ", got.dtype(), ", not ", expected.dtype()));
      const double d = max_difference(got.astype(DType::f64), whole.astype(DType::f64)),
                   bound = brain_bound(expected, whole);
      if (!(d <= bound)) out.push_back(cat(what, " differs from float32 by ", d, " (at most ", bound, ")"));
      return;
    }
    const double d = max_difference(got.astype(DType::f64), expected.astype(DType::f64)),
                 bound = expected.dtype() == DType::f32 ? tolerance.bound(expected) : 0;
    if (!(d <= bound)) out.push_back(cat(what, " differs by ", d, " (at most ", bound, ")"));
  };

  layer->prepare(specs_of(recorded.call));
  layer->set_weights(recorded.weights);
  const auto trainable = layer->trainable_weights();
  const auto all = layer->weights();
  const LayerResult result = run_layer(layer, recorded.call, backend);

  Tolerance forward;
  recorded.call.inputs.each([&](const Array& a) { forward.operand(a); });
  for (const Array& w : recorded.weights) forward.operand(w);
  if (result.outputs.size() != recorded.outputs.size())
    return {cat(result.outputs.size(), " outputs, not ", recorded.outputs.size())};
  for (std::size_t i = 0; i < recorded.outputs.size(); ++i)
    compare(cat("output ", i), result.outputs[i], recorded.outputs[i], forward,
            recorded.whole ? recorded.whole->outputs.at(i) : Array());
  if (recorded.masks)
    for (std::size_t i = 0; i < recorded.masks->size(); ++i) {
      const Array &got = result.masks.at(i), &expected = (*recorded.masks)[i];
      if (got.defined() != expected.defined())
        out.push_back(cat("output ", i, expected.defined() ? " lacks its mask" : " has a mask"));
      else if (expected.defined())
        compare(cat("mask ", i), got, expected, forward);
    }
  if (recorded.weights_after) {
    const Arrays after = layer->get_weights();
    for (std::size_t i = 0; i < after.size(); ++i)
      compare(cat("weight ", i, " afterwards"), after[i], recorded.weights_after->at(i), forward,
              recorded.whole ? recorded.whole->weights_after->at(i) : Array());
  }
  if (recorded.call.seeds.empty()) return out;

  Tolerance backward = forward;
  for (const Array& r : recorded.call.seeds)
    if (r.defined()) backward.operand(r);
  std::size_t at = 0, index = 0;
  const auto input_gradient = [&](const Array& x) {
    if (index >= recorded.d_inputs.size()) return;
    if (const Array& d = recorded.d_inputs[index++]; is_floating(x.dtype())) {
      if (d.defined())
        compare(cat("gradient of input ", index - 1), result.input_gradients.at(at), d, backward,
                recorded.whole ? recorded.whole->d_inputs.at(index - 1) : Array());
      ++at;
    }
  };
  recorded.call.inputs.each(input_gradient);
  for (const auto& a : recorded.call.more) a.each(input_gradient);
  for (const auto& [key, a] : recorded.call.kwargs) a.each(input_gradient);
  for (std::size_t i = 0, g = 0; i < all.size() && i < recorded.d_weights.size(); ++i) {
    const bool ours = std::find(trainable.begin(), trainable.end(), all[i]) != trainable.end();
    if (ours != recorded.d_weights[i].defined())
      out.push_back(cat("weight ", i, ours ? " is trainable" : " is not trainable"));
    if (ours && recorded.d_weights[i].defined())
      compare(cat("gradient of weight ", i), result.weight_gradients.at(g), recorded.d_weights[i], backward,
              recorded.whole ? recorded.whole->d_weights.at(i) : Array());
    g += ours;
  }
  return out;
}

}  // namespace ramet::testing
