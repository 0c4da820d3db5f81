#include "ramet/train/training.h"

#include <algorithm>

namespace ramet::train {
namespace {

void collect_flags(const Layer& layer, std::vector<bool>& out) {
  out.push_back(layer.trainable());
  for (const auto& v : layer.own_variables()) out.push_back(v->trainable);
  for (const auto& inner : layer.sublayers()) collect_flags(*inner, out);
}

}  // namespace

std::uint64_t StepPlan::version() const {
  std::uint64_t sum = 0;
  for (const auto& v : read) sum += v->version();
  return sum;
}

void StepPlan::run(std::span<void*> external, std::uint64_t version) const {
  executable->run(external.data(), version);
  for (std::int64_t i = 1; i < slices; ++i) {
    for (std::size_t k = 0; k < external.size(); ++k) external[k] = static_cast<char*>(external[k]) + slice_bytes[k];
    executable->run(external.data(), version);
  }
}

std::shared_ptr<Training> Training::of(const ModelLayer& model) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto& state = const_cast<ModelLayer&>(model).training_state;
  if (!state) state = std::make_shared<Training>();
  return std::static_pointer_cast<Training>(state);
}

StepPlanRef Training::plan(ModelLayer& model, const BatchSignature& signature) {
  const std::lock_guard lock(mutex_);
  const auto& outputs = model.graph().flat_outputs();
  if (outputs != outputs_) plans_.clear(), outputs_ = outputs;
  // Freezing a layer changes what a training step computes.
  if (signature.kind != StepKind::predict) {
    std::vector<bool> flags;
    collect_flags(model, flags);
    if (flags != trainable_) {
      std::erase_if(plans_, [](const Cached& c) { return c.signature.kind != StepKind::predict; });
      trainable_ = flags;
    }
  }
  const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const Cached& c) {
    return c.masks == model.mask_semantics && c.signature == signature;
  });
  if (found != plans_.end()) {
    std::rotate(found, found + 1, plans_.end());
    return plans_.back().plan;
  }
  StepPlanRef plan = make_plan(model, signature, *this);
  if (plans_.size() == kPlans) plans_.erase(plans_.begin());
  plans_.push_back({signature, model.mask_semantics, plan});
  return plan;
}

StepPlanRef Training::fresh_plan(ModelLayer& model, const BatchSignature& signature, std::string* traced) {
  const std::lock_guard lock(mutex_);
  return make_plan(model, signature, *this, traced);
}

void Training::drop_plans() {
  const std::lock_guard lock(mutex_);
  std::erase_if(plans_, [](const Cached& c) { return c.signature.kind != StepKind::predict; });
}

OptimizerState& Training::optimizer_state(const ModelLayer& model) {
  if (!compiled->optimizer) compiled->optimizer = compiled->options.optimizer->build(model.trainable_weights());
  return *compiled->optimizer;
}

Training::Owner::Owner(Training& training, const ModelLayer& model, const char* what) : training_(training) {
  require(!training.owned_.exchange(true), what, ": model '", model.name(),
          "' is being trained or compiled already; wait for that, or give each thread its own clone");
}
Training::Owner::~Owner() { training_.owned_ = false; }

std::vector<std::string> output_names(const ModelLayer& model) {
  const Arg& outputs = model.graph().outputs();
  if (!outputs.is_dict()) return model.output_names();
  std::vector<std::string> names;
  for (const auto* entry : outputs.sorted()) {
    if (!entry->second.is_leaf()) return model.output_names();
    names.push_back(entry->first);
  }
  return names;
}

}  // namespace ramet::train
