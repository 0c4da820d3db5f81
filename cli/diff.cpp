// ramet diff: in what two models differ.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "cli/commands.h"
#include "cli/common.h"
#include "ramet/base/quoted.h"
#include "ramet/graph/registry.h"

namespace ramet::cli {
namespace {

struct DiffArgs {
  std::string a, b;
  double atol = 0;
  bool json = false;
};
using F = Flags<DiffArgs>;
constexpr Option kOptions[] = {
    F::argument<&DiffArgs::a>("A", "a model file"),
    F::argument<&DiffArgs::b>("B", "another one"),
    F::flag<&DiffArgs::atol>("--atol", "F", "weights that differ by no more count as equal (0)"),
    F::flag<&DiffArgs::json>("--json", "", "one JSON document"),
};

struct Difference {
  std::string where;  // "layers/dense/activation"
  Json a, b;          // null in text where one has nothing
};

// Every place where two values differ, as deep inside as possible.
void compare(const Json& a, const Json& b, const std::string& where, std::vector<Difference>& out) {
  if (a == b) return;
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.as_object()) {
      const Json* other = b.as_object().find(key);
      compare(value, other ? *other : Json(), cat(where, "/", key), out);
    }
    for (const auto& [key, value] : b.as_object())
      if (!a.as_object().contains(key)) compare(Json(), value, cat(where, "/", key), out);
    return;
  }
  const bool lists = a.is_array() && b.is_array() && a.as_array().size() == b.as_array().size();
  const bool plain = lists && std::none_of(a.as_array().begin(), a.as_array().end(),
                                           [](const Json& j) { return j.is_object() || j.is_array(); });
  if (!lists || plain) return out.push_back({where, a, b});
  for (std::size_t i = 0; i < a.as_array().size(); ++i)
    compare(a.as_array()[i], b.as_array()[i], cat(where, "/", i), out);
}

// A model's config with its layers by name instead of by place, so that one more layer does not shift all others.
Json by_name(const Json& json) {
  if (json.is_array()) {
    JsonArray out;
    for (const Json& item : json.as_array()) out.push_back(by_name(item));
    return Json(std::move(out));
  }
  if (!json.is_object()) return json;
  JsonObject out;
  for (const auto& [key, value] : json.as_object()) {
    if (key == "build_config") continue;  // says only what the shapes already say
    if (key != "layers" || !value.is_array()) {
      out.set(key, by_name(value));
      continue;
    }
    JsonObject layers;
    for (const Json& layer : value.as_array()) {
      const JsonObject& config = layer.at("config").as_object();
      const Json* name = config.find("name");
      layers.set(name && name->is_string() ? name->as_string() : layer.at("class_name").as_string(), by_name(layer));
    }
    out.set(key, Json(std::move(layers)));
  }
  return Json(std::move(out));
}

struct WeightDifference {
  std::string path, shape_a, shape_b;  // empty: not there
  double max_abs = 0;
};

std::vector<WeightDifference> compare_weights(const Model& a, const Model& b, double atol) {
  std::vector<WeightDifference> out;
  const VariableRefs in_a = a.weights(), in_b = b.weights();
  std::vector<bool> met(in_b.size(), false);
  for (const auto& v : in_a) {
    std::size_t i = 0;
    while (i < in_b.size() && (met[i] || in_b[i]->path != v->path)) ++i;
    if (i == in_b.size()) {
      out.push_back({v->path, to_string(v->stored().shape()), "", std::numeric_limits<double>::quiet_NaN()});
      continue;
    }
    met[i] = true;
    const double difference = max_difference(v->stored(), in_b[i]->stored());
    if (!(difference <= atol))
      out.push_back({v->path, to_string(v->stored().shape()), to_string(in_b[i]->stored().shape()), difference});
  }
  for (std::size_t i = 0; i < in_b.size(); ++i)
    if (!met[i])
      out.push_back(
          {in_b[i]->path, "", to_string(in_b[i]->stored().shape()), std::numeric_limits<double>::quiet_NaN()});
  return out;
}

// Short enough for a line.
std::string shown(const Json& json) {
  if (json.is_object())
    if (const Json* name = json.as_object().find("class_name"); name && name->is_string()) return name->as_string();
  const std::string text = json.is_null() ? "nothing" : json.dump();
  return text.size() <= 60 ? text : text.substr(0, 57) + "…";
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

int diff(const DiffArgs& args) {
  const Model a = open_model(args.a), b = open_model(args.b);
  std::vector<Difference> config;
  compare(by_name(serialize_layer(a.layer()).at("config")), by_name(serialize_layer(b.layer()).at("config")), "",
          config);
  if (a.layer().class_name() != b.layer().class_name())
    config.insert(config.begin(), {"/class_name", Json(a.layer().class_name()), Json(b.layer().class_name())});
  const auto weights = compare_weights(a, b, args.atol);
  const bool same = config.empty() && weights.empty();

  if (args.json) {
    JsonArray configs, values;
    for (const Difference& d : config)
      configs.push_back(Json(JsonObject{{"where", Json(d.where.substr(1))}, {"a", d.a}, {"b", d.b}}));
    for (const WeightDifference& w : weights)
      values.push_back(Json(JsonObject{{"path", Json(w.path)},
                                       {"shape_a", text_or_null(w.shape_a)},
                                       {"shape_b", text_or_null(w.shape_b)},
                                       {"max_abs", std::isfinite(w.max_abs) ? Json(w.max_abs) : Json(nullptr)}}));
    print_json(Json(
        JsonObject{{"equal", Json(same)}, {"config", Json(std::move(configs))}, {"weights", Json(std::move(values))}}));
    return same ? 0 : 1;
  }
  for (const Difference& d : config)
    std::cout << one_line(d.where.substr(1)) << ": " << one_line(shown(d.a)) << " → " << one_line(shown(d.b)) << '\n';
  for (const WeightDifference& w : weights) {
    std::cout << "weight " << w.path << ": ";
    if (w.shape_a.empty() || w.shape_b.empty())
      std::cout << "only in " << (w.shape_a.empty() ? args.b : args.a) << '\n';
    else if (w.shape_a != w.shape_b)
      std::cout << "shape " << w.shape_a << " → " << w.shape_b << '\n';
    else
      std::cout << w.shape_a << " differs by up to " << short_number(w.max_abs) << '\n';
  }
  return same ? 0 : 1;
}

}  // namespace

constinit const Command diff_command{"diff",
                                     "in what two models differ: configuration by layer, and weights",
                                     kOptions,
                                     "ramet diff before.keras after.keras\n"
                                     "ramet diff a.keras b.h5 --atol 1e-6 && echo same",
                                     "Exit status: 0 when the models are equal, 1 when they differ, 2 for any trouble.",
                                     &run_with<DiffArgs, diff>};

}  // namespace ramet::cli
