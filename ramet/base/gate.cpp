#include "ramet/base/gate.h"

#include <algorithm>

namespace ramet {
namespace {

thread_local std::vector<const Gate*> inside;  // the gates this thread went through

}  // namespace

bool Gate::enter() {
  if (std::find(inside.begin(), inside.end(), this) != inside.end()) return false;
  inside.push_back(this);
  return true;
}

void Gate::leave() { inside.erase(std::find(inside.begin(), inside.end(), this)); }

Gate::Read::Read(Gate& gate) {
  if (!gate.enter()) return;
  gate_ = &gate;
  std::unique_lock lock(gate.mutex_);
  gate.changed_.wait(lock, [&] { return !gate.writing_ && gate.waiting_writers_ == 0; });
  ++gate.readers_;
}

Gate::Read::~Read() {
  if (!gate_) return;
  gate_->leave();
  const std::lock_guard lock(gate_->mutex_);
  if (--gate_->readers_ == 0) gate_->changed_.notify_all();
}

Gate::Write::Write(Gate& gate) {
  if (!gate.enter()) return;
  gate_ = &gate;
  std::unique_lock lock(gate.mutex_);
  ++gate.waiting_writers_;
  gate.changed_.wait(lock, [&] { return !gate.writing_ && gate.readers_ == 0; });
  --gate.waiting_writers_;
  gate.writing_ = true;
}

Gate::Write::~Write() {
  if (!gate_) return;
  gate_->leave();
  const std::lock_guard lock(gate_->mutex_);
  gate_->writing_ = false;
  gate_->changed_.notify_all();
}

}  // namespace ramet
