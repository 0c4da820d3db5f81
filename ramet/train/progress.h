// What fit, evaluate and predict show while they run: Keras' progress bar, or one line at the end.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ramet {

using MetricValues = std::vector<std::pair<std::string, double>>;

enum class ProgressStyle {
  silent,  // verbose = 0
  bar,     // verbose = 1: redrawn in place, for a terminal
  line,    // verbose = 2: one line when finished
};

struct ProgressOptions {
  std::optional<std::int64_t> target;  // steps expected; nothing when unknown
  ProgressStyle style = ProgressStyle::line;
  bool colour = true;
  int columns = 0;         // of the terminal; a live bar leaves out metrics that do not fit. 0: no bound
  double interval = 0.05;  // seconds between two redraws
  std::function<double()> clock = nullptr;                // seconds since any moment; by default the steady clock
  std::function<void(std::string_view)> write = nullptr;  // where text goes; by default ramet/base/messages.h
};

// Options for `verbose` (0, 1 or 2, else UsageError) where messages go: a bar only if that is a terminal able to redraw
// a line, otherwise the line; colour unless NO_COLOR is set; the columns the terminal has.
ProgressOptions stderr_progress(int verbose, std::optional<std::int64_t> target);

// The progress of one epoch. One thread at a time.
class Progress {
 public:
  explicit Progress(ProgressOptions options);  // the clock starts
  ~Progress();                                 // ends the line of a bar that was left unfinished
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Whether update() would draw now: a caller need not fetch its metrics otherwise.
  bool due() const;

  // `step` steps are done. Metrics replace those of the same name; new ones are shown after the others.
  void update(std::int64_t step, const MetricValues& metrics = {});

  // The epoch is over, with its final metrics. Shows the target if it was reached or no step was reported.
  void finish(const MetricValues& metrics = {});

 private:
  double seconds_per_step(std::int64_t step, double now) const;
  void merge(const MetricValues& metrics);
  void draw(std::int64_t step, double now, bool finished);

  ProgressOptions options_;
  double start_ = 0;
  std::optional<double> last_draw_, first_step_done_;
  std::int64_t step_ = 0;
  MetricValues shown_;
  bool live_ = false;  // a bar stands on the terminal's line
};

// "Epoch 1/10\n"; `epoch` counts from 0. Keras writes it before each epoch when there are several.
std::string epoch_line(int epoch, int epochs);

// The pieces, as text.
std::string counter_text(std::int64_t step, std::optional<std::int64_t> target);  // " 32/938", "     32/Unknown"
std::string eta_text(double seconds);                                             // "9s", "1:05", "2:00:09"
std::string step_time_text(double seconds);  // "3s/step", "12ms/step", "401us/step"
std::string metric_text(double value);       // "0.4871", "4.8710e-04"

struct ProgressState {
  std::int64_t step = 0;
  std::optional<std::int64_t> target;
  double elapsed = 0, seconds_per_step = 0;
  bool finished = false;
};

// verbose = 2, without the end of line.
std::string line_text(const ProgressState& state, const MetricValues& metrics);

// verbose = 1, without returning to the beginning of the line. Counter, 20 cells, time left (elapsed when finished or
// the length is unknown), time per step, metrics. Unless finished, metrics that pass `columns` are left out.
std::string bar_text(const ProgressState& state, const MetricValues& metrics, bool colour, int columns);

}  // namespace ramet
