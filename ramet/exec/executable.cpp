#include "ramet/exec/executable.h"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "ramet/base/denormals.h"
#include "ramet/exec/crew.h"
#include "ramet/passes/pass_manager.h"

namespace ramet {

struct Executable::Workspace {
  std::vector<std::shared_ptr<void>> memory;
  std::vector<char*> arenas;
  std::vector<void*> pointers;
  // For several devices:
  std::unique_ptr<Crew> crew;
  std::vector<std::atomic<bool>> done;  // per step
  std::vector<std::exception_ptr> errors;
};

Executable::Executable(std::shared_ptr<const Plan> plan, const Backend& backend)
    : plan_(std::move(plan)), backend_(backend) {
  if (plan_->prepared_bytes()) prepared_ = backend_.allocate(plan_->prepared_bytes());
}

std::shared_ptr<const Executable> Executable::compile(std::unique_ptr<Program> program, const Backend& backend,
                                                      PlanOptions options) {
  program = backend.optimizes() ? optimize(std::move(program), {.frozen_state = options.frozen_state, .skip = {}})
                                : lower(std::move(program));
  return std::shared_ptr<const Executable>(new Executable(make_plan(std::move(program), backend, options), backend));
}

Executable::~Executable() {
  for (auto& slot : free_) delete slot.load();
}

Executable::Workspace* Executable::lease() const {
  for (auto& slot : free_)
    if (Workspace* found = slot.exchange(nullptr, std::memory_order_acquire)) return found;
  auto fresh = std::make_unique<Workspace>();
  for (std::size_t d = 0; d < plan_->devices().size(); ++d) {
    fresh->memory.push_back(backend_.allocate(plan_->arena_bytes(d)));
    fresh->arenas.push_back(static_cast<char*>(fresh->memory.back().get()));
  }
  fresh->pointers.resize(plan_->pointer_count());
  if (plan_->devices().size() > 1) {
    fresh->crew = std::make_unique<Crew>(plan_->devices().size());
    fresh->done = std::vector<std::atomic<bool>>(plan_->steps().size());
    fresh->errors.resize(plan_->devices().size());
  }
  plan_->bind(fresh->pointers.data(), fresh->arenas.data(), static_cast<char*>(prepared_.get()));
  return fresh.release();
}

void Executable::give_back(Workspace* workspace) const {
  for (auto& slot : free_) {
    Workspace* expected = nullptr;
    if (slot.compare_exchange_strong(expected, workspace, std::memory_order_release)) return;
  }
  delete workspace;
}

void Executable::prepare(Workspace& workspace, void* const*, std::uint64_t version) const {
  if (plan_->prepare_steps().empty()) return;
  if (is_prepared_.load(std::memory_order_acquire) && prepared_version_.load(std::memory_order_acquire) == version)
    return;
  const std::lock_guard lock(prepare_mutex_);
  if (is_prepared_.load() && prepared_version_.load() == version) return;
  for (const auto& s : plan_->prepare_steps())
    s.step.run(s.step.args.get(),
               {workspace.pointers.data() + s.in, workspace.pointers.data() + s.out,
                workspace.arenas[static_cast<std::size_t>(s.device)] + s.scratch, backend_.pool({})});
  prepared_version_.store(version, std::memory_order_release);
  is_prepared_.store(true, std::memory_order_release);
}

// Gives the workspace back however the run ends.
struct Executable::Lease {
  const Executable& owner;
  Workspace* workspace;
  ~Lease() { owner.give_back(workspace); }
};

void Executable::run(void* const* external, std::uint64_t version) const {
  const FlushDenormals flush;
  const Lease held{*this, lease()};
  Workspace& w = *held.workspace;
  plan_->patch(w.pointers.data(), external);
  prepare(w, external, version);
  if (plan_->devices().size() == 1)
    run_steps(plan_->steps(), w.pointers.data(), w.arenas[0], own_pool());
  else
    run_devices(w);
}

// The backend's pool without asking it again in every run.
ThreadPool& Executable::own_pool() const {
  ThreadPool* pool = pool_.load(std::memory_order_acquire);
  if (!pool || pool->threads() != num_threads()) {
    pool = &backend_.pool(plan_->devices()[0]);
    pool_.store(pool, std::memory_order_release);
  }
  return *pool;
}

// One thread per device, each running its device's steps in order. A step that needs another device's result waits for
// it.
void Executable::run_devices(Workspace& w) const {
  for (auto& d : w.done) d.store(false, std::memory_order_relaxed);
  std::atomic<bool> failed{false};
  const auto drive = [&](std::size_t device) {
    const FlushDenormals flush;
    try {
      ThreadPool& pool = backend_.pool({plan_->devices()[device].kind, static_cast<int>(device) + 1});
      for (std::size_t i = 0; i < plan_->steps().size(); ++i) {
        const auto& s = plan_->steps()[i];
        if (static_cast<std::size_t>(s.device) != device) continue;
        for (const int k : s.waits_for)
          while (!w.done[static_cast<std::size_t>(k)].load(std::memory_order_acquire)) {
            if (failed.load(std::memory_order_acquire)) return;
            std::this_thread::yield();
          }
        s.step.run(s.step.args.get(),
                   {w.pointers.data() + s.in, w.pointers.data() + s.out, w.arenas[device] + s.scratch, pool});
        w.done[i].store(true, std::memory_order_release);
      }
    } catch (...) {
      w.errors[device] = std::current_exception();
      failed.store(true, std::memory_order_release);
    }
  };
  w.crew->run(drive);
  for (auto& e : w.errors)
    if (e) std::rethrow_exception(std::exchange(e, nullptr));
}

void Executable::time_steps(void* const* external, double* seconds, std::uint64_t version) const {
  const FlushDenormals flush;
  const Lease held{*this, lease()};
  Workspace& w = *held.workspace;
  plan_->patch(w.pointers.data(), external);
  prepare(w, external, version);
  auto before = std::chrono::steady_clock::now();
  for (const auto& s : plan_->steps()) {
    const auto device = static_cast<std::size_t>(s.device);
    s.step.run(s.step.args.get(), {w.pointers.data() + s.in, w.pointers.data() + s.out, w.arenas[device] + s.scratch,
                                   backend_.pool(plan_->devices()[device])});
    const auto after = std::chrono::steady_clock::now();
    *seconds++ = std::chrono::duration<double>(after - before).count();
    before = after;
  }
}

Arrays Executable::run(const Arrays& inputs, std::uint64_t version) const {
  const Program& p = program();
  require(inputs.size() == p.inputs().size(), "the program takes ", p.inputs().size(), " inputs; got ", inputs.size());
  std::vector<void*> external;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Spec got{inputs[i].shape(), inputs[i].dtype()}, &want = p.spec(p.inputs()[i].value);
    require(got == want, "input '", p.inputs()[i].name, "' must be ", want, "; got ", got);
    external.push_back(const_cast<void*>(inputs[i].raw()));
  }
  Arrays outputs;
  for (const auto& output : p.outputs()) {
    outputs.emplace_back(p.spec(output.value).shape, p.spec(output.value).dtype);
    external.push_back(outputs.back().raw());
  }
  run(external.data(), version);
  return outputs;
}

Arrays evaluate_plainly(const Program& program, const Arrays& inputs) {
  auto copy = rebuild(program, [](Program& out, int, const Instr& instr, std::span<const Value> in) {
    return out.emit(*instr.op, in, instr.attrs);
  });
  return Executable::compile(std::move(copy), reference_backend())->run(inputs);
}

}  // namespace ramet
