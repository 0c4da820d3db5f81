// What a model keeps for training: how it was compiled, the optimizer's state, and the plans made so far. Internal to
// ramet/train.
#pragma once
#include <atomic>
#include <mutex>
#include <optional>

#include "ramet/base/gate.h"
#include "ramet/exec/executable.h"
#include "ramet/train/options.h"

namespace ramet::train {

enum class StepKind : unsigned char { train, test, predict };

// Specs of one batch; an undefined spec (no entry) stands for what is not given.
struct BatchSignature {
  StepKind kind = StepKind::predict;
  std::vector<std::optional<Spec>> x, y, weight;
  bool operator==(const BatchSignature&) const = default;
};

// One compiled program and where its inputs come from.
struct StepPlan {
  enum class Source : unsigned char { x, y, weight, variable, metric };
  struct Input {
    Source source;
    std::size_t index = 0;  // among the x, y, weights or metric variables
    VariableRef variable;
  };
  std::shared_ptr<const Executable> executable;
  std::vector<Input> inputs;                                            // as the program's
  VariableRefs read, updated;                                           // of the model and the optimizer
  std::vector<Spec> outputs;                                            // of the model (predict)
  std::vector<std::string> log_names;                                   // train, test: what the outputs are called
  std::vector<std::size_t> log_order;                                   // places of the logs in alphabetical order
  std::size_t metric_variables = 0;                                     // float32 scalars that start at 0
  std::vector<std::pair<std::string, std::optional<bool>>> directions;  // of the metrics: whether higher is better

  // Prediction may go through the executable in parts of the batch.
  std::int64_t slices = 1;
  std::vector<std::size_t> slice_bytes;  // by program input, then output: from one part to the next

  std::uint64_t version() const;  // of the variables it reads
  // Runs all parts; the pointers of what is cut move on to the last one.
  void run(std::span<void*> external, std::uint64_t version) const;
};
using StepPlanRef = std::shared_ptr<const StepPlan>;

struct Compiled {
  CompileOptions options;
  std::optional<OptimizerState> optimizer;  // once built
  // run_eagerly, steps_per_execution and jit_compile of a file: ways to run a step that change no result; written
  // again.
  JsonObject ways = {};
};

// Shared by all copies of a model.
class Training {
 public:
  static std::shared_ptr<Training> of(const ModelLayer& model);

  std::optional<Compiled> compiled;
  std::atomic<bool> stop{false};
  // Held while a step runs that only reads weights and yet changes state (stateful recurrent layers).
  std::mutex stateful;
  // Read by whoever looks at the model, for the whole call; written by each training step and by whoever changes it.
  Gate gate;

  // The plan for batches of this signature, made if need be. Safe from any thread.
  StepPlanRef plan(ModelLayer& model, const BatchSignature& signature);
  // One of the caller's own, with its own workspace.
  StepPlanRef fresh_plan(ModelLayer& model, const BatchSignature& signature, std::string* traced = nullptr);
  void drop_plans();
  // The optimizer's state, built if need be. REQUIRES: compiled.
  OptimizerState& optimizer_state(const ModelLayer& model);

  // The right to train or compile, of one thread at a time; UsageError for a second.
  class Owner {
   public:
    Owner(Training& training, const ModelLayer& model, const char* what);
    ~Owner();
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

   private:
    Training& training_;
  };

 private:
  struct Cached {
    BatchSignature signature;
    MaskSemantics masks;
    StepPlanRef plan;
  };
  static constexpr std::size_t kPlans = 64;  // kept; the least recently used one goes
  std::mutex mutex_;
  std::vector<Cached> plans_;
  std::vector<Tensor> outputs_;  // of the graph the plans were made for
  std::vector<bool> trainable_;  // flags of its layers and variables, when the training plans were made
  std::atomic<bool> owned_{false};
};

// Traces and compiles one step. `traced`, where given, receives the program's text before any pass.
StepPlanRef make_plan(ModelLayer& model, const BatchSignature& signature, Training& training,
                      std::string* traced = nullptr);

// Names of the outputs, for targets and logs: keys when the outputs are a dict, else the layers' names.
std::vector<std::string> output_names(const ModelLayer& model);

}  // namespace ramet::train
