// Configurable objects that Keras names by a string or writes as {module, class_name, config}: initializers,
// regularizers, constraints, losses, metrics, optimizers. A kind of object is a list of records; each record has a
// config struct with a field table.
#pragma once
#include <algorithm>
#include <memory>

#include "ramet/base/arguments.h"
#include "ramet/base/strings.h"
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
    const std::string near = nearest(name, names);
    throw UsageError(cat("unknown ", Interface::kKind, " '", name, "'",
                         near.empty() ? "" : cat("; did you mean '", near, "'?"), " (", join(names, ", "), ")"));
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

struct NoConfig {
  static constexpr Fields fields{};
};

}  // namespace ramet
