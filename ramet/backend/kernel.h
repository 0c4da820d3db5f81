// A kernel computes one instruction. It is chosen and given its arguments when a plan is made; at run time it is a
// function pointer and a struct.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ramet/base/thread_pool.h"
#include "ramet/ir/op.h"

namespace ramet {

// What a kernel gets at run time. A result that nobody reads may be null when the instruction has several results.
struct Buffers {
  const void* const* in;
  void* const* out;
  void* scratch;  // as many bytes as the step asked for, 64-byte aligned
  ThreadPool& pool;

  template <class T>
  const T* input(std::size_t i) const {
    return static_cast<const T*>(in[i]);
  }
  template <class T>
  T* output(std::size_t i) const {
    return static_cast<T*>(out[i]);
  }
};

// An input that the kernel wants in a layout of its own. Asked for only where the input stays the same from run to run
// (Site::fixed): the planner then has it brought into that layout once and hands the kernel the result instead.
struct Pack {
  std::size_t input = 0, bytes = 0;
  void (*run)(const void* args, const void* in, void* out) = nullptr;
};

struct Step {
  void (*run)(const void* args, const Buffers&) = nullptr;
  std::shared_ptr<const void> args;
  std::size_t scratch = 0;
  std::string_view kernel;
  std::vector<Pack> packs;
};

// Binds arguments to a function without captures: make_step(Args{…}, [](const Args& a, const Buffers& b) { … }).
template <class Args, class Run>
Step make_step(Args args, Run, std::size_t scratch = 0) {
  Step step;
  step.args = std::make_shared<const Args>(std::move(args));
  step.run = [](const void* a, const Buffers& b) { Run{}(*static_cast<const Args*>(a), b); };
  step.scratch = scratch;
  return step;
}

// The instruction a kernel is asked for, with its specs at hand.
struct Site {
  const Program& program;
  const Instr& instr;
  const std::vector<bool>* fixed_values = nullptr;

  // The input is the same in every run until the state of the program changes.
  bool fixed(std::size_t i) const { return fixed_values && (*fixed_values)[static_cast<std::size_t>(instr.inputs[i])]; }
  const Spec& in(std::size_t i) const { return program.spec(instr.inputs[i]); }
  const Spec& out(std::size_t i = 0) const { return program.spec(instr.results[i]); }
  std::size_t in_count() const { return instr.inputs.size(); }
  template <class A>
  const A& attrs() const {
    return instr.attrs.as<A>();
  }
};

struct Kernel {
  const OpDef* op;
  std::string_view name;
  bool (*supports)(const Site&);
  Step (*make)(const Site&);
  bool reference = true;  // the plain kernel every op has; fast ones stand before it
};

using KernelList = std::vector<Kernel>;

inline bool always(const Site&) { return true; }

// Runs part(i, scratch of part i) for every part, over the pool.
template <class Part>
void run_parts(const Buffers& buffers, int parts, std::size_t scratch_each, Part&& part) {
  buffers.pool.parallel_for(
      parts, [&](int i) { part(i, static_cast<char*>(buffers.scratch) + static_cast<std::size_t>(i) * scratch_each); });
}

}  // namespace ramet
