// What every layer class must do because it is a layer: keep its configuration through JSON and cloning, and read every
// field of it. The samples are the recorded calls, so a class joins by being recorded.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "tests/support/layer_case.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

struct Sample {
  Json config;
  LayerCase recorded;
};

const std::map<std::string, std::vector<Sample>>& samples() {
  static const auto all = [] {
    std::map<std::string, std::vector<Sample>> out;
    for (const char* file : {"layer_random", "layer_more"}) {
      const Recording recording(file);
      for (const Json& json : recording.cases()) {
        try {
          LayerCase recorded = read_random_case(recording, json);
          deserialize_layer(json.at("config"))->prepare(specs_of(recorded.call));
          out[json.at("class").as_string()].push_back({json.at("config"), std::move(recorded)});
        } catch (const Error&) {
          continue;  // a class not registered, or something refused; the recorded cases' test tells them apart
        }
      }
    }
    return out;
  }();
  return all;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

Json each_plus_one(const Json& v) {
  if (v.is_int()) return Json(v.as_int() + 1);
  if (v.is_double()) return Json(v.as_double() + 0.5);
  if (!v.is_array()) return v;
  JsonArray out;
  for (const Json& item : v.as_array()) out.push_back(each_plus_one(item));
  return Json(std::move(out));
}

// Other values the field might take. Not all of them fit every sample; one that does is enough.
std::vector<Json> others(const std::string& key, const Json& value) {
  if (value.is_bool()) return {Json(!value.as_bool())};
  if (value.is_int()) return {Json(value.as_int() + 1), Json(value.as_int() * 2), Json(value.as_int() - 1)};
  if (value.is_double()) return {Json(value.as_double() * 0.5 + 0.25), Json(0.125)};
  if (value.is_array())
    return {each_plus_one(value), Json(JsonArray{Json(2), Json(1)}), Json(JsonArray{Json(1), Json(2)}),
            Json(JsonArray{Json(0), Json(0)}), Json(JsonArray{Json(0)})};
  if (ends_with(key, "activation")) return {Json("softsign"), Json("tanh")};
  if (ends_with(key, "_initializer")) return {Json("ones"), Json("zeros")};
  if (ends_with(key, "_regularizer")) return {value.is_null() ? Json("l2") : Json(nullptr)};
  if (ends_with(key, "_constraint")) return {value.is_null() ? Json("non_neg") : Json(nullptr)};
  if (value.is_string())
    return {Json("same"),          Json("valid"),    Json("channels_first"),
            Json("channels_last"), Json("bilinear"), Json("nearest"),
            Json("sum"),           Json("concat"),   Json("dot")};
  if (value.is_null())
    return {Json(7), Json(0.5), Json(JsonArray{Json(1)}), Json(JsonArray{Json(0), Json(0)}), Json(0)};
  return {};
}

// Fields that hold other layers, and switches that are refused when on.
const std::set<std::string> kLeftOut = {"name",
                                        "dtype",
                                        "layer",
                                        "cell",
                                        "cells",
                                        "backward_layer",
                                        "BatchNormalization.synchronized",
                                        "Bidirectional.merge_mode"};

}  // namespace

TEST_CASE("every layer: from_config(get_config()) has the same configuration") {
  for (const auto& [name, list] : samples())
    for (const Sample& s : list) {
      CAPTURE(s.config.dump());
      const LayerRef layer = deserialize_layer(s.config);
      CHECK(serialize_layer(*deserialize_layer(serialize_layer(*layer))) == serialize_layer(*layer));
      CHECK(layer->name() == s.config.at("config").at("name").as_string());
      CHECK(layer->class_name() == name);
    }
}

TEST_CASE("every layer: a clone has the same configuration and no weight in common") {
  for (const auto& [name, list] : samples()) {
    const Sample& s = list.front();
    CAPTURE(s.config.dump());
    const LayerRef layer = deserialize_layer(s.config), copy = layer->clone();
    CHECK(serialize_layer(*copy) == serialize_layer(*layer));
    CHECK(copy != layer);
    layer->prepare(specs_of(s.recorded.call));
    const LayerRef later = layer->clone();
    CHECK_FALSE(later->built());
    later->prepare(specs_of(s.recorded.call));
    CHECK(later->weights().size() == layer->weights().size());
    CHECK(layer->weights().size() == s.recorded.weights.size());
    for (const auto& a : layer->weights())
      for (const auto& b : later->weights()) CHECK(a != b);
  }
}

TEST_CASE("every layer: each field of the configuration is read and kept") {
  for (const auto& [name, list] : samples()) {
    std::set<std::string> open;
    for (const Sample& s : list) {
      const LayerRef layer = deserialize_layer(s.config);
      const JsonObject before = layer->get_config();
      for (const auto& [key, value] : before) {
        if (kLeftOut.contains(key) || kLeftOut.contains(cat(name, ".", key))) continue;
        bool changed = false;
        for (const Json& other : others(key, value)) {
          JsonObject config = before;
          config.set(key, other);
          try {
            const JsonObject after =
                deserialize_layer(Json(JsonObject{{"class_name", Json(name)}, {"config", Json(config)}}))->get_config();
            if (after.at(key) == value) continue;
            changed = true;
            JsonObject rest = after;
            rest.set(key, value);
            CHECK_MESSAGE(rest == before, name, ": changing ", key, " changed something else");
            break;
          } catch (const Error&) {}
        }
        if (changed)
          open.erase(key), open.insert("done " + key);
        else if (!open.contains("done " + key))
          open.insert(key);
      }
    }
    for (const auto& key : open) CHECK_MESSAGE(key.starts_with("done "), name, ": no sample could change ", key);
  }
}
