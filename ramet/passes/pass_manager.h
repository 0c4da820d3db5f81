// Every rewrite of a program goes through here: timing, verification and switching off exist once.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "ramet/ir/program.h"

namespace ramet {

struct PassOptions {
  bool frozen_state = false;           // state that is only read stays the same between runs
  std::vector<std::string_view> skip;  // passes to leave out; RAMET_SKIP_PASSES=a,b adds to it
};

struct Pass {
  std::string_view name;
  std::unique_ptr<Program> (*run)(const Program&, const PassOptions&);  // null when nothing changed
  bool required = false;                                                // kernels count on it: cannot be left out
};

// The passes in the order they run.
const std::vector<Pass>& all_passes();

// Runs them all, verifying after each, on the program and the bodies inside it.
std::unique_ptr<Program> optimize(std::unique_ptr<Program> program, const PassOptions& options = {});

// Runs the required ones alone: what a backend that takes programs as they are needs of them.
std::unique_ptr<Program> lower(std::unique_ptr<Program> program);

}  // namespace ramet
