// What programs are told, and how they can take it.
#include <doctest/doctest.h>

#include "ramet/ramet.h"

using namespace ramet;

namespace {

// Collects messages while it lives.
struct Heard {
  std::vector<std::pair<MessageKind, std::string>> messages;
  Heard() {
    set_message_handler([this](MessageKind kind, std::string_view text) { messages.emplace_back(kind, text); });
  }
  ~Heard() { set_message_handler(nullptr); }
  Heard(const Heard&) = delete;
  std::string all(MessageKind kind) const {
    std::string out;
    for (const auto& [k, text] : messages)
      if (k == kind) out += text;
    return out;
  }
};

Model line() {
  const Tensor in = Input({2});
  Model m(in, Dense(1, {.name = "out"})(in), {.name = "line"});
  m.compile({.optimizer = SGD(0.01), .loss = "mse"});
  return m;
}
const Array x = Array::of<float>({4, 2}, {0, 1, 1, 0, 1, 1, 2, -1}), y = Array::of<float>({4, 1}, {1, 2, 3, 1});

}  // namespace

TEST_CASE("Progress, what callbacks say and warnings go to the program's handler") {
  const Heard heard;
  Model m = line();
  m.fit(x, y, {.epochs = 2, .callbacks = {EarlyStopping({.monitor = "nothing", .mode = "min"})}});
  const std::string progress = heard.all(MessageKind::progress);
  CHECK(progress.find("Epoch 2/2") != std::string::npos);
  CHECK(progress.find("loss: ") != std::string::npos);
  CHECK(progress.find('\r') == std::string::npos);
  CHECK(heard.all(MessageKind::warning).find("metric `nothing` which is not available") != std::string::npos);
}

TEST_CASE("A fully frozen fit warns and trains nothing") {
  const Heard heard;
  Model m = line();
  m.freeze();
  const Arrays before = m.get_weights();
  m.fit(x, y, {.verbose = 0});
  CHECK(heard.all(MessageKind::warning) ==
        "fit: The model does not have any trainable weights, so nothing is learned: 'line' is frozen; "
        "set_trainable(true) opens it\n");
  CHECK(m.get_weights()[0].identical(before[0]));
}

TEST_CASE("EarlyStopping given by value tells where it stopped") {
  Model m = line();
  const EarlyStopping stop({.monitor = "loss", .min_delta = 100, .patience = 1});
  const History h = m.fit(x, y, {.epochs = 9, .verbose = 0, .callbacks = {stop}});
  CHECK(stop.stopped_epoch == 1);
  CHECK(h.epoch.size() == 2);
  CHECK(stop.best_epoch == 0);
  CHECK(stop.best == h["loss"][0]);
}
