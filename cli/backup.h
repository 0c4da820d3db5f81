// What `ramet train --resume DIR` goes on from: the model as it was after its last whole epoch.
#pragma once
#include "ramet/train/callback.h"

namespace ramet::cli {

// A model file in a folder, whose metadata.json says how far training was: epochs done, their history, and the
// variables that model files leave out (seeds of random layers, states of stateful ones).
class Backup {
 public:
  // The folder is made by the first save. DataError when it cannot be, or is none.
  explicit Backup(const std::string& folder);

  bool exists() const;
  // The model to go on with. DataError when the backup is not one of a model like `asked`.
  Model open(const Model& asked);
  std::int64_t epochs() const { return epochs_; }
  const JsonObject& history() const { return history_; }

  // Replaces the backup; the one before stays whole until the new one is.
  void save(const Model& model, std::int64_t epochs, const JsonObject& history) const;
  // Training is done. The folder goes too if nothing else lies in it.
  void remove() const;

 private:
  std::string folder_, file_;
  std::int64_t epochs_ = 0;
  JsonObject history_;
};

}  // namespace ramet::cli
