// ramet describe: the arguments of a layer, loss, metric, optimizer, callback, op, of fit …
#include <algorithm>
#include <iostream>
#include <iterator>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/describe.h"
#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"
#include "ramet/graph/keras_names.h"
#include "ramet/graph/registry.h"
#include "ramet/nn/activations.h"
#include "ramet/nn/initializers.h"
#include "ramet/nn/losses.h"
#include "ramet/nn/metrics.h"
#include "ramet/nn/optimizers.h"
#include "ramet/nn/regularizers.h"

namespace ramet::cli {
namespace {

struct DescribeArgs {
  std::string name;
  bool json = false;
};
using F = Flags<DescribeArgs>;
constexpr Option kOptions[] = {
    F::argument<&DescribeArgs::name>("NAME", "a class, as Keras names it: Conv2D, Adam, mse. Without it all are listed",
                                     false),
    F::flag<&DescribeArgs::json>("--json", "", "one JSON document"),
};

template <class Interface>
void add_kind(std::vector<Entry>& out) {
  for (const ObjectClass<Interface>& c : Interface::classes()) {
    Entry entry{Interface::kKind, std::string(c.class_name), {snake_case(c.class_name)}, c.arguments};
    for (const std::string_view alias : c.aliases) entry.aliases.emplace_back(alias);
    out.push_back(std::move(entry));
  }
}

std::vector<ArgumentInfo> no_arguments() { return {}; }

std::vector<Entry> all_entries() {
  std::vector<Entry> out;
  for (const LayerRegistration& r : builtin_layers())
    if (r.arguments && r.package.empty())
      out.push_back({"layer", r.class_name, {snake_case(r.class_name)}, r.arguments});
  for (const std::string_view name : kActivationNames)
    out.push_back({"activation", std::string(name), {}, no_arguments});
  add_kind<InitializerBase>(out);
  add_kind<RegularizerBase>(out);
  add_kind<ConstraintBase>(out);
  add_kind<LossBase>(out);
  add_kind<MetricBase>(out);
  add_kind<OptimizerBase>(out);
  add_kind<ScheduleBase>(out);
  std::vector<Entry> calls = call_entries();
  std::move(calls.begin(), calls.end(), std::back_inserter(out));
  // Kinds stand together, in the order of their first entries.
  std::vector<std::string_view> kinds;
  for (const Entry& e : out)
    if (std::find(kinds.begin(), kinds.end(), e.kind) == kinds.end()) kinds.push_back(e.kind);
  std::stable_sort(out.begin(), out.end(), [&](const Entry& a, const Entry& b) {
    return std::find(kinds.begin(), kinds.end(), a.kind) < std::find(kinds.begin(), kinds.end(), b.kind);
  });
  return out;
}

std::string plural(std::string_view kind) {
  if (kind == "loss") return "losses";
  return kind.ends_with('y') ? cat(kind.substr(0, kind.size() - 1), "ies") : cat(kind, "s");
}

int list(const std::vector<Entry>& entries, bool json) {
  JsonObject kinds;
  std::vector<std::pair<std::string_view, std::vector<std::string>>> names;
  for (const Entry& e : entries) {
    if (names.empty() || names.back().first != e.kind) names.push_back({e.kind, {}});
    names.back().second.push_back(e.name);
  }
  for (const auto& [kind, members] : names) {
    if (json) {
      JsonArray out;
      for (const std::string& name : members) out.push_back(Json(name));
      kinds.set(plural(kind), Json(std::move(out)));
      continue;
    }
    std::cout << plural(kind) << '\n';
    for (const std::string& line : wrap(join(members, ", "), 96)) std::cout << "  " << line << '\n';
    std::cout << '\n';
  }
  if (json)
    print_json(Json(std::move(kinds)));
  else
    std::cout << "ramet describe NAME shows the arguments of one.\n";
  return 0;
}

// A serialized object by the name of its class, with what is not at its default inside.
std::string shown(const ArgumentInfo& a) {
  if (a.required) return "required";
  if (a.default_value.is_null()) return "None";
  if (a.default_value.is_bool()) return a.default_value.as_bool() ? "True" : "False";
  if (a.default_value.is_object())
    if (const Json* name = a.default_value.as_object().find("class_name"); name && name->is_string())
      return name->as_string();
  return a.default_value.dump();
}

Json to_json(const Entry& e) {
  JsonArray arguments;
  for (const ArgumentInfo& a : e.arguments())
    arguments.push_back(Json(JsonObject{{"name", Json(a.name)},
                                        {"type", Json(a.type)},
                                        {"required", Json(a.required)},
                                        {"default", a.required ? Json(nullptr) : a.default_value},
                                        {"rule", a.rule.empty() ? Json(nullptr) : Json(a.rule)}}));
  return Json(JsonObject{{"kind", Json(e.kind)}, {"name", Json(e.name)}, {"arguments", Json(std::move(arguments))}});
}

void print(const Entry& e) {
  std::cout << e.name << " (" << e.kind << ")\n";
  const auto arguments = e.arguments();
  if (arguments.empty()) {
    std::cout << "  takes no arguments\n";
    return;
  }
  Table table({"  argument", "default", "type"});
  for (const ArgumentInfo& a : arguments)
    table.row({"  " + a.name, shown(a), a.rule.empty() ? a.type : cat(a.type, ", ", a.rule)});
  std::cout << table.text();
  if (e.kind == "layer" && e.name != "Input")
    std::cout << "  and of every layer: name, trainable = True, dtype = \"float32\"\n";
}

int describe(const DescribeArgs& args) {
  const std::vector<Entry> entries = all_entries();
  if (args.name.empty()) return list(entries, args.json);
  std::vector<const Entry*> found;
  std::vector<std::string> names;
  for (const Entry& e : entries) {
    bool match = e.name == args.name;
    for (const std::string& alias : e.aliases) match = match || alias == args.name;
    if (match) found.push_back(&e);
    names.push_back(e.name);
  }
  if (found.empty()) {
    for (const std::string_view kind :
         {"layer", "initializer", "regularizer", "constraint", "loss", "metric", "optimizer", "learning rate schedule"})
      if (!keras_class(kind, args.name).empty()) throw WrongUsage(unknown_name(kind, args.name, names));
    const std::string near = nearest(args.name, names);
    throw WrongUsage(
        cat("there is nothing called ", quoted(args.name),
            near.empty() ? "; `ramet describe` lists what there is" : cat("; did you mean '", near, "'?")));
  }
  if (args.json && found.size() > 1) {
    JsonArray out;
    for (const Entry* e : found) out.push_back(to_json(*e));
    print_json(Json(std::move(out)));
  } else if (args.json) {
    print_json(to_json(*found[0]));
  } else {
    for (const Entry* e : found) print(*e);
  }
  return 0;
}

}  // namespace

constinit const Command describe_command{
    "describe",
    "the arguments of a layer, loss, optimizer, callback, op or of fit, with types and defaults",
    kOptions,
    "ramet describe Conv2D\n"
    "ramet describe adam\n"
    "ramet describe fit\n"
    "ramet describe",
    "",
    &run_with<DescribeArgs, describe>};

}  // namespace ramet::cli
