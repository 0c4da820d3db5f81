// The pure part of progress.h: numbers to text, as Keras' Progbar writes them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "ramet/base/strings.h"
#include "ramet/train/progress.h"

namespace ramet {
namespace {

constexpr int kCells = 20;

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 400> text{};  // "%.4f" of the largest double takes 314
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

int visible_width(std::string_view text) {
  int width = 0;
  for (std::size_t escape; (escape = text.find('\x1b')) != text.npos;) {
    width += display_width(text.substr(0, escape));
    text.remove_prefix(std::min(text.find('m', escape) + 1, text.size()));
  }
  return width + display_width(text);
}

std::string bold(const std::string& text, bool colour) { return colour ? "\x1b[1m" + text + "\x1b[0m" : text; }

std::string cells(std::int64_t step, std::int64_t target, bool colour) {
  const double share = std::clamp(static_cast<double>(step) / static_cast<double>(target), 0.0, 1.0);
  const int done = static_cast<int>(kCells * share);
  // Without colour the two parts must differ by shape.
  if (!colour) return repeated("━", done) + repeated("─", kCells - done);
  const std::string green = done > 0 ? "\x1b[32m" + repeated("━", done) + "\x1b[0m" : "";
  return green + "\x1b[37m" + repeated("━", kCells - done) + "\x1b[0m";
}

std::string metric_part(const std::pair<std::string, double>& metric) {
  return " - " + metric.first + ": " + metric_text(metric.second);
}

}  // namespace

std::string epoch_line(int epoch, int epochs) { return format("Epoch %d/%d\n", epoch + 1, epochs); }

std::string counter_text(std::int64_t step, std::optional<std::int64_t> target) {
  if (!target || *target <= 0) return format("%7lld/Unknown", static_cast<long long>(step));
  const int digits = static_cast<int>(std::to_string(*target).size());
  return format("%*lld/%lld", digits, static_cast<long long>(step), static_cast<long long>(*target));
}

std::string eta_text(double seconds) {
  const auto whole = static_cast<long long>(std::clamp(seconds, 0.0, 1e15));
  if (seconds > 3600) return format("%lld:%02lld:%02lld", whole / 3600, whole % 3600 / 60, whole % 60);
  if (seconds > 60) return format("%lld:%02lld", whole / 60, whole % 60);
  return format("%llds", whole);
}

std::string step_time_text(double seconds) {
  if (seconds >= 1 || seconds == 0) return format("%.0fs/step", seconds);
  if (seconds >= 1e-3) return format("%.0fms/step", seconds * 1e3);
  return format("%.0fus/step", seconds * 1e6);
}

std::string metric_text(double value) {
  if (std::isnan(value)) return "nan";  // without the sign that printf may give it
  return format(std::fabs(value) > 1e-3 ? "%.4f" : "%.4e", value);
}

std::string line_text(const ProgressState& state, const MetricValues& metrics) {
  std::string text = counter_text(state.step, state.target) + format(" - %.0fs - ", state.elapsed);
  text += step_time_text(state.seconds_per_step);
  for (const auto& metric : metrics) text += metric_part(metric);
  return text;
}

std::string bar_text(const ProgressState& state, const MetricValues& metrics, bool colour, int columns) {
  const bool known = state.target && *state.target > 0;
  const std::string counter = counter_text(state.step, state.target);
  std::string text = known ? bold(counter, colour) + " " + cells(state.step, *state.target, colour) : counter;

  const double left = known ? state.seconds_per_step * static_cast<double>(*state.target - state.step) : 0;
  const std::string time = known && !state.finished ? eta_text(left) : format("%.0fs", state.elapsed);
  text += " " + bold(time, colour) + " " + step_time_text(state.seconds_per_step);

  for (const auto& metric : metrics) {
    const std::string part = metric_part(metric);
    // A line that fills the last column may wrap, and what has wrapped cannot be redrawn.
    if (!state.finished && columns > 0 && visible_width(text) + display_width(part) >= columns) break;
    text += part;
  }
  return text;
}

}  // namespace ramet
