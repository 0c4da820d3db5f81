#include "ramet/train/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "ramet/base/error.h"
#include "ramet/base/messages.h"

namespace ramet {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void say_progress(std::string_view text) { say(MessageKind::progress, text); }

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

ProgressOptions stderr_progress(int verbose, std::optional<std::int64_t> target) {
  require(verbose >= 0 && verbose <= 2, "verbose: must be 0 (silent), 1 (bar) or 2 (one line an epoch); got ", verbose);
  const bool can_redraw = !has_message_handler() && isatty(STDERR_FILENO) && environment("TERM") != "dumb";
  ProgressOptions options{.target = target};
  options.style = verbose == 0                 ? ProgressStyle::silent
                  : verbose == 1 && can_redraw ? ProgressStyle::bar
                                               : ProgressStyle::line;
  options.colour = environment("NO_COLOR").empty();
  winsize size{};
  if (can_redraw && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) options.columns = size.ws_col;
  return options;
}

Progress::Progress(ProgressOptions options) : options_(std::move(options)) {
  if (!options_.clock) options_.clock = steady_seconds;
  if (!options_.write) options_.write = say_progress;
  start_ = options_.clock();
}

Progress::~Progress() {
  if (!live_) return;
  try {
    options_.write("\n");
  } catch (...) {  // a destructor has nobody to tell
  }
}

bool Progress::due() const {
  if (options_.style != ProgressStyle::bar) return false;
  return !last_draw_ || options_.clock() - *last_draw_ >= options_.interval;
}

void Progress::update(std::int64_t step, const MetricValues& metrics) {
  step_ = step;
  if (options_.style == ProgressStyle::silent) return;
  if (step == 1 && !first_step_done_) first_step_done_ = options_.clock();
  merge(metrics);
  if (due()) draw(step, options_.clock(), false);
}

void Progress::finish(const MetricValues& metrics) {
  if (options_.style == ProgressStyle::silent) return;
  merge(metrics);
  const std::int64_t target = options_.target.value_or(step_);
  const std::int64_t step = step_ > 0 ? std::min(step_, target) : target;
  options_.target = target;
  draw(step, options_.clock(), true);
}

// The first step also makes plans and warms caches, so it does not count once there are others.
double Progress::seconds_per_step(std::int64_t step, double now) const {
  if (step <= 0) return 0;
  if (step > 1 && first_step_done_) return (now - *first_step_done_) / static_cast<double>(step - 1);
  return (now - start_) / static_cast<double>(step);
}

void Progress::merge(const MetricValues& metrics) {
  for (const auto& metric : metrics) {
    const auto same_name = [&](const auto& shown) { return shown.first == metric.first; };
    const auto at = std::find_if(shown_.begin(), shown_.end(), same_name);
    if (at == shown_.end()) {
      shown_.push_back(metric);
    } else {
      at->second = metric.second;
    }
  }
}

void Progress::draw(std::int64_t step, double now, bool finished) {
  const ProgressState state{.step = step,
                            .target = options_.target,
                            .elapsed = now - start_,
                            .seconds_per_step = seconds_per_step(step, now),
                            .finished = finished};
  if (options_.style == ProgressStyle::line) return options_.write(line_text(state, shown_) + "\n");

  std::string text = bar_text(state, shown_, options_.colour, options_.columns);
  text = "\r" + text + "\x1b[K";  // erases what a longer bar has left
  if (finished) text += "\n";
  options_.write(text);
  live_ = !finished;
  last_draw_ = now;
}

}  // namespace ramet
