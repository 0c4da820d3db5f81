// One small model followed all the way down: the graph, the program, what the passes make of it, the plan, the times.
// docs/tour.md explains what this prints.
#include <ramet/ramet.h>

#include <iostream>

using namespace ramet;

int main() {
  set_random_seed(1);
  const auto in = Input({4}, {.name = "x"});
  const auto h = Dense(3, {.activation = "relu"}, {.name = "hidden"})(in);
  const Model model(in, Dense(2, {}, {.name = "out"})(h), {.name = "small"});

  std::cout << "-- graph\n";
  for (const auto& layer : model.layers())
    std::cout << layer->name() << " " << layer->class_name() << " " << layer->count_params() << '\n';

  const StepView predict = inspect(model, Array({2, 4}));
  std::cout << "\n-- program, traced\n" << predict.program << "\n-- program, after the passes\n" << predict.optimized;
  std::cout << "\n-- plan\n" << predict.plan;

  Model trained = model;
  trained.compile({.optimizer = SGD(0.1), .loss = "mse"});
  const StepView train = inspect(trained, Array({2, 4}), Array({2, 2}));
  std::cout << "\n-- one training step, after the passes\n" << train.optimized;
  std::cout << "\n-- its plan: " << train.arena_bytes << " bytes of memory, " << train.live_bytes
            << " of them alive at once\n"
            << train.plan;
}
