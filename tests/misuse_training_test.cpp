// compile, fit, evaluate and what they are given.
#include "tests/support/misuse.h"

using namespace ramet;

namespace ramet::testing {
namespace {

const Array v = Array::zeros({5, 4}), y1 = Array::zeros({5, 2}), y2 = Array::zeros({5, 1});
const Arrays x{v, v}, y{y1, y2};

Model fresh() { return clone_model(misused_model()); }

// (None, 3) to three classes, compiled.
Model classifier() {
  const auto in = Input({3}, {.name = "x"});
  Model model(in, Dense(3, {.activation = "softmax"}, {.name = "class"})(in), {.name = "classifier"});
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  return model;
}
Array labels(std::initializer_list<std::int32_t> values) {
  return Array::of<std::int32_t>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

std::vector<Misuse> training_misuses() {
  return {
      {"fit before compile", [](Model&) { fresh().fit(x, y); }, {"compile()", "fit()"}},
      {"evaluate before compile", [](Model&) { fresh().evaluate(x, y); }, {"compile()", "evaluate()"}},
      {"train_on_batch before compile",
       [](Model&) { fresh().train_on_batch(x, y); },
       {"compile()", "train_on_batch()"}},
      {"test_on_batch before compile", [](Model&) { fresh().test_on_batch(x, y); }, {"compile()", "test_on_batch()"}},
      {"learning_rate before compile", [](Model&) { fresh().learning_rate(); }, {"compile()"}},
      {"a learning rate over a schedule",
       [](Model&) {
         Model m = fresh();
         m.compile({.optimizer = Adam(schedules::ExponentialDecay(0.1, 10, 0.9)), .loss = "mse"});
         m.set_learning_rate(0.1);
       },
       {"LearningRateSchedule", "not settable"}},
      {"fit with no samples",
       [](Model& m) {
         m.fit({Array::zeros({0, 4}), Array::zeros({0, 4})}, {Array::zeros({0, 2}), Array::zeros({0, 1})});
       },
       {"fit", "no samples"}},
      {"fit with nothing", [](Model& m) { m.fit(Feed(), y); }, {"fit", "no input data"}},
      {"fit without targets", [](Model& m) { m.fit(x, Feed()); }, {"Output 'sum'", "no target", "give one in y"}},
      {"fit with one target of two",
       [](Model& m) { m.fit(x, y1); },
       {"fit", "1 array", "2 outputs", "'sum'", "'mean'"}},
      {"fit with a target nobody knows",
       [](Model& m) {
         m.fit(x, {{"sum", y1}, {"means", y2}});
       },
       {"fit", "'means'", "'mean'"}},
      {"fit with fewer targets than samples",
       [](Model& m) {
         m.fit(x, {y1, Array::zeros({4, 1})});
       },
       {"cardinality", "'x' sizes: 5", "'y' sizes: 5, 4"}},
      {"fit with targets of another shape",
       [](Model& m) {
         m.fit(x, {Array::zeros({5, 3}), y2}, {.verbose = 0});
       },
       {"'sum'", "[5, 3]", "[5, 2]"}},
      {"fit with inputs of another shape",
       [](Model& m) {
         m.fit({v, Array::zeros({5, 3})}, y);
       },
       {"Input 1 with name 'b'", "(5, 3)"}},
      {"fit with batches of none", [](Model& m) { m.fit(x, y, {.batch_size = 0}); }, {"fit", "batch_size", "0"}},
      {"fit with batches of less than none",
       [](Model& m) { m.fit(x, y, {.batch_size = -4}); },
       {"fit", "batch_size", "-4"}},
      {"fit for negative epochs", [](Model& m) { m.fit(x, y, {.epochs = -1}); }, {"fit", "epochs", "-1"}},
      {"fit from a negative epoch",
       [](Model& m) { m.fit(x, y, {.initial_epoch = -1}); },
       {"fit", "initial_epoch", "-1"}},
      {"fit for no steps", [](Model& m) { m.fit(x, y, {.steps_per_epoch = 0}); }, {"fit", "steps", "0"}},
      {"fit that validates every zeroth epoch",
       [](Model& m) { m.fit(x, y, {.verbose = 0, .validation_split = 0.4, .validation_freq = 0}); },
       {"validation_freq", "0"}},
      {"a validation split of one",
       [](Model& m) { m.fit(x, y, {.validation_split = 1}); },
       {"validation_split", "between 0 and 1", "1"}},
      {"a negative validation split",
       [](Model& m) { m.fit(x, y, {.validation_split = -0.5}); },
       {"validation_split", "between 0 and 1", "-0.5"}},
      {"a validation split that leaves nothing",
       [](Model& m) { m.fit(x, y, {.validation_split = 0.99}); },
       {"5 samples", "not sufficient", "0.99"}},
      {"validation data of another shape",
       [](Model& m) { m.fit(x, y, {.verbose = 0, .validation_data = {.x = v, .y = y}}); },
       {"subject", "2 input(s)"}},
      {"validation data of different counts",
       [](Model& m) {
         m.fit(x, y, {.verbose = 0, .validation_data = {.x = x, .y = {y1, Array::zeros({3, 1})}}});
       },
       {"cardinality"}},
      {"an order of samples there is not",
       [](Model& m) { m.fit(x, y, {.shuffle = "all"}); },
       {"shuffle", "\"batch\"", "all"}},
      {"sample weights for fewer samples",
       [](Model& m) { m.fit(x, y, {.sample_weight = Array::zeros({3})}); },
       {"cardinality", "3"}},
      {"sample weights for an output nobody knows",
       [](Model& m) {
         m.fit(x, y, {.sample_weight = {{"sums", Array::zeros({5})}}});
       },
       {"sample_weight", "'sums'", "'sum'"}},
      {"sample weights of another shape",
       [](Model& m) {
         m.fit(x, y, {.verbose = 0, .sample_weight = {Array::zeros({5, 7}), Array::zeros({5})}});
       },
       {"'sum'", "(5, 7)"}},
      {"class and sample weights together",
       [](Model&) {
         classifier().fit(Array::zeros({3, 3}), labels({0, 1, 2}),
                          {.class_weight = {{0, 1.0}}, .sample_weight = Array::zeros({3})});
       },
       {"class_weight", "sample_weight"}},
      {"class weights for two outputs",
       [](Model& m) {
         m.fit(x, y, {.class_weight = {{0, 1.0}}});
       },
       {"class_weight"}},
      {"a label that is too large",
       [](Model&) {
         classifier().fit(Array::zeros({3, 3}), labels({0, 1, 3}), {.verbose = 0});
       },
       {"label 3 is out of range", "0 to 2"},
       Refusal::data},
      {"a negative label",
       [](Model&) {
         classifier().fit(Array::zeros({3, 3}), labels({0, -1, 2}), {.verbose = 0});
       },
       {"label -1 is out of range", "0 to 2"},
       Refusal::data},
      {"a label that is too large, when evaluating",
       [](Model&) {
         classifier().evaluate(Array::zeros({3, 3}), labels({0, 1, 7}), {.verbose = 0});
       },
       {"label 7 is out of range", "0 to 2"},
       Refusal::data},
      {"a word that is not in the embedding",
       [](Model&) {
         const auto in = Input({2}, {.dtype = "int32"});
         Model(in, Embedding(3, 2, LayerOptions{.name = "words"})(in)).predict(Array::of<std::int32_t>({1, 2}, {0, 3}));
       },
       {"Embedding 'words'", "id 3 is out of range", "0 to 2"},
       Refusal::data},
      {"a misspelt loss", [](Model& m) { m.compile({.loss = "msee"}); }, {"msee", "did you mean 'mse'?"}},
      {"a misspelt optimizer",
       [](Model& m) { m.compile({.optimizer = "adamm", .loss = "mse"}); },
       {"unknown optimizer 'adamm'", "did you mean 'adam'?"}},
      {"a misspelt metric",
       [](Model& m) {
         m.compile({.loss = "mse", .metrics = {{"maee"}, {"mse"}}});
       },
       {"maee", "did you mean 'mae'?"}},
      {"a loss that Keras has and Ramet has not",
       [](Model& m) { m.compile({.loss = "dice"}); },
       {"Keras' loss Dice is not there yet"}},
      {"a metric for an output nobody knows",
       [](Model& m) {
         m.compile({.loss = "mse", .metrics = {{"zz", {"mae"}}}});
       },
       {"`metrics`", "'zz'", "'sum'", "'mean'"}},
      {"weights of too many axes",
       [](Model& m) {
         m.fit({Array({6, 4}), Array({6, 4})}, {Array({6, 2}), Array({6, 1})},
               {.verbose = 0, .sample_weight = Array({6, 5, 3})});
       },
       {"sample_weight of shape (6, 5, 3)", "one weight per sample"}},
      {"weights of the wrong length",
       [](Model& m) {
         m.fit({Array({6, 4}), Array({6, 4})}, {Array({6, 2}), Array({6, 1})},
               {.verbose = 0, .sample_weight = Array({6, 5})});
       },
       {"sample_weight of shape (6, 5)"}},
      {"a loss for an output nobody knows",
       [](Model& m) {
         m.compile({.loss = {{"sum", "mse"}, {"zz", "mse"}}});
       },
       {"'sum'", "'mean'", "'zz'"}},
      {"three losses for two outputs",
       [](Model& m) {
         m.compile({.loss = {"mse", "mse", "mse"}});
       },
       {"compile", "3", "2 outputs"}},
      {"three loss weights for two outputs",
       [](Model& m) {
         m.compile({.loss = "mse", .loss_weights = {1.0, 2.0, 3.0}});
       },
       {"loss_weights", "3", "2 outputs"}},
      {"metrics for more outputs than there are",
       [](Model& m) {
         m.compile({.loss = "mse", .metrics = {{"mae"}, {"mae"}, {"mae"}}});
       },
       {"metrics", "['sum', 'mean']", "3 entries"}},
      {"fit without a loss",
       [](Model&) {
         Model m = fresh();
         m.compile({.optimizer = "sgd"});
         m.fit(x, y, {.verbose = 0});
       },
       {"No loss to compute", "compile()"}},
      {"a history of what was not measured",
       [](Model&) {
         Model m = classifier();
         m.fit(Array::zeros({3, 3}), labels({0, 1, 2}), {.verbose = 0})["val_loss"];
       },
       {"val_loss", "loss"}},
  };
}

}  // namespace ramet::testing
