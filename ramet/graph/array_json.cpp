#include "ramet/graph/array_json.h"

#include <functional>

#include "ramet/graph/load_context.h"

namespace ramet {
namespace {

const Json* tagged_value(const Json& json) {
  const Json* tag = json.is_object() ? json.as_object().find("class_name") : nullptr;
  if (!tag || !tag->is_string() || (tag->as_string() != "__numpy__" && tag->as_string() != "__tensor__"))
    return nullptr;
  return &json.at("config").at("value");
}

double number_of(const Json& json) { return json.is_bool() ? (json.as_bool() ? 1 : 0) : json.as_double(); }

}  // namespace

bool is_array_json(const Json& json) { return json.is_array() || tagged_value(json); }

Array array_from_json(const Json& json) {
  const Json* tagged = tagged_value(json);
  const Json& value = tagged ? *tagged : json;
  Shape shape;
  for (const Json* at = &value; at->is_array(); at = at->as_array().data()) {
    shape.push_back(static_cast<std::int64_t>(at->as_array().size()));
    if (at->as_array().empty()) break;
  }
  std::vector<double> data;
  const std::function<void(const Json&, std::size_t)> read = [&](const Json& j, std::size_t depth) {
    if (depth == shape.size()) return data.push_back(number_of(j));
    if (!j.is_array() || static_cast<std::int64_t>(j.as_array().size()) != shape[depth])
      throw DataError("an array whose rows have different lengths");
    for (const Json& item : j.as_array()) read(item, depth + 1);
  };
  read(value, 0);
  Array out = Array::of<double>(shape, data);
  if (!tagged) return out;
  try {
    return out.astype(dtype_from(json.at("config").at("dtype").as_string()));
  } catch (const UsageError& error) { throw DataError(error.what()); }
}

Json nested_list(const Array& array) {
  const std::vector<double> data = array.to_doubles();
  const bool whole = !is_floating(array.dtype()), truth = array.dtype() == DType::boolean;
  std::size_t next = 0;
  const std::function<Json(std::size_t)> level = [&](std::size_t depth) -> Json {
    if (depth == array.rank()) {
      const double v = data[next++];
      return truth ? Json(v != 0) : whole ? Json(static_cast<std::int64_t>(v)) : Json(v);
    }
    JsonArray list;
    for (std::int64_t i = 0; i < array.shape()[depth]; ++i) list.push_back(level(depth + 1));
    return Json(std::move(list));
  };
  return level(0);
}

Json array_json(const Array& array, std::string_view tag) {
  return Json(JsonObject{{"class_name", Json(tag)},
                         {"config", Json(JsonObject{{"value", nested_list(array)},
                                                    {"dtype", Json(std::string(keras_name(array.dtype())))}})}});
}

Array NumberOrArray::spread(const Shape& shape, DType dtype, std::string_view who) const {
  if (!is_array()) return Array::full(shape, number_, dtype);
  const Shape& own = array_.shape();
  bool fits = own.size() <= shape.size();
  const std::size_t skip = fits ? shape.size() - own.size() : 0;
  for (std::size_t i = 0; fits && i < own.size(); ++i) fits = own[i] == 1 || own[i] == shape[skip + i];
  require(fits, who, ": an array of shape ", to_string(own), " cannot be broadcast to a weight of shape ",
          to_string(shape));
  if (own == shape) return array_.astype(dtype).copy();
  const std::vector<double> data = array_.to_doubles();
  std::vector<double> out(static_cast<std::size_t>(element_count(shape)));
  std::vector<std::int64_t> index(shape.size(), 0);
  for (double& to : out) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < own.size(); ++i) at = at * own[i] + (own[i] == 1 ? 0 : index[skip + i]);
    to = data[static_cast<std::size_t>(at)];
    for (std::size_t i = shape.size(); i-- > 0 && ++index[i] == shape[i];) index[i] = 0;
  }
  return Array::of<double>(shape, out).astype(dtype);
}

Json encode(const NumberOrArray& v) {
  if (!v.is_array()) return Json(v.number_);
  return v.tag_.empty() ? nested_list(v.array_) : array_json(v.array_, v.tag_);
}

void decode(const Json& json, NumberOrArray& out) {
  if (!is_array_json(json)) {
    out = NumberOrArray(number_of(json));
    return;
  }
  out = NumberOrArray(array_from_json(json));
  out.tag_ = json.is_array() ? "" : json.at("class_name").as_string();
}

}  // namespace ramet
