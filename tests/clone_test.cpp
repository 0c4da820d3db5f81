// clone_model on the models that its known wrong versions fail on, one test each: T1 to T23 of docs/clone.md.
#include <doctest/doctest.h>

#include "ramet/ramet.h"
#include "tests/support/custom_layers.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// What must hold of every clone: same names in the same order, no shared weights, equal values once the weights are
// copied, masks on the same outputs, and a source that is as it was.
Model check_clone(const Model& model, const Arrays& inputs) {
  const Arrays before = model.predict(inputs);
  std::vector<int> calls;
  std::vector<std::size_t> arguments;
  for (const auto& node : model.layer().graph().nodes()) {
    calls.push_back(node->operation->node_count());
    arguments.push_back(node->arguments.kwargs.size());
  }

  Model clone = clone_model(model);

  REQUIRE(clone.layers().size() == model.layers().size());
  for (std::size_t i = 0; i < clone.layers().size(); ++i) {
    CHECK(clone.layers()[i]->name() == model.layers()[i]->name());
    CHECK(clone.layers()[i] != model.layers()[i]);
  }
  for (const auto& mine : clone.weights())
    for (const auto& theirs : model.weights()) CHECK(mine->identity() != theirs->identity());

  clone.set_weights(model.get_weights());
  const Arrays after = clone.predict(inputs);
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(after[i].identical(before[i]));
  for (std::size_t i = 0; i < model.outputs().size(); ++i)
    CHECK(clone.outputs()[i].masked() == model.outputs()[i].masked());

  const Arrays again = model.predict(inputs);
  for (std::size_t i = 0; i < again.size(); ++i) CHECK(again[i].identical(before[i]));
  std::size_t n = 0;
  for (const auto& node : model.layer().graph().nodes()) {
    CHECK(node->operation->node_count() == calls[n]);
    CHECK(node->arguments.kwargs.size() == arguments[n++]);
  }
  return clone;
}

// Padded token ids: 0 is padding.
Array ids() { return Array::of<std::int32_t>({3, 5}, {4, 2, 7, 0, 0, 1, 1, 3, 5, 0, 9, 0, 0, 0, 0}); }
Array other_ids() { return Array::of<std::int32_t>({3, 5}, {1, 0, 0, 0, 0, 2, 3, 0, 0, 0, 4, 5, 6, 7, 8}); }
Array sequence() {
  Array x = Array::random_normal({3, 5, 4});
  for (std::size_t i = 0; i < 8; ++i) x.data<float>()[12 + i] = 0;  // steps 3 and 4 of the first row are masked
  return x;
}
Tensor ids_input(const char* name = "") { return Input({None}, {.dtype = "int32", .name = name}); }

}  // namespace

TEST_CASE("T1: a Lambda with two outputs, both outputs of the model, in order") {
  const Tensor in = Input({4});
  const auto [a, b] = Lambda([](Value x) { return Values{x + 1.0, x}; })(in).unpack<2>();
  const Model model(in, {a, b});
  const Array x = Array::random_normal({3, 4});
  check_clone(model, {x});
  const Arrays y = model.predict(x);
  CHECK(y[1].identical(x));
}

TEST_CASE("T2: a Lambda with two outputs into a layer that swaps two") {
  const Tensor in = Input({4});
  const auto [a, b] = Lambda([](Value x) { return Values{x + 1.0, x * 2.0}; })(in).unpack<2>();
  const auto [c, d] = Swap()({a, b}).unpack<2>();
  const Model model(in, {c, d});
  const Array x = Array::full({2, 4}, 3);
  check_clone(model, {x});
  const Arrays y = model.predict(x);
  CHECK(y[0].at({0, 0}) == 6);
  CHECK(y[1].at({0, 0}) == 4);
}

TEST_CASE("T3: a Lambda that returns its input twice, added: the model of the first report") {
  const Tensor in = Input({4});
  const auto [a, b] = Lambda([](Value x) { return Values{x, x}; })(in).unpack<2>();
  const Model model(in, Add()({a, b}));
  const Array x = Array::full({2, 4}, 1.5);
  check_clone(model, {x});
  CHECK(Array(model.predict(x)).at({1, 3}) == 3);
}

TEST_CASE("T4: two inputs through one shared Dense stay shared") {
  const Tensor a = Input({4}), b = Input({4});
  const Dense shared(3);
  const Model model({a, b}, Add()({shared(a), shared(b)}));
  const Model clone = check_clone(model, {Array::random_normal({2, 4}), Array::random_normal({2, 4})});
  CHECK(clone.weights().size() == 2);
}

TEST_CASE("T5: padded ids through an Embedding with mask_zero into a SimpleRNN") {
  const Tensor in = ids_input();
  const Model model(in, SimpleRNN(3)(Embedding(10, 4, {.mask_zero = true})(in)));
  const Model clone = check_clone(model, {ids()});
  // Padding must not matter: the second row without its last step gives the same.
  const Array full = clone.predict(ids());
  const Array shorter = clone.predict(Array::of<std::int32_t>({1, 4}, {1, 1, 3, 5}));
  CHECK(max_difference(full.rows(1, 2), shorter) < 1e-6);
}

TEST_CASE("T6: Masking into GlobalAveragePooling1D gives the mean over the steps that are there") {
  const Tensor in = Input({5, 4});
  const Model model(in, GlobalAveragePooling1D()(Masking()(in)));
  const Array x = sequence();
  check_clone(model, {x});
  const Array y = model.predict(x);
  CHECK(y.at({0, 0}) == doctest::Approx((x.at({0, 0, 0}) + x.at({0, 1, 0}) + x.at({0, 2, 0})) / 3));
}

TEST_CASE("T7: a masked and an unmasked tensor added, into an RNN") {
  const Tensor in = Input({5, 4});
  const Model model(in, SimpleRNN(3)(Add()({Masking()(in), Dense(4)(in)})));
  check_clone(model, {sequence()});
}

TEST_CASE("T8: a masked and an unmasked tensor concatenated: a missing mask counts as all true") {
  const Tensor in = Input({5, 4});
  const Tensor both = Concatenate()({Masking()(in), Dense(4)(Lambda([](Value x) { return x * 1.0; })(in))});
  CHECK(both.masked());
  const Model model(in, GlobalAveragePooling1D()(both));
  check_clone(model, {sequence()});
}

TEST_CASE("T9: a Lambda whose function sees the mask and which makes a mask of its own") {
  const Tensor in = Input({5, 4});
  const auto layer =
      Lambda([](const LambdaInputs& in) { return in[0] * ops::cast(ops::expand_dims(in.masks[0], -1), DType::f32); },
             {.mask = [](const LambdaInputs& in) { return ops::logical_not(in.masks[0]); }});
  const Tensor y = layer(Masking()(in));
  CHECK(y.masked());
  const Model model(in, {y, GlobalAveragePooling1D()(y)});
  check_clone(model, {sequence()});
}

TEST_CASE("T10: tensors given as initial_state are edges of the graph") {
  const Tensor in = Input({5, 4}), state = Input({3});
  const auto [y, h] =
      SimpleRNN(3, {.return_sequences = true, .return_state = true})(in, {.initial_state = {state}}).unpack<2>();
  const Model model({in, state}, {y, h});
  check_clone(model, {sequence(), Array::random_normal({3, 3})});
}

TEST_CASE("T11: a nested model whose output carries a mask, into an RNN") {
  const Tensor inner_in = ids_input();
  const Model inner(inner_in, Embedding(10, 4, {.mask_zero = true})(inner_in));
  const Tensor in = ids_input();
  const Tensor embedded = inner(in);
  CHECK(embedded.masked());
  const Model model(in, SimpleRNN(3)(embedded));
  const Model clone = check_clone(model, {ids()});
  const Array shorter = clone.predict(Array::of<std::int32_t>({1, 4}, {1, 1, 3, 5}));
  CHECK(max_difference(Array(clone.predict(ids())).rows(1, 2), shorter) < 1e-6);
}

TEST_CASE("T12: a masked tensor into a nested Sequential with an RNN") {
  const Tensor in = ids_input();
  const Sequential inner(Input({None, 4}), {SimpleRNN(3), Dense(2)});
  const Model model(in, inner(Embedding(10, 4, {.mask_zero = true})(in)));
  const Model clone = check_clone(model, {ids()});
  const Array shorter = clone.predict(Array::of<std::int32_t>({1, 4}, {1, 1, 3, 5}));
  CHECK(max_difference(Array(clone.predict(ids())).rows(1, 2), shorter) < 1e-6);
}

TEST_CASE("T13: a layer shared at several depths, with a skip") {
  const Tensor in = Input({4});
  const Dense a(4, {.activation = "tanh"}), b(4);
  const Tensor once = a(in);
  const Model model(in, Add()({a(b(once)), once}));
  check_clone(model, {Array::random_normal({3, 4})});
}

TEST_CASE("T14: one mask from a layer with two outputs reaches both") {
  const Tensor in = Input({5, 4});
  const auto [a, b] = TwoOutputs()(Masking()(in)).unpack<2>();
  CHECK(a.masked());
  CHECK(b.masked());
  const Model model(in, {GlobalAveragePooling1D()(a), GlobalAveragePooling1D()(b)});
  const Array x = sequence();
  check_clone(model, {x});
  const Arrays y = model.predict(x);
  CHECK(y[1].at({0, 0}) == doctest::Approx(2 * (x.at({0, 0, 0}) + x.at({0, 1, 0}) + x.at({0, 2, 0})) / 3));
}

TEST_CASE("T15: a layer with two outputs that knows masks, where there is none") {
  const Tensor in = Input({5, 4});
  const auto [a, b] = TwoOutputs()(in).unpack<2>();
  CHECK(!a.masked());
  const Model model(in, Add()({a, b}));
  check_clone(model, {sequence()});
}

TEST_CASE("T16: a layer that reads the mask of its second input") {
  const Tensor plain = Input({5, 4}), masked = Input({5, 4});
  const Model model({plain, masked}, SecondMask()({plain, Masking()(masked)}));
  check_clone(model, {Array::random_normal({3, 5, 4}), sequence()});
}

TEST_CASE("T17: a layer that makes a mask for its first output only") {
  const Tensor in = Input({5, 4});
  const auto [a, b] = FirstMasked()(Masking()(in)).unpack<2>();
  CHECK(a.masked());
  CHECK(!b.masked());
  const Model model(in, {GlobalAveragePooling1D()(a), GlobalAveragePooling1D()(b), a});
  check_clone(model, {sequence()});
}

TEST_CASE("T18: intermediate and repeated outputs") {
  const Tensor in = Input({4});
  const Tensor h = Dense(3)(in);
  const Model model(in, {h, Dense(2)(h), h});
  const Model clone = check_clone(model, {Array::random_normal({3, 4})});
  CHECK(clone.outputs().size() == 3);
  CHECK(clone.outputs()[0] == clone.outputs()[2]);
}

TEST_CASE("T19: an RNN on a masked tensor with training = false: the source's arguments gain nothing") {
  const Tensor in = ids_input();
  const Model model(in, SimpleRNN(3)(Embedding(10, 4, {.mask_zero = true})(in), {.training = false}));
  const Model clone = check_clone(model, {ids()});
  for (const Model& m : {model, clone}) {
    const auto& kwargs = m.outputs()[0].node()->arguments.kwargs;
    REQUIRE(kwargs.size() == 1);
    CHECK(kwargs[0].first == "training");
  }
}

TEST_CASE("T20: the clone called on a second input uses the mask of the new ids") {
  const Tensor in = ids_input();
  const Model model(in, SimpleRNN(3)(Embedding(10, 4, {.mask_zero = true})(in)));
  const Model clone = clone_model(model, {.weights = Weights::copy});
  const Tensor second = ids_input();
  const Model again(second, clone(second));
  CHECK(Array(again.predict(other_ids())).identical(model.predict(other_ids())));
}

TEST_CASE("T21: a masked model replicated with relocation, the batch not divisible by the devices") {
  const Tensor in = ids_input();
  const Model model(in, SimpleRNN(3)(Embedding(10, 4, {.mask_zero = true})(in)));
  const Model wide = replicate(model, {"cpu:0", "cpu:1"}, {.cpu_relocation = true});
  CHECK(max_difference(wide.predict(ids()), model.predict(ids())) < 1e-6);
}

TEST_CASE("T22: a masked model with training = false on its RNN, called twice: each call has its own mask") {
  const Tensor in = ids_input();
  const Model encoder(in, SimpleRNN(3)(Embedding(10, 4, {.mask_zero = true})(in), {.training = false}));
  const Tensor a = ids_input(), b = ids_input();
  const Model siamese({a, b}, {encoder(a), encoder(b)});
  check_clone(siamese, {ids(), other_ids()});
  const Arrays y = siamese.predict({ids(), other_ids()});
  CHECK(y[0].identical(encoder.predict(ids())));
  CHECK(y[1].identical(encoder.predict(other_ids())));
}

TEST_CASE("T23: relocation and cloning with copied weights: all agree, and training shows exactly where promised") {
  set_random_seed(11);
  const Tensor in = Input({4});
  Model model(in, Dense(2)(Dense(5, {.activation = "tanh"})(in)));
  Model copy = clone_model(model, {.weights = Weights::copy});
  Model shared = clone_model(model, {.weights = Weights::share});
  const Model relocated = replicate(model, {"cpu:0", "cpu:1"}, {.cpu_relocation = true});
  Model wide = replicate(model, {"cpu:0", "cpu:1"});
  const Array x = Array::random_normal({6, 4}), y = Array::random_normal({6, 2});
  const Array before = Array(model.predict(x)).copy();
  for (const Model& m : {copy, shared, relocated, wide}) CHECK(max_difference(m.predict(x), before) < 1e-6);

  wide.compile({.optimizer = SGD(0.1), .loss = "mse"});
  wide.train_on_batch(x, y);
  const Array after = model.predict(x);
  CHECK(max_difference(after, before) > 1e-3);                 // the template was trained,
  CHECK(max_difference(wide.predict(x), after) < 1e-6);        // so was the parallel model,
  CHECK(Array(shared.predict(x)).identical(after));            // and what shares its weights;
  CHECK(Array(copy.predict(x)).identical(before));             // a copy was not,
  CHECK(max_difference(relocated.predict(x), before) < 1e-6);  // nor what was relocated before.
}
