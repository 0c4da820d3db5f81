// A program made ready to run on a backend.
#pragma once
#include <atomic>
#include <mutex>

#include "ramet/array/array.h"
#include "ramet/plan/plan.h"

namespace ramet {

class Executable {
 public:
  // Rewrites the program for the backend (where that optimizes) and plans it.
  static std::shared_ptr<const Executable> compile(std::unique_ptr<Program> program,
                                                   const Backend& backend = cpu_backend(), PlanOptions options = {});
  ~Executable();

  const Program& program() const { return plan_->program(); }
  const Plan& plan() const { return *plan_; }

  // Runs the plan. `external` holds a pointer per program input, then one per output, each to as many bytes as its spec
  // says. State inputs with an update are changed in place. Safe from any number of threads at once as long as no state
  // is written; allocates nothing once as many workspaces exist as calls run at the same time. `version` names the
  // content of frozen state: what was prepared is prepared again when it differs from the last run's.
  void run(void* const* external, std::uint64_t version = 0) const;

  // The same on one thread of steps, device after device, with a clock between the steps: seconds[i] is what step i of
  // the plan took.
  void time_steps(void* const* external, double* seconds, std::uint64_t version = 0) const;

  // The same for arrays, with new ones for the outputs. Checks the specs.
  Arrays run(const Arrays& inputs, std::uint64_t version = 0) const;

 private:
  struct Workspace;
  struct Lease;
  Executable(std::shared_ptr<const Plan> plan, const Backend& backend);
  Workspace* lease() const;
  void give_back(Workspace* workspace) const;
  void prepare(Workspace& workspace, void* const* external, std::uint64_t version) const;
  void run_devices(Workspace& workspace) const;
  ThreadPool& own_pool() const;

  static constexpr int kSlots = 64;
  std::shared_ptr<const Plan> plan_;
  const Backend& backend_;
  mutable std::atomic<Workspace*> free_[kSlots] = {};
  mutable std::mutex prepare_mutex_;
  mutable std::atomic<std::uint64_t> prepared_version_{0};
  mutable std::atomic<bool> is_prepared_{false};
  std::shared_ptr<void> prepared_;
  mutable std::atomic<ThreadPool*> pool_{nullptr};
};

// Evaluates a program as it stands, op by op, with plain kernels. What everything else is compared with.
Arrays evaluate_plainly(const Program& program, const Arrays& inputs);

}  // namespace ramet
