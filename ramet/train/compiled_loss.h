// From what compile was given to what each output has: its loss and weight, its metrics and their names in logs.
// Internal to ramet/train.
#pragma once
#include "ramet/train/options.h"

namespace ramet::train {

struct OutputLoss {
  Named<LossBase> loss;  // may be empty
  std::optional<double> weight;
};
// One per output. UsageError when counts or names do not fit.
std::vector<OutputLoss> losses_by_output(const CompileOptions& options, const std::vector<std::string>& outputs);

struct OutputMetric {
  Named<MetricBase> metric;
  std::string log_name;
  std::size_t output = 0;
  bool weighted = false;
};
// What a model gives: names, and their structure where there is a graph (null otherwise).
struct Outputs {
  std::vector<std::string> names;
  const Arg* structure = nullptr;
  Outputs(std::vector<std::string> of) : names(std::move(of)) {}
  explicit Outputs(const ModelLayer& model);
  // What each one's loss is called in logs, without "_loss": the way to it where outputs are nested, as in "first/a".
  std::vector<std::string> loss_names() const;
};
// All metrics in Keras' order, weighted ones after the others, with unique names.
std::vector<OutputMetric> metrics_by_output(const CompileOptions& options, const Outputs& outputs);

// {{"label", {"mae"}}, …} as the dict that is meant: every entry is a list that begins with the name of an output. What
// is something else stays as it is.
MetricArgs by_output_name(const MetricArgs& given, const std::vector<std::string>& outputs);

// The loss or metric a name stands for, given the shapes of the targets and predictions.
Loss resolve_loss(const Named<LossBase>& loss, const Shape& y_true, const Shape& y_pred);
Metric resolve_metric(const Named<MetricBase>& metric, const Shape& y_true, const Shape& y_pred);

// Refuses names that mean nothing, before any data is there.
void check_names(const CompileOptions& options);

}  // namespace ramet::train
