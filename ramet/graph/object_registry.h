// What the caller adds to the names that files may use: classes of every kind (layers, losses, metrics, optimizers,
// schedules, initializers, regularizers, constraints) and functions. One registry for the rest of the process, and one
// for the time of a load_model.
#pragma once
#include <memory>
#include <optional>
#include <typeinfo>

#include "ramet/base/arguments.h"
#include "ramet/graph/any_function.h"

namespace ramet {

class Layer;

struct ObjectRegistration {
  std::string_view kind = "";  // "layer", "loss", "metric", …
  std::string class_name = "", package = "";
  const std::type_info* type = nullptr;
  // What it makes is of the kind's base class.
  std::function<std::shared_ptr<const void>(const JsonObject&)> from_config = nullptr;
  std::vector<ArgumentInfo> (*arguments)() = nullptr;

  std::string name() const { return cat(package, ">", class_name); }
};

// For load_model's `objects`: {object<ScaleLayer>("my_package"), object<PinballLoss>("my_package")}.
template <class T>
ObjectRegistration object(const std::string& package) {
  if constexpr (requires { typename T::LayerClass; })  // a Handle
    return object<typename T::LayerClass>(package);
  else if constexpr (std::derived_from<T, Layer>)
    return T::registration(package);
  else {
    using Interface = typename T::Interface;
    const auto make = [](const JsonObject& config) -> std::shared_ptr<const void> {
      const std::shared_ptr<const Interface> made = T::from_config(config);
      return made;
    };
    return {Interface::kKind, std::string(T::kClassName), package, &typeid(T), make, [] {
              return arguments_of<typename T::Config>();
            }};
  }
}

// Makes a class known for the rest of the process: files then hold it as "package>Name". UsageError when the name is
// taken by another class. Safe to call from any thread, like everything here.
void register_object(const ObjectRegistration& registration);
template <class T>
void register_object(const std::string& package) {
  register_object(object<T>(package));
}

// Makes a function known by its name for the rest of the process: "name" or "package>name". UsageError when the name
// is taken.
void register_function(const std::string& name, AnyFunction function);

// A config whose True and False are numbers where the class takes numbers, as Python takes them.
JsonObject with_numbers(JsonObject config, std::vector<ArgumentInfo> (*arguments)());

// How a file names a class: {"module", "class_name", "registered_name"}.
struct WrittenClass {
  std::string class_name;
  std::string registered_name;  // empty when the file says none
  Json module = nullptr;
  static WrittenClass of(const JsonObject& object);
  // Whether Keras' own class may be meant. The same name from elsewhere is another class.
  bool may_be_keras() const;
  // Whether it can be nothing else.
  bool must_be_keras() const;
};

// The caller's class that is meant: one given to this load, or a registered one; null when there is none.
std::shared_ptr<const ObjectRegistration> find_object(std::string_view kind, const WrittenClass& written);

// The caller's function of that name: one given to this load, or a registered one. "name" also finds "package>name",
// because Keras up to 3.6 left the package out.
std::optional<AnyFunction> find_function(const std::string& name);

// The package that objects of this class are saved under; empty when nobody registered it.
std::string package_of(std::string_view kind, const std::type_info& type, std::string_view class_name);
// Remembers the package of a class that was given to one load only, so that what was loaded can be saved again.
void remember_package(const ObjectRegistration& registration);

// {"class_name": "function", …} as Keras writes it.
Json function_json(const std::string& name);
// The name of the function that this says; empty when it says something else.
std::string function_name(const Json& json);

// While it lives, this thread writes a file: what nothing could read again is refused.
class SaveScope {
 public:
  SaveScope();
  ~SaveScope();
  SaveScope(const SaveScope&) = delete;
  SaveScope& operator=(const SaveScope&) = delete;
  static bool active();

 private:
  bool before_;
};

// Thrown for a class of the caller's that would be saved and that nobody registered.
class UnregisteredError : public UsageError {
 public:
  using UsageError::UsageError;
};

// {module, class_name, config, registered_name} of the caller's class. `origin`: what its file said. UnregisteredError
// within a SaveScope when nobody registered it.
Json own_object_json(std::string_view kind, const std::type_info& type, std::string_view class_name, JsonObject config,
                     const std::optional<WrittenClass>& origin);

}  // namespace ramet
