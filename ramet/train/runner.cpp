#include "ramet/train/runner.h"

#include <cstring>

namespace ramet::train {

void bind_inputs(const StepPlan& plan, const Batches::Pointers& data, float* metrics, std::vector<void*>& external) {
  external.clear();
  for (const auto& input : plan.inputs) {
    const void* p = nullptr;
    switch (input.source) {
      case StepPlan::Source::x: p = data.x[input.index]; break;
      case StepPlan::Source::y: p = data.y[input.index]; break;
      case StepPlan::Source::weight: p = data.weight[input.index]; break;
      case StepPlan::Source::variable: p = input.variable->storage().raw(); break;
      case StepPlan::Source::metric: p = metrics + input.index; break;
    }
    external.push_back(const_cast<void*>(p));
  }
}

void Measuring::step(Batches& batches, std::int64_t batch) {
  if (BatchSignature now = batches.signature(batch, kind_); !plan_ || now != signature_) {
    plan_ = training_.plan(model_, now);
    signature_ = std::move(now);
    if (state_.size() != plan_->metric_variables) state_.assign(plan_->metric_variables, 0.0f);
    results_.resize(plan_->log_names.size());
  }
  bind_inputs(*plan_, batches.load(batch), state_.data(), external_);
  for (float& r : results_) external_.push_back(&r);
  // Whoever looks at the model meanwhile waits for the end of a training step.
  std::optional<Gate::Write> training_step;
  std::unique_lock<std::mutex> alone;
  if (kind_ == StepKind::train)
    training_step.emplace(training_.gate);
  else if (!plan_->updated.empty())
    alone = std::unique_lock(training_.stateful);
  const Gate::Read weights(Variable::gate());
  // Whatever happened, the elements may have changed.
  struct Touch {
    const StepPlan& plan;
    ~Touch() {
      for (const auto& v : plan.updated) v->touched();
    }
  } const touch{*plan_};
  plan_->executable->run(external_.data());
}

Logs Measuring::logs() const {
  Logs out;
  if (!plan_) return out;
  for (const std::size_t i : plan_->log_order) out.emplace_back(plan_->log_names[i], results_[i]);
  return out;
}

std::optional<bool> Measuring::direction(std::string_view log) const {
  if (plan_)
    for (const auto& [name, higher] : plan_->directions)
      if (name == log) return higher;
  return std::nullopt;
}

Arrays predict_nothing(Training& training, ModelLayer& model, const DataSet& data) {
  BatchSignature one;
  for (const Array& a : data.x) {
    one.x.emplace_back();
    if (!a.defined()) continue;
    one.x.back() = Spec{a.shape(), a.dtype()};
    one.x.back()->shape[0] = 1;
  }
  Arrays out;
  for (const Spec& spec : training.plan(model, one)->outputs) {
    Shape shape = spec.shape.empty() ? Shape{0} : spec.shape;
    shape[0] = 0;
    out.emplace_back(shape, spec.dtype);
  }
  return out;
}

Arrays predict_all(Training& training, ModelLayer& model, Batches& batches, std::int64_t steps,
                   const std::function<void(std::int64_t)>& before, const std::function<void(std::int64_t)>& after) {
  std::int64_t total = 0;
  for (std::int64_t b = 0; b < steps; ++b) total += batches.size(b);
  StepPlanRef plan;
  BatchSignature signature;
  std::vector<void*> external;
  std::vector<Arrays> parts;  // of outputs whose first axis is not the batch
  Arrays out;
  std::int64_t done = 0;
  for (std::int64_t b = 0; b < steps; ++b) {
    const std::int64_t n = batches.size(b);
    if (BatchSignature now = batches.signature(b, StepKind::predict); !plan || now != signature) {
      plan = training.plan(model, now);
      signature = std::move(now);
    }
    if (before) before(b);
    if (out.empty()) {
      parts.resize(plan->outputs.size());
      for (const Spec& spec : plan->outputs) {
        Shape shape = spec.shape;
        const bool by_batch = !shape.empty() && shape[0] == n;
        if (by_batch) shape[0] = total;
        out.push_back(by_batch ? Array(shape, spec.dtype) : Array());
      }
    }
    bind_inputs(*plan, batches.load(b), nullptr, external);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Spec& spec = plan->outputs[i];
      if (out[i].defined()) {
        require(!spec.shape.empty() && spec.shape[0] == n, "predict: output ", i,
                " has the samples as its first axis in some batches and not in others; use one batch size");
        const std::size_t bytes = out[i].byte_size() / static_cast<std::size_t>(total);
        external.push_back(static_cast<char*>(out[i].raw()) + static_cast<std::size_t>(done) * bytes);
      } else {
        parts[i].emplace_back(spec.shape.empty() ? Shape{1} : spec.shape, spec.dtype);
        external.push_back(parts[i].back().raw());
      }
    }
    {
      std::unique_lock<std::mutex> alone;
      if (!plan->updated.empty()) alone = std::unique_lock(training.stateful);
      const Gate::Read weights(Variable::gate());
      plan->run(external, plan->version());
      for (const auto& v : plan->updated) v->touched();
    }
    done += n;
    if (after) after(b);
  }
  // The rest is joined along the first axis, as Keras does.
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].defined()) continue;
    Shape shape = parts[i][0].shape();
    shape[0] = 0;
    for (const Array& a : parts[i]) shape[0] += a.dim(0);
    out[i] = Array(shape, parts[i][0].dtype());
    auto* to = static_cast<char*>(out[i].raw());
    for (const Array& a : parts[i]) std::memcpy(to, a.raw(), a.byte_size()), to += a.byte_size();
  }
  return out;
}

}  // namespace ramet::train
