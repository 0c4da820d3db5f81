#include "ramet/train/progress.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ramet/base/error.h"

using namespace ramet;
using Texts = std::vector<std::string>;

namespace {

// A progress whose clock stands still until it is set, and whose texts are kept.
struct Recorded {
  double now = 100;
  Texts texts;

  ProgressOptions options(ProgressStyle style, std::optional<std::int64_t> target) {
    return {.target = target,
            .style = style,
            .clock = [this] { return now; },
            .write = [this](std::string_view text) { texts.emplace_back(text); }};
  }
};

template <class Convert>
Texts each(const std::vector<double>& values, Convert convert) {
  Texts texts;
  for (const double value : values) texts.push_back(convert(value));
  return texts;
}

}  // namespace

// The expected texts below are those of Keras' Progbar, run with the same times.

TEST_CASE("progress: time left is seconds, minutes or hours") {
  CHECK(each({0, 0.9, 59.9, 60, 60.5, 65, 3599.9, 3600, 3600.5, 7209, 360000}, eta_text) ==
        Texts{"0s", "0s", "59s", "60s", "1:00", "1:05", "59:59", "60:00", "1:00:00", "2:00:09", "100:00:00"});
  CHECK(eta_text(-1) == "0s");
}

TEST_CASE("progress: time per step takes the unit that suits it") {
  CHECK(each({0, 1, 1.5, 2.5, 61.7, 0.9996, 0.9, 0.0123, 0.001, 0.0009996, 0.000401, 1e-7}, step_time_text) ==
        Texts{"0s/step", "1s/step", "2s/step", "2s/step", "62s/step", "1000ms/step", "900ms/step", "12ms/step",
              "1ms/step", "1000us/step", "401us/step", "0us/step"});
}

TEST_CASE("progress: a metric has four decimals, with an exponent when it is small") {
  CHECK(each({0.4871, 1e-3, 0.0010001, -0.5, -1e-4, 0.0, 12345.67891, HUGE_VAL, -HUGE_VAL, std::nan(""), -std::nan("")},
             metric_text) == Texts{"0.4871", "1.0000e-03", "0.0010", "-0.5000", "-1.0000e-04", "0.0000e+00",
                                   "12345.6789", "inf", "-inf", "nan", "nan"});
  CHECK(metric_text(std::numeric_limits<double>::max()).size() == 314);
}

TEST_CASE("progress: the counter is aligned to the digits of its target") {
  CHECK(counter_text(1, 938) == "  1/938");
  CHECK(counter_text(938, 938) == "938/938");
  CHECK(counter_text(9, 9) == "9/9");
  CHECK(counter_text(7, 10) == " 7/10");
  CHECK(counter_text(12, std::nullopt) == "     12/Unknown");
  CHECK(epoch_line(0, 10) == "Epoch 1/10\n");
}

TEST_CASE("progress: the bar is drawn, left alone between intervals, and finished with all metrics") {
  Recorded recorded;
  Progress progress(recorded.options(ProgressStyle::bar, 938));
  recorded.now = 100.5;
  progress.update(1, {{"accuracy", 0.1}, {"loss", 2.5}});
  recorded.now = 100.6;
  CHECK(progress.due());
  progress.update(302, {{"accuracy", 0.86128}, {"loss", 0.48714}});
  recorded.now = 100.62;
  CHECK_FALSE(progress.due());
  progress.update(310, {{"loss", 9}});
  progress.update(938, {{"loss", 8}});
  recorded.now = 101.4;
  progress.finish({{"accuracy", 0.8613}, {"loss", 0.0004871}, {"val_loss", -3}});

  REQUIRE(recorded.texts.size() == 3);
  CHECK(recorded.texts[0] ==
        "\r\x1b[1m  1/938\x1b[0m \x1b[37m━━━━━━━━━━━━━━━━━━━━\x1b[0m \x1b[1m7:48\x1b[0m 500ms/step"
        " - accuracy: 0.1000 - loss: 2.5000\x1b[K");
  CHECK(recorded.texts[1] ==
        "\r\x1b[1m302/938\x1b[0m \x1b[32m━━━━━━\x1b[0m\x1b[37m━━━━━━━━━━━━━━\x1b[0m \x1b[1m0s\x1b[0m 332us/step"
        " - accuracy: 0.8613 - loss: 0.4871\x1b[K");
  CHECK(recorded.texts[2] ==
        "\r\x1b[1m938/938\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m1s\x1b[0m 961us/step"
        " - accuracy: 0.8613 - loss: 4.8710e-04 - val_loss: -3.0000\x1b[K\n");
}

TEST_CASE("progress: an unknown length is counted, and known when finished") {
  Recorded recorded;
  Progress progress(recorded.options(ProgressStyle::bar, std::nullopt));
  recorded.now = 100.5;
  progress.update(1, {{"loss", 2.5}});
  recorded.now = 200;
  progress.update(12, {{"loss", 2.5}});
  recorded.now = 230;
  progress.finish({{"loss", 1}});
  CHECK(recorded.texts == Texts{"\r      1/Unknown \x1b[1m0s\x1b[0m 500ms/step - loss: 2.5000\x1b[K",
                                "\r     12/Unknown \x1b[1m100s\x1b[0m 9s/step - loss: 2.5000\x1b[K",
                                "\r\x1b[1m12/12\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m"
                                " \x1b[1m130s\x1b[0m 12s/step - loss: 1.0000\x1b[K\n"});
}

TEST_CASE("progress: the line is written once, plain, at the end") {
  Recorded recorded;
  Progress progress(recorded.options(ProgressStyle::line, 938));
  recorded.now = 100.9;
  progress.update(1, {{"loss", 2.5}});
  CHECK_FALSE(progress.due());
  recorded.now = 101.4;
  progress.update(938);
  progress.finish({{"loss", 0.0004871}, {"val_loss", 0}});
  CHECK(recorded.texts == Texts{"938/938 - 1s - 534us/step - loss: 4.8710e-04 - val_loss: 0.0000e+00\n"});
}

TEST_CASE("progress: without reported steps the line speaks of the target, else of the steps that were done") {
  Recorded recorded;
  Progress(recorded.options(ProgressStyle::line, 938)).finish();
  CHECK(recorded.texts == Texts{"938/938 - 0s - 0s/step\n"});
  recorded.texts.clear();
  Progress stopped(recorded.options(ProgressStyle::line, 938));
  stopped.update(100);
  stopped.finish();
  CHECK(recorded.texts == Texts{"100/938 - 0s - 0s/step\n"});
}

TEST_CASE("progress: silent is silent") {
  Recorded recorded;
  Progress progress(recorded.options(ProgressStyle::silent, 10));
  progress.update(1, {{"loss", 1}});
  progress.finish({{"loss", 1}});
  CHECK(recorded.texts.empty());
}

TEST_CASE("progress: a bar that is abandoned leaves the cursor on a new line") {
  Recorded recorded;
  {
    Progress progress(recorded.options(ProgressStyle::bar, 10));
    progress.update(1);
  }
  REQUIRE(recorded.texts.size() == 2);
  CHECK(recorded.texts[1] == "\n");
}

TEST_CASE("progress: a live bar leaves out metrics that would pass the terminal, the finished one shows all") {
  const ProgressState live{.step = 3, .target = 10, .elapsed = 3, .seconds_per_step = 1};
  const MetricValues metrics{{"loss", 1}, {"accuracy", 0.5}};
  const std::string start = " 3/10 ━━━━━━──────────────";
  CHECK(bar_text(live, metrics, false, 0) == start + " 7s 1s/step - loss: 1.0000 - accuracy: 0.5000");
  CHECK(bar_text(live, metrics, false, 53) == start + " 7s 1s/step - loss: 1.0000");
  CHECK(bar_text(live, metrics, false, 52) == start + " 7s 1s/step");
  ProgressState finished = live;
  finished.finished = true;
  CHECK(bar_text(finished, metrics, false, 30) == start + " 3s 1s/step - loss: 1.0000 - accuracy: 0.5000");
}

TEST_CASE("progress: verbose chooses the style; away from a terminal the bar becomes the line") {
  CHECK(stderr_progress(0, 5).style == ProgressStyle::silent);
  CHECK(stderr_progress(2, 5).style == ProgressStyle::line);
  CHECK(stderr_progress(1, 5).style != ProgressStyle::silent);
  CHECK(stderr_progress(1, 5).target == 5);
  CHECK_THROWS_WITH_AS(stderr_progress(3, 5), "verbose: must be 0 (silent), 1 (bar) or 2 (one line an epoch); got 3",
                       UsageError);
}
