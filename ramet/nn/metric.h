// What all metrics share. A metric is a description; its state lives with whoever measures (fit, evaluate), as
// variables of the program that updates it.
#pragma once
#include "ramet/graph/trace.h"
#include "ramet/nn/loss.h"

namespace ramet {

class MetricBase {
 public:
  static constexpr std::string_view kKind = "metric", kModule = "keras.metrics";
  static const std::vector<ObjectClass<MetricBase>>& classes();
  // A value per sample, of which the metric is the mean.
  using Function = std::function<Value(Value y_true, Value y_pred)>;
  static std::shared_ptr<const MetricBase> from_function(std::string name, Function function);
  virtual ~MetricBase() = default;
  virtual std::string_view class_name() const = 0;
  virtual JsonObject get_config() const = 0;
  virtual std::string name() const = 0;  // in logs

  // Names of the scalar float32 variables, all 0 at first.
  virtual std::vector<std::string> state_names() const { return {"total", "count"}; }
  // New variables for one use of the metric.
  VariableRefs make_state() const;
  // Emits the update for one batch. `sample_weight` and `mask` (of y_pred) may be undefined.
  virtual void update(Trace& trace, const VariableRefs& state, Value y_true, Value y_pred, Value sample_weight,
                      Value mask) const = 0;
  // The result, a scalar, from the state's values.
  virtual Value result(const Values& state) const;
  // Whether more is better; empty when that is not known.
  virtual std::optional<bool> higher_is_better() const { return std::nullopt; }
};
using Metric = Object<MetricBase>;

namespace metrics {

// Adds Σ w·values to state[0] and, unless the state is one variable (Sum), Σ w to state[1]. `values` has the batch
// first; `valid` is where they count, heeded only when there is a weight (as in Keras).
void update_mean(Trace& trace, const VariableRefs& state, Value values, Value sample_weight, Value valid = {});

}  // namespace metrics

struct PlainMetricConfig {
  std::string name = "";
  static constexpr auto fields = Fields{field("name", &PlainMetricConfig::name)};
};

// What a metric inherits for declaring a Config with `name`.
template <class Derived, class C>
class MetricOf : public ObjectOf<Derived, MetricBase, C> {
 public:
  using ObjectOf<Derived, MetricBase, C>::ObjectOf;
  std::string name() const final {
    if (!this->config().name.empty()) return this->config().name;
    if constexpr (requires { Derived::kDefaultName; })
      return std::string(Derived::kDefaultName);
    else
      return snake_case(Derived::kClassName);
  }
  JsonObject get_config() const final {
    JsonObject out = to_json(this->config());
    out.set("name", Json(name()));
    out.set("dtype", Json("float32"));
    return out;
  }
};

}  // namespace ramet
