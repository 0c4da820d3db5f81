// Results do not depend on how many threads compute them, nor on who else is computing.
#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include "ramet/base/thread_pool.h"
#include "ramet/ramet.h"

using namespace ramet;

namespace {

class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()) { set_num_threads(count); }
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

// A model large enough that its kernels share their work, and data for it.
struct Subject {
  const char* name;
  std::function<Model()> make;
  Shape input;
};

Model mlp() {
  auto in = Input({120});
  auto x = Dense(513, {.activation = "relu"})(in);
  x = Dropout(0.2, {.seed = 3})(x);
  return Model(in, Dense(5)(Dense(130, {.activation = "tanh"})(x)));
}
Model cnn() {
  auto in = Input({19, 21, 3});
  auto x = Conv2D(24, 3, {.padding = "same", .activation = "relu"})(in);
  x = BatchNormalization()(MaxPooling2D(2)(x));
  x = DepthwiseConv2D(3, {.padding = "same"})(x);
  x = GlobalAveragePooling2D()(Conv2D(40, 3, {.strides = 2})(x));
  return Model(in, Dense(5)(x));
}
Model lstm() {
  auto in = Input({None, 20});
  auto x = Bidirectional(LSTM(33, {.return_sequences = true}))(in);
  return Model(in, Dense(5)(GRU(40)(x)));
}
Model attention() {
  auto in = Input({17, 32});
  auto x = MultiHeadAttention(4, 16)(in, in);
  x = LayerNormalization()(Add()({x, in}));
  return Model(in, Dense(5)(GlobalAveragePooling1D()(x)));
}

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> list = {{"mlp", mlp, {300, 120}},
                                            {"cnn", cnn, {61, 19, 21, 3}},
                                            {"lstm", lstm, {170, 9, 20}},
                                            {"attention", attention, {130, 17, 32}}};
  return list;
}

// Predictions, then the weights after three steps of training.
Arrays results(const Subject& subject, int threads) {
  const Threads use(threads);
  set_random_seed(11);
  Model model = subject.make();
  const Array x = Array::random_normal(subject.input), y = Array::random_normal({subject.input[0], 5});
  Arrays out{model.predict(x)};
  model.compile({.optimizer = "adam", .loss = "mse"});
  for (int step = 0; step < 3; ++step) model.train_on_batch(x, y);
  for (const Array& w : model.get_weights()) out.push_back(w.copy());
  out.push_back(model.predict(x));
  return out;
}

}  // namespace

TEST_CASE("threads: predictions and three training steps have the same bits with 1, 2, 3 and 8") {
  for (const Subject& subject : subjects()) {
    const Arrays one = results(subject, 1);
    for (const int threads : {2, 3, 8}) {
      const Arrays many = results(subject, threads);
      REQUIRE(many.size() == one.size());
      for (std::size_t i = 0; i < one.size(); ++i) {
        INFO(subject.name, " with ", threads, " threads, array ", i, " of ", one.size());
        CHECK(many[i].identical(one[i]));
      }
    }
  }
}

TEST_CASE(
    "threads: eight concurrent callers of one const model, with batches of several sizes, get the serial results") {
  const Threads use(2);
  for (const Subject& subject : subjects()) {
    set_random_seed(5);
    const Model model = subject.make();
    const Array x = Array::random_normal(subject.input);
    const std::int64_t samples = subject.input[0], sizes[] = {1, 2, 5, 7, 8, 16, 23, 32};
    Arrays expected;
    for (const auto size : sizes) expected.push_back(model.predict(x, {.batch_size = size}));

    std::vector<Arrays> got(8);
    std::vector<std::thread> callers;
    for (std::size_t t = 0; t < 8; ++t)
      callers.emplace_back([&, t] {
        for (std::size_t round = 0; round < 4; ++round)
          got[t].push_back(model.predict(x, {.batch_size = sizes[(t + round) % 8]}));
      });
    for (auto& caller : callers) caller.join();
    for (std::size_t t = 0; t < 8; ++t)
      for (std::size_t round = 0; round < 4; ++round) {
        INFO(subject.name, ", caller ", t, ", batches of ", sizes[(t + round) % 8], " of ", samples);
        CHECK(got[t][round].identical(expected[(t + round) % 8]));
      }
  }
}

TEST_CASE("threads: concurrent predictors, one for each thread, get the serial results") {
  set_random_seed(5);
  const Model model = mlp();
  const Array x = Array::random_normal({8, 120});
  const Array expected = model.predict(x);
  std::vector<std::vector<float>> got(8, std::vector<float>(5));
  std::vector<std::thread> callers;
  for (std::size_t t = 0; t < 8; ++t)
    callers.emplace_back([&, t] {
      Predictor run = model.predictor({{1, 120}});
      for (int round = 0; round < 20; ++round) run(x.data<float>().subspan(120 * t, 120), got[t]);
    });
  for (auto& caller : callers) caller.join();
  const Array serial = model.predict(x, {.batch_size = 1});
  for (std::size_t t = 0; t < 8; ++t)
    CHECK(Array::of<float>({1, 5}, got[t])
              .identical(serial.rows(static_cast<std::int64_t>(t), static_cast<std::int64_t>(t) + 1)));
  CHECK(max_difference(serial, expected) < 1e-5);
}
