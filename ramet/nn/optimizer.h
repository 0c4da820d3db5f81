// What all optimizers share: one update of every trainable variable, emitted into the training program.
//
// An optimizer is a description. Its state (iteration, learning rate, slots) is made when a model is built for training
// and lives there as variables, so that a callback that changes the learning rate changes a variable and no plan.
#pragma once
#include "ramet/graph/trace.h"
#include "ramet/nn/schedules.h"

namespace ramet {

// What every optimizer takes besides its own arguments.
struct OptimizerOptions {
  std::optional<double> weight_decay, clipnorm, clipvalue, global_clipnorm;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<std::int64_t> ema_overwrite_frequency;
  std::optional<double> loss_scale_factor;
  std::optional<std::int64_t> gradient_accumulation_steps;
};

struct OptimizerState {
  VariableRefs trainable;     // what it was built for
  VariableRef iteration;      // int64
  VariableRef learning_rate;  // float32; null with a schedule
  VariableRefs averages, accumulators;
  std::vector<std::pair<std::string, VariableRefs>> slots;  // by name; one per trainable variable
  VariableRefs variables;                                   // all, in Keras' saved order

  const VariableRefs& slot(std::string_view name) const;
  int index_of(const Variable& variable) const;  // -1 when it was not built for it
};

class OptimizerBase : public Configured {
 public:
  using Interface = OptimizerBase;
  static constexpr std::string_view kKind = "optimizer", kModule = "keras.optimizers";
  static const std::vector<ObjectClass<OptimizerBase>>& classes();
  virtual std::string name() const = 0;
  virtual const LearningRate& learning_rate() const = 0;
  virtual OptimizerOptions options() const = 0;

  // Fresh state for these variables.
  OptimizerState build(const VariableRefs& trainable) const;
  // The rate of the next step, as a value.
  Value current_rate(Trace& trace, const OptimizerState& state) const;
  // Emits one update: unscaling, accumulation, clipping, weight decay, the step, averages, constraints, the counter.
  // `gradients` belong to `variables`, some of what the state was built for; those with an undefined gradient stay as
  // they are.
  void apply(Trace& trace, const OptimizerState& state, const VariableRefs& variables, const Values& gradients) const;
  // What leaves when training ends: averages become the variables' values.
  void finalize(const OptimizerState& state) const;

  // Whether weight decay spares this variable.
  bool excluded(const Variable& variable) const;

 protected:
  // What update_step sees of one variable. Slots are read and written by name.
  class Step {
   public:
    Step(Trace& trace, const OptimizerState& state, std::size_t i, Value iterations, Value rate)
        : t(iterations), lr(rate), trace_(trace), state_(state), index_(i) {}
    Value t;   // updates done, this one included: 1, 2, … as a float
    Value lr;  // both in the variable's type
    Value slot(std::string_view name) const { return trace_.value_of(state_.slot(name)[index_]); }
    void set(std::string_view name, Value value) { trace_.update(state_.slot(name)[index_], value); }

   private:
    Trace& trace_;
    const OptimizerState& state_;
    std::size_t index_;
  };
  // Groups of slot names; a group's slots stand side by side for each variable, groups one after another.
  virtual std::vector<std::vector<std::string>> slot_groups() const = 0;
  // The variable after a step along the gradient g.
  virtual Value update_step(Step& step, Value g, Value w) const = 0;

  std::vector<std::string> excluded_;  // regular expressions on paths

 private:
  Values clip(const Values& gradients) const;
};
using Optimizer = Object<OptimizerBase>;

// Refuses what no single option's rule can.
void check_options(std::string_view who, const OptimizerOptions& options);

// What an optimizer inherits for declaring a Config with the common members.
template <class Derived, class C>
class OptimizerOf : public ObjectOf<Derived, OptimizerBase, C> {
 public:
  OptimizerOf() : OptimizerOf(C{}) {}
  explicit OptimizerOf(C config) : ObjectOf<Derived, OptimizerBase, C>(std::move(config)) {
    check_options(Derived::kClassName, options());
  }
  OptimizerOf(LearningRate rate, C rest) : OptimizerOf((rest.learning_rate = std::move(rate), std::move(rest))) {}
  std::string name() const final {
    return this->config().name.empty() ? snake_case(Derived::kClassName) : this->config().name;
  }
  const LearningRate& learning_rate() const final { return this->config().learning_rate; }
  OptimizerOptions options() const final {
    const C& c = this->config();
    return {c.weight_decay,
            c.clipnorm,
            c.clipvalue,
            c.global_clipnorm,
            c.use_ema,
            c.ema_momentum,
            c.ema_overwrite_frequency,
            c.loss_scale_factor,
            c.gradient_accumulation_steps};
  }
  JsonObject get_config() const final {
    JsonObject out = to_json(this->config());
    out.set("name", Json(name()));
    return out;
  }
  // The same optimizer, whose weight decay spares variables whose path contains one of these (regular expressions).
  Derived exclude_from_weight_decay(std::vector<std::string> var_names) const {
    Derived copy(static_cast<const Derived&>(*this));
    copy.excluded_ = std::move(var_names);
    return copy;
  }
};

}  // namespace ramet
