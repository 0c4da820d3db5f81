// Configurable objects that Keras names by a string or writes as {module, class_name, config}: initializers,
// regularizers, constraints, losses, metrics, optimizers. A kind of object is a list of records; each record has a
// config struct with a field table. Classes of the caller's join by register_object, functions by register_function.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>

#include "ramet/base/arguments.h"
#include "ramet/base/strings.h"
#include "ramet/graph/keras_names.h"
#include "ramet/graph/load_context.h"

namespace ramet {

// What objects of every kind say of themselves.
class Configured {
 public:
  virtual ~Configured() = default;
  virtual std::string_view class_name() const = 0;
  virtual JsonObject get_config() const = 0;

  // How a file named the class, where that is one of the caller's; written again.
  mutable std::optional<WrittenClass> file_class;
};

// One class of a kind. `Interface` is what all of them do.
template <class Interface>
struct ObjectClass {
  std::string_view class_name;
  std::vector<std::string_view> aliases;  // other strings that mean it
  std::shared_ptr<const Interface> (*from_config)(const JsonObject&);
  std::vector<ArgumentInfo> (*arguments)() = nullptr;
  const std::type_info* type = nullptr;
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
concept FunctionOf = requires {
  typename Interface::Function;
}
&&detail::callable_as<F, typename Interface::Function> && !std::derived_from<F, Interface> &&
    !std::derived_from<F, Object<Interface>>;

// What Keras writes for a function: its name. One without a name is written "<lambda>", which no file may hold.
inline constexpr std::string_view kNameless = "<lambda>", kFunctionClass = "function";

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
  // A function of one's own, for the kinds that take one (Interface::Function says which). A file can hold it when it
  // has a name.
  template <class F>
  requires FunctionOf<F, Interface> Object(F function) : object_(Interface::from_function("", std::move(function))) {}
  template <class F>
  requires FunctionOf<F, Interface> Object(std::string name, F function)
      : object_(Interface::from_function(std::move(name), std::move(function))) {}

  explicit operator bool() const { return object_ != nullptr; }
  const Interface* operator->() const { return object_.get(); }
  const Interface& operator*() const { return *object_; }

  // By class name, snake case or alias, or the name of what the caller registered; UsageError with the nearest name.
  static std::shared_ptr<const Interface> make(std::string_view name, const JsonObject& config) {
    return make(WrittenClass{std::string(name), "", Json("keras")}, config);
  }
  static std::shared_ptr<const Interface> make(const WrittenClass& written, const JsonObject& config) {
    if (auto own = make_own(written, config)) return own;
    std::vector<std::string> names;
    // As Keras, by the name of the class alone, unless the file says that it is of a package of somebody's.
    const bool keras = written.registered_name.find('>') == std::string::npos;
    const std::string& name = written.class_name;
    for (const ObjectClass<Interface>& c : Interface::classes()) {
      const std::string snake = snake_case(c.class_name);
      bool match = name == c.class_name || name == snake;
      for (const auto alias : c.aliases) match = match || name == alias;
      if (match && keras) return c.from_config(with_numbers(config, c.arguments));
      names.push_back(snake);
      for (const auto alias : c.aliases)
        if (alias != snake) names.emplace_back(alias);
    }
    if (LoadContext* loading = LoadContext::current()) loading->unknown = cat(Interface::kKind, " '", name, "'");
    throw UsageError(cat(unknown_name(Interface::kKind, name, names), " (", join(names, ", "), ")"));
  }
  // The function of the caller's that has this name; null when there is none that can be an object of this kind.
  static std::shared_ptr<const Interface> from_function(const std::string& name) {
    if constexpr (requires { typename Interface::Function; }) {
      if (const auto found = find_function(name)) {
        const auto& function = found->template as<typename Interface::Function>();
        return function ? Interface::from_function(name, function) : nullptr;
      }
    }
    return nullptr;
  }

 private:
  static std::shared_ptr<const Interface> make_own(const WrittenClass& written, const JsonObject& config) {
    const auto own = find_object(Interface::kKind, written);
    if (!own) return config.empty() ? from_function(written.class_name) : nullptr;
    auto made = std::static_pointer_cast<const Interface>(own->from_config(with_numbers(config, own->arguments)));
    made->file_class = written;
    return made;
  }
  std::shared_ptr<const Interface> object_;
};

// What a class inherits for declaring a Config.
template <class Derived, class Interface_, class C>
class ObjectOf : public Interface_ {
 public:
  using Interface = Interface_;
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
    return {Derived::kClassName, std::move(aliases), &ObjectOf::from_config, [] { return arguments_of<C>(); },
            &typeid(Derived)};
  }

 private:
  C config_;
};

// {module, class_name, config, registered_name}, or a function's name. UnregisteredError as own_object_json.
Json object_json(const Configured& object, std::string_view kind, std::string_view keras_module, bool keras_own);

template <class Interface>
Json encode(const Object<Interface>& object) {
  if (!object) return Json(nullptr);
  const Interface& one = *object;
  const auto& list = Interface::classes();
  const bool keras_own = std::any_of(list.begin(), list.end(),
                                     [&](const ObjectClass<Interface>& c) { return c.type && *c.type == typeid(one); });
  return object_json(one, Interface::kKind, Interface::kModule, keras_own);
}

template <class Interface>
void decode(const Json& json, Object<Interface>& out) {
  if (json.is_null())
    out = {};
  else if (json.is_string())
    out = Object<Interface>(json.as_string());
  else if (const std::string name = function_name(json); !name.empty())
    out = Object<Interface>(name);
  else {
    const Json* config = json.as_object().find("config");
    out = Object<Interface>::make(WrittenClass::of(json.as_object()),
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
