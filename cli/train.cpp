// ramet train: goes on training a model.
#include <iostream>

#include "cli/backup.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/compile_flags.h"
#include "cli/data.h"
#include "cli/signals.h"
#include "ramet/array/random.h"
#include "ramet/base/thread_pool.h"
#include "ramet/io/bytes.h"
#include "ramet/io/file.h"
#include "ramet/train/options.h"

namespace ramet::cli {
namespace {

struct TrainArgs : CompileFlags {
  std::string model, data, save;
  std::optional<std::string> history, resume;
  std::int64_t epochs = 1, batch_size = 32;
  std::optional<std::int64_t> threads;
  std::optional<std::uint64_t> seed;
  double validation_split = 0;
  bool no_shuffle = false, quiet = false, json = false;
};
using F = Flags<TrainArgs>;
constexpr Option kOptions[] = {
    F::argument<&TrainArgs::model>("MODEL", "a model file"),
    F::required<&TrainArgs::data>("--data", "D.npz", "arrays x, y and where wanted sample_weight"),
    F::required<&TrainArgs::save>("--save", "OUT.keras", "gets the trained model, with the optimizer's state"),
    F::flag<&TrainArgs::epochs>("--epochs", "N", "times over the data (1)"),
    F::flag<&TrainArgs::batch_size>("--batch-size", "N", "samples per step (32)"),
    F::flag<&TrainArgs::validation_split>("--validation-split", "F", "part of the data, from its end, to validate on"),
    F::flag<&TrainArgs::no_shuffle>("--no-shuffle", "", "samples in the order of the file"),
    F::flag<&TrainArgs::seed>("--seed", "N", "the same number repeats a run exactly"),
    F::flag<&TrainArgs::history>("--history", "H.json", "gets what Keras' History holds: name to values per epoch"),
    F::flag<&TrainArgs::optimizer>("--optimizer", "O", "in place of the file's: adam, or Keras' JSON of one"),
    F::flag<&TrainArgs::learning_rate>("--learning-rate", "F", "in place of the optimizer's"),
    F::flag<&TrainArgs::loss>("--loss", "L",
                              "in place of the file's: mse; one per output: mse,mae; by name: label=mse"),
    F::flag<&TrainArgs::metrics>("--metrics", "M", "in place of the file's: accuracy,mae"),
    F::flag<&TrainArgs::threads>("--threads", "N", "threads to use (RAMET_NUM_THREADS, or all processors)"),
    F::flag<&TrainArgs::json>("--json", "", "a line of JSON on stdout after every epoch"),
    F::flag<&TrainArgs::quiet>("--quiet", "", "no progress on stderr"),
    F::flag<&TrainArgs::resume>("--resume", "DIR", "keeps a backup there after every epoch and goes on from it"),
};

// Keeps what every finished epoch gave, also when training is then broken off.
struct Record final : Callback {
  Record(bool print_lines, std::optional<Backup> to) : print(print_lines), backup(std::move(to)) {}
  void on_epoch_end(std::int64_t epoch, Logs& logs) override {
    JsonObject line{{"epoch", Json(epoch + 1)}};
    for (const auto& [name, value] : logs) {
      if (!history.contains(name)) history.set(name, Json(JsonArray{}));
      history.at(name).as_array().push_back(Json(value));
      line.set(name, Json(value));
    }
    if (print) std::cout << Json(std::move(line)).dump() << std::endl;
    if (backup) backup->save(model(), epoch + 1, history);
  }
  JsonObject history;
  bool print;
  std::optional<Backup> backup;
};

// The model to train, as the flags want it compiled.
Model model_to_train(const TrainArgs& args) {
  if (args.seed) set_random_seed(*args.seed);
  Model model = open_model(args.model, args.loss.empty() ? Compile::as_saved : Compile::if_possible);
  compile_with(model, args);
  return model;
}

void check(const TrainArgs& args) {
  if (args.validation_split < 0 || args.validation_split >= 1)
    throw WrongUsage(cat("--validation-split must be from 0 to below 1; got ", args.validation_split));
  extension_of(args.save, "--save", {".keras", ".h5"});
  if (args.save.ends_with(".weights.h5"))
    throw WrongUsage("--save must name a whole model: a file that ends in .keras or .h5, not .weights.h5");
  check_writable(args.save);
  if (!args.history) return;
  extension_of(*args.history, "--history", {".json"});
  check_writable(*args.history);
}

int train(const TrainArgs& args) {
  check(args);
  watch_signals(true);
  if (args.threads) set_num_threads(static_cast<int>(std::min<std::int64_t>(*args.threads, ThreadPool::kMaxThreads)));
  Model model = model_to_train(args);
  const TrainingData data = training_data_from(read_npz(args.data), model, args.data);

  const auto record =
      std::make_shared<Record>(args.json, args.resume ? std::optional(Backup(*args.resume)) : std::nullopt);
  auto& backup = record->backup;
  if (backup && backup->exists()) {
    if (args.seed) set_random_seed(*args.seed);  // layers draw their seeds as they did the first time
    model = backup->open(model);
    record->history = backup->history();
    if (!args.quiet) say(cat("going on after epoch ", backup->epochs()));
  }
  int status = 0;
  try {
    model.fit(data.x, data.y,
              {.batch_size = args.batch_size,
               .epochs = args.epochs,
               .verbose = args.quiet ? 0 : 1,
               .callbacks = {record, StopOnSignal()},
               .validation_split = args.validation_split,
               .shuffle = !args.no_shuffle,
               .sample_weight = data.sample_weight,
               .initial_epoch = backup ? backup->epochs() : 0});
  } catch (const Interrupted& interrupted) {
    if (interrupted.signal != SIGTERM) throw;
    status = 75;
  }

  // The history is complete on the disk before the model takes its name, and takes its own name last.
  std::optional<AtomicFile> history;
  if (args.history) {
    const std::string text = Json(record->history).dump(2) + "\n";
    history.emplace(*args.history);
    history->write(std::as_bytes(std::span(text.data(), text.size())));
  }
  model.save(args.save);
  if (history) history->commit();
  if (backup && !status) backup->remove();
  if (status || !args.quiet) say(cat(status ? "stopped by SIGTERM; saved " : "saved ", args.save));
  return status;
}

}  // namespace

constinit const Command train_command{
    "train",
    "train a model further on the arrays of an .npz file",
    kOptions,
    "ramet train model.keras --data train.npz --save trained.keras --epochs 5\n"
    "ramet train model.keras --data train.npz --save out.keras --optimizer adam --loss mse --seed 7",
    "The file holds x and y; for several inputs or outputs x/<input>, y/<output>, and sample_weight likewise.\n"
    "Without flags the model is trained as it was compiled when it was saved. Ctrl-C stops after the batch and saves\n"
    "nothing (exit status 130); SIGTERM stops after the batch and saves (75). With --resume the same command, given\n"
    "again after it was broken off, goes on after the last whole epoch; --epochs counts all of them.",
    &run_with<TrainArgs, train>};

}  // namespace ramet::cli
