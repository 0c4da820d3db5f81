// Models changed at random, the same for the same seed: values, keys and subtrees of their JSON.
#pragma once
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ramet/base/json.h"

namespace ramet::testing {

class JsonMutator {
 public:
  explicit JsonMutator(std::uint64_t seed) : random_(seed) {}

  // One to three changes. Keys may occur twice afterwards, which dump() writes and parse() refuses.
  Json mutant(const Json& original) {
    Json out = original;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) change(out);
    return out;
  }

 private:
  std::size_t below(std::size_t n) { return n ? static_cast<std::size_t>(random_() % n) : 0; }

  static void collect(Json& json, std::vector<Json*>& out) {
    out.push_back(&json);
    if (json.is_array())
      for (Json& item : json.as_array()) collect(item, out);
    if (json.is_object())
      for (auto& [key, item] : json.as_object()) collect(item, out);
  }

  Json telling() {
    static const std::vector<Json> kValues = {Json(nullptr),
                                              Json(true),
                                              Json(false),
                                              Json(0),
                                              Json(1),
                                              Json(-1),
                                              Json(2),
                                              Json(7),
                                              Json(255),
                                              Json(std::int64_t{1} << 31),
                                              Json(-(std::int64_t{1} << 31)),
                                              Json(std::int64_t{1} << 40),
                                              Json(INT64_MAX),
                                              Json(INT64_MIN),
                                              Json(0.5),
                                              Json(-0.0),
                                              Json(1e308),
                                              Json(-1e308),
                                              Json(5e-324),
                                              Json(""),
                                              Json("same"),
                                              Json("relu"),
                                              Json("Dense"),
                                              Json(".."),
                                              Json(std::string(1000, 'x')),
                                              Json(JsonArray{}),
                                              Json(JsonArray{Json(0), Json(0)}),
                                              Json(JsonArray{Json(-1), Json(std::int64_t{1} << 40), Json(1)}),
                                              Json(JsonObject{})};
    return kValues[below(kValues.size())];
  }

  // The same value as another type.
  static Json retyped(const Json& json) {
    if (json.is_int()) return Json(std::to_string(json.as_int()));
    if (json.is_string()) return Json(JsonArray{json});
    if (json.is_bool()) return Json(json.as_bool() ? 1 : 0);
    if (json.is_double()) return Json(static_cast<std::int64_t>(json.as_double()));
    if (json.is_array() && !json.as_array().empty()) return json.as_array()[0];
    return Json(JsonArray{json});
  }

  void change_object(JsonObject& object) {
    if (object.empty()) return object.set("code", telling());
    const std::string key = (object.begin() + static_cast<std::ptrdiff_t>(below(object.size())))->first;
    const Json value = object.at(key);
    switch (below(4)) {
      case 0: object.erase(key); break;
      case 1: object.append(key, value); break;
      case 2: object.erase(key), object.append(key + "_", value); break;
      default: object.set("extra", telling());
    }
  }

  void change_array(JsonArray& array) {
    if (array.empty()) return array.push_back(telling());
    const std::size_t at = below(array.size()), other = below(array.size());
    const auto place = array.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(4)) {
      case 0: array.erase(place); break;
      case 1: array.push_back(Json(array[at])); break;
      case 2: std::swap(array[at], array[other]); break;
      default: array.insert(place, telling());
    }
  }

  void change(Json& document) {
    std::vector<Json*> all;
    collect(document, all);
    Json& at = *all[below(all.size())];
    const Json other = *all[below(all.size())];
    switch (below(5)) {
      case 0: at = telling(); break;
      case 1: at = retyped(Json(at)); break;
      case 2: at = other; break;
      case 3:
        if (at.is_int()) {
          at = Json(static_cast<std::int64_t>(static_cast<std::uint64_t>(at.as_int()) + below(5) - 2));
          break;
        }
        [[fallthrough]];
      default:
        if (at.is_object())
          change_object(at.as_object());
        else if (at.is_array())
          change_array(at.as_array());
        else
          at = telling();
    }
  }

  std::mt19937_64 random_;
};

}  // namespace ramet::testing
