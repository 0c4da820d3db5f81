// Model::fit, evaluate and the on-batch calls.
#include <algorithm>
#include <cmath>

#include "ramet/array/random.h"
#include "ramet/base/messages.h"
#include "ramet/train/progress.h"
#include "ramet/train/runner.h"

namespace ramet {

using namespace train;

namespace {

const Feed kNoFeed;

const CompileOptions& compiled_options(const Training& training, const char* who) {
  require(training.compiled.has_value(), "You must call compile() before calling ", who, "()");
  return training.compiled->options;
}

std::int64_t batch_size_for(const std::optional<std::int64_t>& given, const std::optional<std::int64_t>& steps,
                            std::int64_t count, const char* who) {
  require(!given || *given > 0, who, ": `batch_size` must be positive; got ", given.value_or(0));
  require(!steps || *steps > 0, who, ": the number of steps must be positive; got ", steps.value_or(0));
  if (given) return std::min(*given, std::max<std::int64_t>(count, 1));  // no sum with it overflows
  return steps ? (count + *steps - 1) / *steps : 32;
}

// Cuts the last part off for validation.
DataSet split_off(DataSet& data, double fraction) {
  require(fraction > 0 && fraction < 1,
          "`validation_split` must be a float between 0 and 1, received: validation_split=", fraction);
  const auto at = static_cast<std::int64_t>(std::floor(static_cast<double>(data.count) * (1 - fraction)));
  require(at > 0 && at < data.count, "Training data contains ", data.count,
          " samples, which is not sufficient to split it into a validation and training set as specified by "
          "`validation_split=",
          fraction, "`. Either provide more data, or a different value for the `validation_split` argument.");
  DataSet tail = data.rows(at, data.count);
  data = data.rows(0, at);
  return tail;
}

struct EvaluateLoop {
  Training& training;
  ModelLayer& model;
  const Callbacks& callbacks;
  Progress* progress = nullptr;

  Logs run(const DataSet& data, std::int64_t batch_size, const std::optional<std::int64_t>& limit) {
    Batches batches(data, batch_size);
    Measuring measuring(training, model, StepKind::test);
    const std::int64_t steps = std::min(batches.count(), limit.value_or(batches.count()));
    for (const auto& c : callbacks) c->on_test_begin();
    for (std::int64_t b = 0; b < steps; ++b) {
      for (const auto& c : callbacks) c->on_test_batch_begin(b);
      measuring.step(batches, b);
      if (!callbacks.empty()) {
        Logs logs = measuring.logs();
        for (const auto& c : callbacks) c->on_test_batch_end(b, logs);
      }
      if (progress) progress->update(b + 1, progress->due() ? measuring.logs() : MetricValues{});
    }
    Logs logs = measuring.logs();
    for (const auto& c : callbacks) c->on_test_end(logs);
    return logs;
  }
};

// One call of fit. Everything it needs lives here, so that an exception leaves nothing behind.
class FitLoop {
 public:
  FitLoop(const Model& model, Training& training, DataSet data, std::optional<DataSet> validation,
          const FitOptions& options)
      : model_(model),
        training_(training),
        data_(std::move(data)),
        validation_(std::move(validation)),
        options_(options),
        batches_(data_, batch_size_for(options.batch_size, options.steps_per_epoch, data_.count, "fit")),
        measuring_(training, model.layer(), StepKind::train) {}

  History run() {
    for (const auto& c : options_.callbacks) c->set_model(model_);
    training_.stop = false;
    const std::uint64_t seed = options_.shuffle.kind() == Shuffle::Kind::none ? 0 : next_seed();
    for (const auto& c : options_.callbacks) c->on_train_begin();
    for (std::int64_t epoch = options_.initial_epoch; epoch < options_.epochs && !training_.stop; ++epoch) {
      seed_ = {seed, static_cast<std::uint64_t>(epoch)};
      run_epoch(epoch);
    }
    if (training_.compiled->optimizer) {
      const Gate::Write alone(training_.gate);
      training_.compiled->options.optimizer->finalize(*training_.compiled->optimizer);
    }
    for (const auto& c : options_.callbacks) c->on_train_end();
    return std::move(history_);
  }

 private:
  void run_epoch(std::int64_t epoch) {
    measuring_.reset();
    const std::int64_t steps = options_.steps_per_epoch.value_or(batches_.count());
    if (options_.verbose != 0 && options_.epochs > 1)
      say(MessageKind::progress, epoch_line(static_cast<int>(epoch), static_cast<int>(options_.epochs)));
    Progress progress(stderr_progress(options_.verbose, steps));
    for (const auto& c : options_.callbacks) c->on_epoch_begin(epoch);
    for (std::int64_t step = 0; step < steps; ++step) {
      if (cursor_ == batches_.count()) {
        if (step > 0) {
          say(MessageKind::warning,
              "Your input ran out of data; interrupting the epoch. Make sure that your data can give at least "
              "`steps_per_epoch * epochs` batches.\n");
          break;
        }
        cursor_ = 0;
      }
      if (cursor_ == 0) shuffle();
      for (const auto& c : options_.callbacks) c->on_train_batch_begin(step);
      measuring_.step(batches_, cursor_++);
      if (!options_.callbacks.empty()) {
        Logs logs = measuring_.logs();
        for (const auto& c : options_.callbacks) c->on_train_batch_end(step, logs);
      }
      progress.update(step + 1, progress.due() ? measuring_.logs() : MetricValues{});
      if (training_.stop) break;
    }
    Logs logs = measuring_.logs();
    if (validation_ && options_.validation_freq.due(epoch)) {
      const std::int64_t size =
          batch_size_for(options_.validation_batch_size ? options_.validation_batch_size : options_.batch_size,
                         options_.validation_steps, validation_->count, "fit");
      for (const auto& [name, value] : EvaluateLoop{training_, model_.layer(), options_.callbacks}.run(
               *validation_, size, options_.validation_steps))
        logs.set("val_" + name, value);
    }
    for (const auto& c : options_.callbacks) c->on_epoch_end(epoch, logs);
    progress.finish(logs);
    record(epoch, logs);
  }

  void shuffle() {
    if (options_.shuffle.kind() == Shuffle::Kind::none) return;
    if (options_.shuffle.kind() == Shuffle::Kind::all) return batches_.set_order(permutation(data_.count, seed_));
    std::vector<std::int64_t> order;
    for (std::int64_t b = 0, begin = 0; b < batches_.count(); ++b) {
      for (const std::int64_t i :
           permutation(batches_.size(b), {seed_.seed, (seed_.counter << 32) + static_cast<std::uint64_t>(b)}))
        order.push_back(begin + i);
      begin += batches_.size(b);
    }
    batches_.set_order(std::move(order));
  }

  void record(std::int64_t epoch, const Logs& logs) {
    history_.epoch.push_back(epoch);
    for (const auto& [name, value] : logs) {
      auto at = std::lower_bound(history_.history.begin(), history_.history.end(), name,
                                 [](const auto& entry, const std::string& n) { return entry.first < n; });
      if (at == history_.history.end() || at->first != name) at = history_.history.insert(at, {name, {}});
      at->second.push_back(value);
    }
  }

  Model model_;
  Training& training_;
  DataSet data_;
  std::optional<DataSet> validation_;
  const FitOptions& options_;
  Batches batches_;
  Measuring measuring_;
  Stream seed_;
  std::int64_t cursor_ = 0;
  History history_;
};

Logs on_batch(const Model& model, StepKind kind, const Feed& x, const Feed& y, const Feed& sample_weight,
              const char* who) {
  ModelLayer& layer = model.layer();
  const auto training = Training::of(layer);
  const CompileOptions& compiled = compiled_options(*training, who);
  std::optional<Training::Owner> owner;
  std::optional<Gate::Read> reading;
  if (kind == StepKind::train)
    owner.emplace(*training, layer, who);
  else
    reading.emplace(training->gate);
  const DataSet data = match_data(layer, {x, y, sample_weight, who}, &compiled);
  Batches batches(data, data.count);
  Measuring measuring(*training, layer, kind);
  measuring.step(batches, 0);
  return measuring.logs();
}

}  // namespace

History Model::fit(const Feed& x, const Feed& y, const FitOptions& options) {
  const auto training = Training::of(layer());
  const CompileOptions& compiled = compiled_options(*training, "fit");
  require(options.epochs >= 0 && options.initial_epoch >= 0,
          "fit: `epochs` and `initial_epoch` must not be negative; got ", options.epochs, " and ",
          options.initial_epoch);
  const Training::Owner owner(*training, layer(), "fit");
  DataSet data = match_data(layer(), {x, y, options.sample_weight, "fit"}, &compiled);
  std::optional<DataSet> validation;
  const ValidationData& given = options.validation_data;
  if (!given.x.empty())
    validation = match_data(layer(), {given.x, given.y, given.sample_weight, "fit (validation_data)"}, &compiled);
  else if (options.validation_split != 0)
    validation = split_off(data, options.validation_split);
  weigh_classes(data, options.class_weight);
  if (trainable_weights().empty())
    say(MessageKind::warning,
        cat("fit: The model does not have any trainable weights, so nothing is learned: '", name(),
            count_params() > 0 ? "' is frozen; set_trainable(true) opens it\n" : "' has none\n"));
  return FitLoop(*this, *training, std::move(data), std::move(validation), options).run();
}
History Model::fit(const Feed& x, const Feed& y) { return fit(x, y, FitOptions{}); }

Logs Model::evaluate(const Feed& x, const Feed& y, const EvaluateOptions& options) const {
  const auto training = Training::of(layer());
  const Gate::Read reading(training->gate);
  const DataSet data =
      match_data(layer(), {x, y, options.sample_weight, "evaluate"}, &compiled_options(*training, "evaluate"));
  const std::int64_t size = batch_size_for(options.batch_size, options.steps, data.count, "evaluate");
  const std::int64_t steps = std::min((data.count + size - 1) / size, options.steps.value_or(data.count));
  Progress progress(stderr_progress(options.verbose, steps));
  for (const auto& c : options.callbacks) c->set_model(*this);
  Logs logs = EvaluateLoop{*training, layer(), options.callbacks, &progress}.run(data, size, options.steps);
  progress.finish(logs);
  return logs;
}
Logs Model::evaluate(const Feed& x, const Feed& y) const { return evaluate(x, y, EvaluateOptions{}); }

Logs Model::train_on_batch(const Feed& x, const Feed& y, const Feed& sample_weight) {
  return on_batch(*this, StepKind::train, x, y, sample_weight, "train_on_batch");
}
Logs Model::train_on_batch(const Feed& x, const Feed& y) {
  return on_batch(*this, StepKind::train, x, y, kNoFeed, "train_on_batch");
}
Logs Model::test_on_batch(const Feed& x, const Feed& y) const {
  return on_batch(*this, StepKind::test, x, y, kNoFeed, "test_on_batch");
}

Shuffle::Shuffle(const char* name) : kind_(Kind::batch) {
  require(std::string_view(name) == "batch", "`shuffle` must be true, false or \"batch\"; got \"", name, "\"");
}

bool ValidationFreq::due(std::int64_t epoch) const {
  if (epochs_.empty()) return every_ > 0 && (epoch + 1) % every_ == 0;
  return std::find(epochs_.begin(), epochs_.end(), epoch + 1) != epochs_.end();
}

const std::vector<double>& History::operator[](std::string_view name) const {
  for (const auto& [key, values] : history)
    if (key == name) return values;
  std::vector<std::string> names;
  for (const auto& entry : history) names.push_back(entry.first);
  throw UsageError(cat("the history has no '", name, "'; it has ", join(names)));
}
bool History::contains(std::string_view name) const {
  return std::any_of(history.begin(), history.end(), [&](const auto& entry) { return entry.first == name; });
}

}  // namespace ramet
