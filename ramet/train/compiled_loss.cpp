#include "ramet/train/compiled_loss.h"

#include <algorithm>
#include <set>

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

// Lists by output.
std::vector<std::vector<Named<MetricBase>>> spread(const MetricArgs& given, const std::vector<std::string>& outputs,
                                                   const char* what) {
  std::vector<std::vector<Named<MetricBase>>> out(outputs.size());
  if (given.empty() || (given.is_list() && given.list().empty())) return out;
  // {{"label", …}, …}: every entry is a list that begins with the name of an output.
  const auto places = places_of(outputs);
  const auto output_of = [&](const MetricArgs& entry) {
    if (!entry.is_list() || entry.list().size() < 2 || entry.list()[0].is_list()) return outputs.size();
    const auto at = places.find(entry.list()[0].one().name());
    return at == places.end() ? outputs.size() : at->second;
  };
  const bool by_name = given.is_list() && std::all_of(given.list().begin(), given.list().end(),
                                                      [&](const auto& e) { return output_of(e) < outputs.size(); });
  if (by_name) {
    for (const auto& entry : given.list())
      for (std::size_t i = 1; i < entry.list().size(); ++i) flatten(entry.list()[i], out[output_of(entry)]);
  } else if (outputs.size() == 1) {
    flatten(given, out[0]);
  } else {
    require(given.is_list() && given.list().size() == outputs.size(), "Invalid `", what, "`. `", what,
            "` should contain metrics objects and either be a dict or a list matching the output names of the "
            "functional model ",
            quoted(outputs), "; it has ", given.is_list() ? given.list().size() : 1, " entries");
    for (std::size_t i = 0; i < outputs.size(); ++i) flatten(given.list()[i], out[i]);
  }
  return out;
}

std::string name_of(const Named<MetricBase>& metric) {
  return metric.object() ? metric.object()->name() : metric.name();
}

}  // namespace

std::vector<OutputLoss> losses_by_output(const CompileOptions& options, const std::vector<std::string>& outputs) {
  if (options.loss.by_name()) {
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

std::vector<OutputMetric> metrics_by_output(const CompileOptions& options, const std::vector<std::string>& outputs) {
  std::vector<OutputMetric> out;
  std::map<std::string, int> seen;
  const auto add = [&](const MetricArgs& args, bool weighted, const char* what) {
    const auto lists = spread(args, outputs, what);
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
  return Metric(name);
}

void check_names(const CompileOptions& options) {
  for (const auto& loss : options.loss.values())
    if (!loss.name().empty() && !is_crossentropy(loss.name())) (void)Loss(loss.name());
}

}  // namespace ramet::train
