// Field tables. A plain struct lists its members once, in `fields`; JSON, validation, equality, cloning, help and the
// conformance tests follow from the list.
//
//   struct DenseConfig {
//     std::int64_t units = 0;
//     bool use_bias = true;
//     static constexpr auto fields = Fields{field("units", &DenseConfig::units, positive),
//                                           field("use_bias", &DenseConfig::use_bias)};
//   };
#pragma once
#include <concepts>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/base/arity.h"
#include "ramet/base/error.h"
#include "ramet/base/json.h"

namespace ramet {

// What a field's value must satisfy. A null `holds` accepts everything.
template <class T>
struct Rule {
  bool (*holds)(const T&) = nullptr;
  std::string_view text;
};

template <class Owner, class T>
struct Field {
  std::string_view name;
  T Owner::*member;
  Rule<T> rule;
};

struct AnyRule {
  template <class T>
  constexpr operator Rule<T>() const {
    return {};
  }
};

template <class Owner, class T, class R = AnyRule>
constexpr Field<Owner, T> field(std::string_view name, T Owner::*member, R rule = {}) {
  return {name, member, static_cast<Rule<T>>(rule)};
}

namespace detail {

// A test on numbers that also looks into optionals (absent passes) and vectors (every element must pass).
template <class Test>
struct NumberRule {
  std::string_view text;
  template <class T>
  static bool holds(const T& value) {
    if constexpr (requires { value.has_value(); })
      return !value || holds(*value);
    else if constexpr (requires { value.begin(); }) {
      for (const auto& v : value)
        if (!holds(v)) return false;
      return true;
    } else
      return Test{}(value);
  }
  template <class T>
  constexpr operator Rule<T>() const {
    return {&holds<T>, text};
  }
};

struct IsPositive {
  bool operator()(auto v) const { return v > 0; }
};
struct IsNotNegative {
  bool operator()(auto v) const { return v >= 0; }
};
struct IsInUnit {
  bool operator()(auto v) const { return v >= 0 && v <= 1; }
};

}  // namespace detail

inline constexpr detail::NumberRule<detail::IsPositive> positive{"a positive integer"};
inline constexpr detail::NumberRule<detail::IsPositive> positive_number{"a positive number"};
inline constexpr detail::NumberRule<detail::IsNotNegative> not_negative{"a number that is not negative"};
inline constexpr detail::NumberRule<detail::IsInUnit> in_unit_interval{"a number between 0 and 1"};

namespace detail {

template <std::size_t I, class F>
struct FieldSlot {
  F field;
};
template <class Indices, class... F>
struct FieldSlots;
template <std::size_t... I, class... F>
struct FieldSlots<std::index_sequence<I...>, F...> : FieldSlot<I, F>... {
  static constexpr std::size_t kSize = sizeof...(F);
  constexpr void each(auto&& visit) const { (visit(FieldSlot<I, F>::field), ...); }
};
template <std::size_t I, class F>
constexpr const F& slot(const FieldSlot<I, F>& s) {
  return s.field;
}

}  // namespace detail

// A table of fields. Flat, because every source file that includes the layers compiles a hundred of them: with
// std::tuple, which is built by recursion, that took half of the time.
template <class... F>
struct Fields : detail::FieldSlots<std::index_sequence_for<F...>, F...> {
  constexpr Fields(F... f) : detail::FieldSlots<std::index_sequence_for<F...>, F...>{{f}...} {}
};

template <class C>
inline constexpr std::size_t field_count = std::remove_cvref_t<decltype(C::fields)>::kSize;
template <class C, std::size_t I>
constexpr const auto& field_at() {
  return detail::slot<I>(C::fields);
}

// A struct with a complete `fields` table.
template <class C>
concept Described = requires {
  C::fields;
}
&&detail::has_members<C, field_count<C>>();

template <class C>
void for_each_field(auto&& visit) {
  static_assert(Described<C>, "every member of the struct must be listed in its `fields`");
  C::fields.each(visit);
}

// Values to JSON. Other types join by an overload of their own in their namespace.
inline Json encode(const std::string& v) { return Json(v); }
inline Json encode(bool v) { return Json(v); }
template <std::integral T>
Json encode(T v) {
  return Json(static_cast<std::int64_t>(v));
}
inline Json encode(double v) { return Json(v); }
Json encode(float v);  // as the shortest number that is this float: 0.1f is written 0.1
inline Json encode(const Json& v) { return v; }
template <Described C>
Json encode(const C& config);
template <class T>
Json encode(const std::vector<T>& v);
template <class T>
Json encode(const std::optional<T>& v) {
  return v ? encode(*v) : Json(nullptr);
}
template <class T>
Json encode(const std::vector<T>& v) {
  JsonArray out;
  for (const auto& x : v) out.push_back(encode(static_cast<const T&>(x)));
  return Json(std::move(out));
}

// JSON to values; DataError when the JSON has another type.
inline void decode(const Json& json, std::string& out) { out = json.as_string(); }
inline void decode(const Json& json, bool& out) { out = json.as_bool(); }
template <std::integral T>
void decode(const Json& json, T& out) {
  const std::int64_t v = json.as_int();
  if (!std::in_range<T>(v)) throw DataError(cat(v, " is out of range"));
  out = static_cast<T>(v);
}
inline void decode(const Json& json, double& out) { out = json.as_double(); }
inline void decode(const Json& json, float& out) { out = static_cast<float>(json.as_double()); }
inline void decode(const Json& json, Json& out) { out = json; }
template <Described C>
void decode(const Json& json, C& out);
template <class T>
void decode(const Json& json, std::vector<T>& out);
template <class T>
void decode(const Json& json, std::optional<T>& out) {
  if (json.is_null()) return out.reset();
  T value{};
  decode(json, value);
  out = std::move(value);
}
template <class T>
void decode(const Json& json, std::vector<T>& out) {
  out.clear();
  for (const Json& item : json.as_array()) {
    T value{};
    decode(item, value);
    out.push_back(std::move(value));
  }
}

template <class C>
JsonObject to_json(const C& config) {
  JsonObject out;
  for_each_field<C>([&](const auto& f) { out.set(std::string(f.name), encode(config.*f.member)); });
  return out;
}

// Absent keys keep the defaults of the declaration; keys that are not fields are the caller's business (unknown_keys).
template <class C>
C from_json(const JsonObject& json) {
  C config{};
  for_each_field<C>([&](const auto& f) {
    if (const Json* value = json.find(f.name)) {
      try {
        decode(*value, config.*f.member);
      } catch (const DataError& error) { throw DataError(cat("`", f.name, "`: ", error.what())); }
    }
  });
  return config;
}

// The same for the class `who`, which errors name first.
template <class C>
C from_json(std::string_view who, const JsonObject& json) {
  try {
    return from_json<C>(json);
  } catch (const UsageError& error) { throw UsageError(cat(who, ": ", error.what())); } catch (const DataError& error) {
    throw DataError(cat(who, ": ", error.what()));
  }
}

template <Described C>
Json encode(const C& config) {
  return Json(to_json(config));
}
template <Described C>
void decode(const Json& json, C& out) {
  out = from_json<C>(json.as_object());
}

// Refuses values outside their field's rule, in Keras' words.
template <class C>
void validate(std::string_view who, const C& config) {
  for_each_field<C>([&](const auto& f) {
    if (f.rule.holds && !f.rule.holds(config.*f.member))
      throw UsageError(cat(who, ": Received an invalid value for `", f.name, "`, expected ", f.rule.text,
                           ". Received: ", f.name, "=", encode(config.*f.member).dump()));
  });
}

template <class C>
std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for_each_field<C>([&](const auto& f) { names.emplace_back(f.name); });
  return names;
}

// An argument that Keras takes as one integer or a list of them: axis = 1, kernel_size = {3, 5}.
class IntOrList {
 public:
  IntOrList() = default;
  IntOrList(std::int64_t value) : values_{value}, single_(true) {}
  IntOrList(int value) : IntOrList(static_cast<std::int64_t>(value)) {}
  IntOrList(std::initializer_list<std::int64_t> values) : values_(values) {}
  IntOrList(std::vector<std::int64_t> values) : values_(std::move(values)) {}

  const std::vector<std::int64_t>& values() const { return values_; }
  bool single() const { return single_; }
  // As a list of n: a single integer is repeated. UsageError naming `what` when the count is another.
  std::vector<std::int64_t> expand(std::size_t n, std::string_view what) const {
    if (single_) return std::vector<std::int64_t>(n, values_[0]);
    require(values_.size() == n, "`", what, "` must be an integer or a list of ", n, " integers; got ", values_.size());
    return values_;
  }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const IntOrList&) const = default;

 private:
  std::vector<std::int64_t> values_;
  bool single_ = false;
};
inline Json encode(const IntOrList& v) { return v.single() ? Json(v.values()[0]) : encode(v.values()); }
inline void decode(const Json& json, IntOrList& out) {
  if (json.is_int())
    out = IntOrList(json.as_int());
  else {
    std::vector<std::int64_t> list;
    decode(json, list);
    out = IntOrList(std::move(list));
  }
}

// An argument that is one number or a list of them: scale = 1.0 / 255, scale = {0.2, 0.3, 0.5}.
class NumberOrList {
 public:
  NumberOrList() = default;
  NumberOrList(double value) : values_{value}, single_(true) {}
  NumberOrList(std::initializer_list<double> values) : values_(values) {}
  NumberOrList(std::vector<double> values) : values_(std::move(values)) {}

  const std::vector<double>& values() const { return values_; }
  bool single() const { return single_; }
  bool operator==(const NumberOrList&) const = default;

 private:
  std::vector<double> values_;
  bool single_ = false;
};
inline Json encode(const NumberOrList& v) { return v.single() ? Json(v.values()[0]) : encode(v.values()); }
inline void decode(const Json& json, NumberOrList& out) {
  if (json.is_number())
    out = NumberOrList(json.as_double());
  else {
    std::vector<double> list;
    decode(json, list);
    out = NumberOrList(std::move(list));
  }
}

// A string that is known at run time only. Literals are arrays, which this is not, so they can be checked earlier.
template <class T>
concept RunTimeString = std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
    std::same_as<T, const char*> || std::same_as<T, char*>;

// A string argument that must be one of a few, checked when the program is compiled where it is a literal:
//   struct PaddingNames { static constexpr std::string_view what = "padding", names[] = {"valid", "same"}; };
//   using Padding = Choice<PaddingNames>;      Padding p = "smae";   // does not compile
template <class Names>
class Choice {
 public:
  constexpr Choice() = default;
  template <std::size_t N>
  consteval Choice(const char (&name)[N]) : index_(find(name)) {
    if (index_ < 0) throw "not one of the names this argument takes";
  }
  template <RunTimeString S>
  Choice(const S& name) : Choice(from(name)) {}  // UsageError with the names there are
  static Choice from(std::string_view name) {
    Choice out;
    out.index_ = find(name);
    if (out.index_ >= 0) return out;
    std::string all;
    for (const auto n : Names::names) all += cat(all.empty() ? "'" : ", '", n, "'");
    throw UsageError(cat("unknown ", Names::what, " '", name, "'; use one of ", all));
  }
  constexpr std::string_view name() const { return Names::names[index_]; }
  static constexpr const auto& choices() { return Names::names; }
  constexpr bool operator==(const Choice&) const = default;

 private:
  static constexpr int find(std::string_view name) {
    int i = 0;
    for (const auto n : Names::names) {
      if (n == name) return i;
      ++i;
    }
    return -1;
  }
  int index_ = 0;
};

template <class Names>
Json encode(Choice<Names> v) {
  return Json(std::string(v.name()));
}
template <class Names>
void decode(const Json& json, Choice<Names>& out) {
  out = Choice<Names>::from(json.as_string());
}

}  // namespace ramet
