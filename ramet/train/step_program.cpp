// One step as one program: forward, loss, penalties, gradients, clipping, optimizer, constraints, metrics.
#include <algorithm>
#include <numeric>

#include "ramet/ir/gradients.h"
#include "ramet/ir/text.h"
#include "ramet/ops/ops.h"
#include "ramet/passes/row_slices.h"
#include "ramet/train/compiled_loss.h"
#include "ramet/train/training.h"

namespace ramet::train {
namespace {

class StepBuilder {
 public:
  StepBuilder(ModelLayer& model, const BatchSignature& signature, Training& training, std::string* traced)
      : model_(model),
        signature_(signature),
        training_(training),
        traced_(traced),
        program_(std::make_unique<Program>()),
        trace_(*program_, signature.kind == StepKind::train, model.mask_semantics) {}

  StepPlanRef build() {
    enter(signature_.x, StepPlan::Source::x, "x", x_);
    enter(signature_.y, StepPlan::Source::y, "y", y_);
    enter(signature_.weight, StepPlan::Source::weight, "sample_weight", weight_);
    forward();
    if (signature_.kind == StepKind::predict) {
      for (std::size_t i = 0; i < outputs_.size(); ++i) {
        program_->output(names_[i], outputs_[i].value);
        plan_->outputs.push_back(outputs_[i].value.spec());
      }
    } else {
      const Value loss = total_loss();
      // Metrics see the predictions before the update, so their order does not matter; the step comes first to free its
      // memory early.
      if (signature_.kind == StepKind::train) optimize(loss);
      measure();
    }
    return finish();
  }

 private:
  static Value scalar(Value x, double v) { return ops::scalar_like(x, v); }

  void enter(const std::vector<std::optional<Spec>>& specs, StepPlan::Source source, const char* name, Values& out) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      out.push_back({});
      if (!specs[i]) continue;
      out.back() = program_->input(cat(name, i), *specs[i]);
      plan_->inputs.push_back({source, i, nullptr});
    }
  }

  void forward() {
    TracedNest::List inputs;
    for (const Value x : x_) inputs.push_back(x ? TracedNest(Traced{x, {}}) : TracedNest());
    outputs_ = model_.trace(trace_, TracedArgs{{TracedNest(std::move(inputs))}, {}}).flatten();
    names_ = output_names(model_);
    batch_ = x_.empty() ? 1.0 : 0.0;
    for (const auto& s : signature_.x)
      if (s) batch_ = static_cast<double>(s->shape[0]);
  }

  // A mean over batches, each with this weight.
  void track_loss(const std::string& name, Value loss, double weight) {
    const metrics::Mean mean;
    const VariableRefs state = add_metric(name, mean, false);
    trace_.update(state[0], trace_.value_of(state[0]) + loss * weight);
    trace_.update(state[1], trace_.value_of(state[1]) + weight);
  }

  VariableRefs add_metric(const std::string& name, Metric metric, std::optional<bool> higher) {
    VariableRefs state = metric->make_state();
    metrics_.push_back({name, metric, state});
    plan_->directions.emplace_back(name, higher);
    return state;
  }

  Value total_loss() {
    const auto losses = losses_by_output(training_.compiled->options, names_);
    const auto count = std::count_if(losses.begin(), losses.end(), [](const auto& l) { return !l.loss.empty(); });
    Value total;
    const auto add = [&](Value v) { total = total ? total + v : v; };
    std::vector<std::pair<std::string, Value>> tracked;
    const std::vector<std::string> loss_names = Outputs(model_).loss_names();
    for (std::size_t i = 0; i < losses.size(); ++i) {
      if (losses[i].loss.empty()) continue;
      require(static_cast<bool>(y_[i]), "Output '", names_[i],
              "' has a loss but no target; give one in y, or set its loss to nullptr");
      Value p = outputs_[i].value;
      Value loss;
      try {
        loss = (*resolve_loss(losses[i].loss, y_[i].shape(), p.shape()))(y_[i], p, weight_[i], outputs_[i].mask);
      } catch (const UsageError& error) {
        throw UsageError(cat("loss of output '", names_[i], "' (target ", y_[i].spec(), ", prediction ", p.spec(),
                             "): ", error.what()));
      }
      require(loss.rank() == 0, "The loss of output '", names_[i],
              "' is not a scalar; use a reduction other than \"none\" to train with it");
      if (count > 1) {
        // Outputs of one layer have one name, and one log: that of the last, as in Keras.
        const std::string name = loss_names[i] + "_loss";
        std::erase_if(tracked, [&](const auto& earlier) { return earlier.first == name; });
        tracked.emplace_back(name, loss);
      }
      add(losses[i].weight ? loss * *losses[i].weight : loss);
    }
    for (const Value v : trace_.losses)
      add(ops::cast(v.rank() == 0 ? v : ops::reduce_sum(v, ops::all_axes(v)), DType::f32));
    for (const auto& v : model_.trainable_weights())
      if (v->regularizer) add(ops::cast(v->regularizer(trace_.value_of(v)), DType::f32));
    require(static_cast<bool>(total), "No loss to compute. Provide a `loss` argument in `compile()`.");
    // The loss counts a batch by its size, the losses of single outputs count all batches alike: what Keras does on
    // TensorFlow, where the size is not known when they are traced (docs/differences.md).
    track_loss("loss", total, batch_);
    for (const auto& [name, value] : tracked) track_loss(name, value, 1);
    return total;
  }

  void optimize(Value loss) {
    const VariableRefs trainable = model_.trainable_weights();
    const auto& optimizer = training_.compiled->options.optimizer;
    Values xs;
    for (const auto& v : trainable) xs.push_back(trace_.value_of(v));
    if (xs.empty()) return;
    const Value dy = scalar(loss, optimizer->options().loss_scale_factor.value_or(1));
    const Values g = gradients(std::vector<Value>{loss}, std::vector<Value>{dy}, xs);
    optimizer->apply(trace_, training_.optimizer_state(model_), trainable, g);
  }

  void measure() {
    for (const auto& m : metrics_by_output(training_.compiled->options, Outputs(model_))) {
      const std::size_t i = m.output;
      if (!y_[i]) continue;
      const Value p = ops::cast(outputs_[i].value, DType::f32);
      const Metric metric = resolve_metric(m.metric, y_[i].shape(), p.shape());
      const VariableRefs state = add_metric(m.log_name, metric, metric->higher_is_better());
      try {
        metric->update(trace_, state, y_[i], p, m.weighted ? weight_[i] : Value{}, outputs_[i].mask);
      } catch (const UsageError& error) {
        throw UsageError(
            cat("metric '", m.log_name, "' (target ", y_[i].spec(), ", prediction ", p.spec(), "): ", error.what()));
      }
    }
    for (const auto& m : metrics_) {
      Values values;
      for (const auto& v : m.state) values.push_back(trace_.value_of(v));
      program_->output(m.name, m.metric->result(values));
      plan_->log_names.push_back(m.name);
    }
    plan_->log_order.resize(metrics_.size());
    std::iota(plan_->log_order.begin(), plan_->log_order.end(), std::size_t{0});
    std::sort(plan_->log_order.begin(), plan_->log_order.end(),
              [&](auto a, auto b) { return plan_->log_names[a] < plan_->log_names[b]; });
  }

  StepPlanRef finish() {
    trace_.finish();
    std::map<const Variable*, std::size_t> metric_index;
    for (const auto& m : metrics_)
      for (const auto& v : m.state) metric_index[v.get()] = plan_->metric_variables++;
    // Data came first; state inputs follow in the order of their first use.
    std::size_t at = 0;
    std::vector<StepPlan::Input> data = std::move(plan_->inputs), all;
    std::size_t next = 0;
    for (const auto& input : program_->inputs()) {
      if (input.kind == InputKind::data) {
        all.push_back(data[next++]);
        continue;
      }
      const VariableRef& v = trace_.variables()[at++];
      if (const auto found = metric_index.find(v.get()); found != metric_index.end())
        all.push_back({StepPlan::Source::metric, found->second, nullptr});
      else {
        all.push_back({StepPlan::Source::variable, 0, v});
        (input.update >= 0 ? plan_->updated : plan_->read).push_back(v);
      }
    }
    plan_->inputs = std::move(all);
    if (traced_) *traced_ = to_text(*program_);
    const std::int64_t slices =
        signature_.kind == StepKind::predict && may_slice_ ? row_slices(*program_, num_threads()) : 1;
    if (slices > 1) return sliced(slices);
    plan_->executable =
        Executable::compile(std::move(program_), cpu_backend(), {.frozen_state = signature_.kind == StepKind::predict});
    return plan_;
  }

  // The same step for one of `slices` parts of the batch.
  StepPlanRef sliced(std::int64_t slices) {
    BatchSignature part = signature_;
    for (auto& spec : part.x)
      if (spec) spec->shape[0] /= slices;
    StepBuilder builder(model_, part, training_, nullptr);
    builder.may_slice_ = false;
    builder.build();
    StepPlan& plan = *builder.plan_;
    plan.slices = slices;
    plan.outputs = plan_->outputs;
    const Program& program = plan.executable->program();
    const auto bytes = [&](int value) {
      const Spec& spec = program.spec(value);
      return static_cast<std::size_t>(element_count(spec.shape)) * size_of(spec.dtype);
    };
    for (const auto& input : program.inputs())
      plan.slice_bytes.push_back(input.kind == InputKind::data ? bytes(input.value) : 0);
    for (const auto& output : program.outputs()) plan.slice_bytes.push_back(bytes(output.value));
    return builder.plan_;
  }

  struct Measured {
    std::string name;
    Metric metric;
    VariableRefs state;
  };
  ModelLayer& model_;
  const BatchSignature& signature_;
  Training& training_;
  std::string* traced_;
  bool may_slice_ = true;
  std::unique_ptr<Program> program_;
  Trace trace_;
  std::shared_ptr<StepPlan> plan_ = std::make_shared<StepPlan>();
  Values x_, y_, weight_;
  std::vector<Traced> outputs_;
  std::vector<std::string> names_;
  std::vector<Measured> metrics_;
  double batch_ = 1;
};

}  // namespace

StepPlanRef make_plan(ModelLayer& model, const BatchSignature& signature, Training& training, std::string* traced) {
  return StepBuilder(model, signature, training, traced).build();
}

}  // namespace ramet::train
