#include "ramet/graph/object_registry.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "ramet/base/strings.h"
#include "ramet/graph/load_context.h"

namespace ramet {
namespace {

std::mutex mutex;

using Registrations = std::vector<std::shared_ptr<const ObjectRegistration>>;
Registrations& registered() {
  static Registrations list;
  return list;
}
// Given to one load only: known for saving, not for loading.
Registrations& remembered() {
  static Registrations list;
  return list;
}
std::map<std::string, AnyFunction>& functions() {
  static std::map<std::string, AnyFunction> known;
  return known;
}

thread_local bool saving = false;

bool same_class(const ObjectRegistration& a, const ObjectRegistration& b) {
  return a.type && b.type && *a.type == *b.type;
}

bool means(const ObjectRegistration& r, std::string_view kind, const WrittenClass& written) {
  if (r.kind != kind) return false;
  const std::string own = r.name();
  const std::string& full = written.registered_name.empty() ? written.class_name : written.registered_name;
  return own == full || own == written.class_name ||
         (r.class_name == written.class_name && full.find('>') == full.npos && !written.must_be_keras());
}

std::string package_in(const Registrations& list, std::string_view kind, const std::type_info& type,
                       std::string_view class_name) {
  for (const auto& r : list)
    if (r->kind == kind && (r->type ? *r->type == type : r->class_name == class_name)) return r->package;
  return {};
}

}  // namespace

void register_object(const ObjectRegistration& r) {
  require(!r.package.empty() && r.package.find('>') == r.package.npos, "register_object: ", r.kind, " '", r.class_name,
          "': the package must be a name without '>'; got '", r.package, "'");
  const std::lock_guard lock(mutex);
  for (const auto& known : registered())
    if (known->kind == r.kind && known->name() == r.name()) {
      require(same_class(*known, r), "register_object: the ", r.kind, " '", r.name(),
              "' is registered already for another class; choose another name or package");
      return;
    }
  registered().push_back(std::make_shared<const ObjectRegistration>(r));
}

void register_function(const std::string& name, AnyFunction function) {
  require(!name.empty(), "register_function: a name is needed");
  const std::lock_guard lock(mutex);
  require(functions().emplace(name, std::move(function)).second, "register_function: '", name,
          "' is registered already; a name stands for one function");
}

JsonObject with_numbers(JsonObject config, std::vector<ArgumentInfo> (*arguments)()) {
  const std::function<bool(const Json&)> holds_bool = [&](const Json& value) {
    if (value.is_array()) return std::any_of(value.as_array().begin(), value.as_array().end(), holds_bool);
    return value.is_bool();
  };
  const std::function<Json(const Json&)> as_number = [&](const Json& value) {
    if (value.is_bool()) return Json(value.as_bool() ? 1 : 0);
    if (!value.is_array()) return value;
    JsonArray out;
    for (const Json& item : value.as_array()) out.push_back(as_number(item));
    return Json(std::move(out));
  };
  for (auto& [key, value] : config) {
    if (!arguments || !holds_bool(value)) continue;
    for (const ArgumentInfo& argument : arguments()) {
      const bool number = argument.type.find("float") != argument.type.npos;  // a count is never true
      if (argument.name == key && number) value = as_number(value);
    }
  }
  return config;
}

WrittenClass WrittenClass::of(const JsonObject& object) {
  WrittenClass out{object.at("class_name").as_string(), "", nullptr};
  if (const Json* registered = object.find("registered_name"); registered && registered->is_string())
    out.registered_name = registered->as_string();
  // Without the key (Keras 2) the class may be anybody's; with null it is one of a program's main file.
  const Json* module = object.find("module");
  out.module = module ? *module : Json("keras");
  if (module && module->is_null() && out.registered_name.empty()) out.module = Json("keras");
  return out;
}

bool WrittenClass::may_be_keras() const {
  if (registered_name.find('>') != registered_name.npos || !module.is_string()) return false;
  const std::string package = module.as_string().substr(0, module.as_string().find('.'));
  static constexpr std::string_view kPackages[] = {"keras", "keras_core", "tf_keras", "tensorflow"};
  return std::find(std::begin(kPackages), std::end(kPackages), package) != std::end(kPackages);
}

bool WrittenClass::must_be_keras() const {
  return registered_name.empty() && module.is_string() && module.as_string().starts_with("keras.");
}

std::shared_ptr<const ObjectRegistration> find_object(std::string_view kind, const WrittenClass& written) {
  if (const LoadContext* loading = LoadContext::current())
    for (const ObjectRegistration& r : loading->objects)
      if (means(r, kind, written)) return std::make_shared<const ObjectRegistration>(r);
  const std::lock_guard lock(mutex);
  for (const auto& r : registered())
    if (means(*r, kind, written)) return r;
  return nullptr;
}

std::optional<AnyFunction> find_function(const std::string& name) {
  const auto in = [&](const std::map<std::string, AnyFunction>& known) -> std::optional<AnyFunction> {
    if (const auto it = known.find(name); it != known.end()) return it->second;
    if (name.find('>') != name.npos) return std::nullopt;
    for (const auto& [full, function] : known)
      if (full.ends_with(">" + name)) return function;
    return std::nullopt;
  };
  if (const LoadContext* loading = LoadContext::current())
    if (auto found = in(loading->functions)) return found;
  const std::lock_guard lock(mutex);
  return in(functions());
}

std::string package_of(std::string_view kind, const std::type_info& type, std::string_view class_name) {
  const std::lock_guard lock(mutex);
  std::string package = package_in(registered(), kind, type, class_name);
  return package.empty() ? package_in(remembered(), kind, type, class_name) : package;
}

void remember_package(const ObjectRegistration& r) {
  const std::lock_guard lock(mutex);
  auto& list = remembered();
  const auto known = std::find_if(list.begin(), list.end(), [&](const auto& k) {
    return k->kind == r.kind && (k->type && r.type ? *k->type == *r.type : k->class_name == r.class_name);
  });
  if (known != list.end())
    *known = std::make_shared<const ObjectRegistration>(r);
  else
    list.push_back(std::make_shared<const ObjectRegistration>(r));
}

Json function_json(const std::string& name) {
  static constexpr const char* kNameless = "<lambda>";  // as Python calls it
  const bool nameless = name.empty() || name == kNameless;
  if (nameless && saving)
    throw UnregisteredError(
        "a C++ function without a name cannot be saved, because no file could bring it back; "
        "register_function(\"name\", fn) and give its name");
  return Json(JsonObject{{"module", Json("builtins")},
                         {"class_name", Json("function")},
                         {"config", Json(nameless ? kNameless : name)},
                         {"registered_name", Json("function")}});
}

std::string function_name(const Json& json) {
  const Json* kind = json.is_object() ? json.as_object().find("class_name") : nullptr;
  if (!kind || !kind->is_string() || kind->as_string() != "function") return {};
  const Json& name = json.at("config");
  // Only Keras' own functions and those the caller gave are ever looked up; the module says nothing more.
  return name.as_string();
}

SaveScope::SaveScope() : before_(saving) { saving = true; }
SaveScope::~SaveScope() { saving = before_; }
bool SaveScope::active() { return saving; }

Json own_object_json(std::string_view kind, const std::type_info& type, std::string_view class_name, JsonObject config,
                     const std::optional<WrittenClass>& origin) {
  JsonObject out{{"module", Json(nullptr)}, {"class_name", Json(std::string(class_name))}};
  std::string registered(class_name);
  if (origin && !origin->may_be_keras()) {
    out.set("module", origin->module);
    registered = origin->registered_name.empty() ? origin->class_name : origin->registered_name;
  } else if (const std::string package = package_of(kind, type, class_name); !package.empty()) {
    out.set("module", Json(package));
    registered = cat(package, ">", class_name);
  } else if (SaveScope::active())
    throw UnregisteredError(cat("the ", kind, " '", class_name,
                                "' is a class of your own that is not registered, so no file could bring it back; make "
                                "it known before: register_object<T>(\"my_package\")"));
  out.set("config", Json(std::move(config)));
  out.set("registered_name", Json(registered));
  return Json(std::move(out));
}

}  // namespace ramet
