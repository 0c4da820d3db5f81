#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

const Array x = Array::full({8, 1}, 1), y = Array::full({8, 1}, 1);

// One weight w, starting at 0, without bias: p = w·x.
Model one_weight(double rate) {
  auto in = Input({1});
  Model m(in, Dense(1, {.use_bias = false, .kernel_initializer = "zeros"})(in));
  m.compile({.optimizer = SGD(rate), .loss = "mse"});
  return m;
}

}  // namespace

TEST_CASE("callbacks: hooks come in Keras' order") {
  Model m = one_weight(0.1);
  std::string calls;
  struct Recorder final : Callback {
    std::string& out;
    explicit Recorder(std::string& o) : out(o) {}
    void on_train_begin() override { out += "B"; }
    void on_train_end() override { out += "E"; }
    void on_epoch_begin(std::int64_t) override { out += "("; }
    void on_epoch_end(std::int64_t, Logs& logs) override { out += logs.find("val_loss") ? "v)" : ")"; }
    void on_train_batch_begin(std::int64_t) override { out += "<"; }
    void on_train_batch_end(std::int64_t, Logs& logs) override { out += logs.find("loss") ? "l>" : ">"; }
    void on_test_begin() override { out += "["; }
    void on_test_end(Logs&) override { out += "]"; }
  };
  m.fit(x, y,
        {.batch_size = 4,
         .epochs = 2,
         .verbose = 0,
         .callbacks = {Recorder(calls)},
         .validation_data = {x, y},
         .validation_freq = 2});
  CHECK(calls == "B(<l><l>)(<l><l>[]v)E");
}

TEST_CASE("EarlyStopping: stops after patience and restores the best weights") {
  Model m = one_weight(0.3);
  // The rate is raised so that the loss gets worse from the third epoch on.
  const auto worse = LearningRateScheduler([](std::int64_t epoch, double) { return epoch < 2 ? 0.3 : 3.0; });
  auto stop =
      std::make_shared<EarlyStopping>(EarlyStopping({.monitor = "loss", .patience = 2, .restore_best_weights = true}));
  const History h = m.fit(x, y, {.epochs = 20, .verbose = 0, .callbacks = {worse, stop}});
  CHECK(h["loss"].size() < 8);
  CHECK(stop->stopped_epoch == stop->best_epoch + 2);
  CHECK(h["learning_rate"][0] == doctest::Approx(0.3));
  CHECK(h["learning_rate"].back() == doctest::Approx(3.0));
  // Best by the loss before the epoch's update: the weights kept are those at the end of that epoch.
  CHECK(h["loss"][static_cast<std::size_t>(stop->best_epoch)] == stop->best);
}

TEST_CASE("EarlyStopping: a monitor of unknown direction needs a mode") {
  Model m = one_weight(0.1);
  CHECK_THROWS_WITH_AS(m.fit(x, y, {.verbose = 0, .callbacks = {EarlyStopping({.monitor = "speed"})}}),
                       "cannot tell whether more or less of `speed` is better; set mode to \"min\" or \"max\"",
                       UsageError);
}

TEST_CASE("ReduceLROnPlateau: lowers the rate, not below min_lr") {
  Model m = one_weight(0.0);
  m.set_learning_rate(1e-3);
  m.compile({.optimizer = SGD(1e-12), .loss = "mse"});
  const History h =
      m.fit(x, y,
            {.epochs = 6,
             .verbose = 0,
             .callbacks = {ReduceLROnPlateau({.monitor = "loss", .factor = 0.1, .patience = 2, .min_lr = 5e-14})}});
  CHECK(h["learning_rate"][0] == doctest::Approx(1e-12));
  CHECK(h["learning_rate"][3] == doctest::Approx(1e-13));
  CHECK(m.learning_rate() == doctest::Approx(5e-14));
}

TEST_CASE("TerminateOnNaN: stops after the batch") {
  Model m = one_weight(0.1);
  Array bad = x.copy();
  bad.data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  int batches = 0;
  const auto count = LambdaCallback({.on_train_batch_end = [&](std::int64_t, Logs&) { ++batches; }});
  m.fit(bad, y, {.batch_size = 2, .epochs = 3, .verbose = 0, .callbacks = {TerminateOnNaN(), count}, .shuffle = false});
  CHECK(batches == 1);
  CHECK_THROWS_AS(m.fit(bad, y, {.verbose = 0, .callbacks = {TerminateOnNaN(true)}}), UsageError);
}

TEST_CASE("CSVLogger: a header and a row per epoch") {
  const std::string path = std::filesystem::temp_directory_path() / "ramet_csv_logger_test.csv";
  Model m = one_weight(0.0);
  m.fit(x, y, {.epochs = 2, .verbose = 0, .callbacks = {CSVLogger(path)}, .validation_data = {x, y}});
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  CHECK(text == "epoch,loss,val_loss\n0,1,1\n1,1,1\n");
  std::remove(path.c_str());
}

TEST_CASE("fit: steps_per_epoch goes on where the last epoch stopped") {
  Model m = one_weight(0.0);
  const Array steps = Array::of<float>({4, 1}, {0, 1, 2, 3});
  const History h = m.fit(Array::zeros({4, 1}), steps,
                          {.batch_size = 1, .epochs = 2, .verbose = 0, .shuffle = false, .steps_per_epoch = 2});
  CHECK(h["loss"][0] == doctest::Approx(0.5));
  CHECK(h["loss"][1] == doctest::Approx(6.5));
}
