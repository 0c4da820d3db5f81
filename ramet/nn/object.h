// Configurable objects that Keras names by a string or writes as {module, class_name, config}: initializers,
// regularizers, constraints, losses, metrics, optimizers. A kind of object is a list of records; each record has a
// config struct with a field table.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>

#include "ramet/base/arguments.h"
#include "ramet/base/strings.h"
#include "ramet/graph/keras_names.h"
#include "ramet/graph/load_context.h"

namespace ramet {

// One class of a kind. `Interface` is what all of them do.
template <class Interface>
struct ObjectClass {
  std::string_view class_name;
  std::vector<std::string_view> aliases;  // other strings that mean it
  std::shared_ptr<const Interface> (*from_config)(const JsonObject&);
  std::vector<ArgumentInfo> (*arguments)() = nullptr;
};

template <class Interface>
class Object;
namespace detail {
template <class F, class Signature>
inline constexpr bool callable_as = false;
template <class F, class R, class... A>
inline constexpr bool callable_as<F, std::function<R(A...)>> = std::is_invocable_r_v<R, F&, A...>;
}  // namespace detail

// What can stand for an object of a kind because it is a function of the same arguments.
template <class F, class Interface>
concept FunctionOf = requires { typename Interface::Function; }
&&detail::callable_as<F, typename Interface::Function> && !std::derived_from<F, Interface> &&
    !std::derived_from<F, Object<Interface>>;

// What Keras writes for a function: its name. One without a name is written "<lambda>", which no file may hold.
inline constexpr std::string_view kNameless = "<lambda>", kFunctionClass = "function";
Json encode_function(std::string_view name);

// A handle on an object of a kind; copies share it. Empty means none (Keras' None).
template <class Interface>
class Object {
 public:
  static constexpr std::string_view kKind = Interface::kKind;
  Object() = default;
  Object(std::nullptr_t) {}
  Object(std::shared_ptr<const Interface> object) : object_(std::move(object)) {}
  template <std::derived_from<Interface> T>
  Object(T object) : object_(std::make_shared<const T>(std::move(object))) {}
  Object(const char* name) : Object(std::string_view(name)) {}
  Object(const std::string& name) : Object(std::string_view(name)) {}
  Object(std::string_view name) : object_(make(name, {})) {}
  // A function of one's own, for the kinds that take one (Interface::Function says which). A file can hold it when it has
  // a name.
  template <class F>
  requires FunctionOf<F, Interface> Object(F function)
      : object_(Interface::from_function("", std::move(function))) {}
  template <class F>
  requires FunctionOf<F, Interface> Object(std::string name, F function)
      : object_(Interface::from_function(std::move(name), std::move(function))) {}

  explicit operator bool() const { return object_ != nullptr; }
  const Interface* operator->() const { return object_.get(); }
  const Interface& operator*() const { return *object_; }

  // By class name, snake case or alias; UsageError with the nearest name.
  static std::shared_ptr<const Interface> make(std::string_view name, const JsonObject& config) {
    std::vector<std::string> names;
    for (const ObjectClass<Interface>& c : Interface::classes()) {
      const std::string snake = snake_case(c.class_name);
      bool match = name == c.class_name || name == snake;
      for (const auto alias : c.aliases) match = match || name == alias;
      if (match) return c.from_config(config);
      names.push_back(snake);
      for (const auto alias : c.aliases)
        if (alias != snake) names.emplace_back(alias);
    }
    throw UsageError(cat(unknown_name(Interface::kKind, name, names), " (", join(names, ", "), ")"));
  }

 private:
  std::shared_ptr<const Interface> object_;
};

// What a class inherits for declaring a Config.
template <class Derived, class Interface, class C>
class ObjectOf : public Interface {
 public:
  using Config = C;
  ObjectOf() : ObjectOf(C{}) {}
  explicit ObjectOf(C config) : config_(std::move(config)) { validate(Derived::kClassName, config_); }
  const C& config() const { return config_; }
  std::string_view class_name() const override { return Derived::kClassName; }
  JsonObject get_config() const override { return to_json(config_); }
  static std::shared_ptr<const Interface> from_config(const JsonObject& json) {
    const auto known = field_names<C>();
    for (const auto& [key, value] : json)
      if (std::find(known.begin(), known.end(), key) == known.end() && key != "name" && key != "dtype")
        leave_out(Derived::kClassName, key, value);
    return std::make_shared<const Derived>(Derived(from_json<C>(Derived::kClassName, json)));
  }
  static ObjectClass<Interface> registration(std::vector<std::string_view> aliases = {}) {
    return {Derived::kClassName, std::move(aliases), &ObjectOf::from_config, [] { return arguments_of<C>(); }};
  }

 private:
  C config_;
};

template <class Interface>
Json encode(const Object<Interface>& object) {
  if (!object) return Json(nullptr);
  if (object->class_name() == kFunctionClass) return encode_function(object->get_config().at("name").as_string());
  return Json(JsonObject{{"module", Json(std::string(Interface::kModule))},
                         {"class_name", Json(std::string(object->class_name()))},
                         {"config", Json(object->get_config())},
                         {"registered_name", Json(nullptr)}});
}

template <class Interface>
void decode(const Json& json, Object<Interface>& out) {
  if (json.is_null())
    out = {};
  else if (json.is_string())
    out = Object<Interface>(json.as_string());
  else {
    const Json* config = json.as_object().find("config");
    out = Object<Interface>::make(json.at("class_name").as_string(),
                                  config && config->is_object() ? config->as_object() : JsonObject{});
  }
}

// A function of one's own as an object; kinds derive from it and say how it is called.
template <class Interface>
class FunctionObject : public Interface {
 public:
  FunctionObject(std::string name, typename Interface::Function function)
      : name_(name.empty() ? std::string(kNameless) : std::move(name)), function_(std::move(function)) {
    require(static_cast<bool>(function_), "a ", Interface::kKind, " was given as an empty std::function");
  }
  std::string_view class_name() const final { return kFunctionClass; }
  JsonObject get_config() const final { return {{"name", Json(name_)}}; }

 protected:
  const std::string& function_name() const { return name_; }
  const typename Interface::Function& function() const { return function_; }

 private:
  std::string name_;
  typename Interface::Function function_;
};

struct NoConfig {
  static constexpr Fields fields{};
};

}  // namespace ramet
