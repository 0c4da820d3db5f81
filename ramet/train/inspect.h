// Looking inside a model's steps: the program, what the passes make of it, the plan, and where the time goes.
#pragma once
#include <string>
#include <vector>

#include "ramet/array/feed.h"
#include "ramet/graph/model.h"

namespace ramet {

// One step as text. With targets it is the training step of a compiled model, else prediction.
struct StepView {
  std::string program;    // as traced
  std::string optimized;  // after the passes
  std::string plan;       // kernels, and where every value lies
  std::size_t arena_bytes = 0, live_bytes = 0, prepared_bytes = 0;
  double seconds = 0;       // to trace, optimize and plan it
  std::int64_t slices = 1;  // parts of the batch that go through the plan one after the other
};

// What one kernel of a plan costs, for the whole batch. Seconds are the least of all rounds; operations and bytes are
// counted from the shapes.
struct StepTime {
  std::string what;  // op and shapes
  std::string kernel;
  double seconds = 0, flops = 0, bytes = 0;
};

struct StepProfile {
  std::vector<StepTime> steps;
  double seconds = 0;  // least time of a whole run, without a clock between the kernels
};

// Only the shapes and types of the arrays matter.
StepView inspect(const Model& model, const Feed& x, const Feed& y = {});

// Runs the step on copies of the model's variables: the model stays as it is.
StepProfile profile(const Model& model, const Feed& x, const Feed& y = {}, int rounds = 20);

}  // namespace ramet
