// A plan: the steps of a program, where each value lies, and how much memory that takes. Made once per input signature.
#pragma once
#include "ramet/backend/backend.h"

namespace ramet {

struct PlanOptions {
  // State that the program only reads does not change between runs unless the caller says so; what depends on nothing
  // else is computed by `prepare` once instead of in every run.
  bool frozen_state = false;
};

class Plan {
 public:
  // Where a value lies.
  struct Place {
    enum class Kind : unsigned char { nowhere, external, constant, arena, prepared };
    Kind kind = Kind::nowhere;
    int device = 0;              // index into devices(), for arena
    std::size_t offset = 0;      // bytes, for arena and prepared; index of the pointer for external
    const void* data = nullptr;  // for constant
    std::size_t shift = 0;       // bytes from where an external pointer points
  };
  struct PlannedStep {
    Step step;
    std::size_t in = 0, out = 0;  // first pointer of the inputs and of the results
    std::size_t scratch = 0;      // offset in the device's arena
    int device = 0;
    int instr = -1;      // -1 for a copy into an output
    bool packs = false;  // prepares an input for the instruction instead of running it
    // For several devices: steps on other devices (by index) that must be done before this one starts.
    std::vector<int> waits_for;
    bool awaited = false;
  };
  struct Patch {
    std::size_t pointer, external, shift;
  };

  // External pointers of a run: first the program's inputs, then its outputs.
  std::size_t externals() const { return program_->inputs().size() + program_->outputs().size(); }
  const Program& program() const { return *program_; }
  const std::vector<PlannedStep>& steps() const { return steps_; }
  const std::vector<PlannedStep>& prepare_steps() const { return prepare_steps_; }
  const std::vector<Device>& devices() const { return devices_; }
  std::size_t arena_bytes(std::size_t device) const { return arena_bytes_[device]; }
  std::size_t prepared_bytes() const { return prepared_bytes_; }
  std::size_t live_maximum() const { return live_maximum_; }  // most bytes of values alive at once, over one device

  std::size_t pointer_count() const { return pointers_.size(); }
  // Fills a table of pointer_count() pointers for arenas at the given addresses; external ones stay null.
  void bind(void** pointers, char* const* arenas, char* prepared) const;
  // Puts the caller's pointers in.
  void patch(void** pointers, void* const* external) const {
    for (const Patch& p : patches_) pointers[p.pointer] = static_cast<char*>(external[p.external]) + p.shift;
  }
  std::string to_string() const;

 private:
  friend class Planner;
  std::shared_ptr<const Program> program_;
  std::vector<PlannedStep> steps_, prepare_steps_;
  std::vector<Device> devices_;
  std::vector<std::size_t> arena_bytes_;
  std::size_t prepared_bytes_ = 0, live_maximum_ = 0;
  std::vector<Place> pointers_;
  std::vector<Patch> patches_;
  std::vector<std::shared_ptr<const void>> keep_;  // constants
};

std::shared_ptr<const Plan> make_plan(std::shared_ptr<const Program> program, const Backend& backend,
                                      PlanOptions options = {});

// Runs the steps of a plan with one device. `pointers` is bound and patched. Allocates nothing.
inline void run_steps(const std::vector<Plan::PlannedStep>& steps, void** pointers, char* arena, ThreadPool& pool) {
  for (const auto& s : steps)
    s.step.run(s.step.args.get(), {pointers + s.in, pointers + s.out, arena + s.scratch, pool});
}

}  // namespace ramet
