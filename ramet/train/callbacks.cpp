#include "ramet/train/callbacks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/base/messages.h"
#include "ramet/train/compiled_loss.h"
#include "ramet/train/training.h"

namespace ramet {
namespace {

void say(const std::string& line) { ramet::say(MessageKind::info, line + "\n"); }

std::string number(double v) {
  std::ostringstream out;
  out.precision(6);
  out << v;
  return out.str();
}

// Whether a higher value of a log is better, by the metric of that name; empty when nothing is known of it.
std::optional<bool> direction(const Model& model, std::string_view log) {
  if (log.starts_with("val_")) log.remove_prefix(4);
  if (log == "loss" || log.ends_with("_loss")) return false;
  const auto training = train::Training::of(model.layer());
  if (!training->compiled) return std::nullopt;
  for (const auto& m : train::metrics_by_output(training->compiled->options, train::Outputs(model.layer()))) {
    if (m.log_name != log) continue;
    const Shape& shape = model.layer().graph().flat_outputs()[m.output].shape();
    return train::resolve_metric(m.metric, shape, shape)->higher_is_better();
  }
  return std::nullopt;
}

// The monitored value, or nothing with a warning.
const double* find(const Logs& logs, const Monitor& monitor, const char* who) {
  const double* found = logs.find(monitor.name());
  if (!found) {
    std::vector<std::string> names;
    for (const auto& entry : logs) names.push_back(entry.first);
    ramet::say(MessageKind::warning, cat(who, " conditioned on metric `", monitor.name(),
                                         "` which is not available. Available metrics are: ", join(names, ","), "\n"));
  }
  return found;
}

}  // namespace

void Monitor::begin(const Model& model) {
  if (mode_ != "auto") {
    higher_ = mode_ == "max";
    return;
  }
  const auto known = direction(model, name_);
  require(known.has_value(), "cannot tell whether more or less of `", name_,
          "` is better; set mode to \"min\" or \"max\"");
  higher_ = *known;
}

double Monitor::worst() const {
  return higher_ ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

EarlyStopping::EarlyStopping(Config config)
    : config_(std::move(config)), monitor_(config_.monitor, config_.mode, config_.min_delta) {}

void EarlyStopping::on_train_begin() {
  monitor_.begin(model());
  wait_ = 0;
  stopped_epoch = 0;
  best_epoch = 0;
  best = monitor_.worst();
  best_weights_.clear();
}

void EarlyStopping::on_epoch_end(std::int64_t epoch, Logs& logs) {
  const double* value = find(logs, monitor_, "Early stopping");
  if (!value || epoch < config_.start_from_epoch) return;
  const auto keep = [&] {
    best_weights_.clear();
    for (const Array& w : model().get_weights()) best_weights_.push_back(w.copy());
  };
  // If the first value is NaN, its weights are still the best there are.
  if (config_.restore_best_weights && best_weights_.empty()) keep(), best_epoch = epoch;
  ++wait_;
  if (monitor_.better(*value, best)) {
    best = *value;
    best_epoch = epoch;
    if (config_.restore_best_weights) keep();
    if (!config_.baseline || monitor_.better(*value, *config_.baseline)) wait_ = 0;
    return;
  }
  if (wait_ >= config_.patience && epoch > 0) {
    stopped_epoch = epoch;
    model().stop_training();
  }
}

void EarlyStopping::on_train_end() {
  if (stopped_epoch > 0 && config_.verbose > 0) say(cat("Epoch ", stopped_epoch + 1, ": early stopping"));
  if (!config_.restore_best_weights || best_weights_.empty()) return;
  if (config_.verbose > 0) say(cat("Restoring model weights from the end of the best epoch: ", best_epoch + 1, "."));
  model().set_weights(best_weights_);
}

ReduceLROnPlateau::ReduceLROnPlateau(Config config)
    : config_(std::move(config)), monitor_(config_.monitor, config_.mode, config_.min_delta) {
  require(config_.factor < 1, "ReduceLROnPlateau does not support a factor >= 1.0. Received factor=", config_.factor);
}

void ReduceLROnPlateau::on_train_begin() {
  monitor_.begin(model());
  wait_ = cooling_ = 0;
  best_ = monitor_.worst();
}

void ReduceLROnPlateau::on_epoch_end(std::int64_t epoch, Logs& logs) {
  logs.set("learning_rate", model().learning_rate());
  const double* value = find(logs, monitor_, "Learning rate reduction is");
  if (!value) return;
  if (cooling_ > 0) --cooling_, wait_ = 0;
  if (monitor_.better(*value, best_)) {
    best_ = *value;
    wait_ = 0;
  } else if (cooling_ <= 0 && ++wait_ >= config_.patience) {
    const double old = model().learning_rate();
    if (old <= config_.min_lr) return;
    const double rate = std::max(old * config_.factor, config_.min_lr);
    model().set_learning_rate(rate);
    if (config_.verbose > 0)
      say(cat("Epoch ", epoch + 1, ": ReduceLROnPlateau reducing learning rate to ", number(rate), "."));
    cooling_ = config_.cooldown;
    wait_ = 0;
  }
}

void LearningRateScheduler::on_epoch_begin(std::int64_t epoch) {
  const double rate = schedule_(epoch, model().learning_rate());
  require(std::isfinite(rate), "The output of the `schedule` function should be a finite number. Got: ", rate);
  model().set_learning_rate(rate);
  if (verbose_ > 0)
    say(cat("Epoch ", epoch + 1, ": LearningRateScheduler setting learning rate to ", number(rate), "."));
}

void LearningRateScheduler::on_epoch_end(std::int64_t, Logs& logs) {
  logs.set("learning_rate", model().learning_rate());
}

void TerminateOnNaN::on_train_batch_end(std::int64_t batch, Logs& logs) {
  const double* loss = logs.find("loss");
  if (!loss || std::isfinite(*loss)) return;
  require(!raise_error_, "NaN or Inf loss encountered at batch ", batch, ".");
  say(cat("Batch ", batch, ": Invalid loss, terminating training"));
  model().stop_training();
}

void CSVLogger::on_train_begin() {
  const bool exists = append_ && std::ifstream(filename_).peek() != std::ifstream::traits_type::eof();
  file_ = std::make_shared<std::ofstream>(filename_, append_ ? std::ios::app : std::ios::trunc);
  require(file_->good(), "CSVLogger: cannot write '", filename_, "'");
  keys_.clear();
  if (exists) keys_.push_back("");  // the header is there already
}

void CSVLogger::on_epoch_end(std::int64_t epoch, Logs& logs) {
  const bool header = keys_.empty();
  if (header || keys_[0].empty()) {
    keys_.clear();
    for (const auto& entry : logs) keys_.push_back(entry.first);
    // Epochs that are not validated have no val_ values; their columns are there from the start.
    if (std::none_of(keys_.begin(), keys_.end(), [](const auto& k) { return k.starts_with("val_"); }))
      for (std::size_t i = 0, n = keys_.size(); i < n; ++i)
        if (keys_[i] != "learning_rate") keys_.push_back("val_" + keys_[i]);
  }
  if (header) *file_ << "epoch" << separator_ << join(keys_, std::string(1, separator_)) << "\n";
  *file_ << epoch;
  for (const auto& key : keys_) {
    const double* v = logs.find(key);
    *file_ << separator_;
    if (v)
      file_->precision(9), *file_ << *v;
    else
      *file_ << "NA";
  }
  *file_ << std::endl;
}

}  // namespace ramet
