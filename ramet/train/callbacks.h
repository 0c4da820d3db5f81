// Ready-made callbacks.
#pragma once
#include <fstream>

#include "ramet/base/config.h"
#include "ramet/train/callback.h"

namespace ramet {

struct MonitorModeNames {
  static constexpr std::string_view what = "mode", names[] = {"auto", "min", "max"};
};
using MonitorMode = Choice<MonitorModeNames>;

// Compares values of one log: improvement is what the mode says, or for "auto" what the metric is.
class Monitor {
 public:
  Monitor() = default;
  Monitor(std::string name, MonitorMode mode, double min_delta)
      : name_(std::move(name)), mode_(mode), min_delta_(min_delta < 0 ? -min_delta : min_delta) {}
  const std::string& name() const { return name_; }
  // Settles the direction. UsageError when "auto" cannot tell.
  void begin(const Model& model);
  bool better(double value, double than) const {
    return higher_ ? value - min_delta_ > than : value + min_delta_ < than;
  }
  double worst() const;

 private:
  std::string name_;
  MonitorMode mode_;
  double min_delta_ = 0;
  bool higher_ = false;
};

// Stops when the monitored value has not improved for `patience` epochs.
class EarlyStopping final : public Callback {
 public:
  struct Config {
    std::string monitor = "val_loss";
    double min_delta = 0;
    std::int64_t patience = 0;
    int verbose = 0;
    MonitorMode mode = "auto";
    std::optional<double> baseline = std::nullopt;
    bool restore_best_weights = false;
    std::int64_t start_from_epoch = 0;
    static constexpr auto fields = Fields{field("monitor", &Config::monitor),
                                          field("min_delta", &Config::min_delta),
                                          field("patience", &Config::patience),
                                          field("verbose", &Config::verbose),
                                          field("mode", &Config::mode),
                                          field("baseline", &Config::baseline),
                                          field("restore_best_weights", &Config::restore_best_weights),
                                          field("start_from_epoch", &Config::start_from_epoch)};
  };
  EarlyStopping() : EarlyStopping(Config{}) {}
  EarlyStopping(Config config);
  void on_train_begin() override;
  void on_epoch_end(std::int64_t epoch, Logs& logs) override;
  void on_train_end() override;
  // What happened, also of a copy that fit was given: {.callbacks = {stop}}, then stop.stopped_epoch.
  SharedResult<std::int64_t> stopped_epoch, best_epoch;
  SharedResult<double> best;

 private:
  Config config_;
  Monitor monitor_;
  std::int64_t wait_ = 0;
  Arrays best_weights_;
};

// Multiplies the learning rate by `factor` when the monitored value has not improved for `patience` epochs.
class ReduceLROnPlateau final : public Callback {
 public:
  struct Config {
    std::string monitor = "val_loss";
    double factor = 0.1;
    std::int64_t patience = 10;
    int verbose = 0;
    MonitorMode mode = "auto";
    double min_delta = 0.0001;
    std::int64_t cooldown = 0;
    double min_lr = 0;
    static constexpr auto fields = Fields{field("monitor", &Config::monitor),   field("factor", &Config::factor),
                                          field("patience", &Config::patience), field("verbose", &Config::verbose),
                                          field("mode", &Config::mode),         field("min_delta", &Config::min_delta),
                                          field("cooldown", &Config::cooldown), field("min_lr", &Config::min_lr)};
  };
  ReduceLROnPlateau() : ReduceLROnPlateau(Config{}) {}
  ReduceLROnPlateau(Config config);
  void on_train_begin() override;
  void on_epoch_end(std::int64_t epoch, Logs& logs) override;

 private:
  Config config_;
  Monitor monitor_;
  std::int64_t wait_ = 0, cooling_ = 0;
  double best_ = 0;
};

// Sets the learning rate at the start of every epoch.
class LearningRateScheduler final : public Callback {
 public:
  explicit LearningRateScheduler(std::function<double(std::int64_t epoch, double rate)> schedule, int verbose = 0)
      : schedule_(std::move(schedule)), verbose_(verbose) {}
  void on_epoch_begin(std::int64_t epoch) override;
  void on_epoch_end(std::int64_t epoch, Logs& logs) override;

 private:
  std::function<double(std::int64_t, double)> schedule_;
  int verbose_;
};

// Stops after a batch whose loss is not finite; with raise_error, throws instead.
class TerminateOnNaN final : public Callback {
 public:
  explicit TerminateOnNaN(bool raise_error = false) : raise_error_(raise_error) {}
  void on_train_batch_end(std::int64_t batch, Logs& logs) override;

 private:
  bool raise_error_;
};

// A line per epoch: epoch, then the logs in alphabetical order.
class CSVLogger final : public Callback {
 public:
  explicit CSVLogger(std::string filename, char separator = ',', bool append = false)
      : filename_(std::move(filename)), separator_(separator), append_(append) {}
  void on_train_begin() override;
  void on_epoch_end(std::int64_t epoch, Logs& logs) override;
  void on_train_end() override { file_.reset(); }

 private:
  std::string filename_;
  char separator_;
  bool append_;
  std::shared_ptr<std::ofstream> file_;
  std::vector<std::string> keys_;
};

// Functions for some hooks.
class LambdaCallback final : public Callback {
 public:
  struct Hooks {
    std::function<void(std::int64_t)> on_epoch_begin = nullptr;
    std::function<void(std::int64_t, Logs&)> on_epoch_end = nullptr;
    std::function<void()> on_train_begin = nullptr, on_train_end = nullptr;
    std::function<void(std::int64_t)> on_train_batch_begin = nullptr;
    std::function<void(std::int64_t, Logs&)> on_train_batch_end = nullptr;
  };
  LambdaCallback(Hooks hooks) : hooks_(std::move(hooks)) {}
  void on_epoch_begin(std::int64_t epoch) override {
    if (hooks_.on_epoch_begin) hooks_.on_epoch_begin(epoch);
  }
  void on_epoch_end(std::int64_t epoch, Logs& logs) override {
    if (hooks_.on_epoch_end) hooks_.on_epoch_end(epoch, logs);
  }
  void on_train_begin() override {
    if (hooks_.on_train_begin) hooks_.on_train_begin();
  }
  void on_train_end() override {
    if (hooks_.on_train_end) hooks_.on_train_end();
  }
  void on_train_batch_begin(std::int64_t batch) override {
    if (hooks_.on_train_batch_begin) hooks_.on_train_batch_begin(batch);
  }
  void on_train_batch_end(std::int64_t batch, Logs& logs) override {
    if (hooks_.on_train_batch_end) hooks_.on_train_batch_end(batch, logs);
  }

 private:
  Hooks hooks_;
};

}  // namespace ramet
