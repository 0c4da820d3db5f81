#include "ramet/passes/pass_manager.h"

#include <algorithm>
#include <cstdlib>

#include "ramet/base/error.h"
#include "ramet/ir/op.h"
#include "ramet/ir/verify.h"
#include "ramet/ops/scan/scan.h"
#include "ramet/passes/passes.h"

namespace ramet {
namespace {

bool skipped(std::string_view name, const PassOptions& options) {
  if (std::find(options.skip.begin(), options.skip.end(), name) != options.skip.end()) return true;
  const char* listed = std::getenv("RAMET_SKIP_PASSES");
  if (!listed) return false;
  const std::string all = cat(",", listed, ",");
  return all.find(cat(",", name, ",")) != std::string::npos;
}

// Bodies of loops are programs of their own. Nothing in them is state, so nothing in them is frozen.
std::unique_ptr<Program> optimize_bodies(const Program& program, const PassOptions& options) {
  const auto has_body = [](const Instr& i) { return i.op == &ops::scan_op; };
  if (std::none_of(program.instrs().begin(), program.instrs().end(), has_body)) return nullptr;
  return rebuild(program, [&](Program& out, int, const Instr& instr, std::span<const Value> in) {
    if (!has_body(instr)) return out.emit(*instr.op, in, instr.attrs);
    ops::ScanAttrs attrs = instr.attrs.as<ops::ScanAttrs>();
    auto copy = rebuild(*attrs.body, [](Program& o, int, const Instr& i, std::span<const Value> x) {
      return o.emit(*i.op, x, i.attrs);
    });
    PassOptions inside = options;
    inside.frozen_state = false;
    attrs.body = optimize(std::move(copy), inside);
    return out.emit(*instr.op, in, Attrs::make(std::move(attrs)));
  });
}

}  // namespace

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> list = {
      {"place", passes::place},
      {"widen", passes::widen, true},
      {"fold", passes::fold},
      {"pools", passes::pools},
      {"cse", passes::cse},
      {"pads", passes::pads},
      {"dce", passes::dce},
      {"affine", passes::affine},
      {"strides", passes::strides},
      {"linear", passes::linear},
      {"recompute", passes::recompute},
      {"cluster", passes::cluster},
      {"schedule", passes::schedule},
  };
  return list;
}

std::unique_ptr<Program> optimize(std::unique_ptr<Program> program, const PassOptions& options) {
  for (const Pass& pass : all_passes()) {
    if (!pass.required && skipped(pass.name, options)) continue;
    if (auto changed = pass.run(*program, options)) {
      program = std::move(changed);
      verify(*program, pass.name);
    }
  }
  if (auto changed = optimize_bodies(*program, options)) program = std::move(changed);
  return program;
}

std::unique_ptr<Program> lower(std::unique_ptr<Program> program) {
  PassOptions required_only;
  for (const Pass& pass : all_passes())
    if (!pass.required) required_only.skip.push_back(pass.name);
  return optimize(std::move(program), required_only);
}

}  // namespace ramet
