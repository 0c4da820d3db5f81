// Running plans over batches. Internal to ramet/train.
#pragma once
#include "ramet/train/data.h"

namespace ramet::train {

// The state of metrics while somebody measures, and runs of the steps that update it.
class Measuring {
 public:
  Measuring(Training& training, ModelLayer& model, StepKind kind) : training_(training), model_(model), kind_(kind) {}

  void reset() { state_.assign(state_.size(), 0.0f); }
  // Runs one training or test step. Changes variables of the model when training.
  void step(Batches& batches, std::int64_t batch);
  Logs logs() const;  // after at least one step
  // Whether a higher value of this log is better; empty when unknown.
  std::optional<bool> direction(std::string_view log) const;

 private:
  Training& training_;
  ModelLayer& model_;
  StepKind kind_;
  StepPlanRef plan_;
  BatchSignature signature_;
  std::vector<float> state_, results_;
  std::vector<void*> external_;
};

// Outputs for all samples.
// What no samples give: outputs of the right shapes with nothing in them.
Arrays predict_nothing(Training& training, ModelLayer& model, const DataSet& data);
Arrays predict_all(Training& training, ModelLayer& model, Batches& batches, std::int64_t steps,
                   const std::function<void(std::int64_t)>& before, const std::function<void(std::int64_t)>& after);

// Binds a plan's inputs. `metrics` may be null for predict.
void bind_inputs(const StepPlan& plan, const Batches::Pointers& data, float* metrics, std::vector<void*>& external);

}  // namespace ramet::train
