// What the functions of ops:: take: a Tensor records a node, a Value emits instructions, an Array is computed at once.
// The kinds share one table of ops (ramet/graph/op_rows.cpp), so they give the same numbers.
#pragma once
#include "ramet/array/feed.h"
#include "ramet/base/config.h"
#include "ramet/graph/tensor.h"

namespace ramet {

namespace detail {

template <class T>
concept ArrayLike = std::convertible_to<const T&, Array>;  // also what `predict` gives
template <class T>
concept Number = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool is_operand = std::same_as<T, Tensor> || std::same_as<T, Value> || ArrayLike<T>;

// The kind of a result: Tensor or Value where one is among the arguments, else Array.
template <class... A>
using Kind = std::conditional_t<(std::same_as<A, Tensor> || ...), Tensor,
                                std::conditional_t<(std::same_as<A, Value> || ...), Value, Array>>;

}  // namespace detail

template <class X>
concept Operand = detail::is_operand<X>;
// At least one operand; the others may be numbers.
template <class... A>
concept Operands = (detail::is_operand<A> || ...) && ((detail::is_operand<A> || detail::Number<A>)&&...) &&
                   !((std::same_as<A, Tensor> || ...) && (std::same_as<A, Value> || ...));

// Calls the op that Keras calls `class_name`: the results in order. `args` may hold numbers (Json), lists, and for
// Tensor also arrays (array_literal).
template <class T>
std::vector<T> apply_op(std::string_view class_name, const std::vector<Nest<T>>& args, const JsonObject& config);
template <>
std::vector<Tensor> apply_op(std::string_view class_name, const std::vector<Nest<Tensor>>& args,
                             const JsonObject& config);
template <>
Values apply_op(std::string_view class_name, const std::vector<Nest<Value>>& args, const JsonObject& config);
template <>
Arrays apply_op(std::string_view class_name, const std::vector<Nest<Array>>& args, const JsonObject& config);

Json array_literal(const Array& array);                          // data written into a graph, as Keras writes it
Value constant_beside(const Value& beside, const Array& array);  // data written into the program of a value

namespace detail {

inline const Value* first_value(const Value& v) { return &v; }
template <class A>
const Value* first_value(const A&) {
  return nullptr;
}

template <class T, class A>
Nest<T> as_argument(const A& a, [[maybe_unused]] const Value* beside) {
  if constexpr (Number<A>)
    return Nest<T>(Json(a));
  else if constexpr (std::convertible_to<const A&, T>)
    return Nest<T>(static_cast<T>(a));
  else if constexpr (std::same_as<T, Value>)
    return Nest<T>(constant_beside(*beside, static_cast<Array>(a)));
  else
    return Nest<T>(array_literal(static_cast<Array>(a)));
}

template <class... A>
Kind<A...> op(std::string_view class_name, const JsonObject& config, const A&... a) {
  using T = Kind<A...>;
  const Value* beside = nullptr;
  ((beside = beside ? beside : first_value(a)), ...);
  return apply_op<T>(class_name, {as_argument<T>(a, beside)...}, config).at(0);
}

Json index_json(const Index& index);
template <class T>
Nest<T> key_of(const std::vector<Index>& key) {
  typename Nest<T>::List parts;
  for (const Index& i : key) parts.push_back(i.kind == Index::Kind::new_axis ? Nest<T>() : Nest<T>(index_json(i)));
  return Nest<T>(std::move(parts));
}

template <class T, class Range>
Nest<T> as_list(const Range& xs) {
  typename Nest<T>::List list;
  for (const auto& x : xs) list.push_back(Nest<T>(static_cast<T>(x)));
  return Nest<T>(std::move(list));
}

}  // namespace detail

// Keras' `axis`: nothing (all axes), one, or several.
class Axis {
 public:
  Axis() = default;
  Axis(std::nullopt_t) {}
  template <std::integral I>
  Axis(I axis) : json_(axis) {}
  Axis(std::initializer_list<std::int64_t> axes) : Axis(std::vector<std::int64_t>(axes)) {}
  Axis(const std::vector<std::int64_t>& axes) : json_(encode(axes)) {}
  const Json& json() const { return json_; }

 private:
  Json json_;
};

// The options of a reduction, for those who name them: ops::mean(x, {.axis = -1}).
struct ReduceOptions {
  Axis axis = {};
  bool keepdims = false;
};

}  // namespace ramet
