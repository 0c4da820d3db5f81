// Prediction that must not wait: a plan for fixed shapes, bound once.
#pragma once
#include <memory>
#include <span>

#include "ramet/array/array.h"

namespace ramet {

// Made by Model::predictor. Calls allocate nothing and take no lock; each thread has its own Predictor. It keeps the
// model alive and sees its weights as they are, so the model must not be trained while a call runs.
class Predictor {
 public:
  // One float32 input and one float32 output. UsageError when the sizes are not those of the shapes.
  void operator()(std::span<const float> input, std::span<float> output);
  void run(std::span<const float> input, std::span<float> output) { (*this)(input, output); }
  // Any inputs and outputs, by pointers to as many elements as their shapes say, of the types the model declares.
  void run(std::span<const void* const> inputs, std::span<void* const> outputs);

  const std::vector<Shape>& input_shapes() const;
  const std::vector<Shape>& output_shapes() const;

 private:
  friend class Model;
  struct State;
  explicit Predictor(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace ramet
