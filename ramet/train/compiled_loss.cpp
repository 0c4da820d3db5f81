#include "ramet/train/compiled_loss.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ramet/train/training.h"

namespace ramet::train {
namespace {

std::string quoted(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& n : names) out.push_back(cat("'", n, "'"));
  return cat("[", join_some(out), "]");
}

// "crossentropy" and "accuracy" mean one of three, by shape.
enum class Task : unsigned char { binary, sparse, categorical };
Task task(const Shape& y_true, const Shape& y_pred) {
  const std::int64_t true_last = y_true.empty() ? 0 : y_true.back(), pred_last = y_pred.empty() ? 0 : y_pred.back();
  if (pred_last == 1) return Task::binary;
  return y_true.size() < y_pred.size() || (true_last == 1 && pred_last > 1) ? Task::sparse : Task::categorical;
}

std::string lower(std::string s) {
  for (char& c : s) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return s;
}
bool is_crossentropy(const std::string& name) { return lower(name) == "crossentropy" || lower(name) == "ce"; }
bool is_accuracy(const std::string& name) { return lower(name) == "accuracy" || lower(name) == "acc"; }

// Where each output stands; of several with one name, the first.
std::map<std::string_view, std::size_t> places_of(const std::vector<std::string>& outputs) {
  std::map<std::string_view, std::size_t> out;
  for (std::size_t i = 0; i < outputs.size(); ++i) out.emplace(outputs[i], i);
  return out;
}

// Values by output: nothing where none is given. `what` names the argument.
template <class T>
std::vector<std::optional<T>> spread(const PerOutput<T>& given, const std::vector<std::string>& outputs,
                                     const char* what) {
  std::vector<std::optional<T>> out(outputs.size());
  if (given.empty()) return out;
  if (given.nested()) {
    const std::vector<T> all = given.flatten();
    require(all.size() == outputs.size(), "compile: `", what, "` has ", all.size(), " entries for ", outputs.size(),
            " outputs ", quoted(outputs));
    return {all.begin(), all.end()};
  }
  if (given.by_name()) {
    const auto places = places_of(outputs);
    for (std::size_t i = 0; i < given.names().size(); ++i) {
      const auto at = places.find(given.names()[i]);
      if (at == places.end())
        throw UsageError(cat("Expected keys ", quoted(outputs), " in ", what, " dict, but found ", what,
                             ".keys()=", quoted(given.names())));
      out[at->second] = given.values()[i];
    }
    return out;
  }
  if (given.single()) return std::vector<std::optional<T>>(outputs.size(), given.values()[0]);
  require(given.values().size() == outputs.size(), "compile: `", what, "` has ", given.values().size(), " entries for ",
          outputs.size(), " outputs ", quoted(outputs));
  for (std::size_t i = 0; i < outputs.size(); ++i) out[i] = given.values()[i];
  return out;
}

void flatten(const MetricArgs& args, std::vector<Named<MetricBase>>& out) {
  if (!args.is_list() && !args.empty()) out.push_back(args.one());
  for (const auto& item : args.list()) flatten(item, out);
}

using MetricLists = std::vector<std::vector<Named<MetricBase>>>;

// Metrics in the structure of nested outputs; a list at an output is what that output has.
void follow(const MetricArgs& given, const Arg& structure, std::size_t& output, MetricLists& out, const char* what) {
  if (structure.is_leaf()) return flatten(given, out[output++]);
  std::vector<const Nest<Tensor>*> inside;
  std::vector<std::string> keys;
  if (structure.is_dict())
    for (const auto* entry : structure.sorted()) inside.push_back(&entry->second), keys.push_back(entry->first);
  else
    for (const auto& item : structure.list()) inside.push_back(&item);
  const bool fits = given.empty() || (given.is_dict() == structure.is_dict() && given.is_list() &&
                                      (given.is_dict() || given.list().size() == inside.size()));
  require(fits, "Invalid `", what, "`. `", what,
          "` should contain metrics objects and match the output structure of "
          "the model");
  for (std::size_t i = 0; i < inside.size(); ++i) {
    MetricArgs entry;
    if (given.is_dict()) {
      const auto at = std::find(given.names().begin(), given.names().end(), keys[i]);
      if (at != given.names().end()) entry = given.list()[static_cast<std::size_t>(at - given.names().begin())];
    } else if (given.is_list())
      entry = given.list()[i];
    follow(entry, *inside[i], output, out, what);
  }
}

bool is_flat(const Arg& structure) {
  if (structure.is_leaf()) return true;
  if (structure.is_dict())
    return std::all_of(structure.dict().begin(), structure.dict().end(),
                       [](const auto& e) { return e.second.is_leaf(); });
  return std::all_of(structure.list().begin(), structure.list().end(), [](const auto& n) { return n.is_leaf(); });
}

// Lists by output.
MetricLists spread(const MetricArgs& written, const Outputs& model, const char* what) {
  const std::vector<std::string>& outputs = model.names;
  MetricLists out(outputs.size());
  const MetricArgs given = by_output_name(written, outputs);
  if (given.empty() || (given.is_list() && given.list().empty())) return out;
  const auto places = places_of(outputs);
  const bool names_known =
      std::all_of(given.names().begin(), given.names().end(), [&](const std::string& n) { return places.contains(n); });
  if (outputs.size() == 1) {
    flatten(given, out[0]);
  } else if (given.is_dict() && names_known) {
    for (std::size_t i = 0; i < given.names().size(); ++i) flatten(given.list()[i], out[places.at(given.names()[i])]);
  } else if (model.structure && !is_flat(*model.structure) &&
             (given.is_dict() || given.list().size() != outputs.size())) {
    std::size_t output = 0;
    follow(given, *model.structure, output, out, what);
  } else {
    require(given.is_list() && !given.is_dict() && given.list().size() == outputs.size(), "Invalid `", what, "`. `",
            what,
            "` should contain metrics objects and either be a dict or a list matching the output names of the "
            "functional model ",
            quoted(outputs), "; it has ",
            given.is_dict() ? cat("the keys ", quoted(given.names()))
                            : cat(given.is_list() ? given.list().size() : 1, " entries"));
    for (std::size_t i = 0; i < outputs.size(); ++i) flatten(given.list()[i], out[i]);
  }
  return out;
}

bool knows_metric(const std::string& name) {
  const auto& list = MetricBase::classes();
  return std::any_of(list.begin(), list.end(), [&](const auto& c) {
    return snake_case(c.class_name) == name || std::find(c.aliases.begin(), c.aliases.end(), name) != c.aliases.end();
  });
}

std::string name_of(const Named<MetricBase>& metric) {
  return metric.object() ? metric.object()->name() : metric.name();
}

}  // namespace

Outputs::Outputs(const ModelLayer& model) : names(output_names(model)), structure(&model.graph().outputs()) {}

std::vector<std::string> Outputs::loss_names() const {
  if (!structure || is_flat(*structure)) return names;
  std::vector<std::string> out;
  const std::function<void(const Nest<Tensor>&, const std::string&)> walk = [&](const auto& nest,
                                                                                const std::string& way) {
    const auto step = [&](const Nest<Tensor>& item, const std::string& key, bool number) {
      if (item.is_leaf())
        out.push_back(way + (number ? names[out.size()] : key));
      else
        walk(item, cat(way, key, "/"));
    };
    if (nest.is_dict())
      for (const auto* entry : nest.sorted()) step(entry->second, entry->first, false);
    else
      for (std::size_t i = 0; i < nest.list().size(); ++i) step(nest.list()[i], std::to_string(i), true);
  };
  walk(*structure, "");
  return out;
}

std::vector<OutputLoss> losses_by_output(const CompileOptions& options, const std::vector<std::string>& outputs) {
  if (options.loss.by_name() && !options.loss.nested()) {
    std::set<std::string> got(options.loss.names().begin(), options.loss.names().end()),
        want(outputs.begin(), outputs.end());
    require(got == want, "Expected keys ", quoted(outputs),
            " in loss dict, but found loss.keys()=", quoted(options.loss.names()));
  }
  const auto losses = spread(options.loss, outputs, "loss");
  const auto weights = spread(options.loss_weights, outputs, "loss_weights");
  std::vector<OutputLoss> out;
  for (std::size_t i = 0; i < outputs.size(); ++i) out.push_back({losses[i].value_or(Named<LossBase>()), weights[i]});
  return out;
}

MetricArgs by_output_name(const MetricArgs& given, const std::vector<std::string>& outputs) {
  if (!given.is_list() || given.is_dict() || given.list().empty()) return given;
  const auto places = places_of(outputs);
  std::vector<std::string> names;
  std::vector<MetricArgs> entries;
  for (const MetricArgs& entry : given.list()) {
    const bool named = entry.is_list() && !entry.is_dict() && entry.list().size() >= 2 && !entry.list()[0].is_list() &&
                       places.contains(entry.list()[0].one().name());
    if (!named) return given;
    names.push_back(entry.list()[0].one().name());
    const std::vector<MetricArgs> rest(entry.list().begin() + 1, entry.list().end());
    entries.push_back(rest.size() == 1 ? rest[0] : MetricArgs(rest));
  }
  return MetricArgs::dict(std::move(names), std::move(entries));
}

std::vector<OutputMetric> metrics_by_output(const CompileOptions& options, const Outputs& model) {
  const std::vector<std::string>& outputs = model.names;
  std::vector<OutputMetric> out;
  std::map<std::string, int> seen;
  const auto add = [&](const MetricArgs& args, bool weighted, const char* what) {
    const auto lists = spread(args, model, what);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string prefix = outputs.size() > 1 ? outputs[i] + "_" : "";
      for (const auto& metric : lists[i]) {
        std::string name = prefix + name_of(metric);
        if (weighted && seen.contains(name)) name = cat(prefix, "weighted_", name_of(metric));
        if (const int n = seen[name]++; n > 0) name = cat(name, "_", n);
        out.push_back({metric, name, i, weighted});
      }
    }
  };
  add(options.metrics, false, "metrics");
  add(options.weighted_metrics, true, "weighted_metrics");
  return out;
}

Loss resolve_loss(const Named<LossBase>& loss, const Shape& y_true, const Shape& y_pred) {
  if (loss.object()) return loss.object();
  if (!is_crossentropy(loss.name())) return Loss(loss.name());
  switch (task(y_true, y_pred)) {
    case Task::binary: return losses::BinaryCrossentropy();
    case Task::sparse: return losses::SparseCategoricalCrossentropy();
    default: return losses::CategoricalCrossentropy();
  }
}

Metric resolve_metric(const Named<MetricBase>& metric, const Shape& y_true, const Shape& y_pred) {
  if (metric.object()) return metric.object();
  const std::string& name = metric.name();
  if (is_accuracy(name)) switch (task(y_true, y_pred)) {
      case Task::binary: return metrics::BinaryAccuracy();
      case Task::sparse: return metrics::SparseCategoricalAccuracy();
      default: return metrics::CategoricalAccuracy();
    }
  if (is_crossentropy(name)) switch (task(y_true, y_pred)) {
      case Task::binary: return metrics::BinaryCrossentropy();
      case Task::sparse: return metrics::SparseCategoricalCrossentropy();
      default: return metrics::CategoricalCrossentropy();
    }
  // Any loss' function can be a metric: the mean of its values.
  if (metric.is_function() && !knows_metric(name)) {
    const Loss loss(name);
    return MetricBase::from_function(name, [loss](Value y, Value p) { return loss->call(y, p).values; });
  }
  return Metric(name);
}

void check_names(const CompileOptions& options) {
  for (const auto& loss : options.loss.flatten())
    if (!loss.name().empty() && !is_crossentropy(loss.name())) (void)Loss(loss.name());
}

}  // namespace ramet::train
