// Every misuse is refused by the right kind of error, in words that name who, what and what to do, and leaves the model
// as it was.
#include <doctest/doctest.h>

#include "tests/support/misuse.h"

using namespace ramet;
using namespace ramet::testing;

namespace ramet::testing {

Model misused_model() {
  set_random_seed(1);
  auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
  const Dense shared(3, {.activation = "relu"}, {.name = "shared"});
  auto x = shared(a), y = shared(b);
  auto sum = Dense(2, {}, {.name = "sum"})(Dropout(0.5, {.name = "noise"})(Add(LayerOptions{.name = "add"})({x, y})));
  auto mean = Dense(1, {}, {.name = "mean"})(Average(LayerOptions{.name = "average"})({x, y}));
  Model model({a, b}, {sum, mean}, {.name = "subject"});
  model.compile({.optimizer = "adam", .loss = "mse"});
  return model;
}

}  // namespace ramet::testing

namespace {

const char* kind_of(Refusal refusal) {
  return refusal == Refusal::usage ? "UsageError" : refusal == Refusal::data ? "DataError" : "DeviceError";
}

struct Caught {
  std::string kind, message;
};
Caught run(const std::function<void(Model&)>& code, Model& model) {
  try {
    code(model);
  } catch (const UsageError& e) { return {"UsageError", e.what()}; } catch (const DataError& e) {
    return {"DataError", e.what()};
  } catch (const DeviceError& e) { return {"DeviceError", e.what()}; } catch (const std::exception& e) {
    return {"another error", e.what()};
  }
  return {"nothing", "it was accepted"};
}

}  // namespace

TEST_CASE("misuse: a hundred cases and more are refused by name and leave the model as it was") {
  int cases = 0;
  Arrays x;
  for (int i = 0; i < 2; ++i) x.push_back(Array::random_normal({5, 4}));
  for (const auto& table : {argument_misuses(), call_misuses(), model_misuses(), data_misuses(), training_misuses()})
    for (const Misuse& misuse : table) {
      ++cases;
      Model model = misused_model();
      const Arrays before = model.predict(x);
      Arrays weights;
      for (const Array& w : model.get_weights()) weights.push_back(w.copy());

      const Caught caught = run(misuse.code, model);
      INFO(std::string(misuse.name), ": ", caught.kind, ": ", caught.message);
      CHECK(caught.kind == kind_of(misuse.refusal));
      for (const char* piece : misuse.says) {
        INFO("which should say: ", std::string(piece));
        CHECK(caught.message.find(piece) != std::string::npos);
      }

      const Arrays after = model.predict(x);
      for (std::size_t i = 0; i < before.size(); ++i) CHECK(after[i].identical(before[i]));
      for (std::size_t i = 0; i < weights.size(); ++i) CHECK(model.get_weights()[i].identical(weights[i]));
    }
  CHECK(cases >= 100);
}

TEST_CASE("misuse: a Sequential that refuses a layer is as it was") {
  Sequential model(Input({4}), {Dense(3)});
  const Array x = Array::random_normal({2, 4}), before = model.predict(x);
  CHECK_THROWS_AS(model.add(Conv2D(2, 3)), UsageError);
  CHECK(model.layers().size() == 1);
  CHECK(static_cast<Array>(model.predict(x)).identical(before));
  model.add(Dense(2));
  CHECK(static_cast<Array>(model.predict(x)).shape() == Shape{2, 2});
}
