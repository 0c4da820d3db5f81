// Arrays inside configs, as Keras writes them: {"class_name": "__numpy__", "config": {"value", "dtype"}}, the same with
// "__tensor__", or a plain nested list.
#pragma once
#include "ramet/array/array.h"
#include "ramet/base/json.h"

namespace ramet {

// Whether `json` is one of the three.
bool is_array_json(const Json& json);
// DataError unless it is one, all rows of one length. A list is float64.
Array array_from_json(const Json& json);

Json nested_list(const Array& array);
Json array_json(const Array& array, std::string_view tag = "__numpy__");

// An argument that is a number or an array of them, written again as it was.
class NumberOrArray {
 public:
  static constexpr std::string_view kKind = "float or array";
  NumberOrArray() = default;
  NumberOrArray(double value) : number_(value) {}
  NumberOrArray(Array array) : array_(std::move(array)), tag_("__numpy__") {}

  bool is_array() const { return array_.defined(); }
  double number() const { return number_; }  // when there is no array
  const Array& array() const { return array_; }
  // One value for every element of a weight. UsageError naming `who` when the array does not broadcast to the shape.
  Array spread(const Shape& shape, DType dtype, std::string_view who) const;
  bool operator==(const NumberOrArray& o) const {
    return number_ == o.number_ && tag_ == o.tag_ && is_array() == o.is_array() &&
           (!is_array() || array_.identical(o.array_));
  }

  friend Json encode(const NumberOrArray& v);
  friend void decode(const Json& json, NumberOrArray& out);

 private:
  double number_ = 0;
  Array array_;
  std::string tag_;  // empty: a plain list
};

}  // namespace ramet
