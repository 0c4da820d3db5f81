// Arrays of the shapes a model takes, for commands that look at a step without data of the user's.
#pragma once
#include "cli/args.h"
#include "ramet/array/feed.h"
#include "ramet/graph/model.h"

namespace ramet::cli {

struct StepData {
  Model model;  // compiled when `train`
  Feed x, y;    // y stays empty unless `train`
};

// Opens the model. Sizes that it leaves open are `batch_size` for the batch and `length` elsewhere. A model whose file
// says nothing about training gets a mean squared error and Adam.
StepData step_data(const std::string& path, std::int64_t batch_size, std::int64_t length, bool train);

}  // namespace ramet::cli
