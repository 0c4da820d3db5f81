// What a field table tells people: the arguments of a class with their types, rules and defaults.
#pragma once
#include "ramet/base/config.h"

namespace ramet {

struct ArgumentInfo {
  std::string name;
  std::string type;  // "int", "bool or None", "'valid' | 'same'", "initializer"
  std::string rule;  // "a positive integer"; empty when every value of the type will do
  bool required = false;
  Json default_value;  // as it is written into files; of no meaning when required
};

namespace detail {
inline std::string grouped(std::string type) { return type.find(' ') == type.npos ? type : cat("(", type, ")"); }
}  // namespace detail

// Words for the type of a field. Types of their own say them in a static `kKind`.
template <class T>
std::string argument_type() {
  if constexpr (std::same_as<T, bool>)
    return "bool";
  else if constexpr (std::integral<T>)
    return "int";
  else if constexpr (std::floating_point<T>)
    return "float";
  else if constexpr (std::same_as<T, std::string>)
    return "string";
  else if constexpr (std::same_as<T, IntOrList>)
    return "int or list of int";
  else if constexpr (std::same_as<T, NumberOrList>)
    return "float or list of float";
  else if constexpr (requires(T v) { v.has_value(); })
    return cat(detail::grouped(argument_type<typename T::value_type>()), " or None");
  else if constexpr (requires(T v) { v.push_back(v.front()); })
    return cat("list of ", detail::grouped(argument_type<typename T::value_type>()));
  else if constexpr (requires { T::choices(); }) {
    std::string all;
    for (const std::string_view name : T::choices()) all += cat(all.empty() ? "'" : " | '", name, "'");
    return all;
  } else if constexpr (requires { T::kKind; })
    return std::string(T::kKind);
  else if constexpr (requires { typename T::element_type; })
    return "layer";
  else
    return "";
}

// The arguments of Config, in their order. The first `required` must be given, and those whose default breaks their own
// rule.
template <Described Config>
std::vector<ArgumentInfo> arguments_of(std::size_t required = 0) {
  std::vector<ArgumentInfo> out;
  const Config defaults{};
  for_each_field<Config>([&](const auto& f) {
    using T = std::remove_cvref_t<decltype(defaults.*f.member)>;
    const bool no_default = f.rule.holds && !f.rule.holds(defaults.*f.member);
    ArgumentInfo info{std::string(f.name), argument_type<T>(), std::string(f.rule.text),
                      out.size() < required || no_default, encode(defaults.*f.member)};
    if (info.type.empty()) {
      const Json& v = info.default_value;
      info.type = v.is_null() ? "value" : v.is_double() ? "float" : v.type_name();
    }
    out.push_back(std::move(info));
  });
  return out;
}

}  // namespace ramet
