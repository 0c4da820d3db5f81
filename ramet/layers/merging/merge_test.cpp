#include "ramet/layers/merging/merge.h"

#include <doctest/doctest.h>

#include "ramet/graph/input.h"
#include "ramet/layers/core/masking.h"
#include "ramet/layers/merging/concatenate.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// The mask of the first output under a Keras version's rules, and whether there is one.
std::vector<double> mask_under(MaskSemantics semantics, const LayerRef& layer,
                               const std::vector<std::optional<std::vector<bool>>>& masks) {
  auto program = std::make_unique<Program>();
  Trace trace(*program, false, semantics);
  TracedNest::List inputs;
  Nest<Spec>::List specs;
  const Spec spec{{1, 4, 1}, DType::f32};
  for (const auto& m : masks) {
    Traced t{ops::zeros(*program, spec.shape), {}};
    if (m) {
      std::vector<float> numbers(m->begin(), m->end());
      t.mask = ops::cast(ops::constant(*program, Array::of<float>({1, 4}, numbers)), DType::boolean);
    }
    inputs.push_back(TracedNest(t));
    specs.push_back(Nest<Spec>(spec));
  }
  layer->prepare({{Nest<Spec>(specs)}, {}});
  const Traced out = layer->trace(trace, {{TracedNest(inputs)}, {}}).leaf();
  if (!out.mask) return {};
  program->output("mask", out.mask);
  return Executable::compile(std::move(program), reference_backend())->run(Arrays{})[0].to_doubles();
}

using Bits = std::vector<bool>;

}  // namespace

TEST_CASE("merged masks: OR in Keras 3, none when one is missing; AND of those there are in Keras 2") {
  const Bits a{1, 1, 0, 0}, b{1, 0, 1, 0};
  CHECK(mask_under(MaskSemantics::keras3, Add(), {a, b}) == std::vector<double>{1, 1, 1, 0});
  CHECK(mask_under(MaskSemantics::keras2, Add(), {a, b}) == std::vector<double>{1, 0, 0, 0});
  CHECK(mask_under(MaskSemantics::keras3, Add(), {a, std::nullopt}).empty());
  CHECK(mask_under(MaskSemantics::keras2, Add(), {a, std::nullopt}) == std::vector<double>{1, 1, 0, 0});
  CHECK(mask_under(MaskSemantics::keras3, Concatenate(), {a, b}) == std::vector<double>{1, 1, 1, 0});
  CHECK(mask_under(MaskSemantics::keras2, Concatenate(), {a, b}) == std::vector<double>{1, 0, 0, 0});
  CHECK(mask_under(MaskSemantics::keras3, Concatenate(), {a, std::nullopt}) == std::vector<double>{1, 1, 1, 1});
  CHECK(mask_under(MaskSemantics::keras3, Concatenate({.axis = 1}), {a, b}) ==
        std::vector<double>{1, 1, 0, 0, 1, 0, 1, 0});
  CHECK(mask_under(MaskSemantics::keras3, Concatenate(), {std::nullopt, std::nullopt}).empty());
}

TEST_CASE("a lower rank gets its axes after the batch") {
  const Array a = Array::of<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), b = Array::of<float>({2, 2}, {10, 20, 30, 40});
  const auto y = run_layer(Add(), {.inputs = Nest<Array>(Nest<Array>::List{a, b})}).outputs[0];
  CHECK(y.to_doubles() == std::vector<double>{11, 22, 13, 24, 35, 46, 37, 48});
  CHECK(to_string(Add()({Input({5, 8}), Input({8})}).shape()) == "(None, 5, 8)");
}
