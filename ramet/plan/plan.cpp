#include "ramet/plan/plan.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "ramet/ops/cluster/cluster.h"
#include "ramet/ops/constant/constant.h"
#include "ramet/ops/recurrent/recurrent.h"
#include "ramet/ops/scan/scan.h"
#include "ramet/ops/shape/view.h"
#include "ramet/ops/transfer/transfer.h"
#include "ramet/plan/offsets.h"
#include "ramet/plan/scan_step.h"
#include "ramet/plan/storage.h"

namespace ramet {

using Place = Plan::Place;

namespace {

// State that leaves with the old value of other state, which changes itself (a ← b, b ← a + b), takes it by a copy made
// while that is still the old one.
std::shared_ptr<const Program> with_old_state_copied(std::shared_ptr<const Program> program) {
  const auto& inputs = program->inputs();
  const auto changes = [&](int value) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const Program::Input& i) {
      return i.value == value && i.update >= 0 && ops::viewed(*program, i.update) != value;
    });
  };
  std::vector<int> late;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].update >= 0)
      if (const int source = ops::viewed(*program, inputs[i].update); source != inputs[i].value && changes(source))
        late.push_back(static_cast<int>(i));
  if (late.empty()) return program;
  auto out = rebuild(*program, [](Program& p, int, const Instr& instr, std::span<const Value> in) {
    return p.emit(*instr.op, in, instr.attrs);
  });
  for (const int i : late) {
    const Value old = out->value(out->inputs()[static_cast<std::size_t>(i)].update);
    const ops::TransferAttrs here{out->device.name(), out->device.name()};
    out->set_state(i, emit(ops::transfer_op, {old}, here)[0]);
  }
  return out;
}

}  // namespace

// Turns one program into a plan: first who shares storage with whom, then who may be computed beforehand, then
// lifetimes and offsets, then the steps.
class Planner {
 public:
  Planner(std::shared_ptr<const Program> program, const Backend& backend, PlanOptions options)
      : program_(*program), backend_(backend), options_(options), plan_(std::make_shared<Plan>()), storage_(program_) {
    plan_->program_ = std::move(program);
  }

  std::shared_ptr<const Plan> run() {
    find_devices();
    find_prepared();
    join_parts();
    place_externals();
    place_in_arena();
    emit_steps();
    return plan_;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::size_t bytes(int value) const { return storage_.bytes(value); }

  void find_devices() {
    for (const Instr& instr : program_.instrs())
      if (std::find(plan_->devices_.begin(), plan_->devices_.end(), instr.device) == plan_->devices_.end())
        plan_->devices_.push_back(instr.device);
    std::sort(plan_->devices_.begin(), plan_->devices_.end());
    for (const Device& device : plan_->devices_)
      if (device.index >= device_count(device.kind))
        throw DeviceError(cat("device ", device, " is not available; this machine has ", available_devices()));
    if (plan_->devices_.empty()) plan_->devices_.push_back({});
  }
  int device_of(int instr) const {
    const auto& list = plan_->devices_;
    return static_cast<int>(std::find(list.begin(), list.end(), program_.instr(instr).device) - list.begin());
  }

  int root(int value) const { return storage_.root(value); }

  // Where a value lies, which may be within another one.
  Place place_of(int value) const {
    Place place = place_[at(root(value))];
    const std::size_t offset = storage_.offset(value);
    if (place.kind == Place::Kind::arena || place.kind == Place::Kind::prepared) place.offset += offset;
    if (place.kind == Place::Kind::constant) place.data = static_cast<const char*>(place.data) + offset;
    if (place.kind == Place::Kind::external) place.shift = offset;
    return place;
  }

  // State is written when its turn comes, not part by part before; and what several devices read or make in turn is
  // left alone.
  void join_parts() {
    if (plan_->devices_.size() > 1) return;
    storage_.join_parts([&](const Instr& concat) {
      const auto& inputs = program_.inputs();
      return !prepared_[at(program_.producer(concat.results[0]))] &&
             std::none_of(concat.inputs.begin(), concat.inputs.end(),
                          [&](int part) { return prepared_[at(program_.producer(part))]; }) &&
             std::none_of(inputs.begin(), inputs.end(), [&](const Program::Input& input) {
               return input.update >= 0 && root(input.update) == concat.results[0];
             });
    });
  }

  void find_prepared() {
    prepared_.assign(program_.instrs().size(), false);
    if (!options_.frozen_state) return;
    fixed_.assign(at(program_.value_count()), false);
    std::vector<bool>& fixed = fixed_;
    for (const auto& input : program_.inputs())
      fixed[at(input.value)] = input.kind == InputKind::state && input.update < 0;
    for (std::size_t i = 0; i < program_.instrs().size(); ++i) {
      const Instr& instr = program_.instrs()[i];
      const bool all = std::all_of(instr.inputs.begin(), instr.inputs.end(), [&](int v) { return fixed[at(v)]; });
      if (!all || has(instr.op->traits, Trait::random)) continue;
      for (const int v : instr.results) fixed[at(v)] = true;
      prepared_[i] = !ops::is_view(program_, instr) && instr.op != &ops::constant_op;
    }
  }

  void place_externals() {
    place_.resize(at(program_.value_count()));
    for (std::size_t i = 0; i < program_.inputs().size(); ++i)
      place_[at(program_.inputs()[i].value)] = {Place::Kind::external, 0, i, nullptr};
    for (const Instr& instr : program_.instrs()) {
      if (instr.op != &ops::constant_op) continue;
      const Array& value = instr.attrs.as<ops::ConstantAttrs>().value;
      plan_->keep_.push_back(std::make_shared<Array>(value));
      place_[at(instr.results[0])] = {Place::Kind::constant, 0, 0, value.raw()};
    }
    for (std::size_t i = 0; i < program_.instrs().size(); ++i) {
      if (!prepared_[i]) continue;
      for (const int v : program_.instrs()[i].results) {
        place_[at(v)] = {Place::Kind::prepared, 0, plan_->prepared_bytes_, nullptr};
        plan_->prepared_bytes_ += (bytes(v) + 63) / 64 * 64;
      }
    }
    // An output is computed where the caller wants it, unless its storage is somebody else's already.
    for (std::size_t i = 0; i < program_.outputs().size(); ++i) {
      const int value = program_.outputs()[i].value, v = root(value);
      if (place_[at(v)].kind == Place::Kind::nowhere && storage_.is_whole(value))
        place_[at(v)] = {Place::Kind::external, 0, program_.inputs().size() + i, nullptr};
      else
        copies_.push_back({value, program_.inputs().size() + i});
    }
    place_updates();
  }

  // New state is written over the old as soon as nobody reads that any more; otherwise it is copied at the end.
  void place_updates() {
    std::vector<int> last_use(at(program_.value_count()), -1);
    for (std::size_t i = 0; i < program_.instrs().size(); ++i)
      for (const int v : program_.instrs()[i].inputs) last_use[at(root(v))] = static_cast<int>(i);
    // A copy into an output or into other state still reads its source at the end.
    for (const auto& [value, external] : copies_)
      last_use[at(root(value))] = static_cast<int>(program_.instrs().size());
    for (const auto& input : program_.inputs())
      if (input.update >= 0 && place_[at(root(input.update))].kind == Place::Kind::external)
        last_use[at(root(input.update))] = static_cast<int>(program_.instrs().size());
    for (std::size_t i = 0; i < program_.inputs().size(); ++i) {
      const auto& input = program_.inputs()[i];
      if (input.update < 0) continue;
      const int v = root(input.update);
      const bool whole = storage_.is_whole(input.update);
      if (v == input.value && whole) continue;  // unchanged
      const int producer = program_.producer(v);
      const bool free_place = whole && place_[at(v)].kind == Place::Kind::nowhere && producer >= 0;
      const bool pointwise =
          free_place && program_.spec(v) == program_.spec(input.value) && may_overwrite(producer, v, input.value);
      const int last_read = last_use[at(input.value)];
      if (free_place && (last_read < producer || (last_read == producer && pointwise)))
        place_[at(v)] = {Place::Kind::external, 0, i, nullptr};
      else
        copies_.push_back({input.update, i});
    }
  }

  // Whether the instruction may write `result` over `input`, which it reads: part by part, and never again after.
  bool may_overwrite(int instr, int result, int input) const {
    const Instr& it = program_.instr(instr);
    if (const ops::RecurrentCell* cell = ops::cell_of_op(it.op); cell && it.op == cell->op) {
      // They take the first states of a row before they give its last ones.
      const std::size_t first = 4, end = first + cell->states;
      for (std::size_t i = 0; i < it.inputs.size(); ++i)
        if (root(it.inputs[i]) == input && (i < first || i >= end)) return false;
      const auto states_end = it.results.begin() + static_cast<std::ptrdiff_t>(cell->states);
      return std::find(it.results.begin(), states_end, result) != states_end;
    }
    if (it.op != &ops::cluster_op) return false;
    const Program& body = *it.attrs.as<ops::ClusterAttrs>().body;
    const auto r =
        static_cast<std::size_t>(std::find(it.results.begin(), it.results.end(), result) - it.results.begin());
    for (std::size_t i = 0; i < it.inputs.size(); ++i)
      if (root(it.inputs[i]) == input &&
          (program_.spec(it.inputs[i]) != program_.spec(result) || ops::reads_after(body, i, r)))
        return false;
    return true;
  }

  void place_in_arena() {
    const int end = static_cast<int>(program_.instrs().size());
    std::vector<int> first(at(program_.value_count()), -1), last(at(program_.value_count()), -1);
    const auto touch = [&](int value, int step) {
      const int r = root(value);
      if (first[at(r)] < 0) first[at(r)] = step;
      last[at(r)] = std::max(last[at(r)], step);
    };
    // Steps are made before offsets because a step may ask for scratch. One that is itself prepared, once, has nothing
    // to gain from inputs packed beforehand.
    step_of_.resize(program_.instrs().size());
    for (int i = 0; i < end; ++i) {
      const Instr& instr = program_.instr(i);
      if (ops::is_view(program_, instr) || instr.op == &ops::constant_op) continue;
      step_of_[at(i)] = instr.op == &ops::scan_op
                            ? make_scan_step({program_, instr, nullptr}, backend_)
                            : backend_.step({program_, instr, fixed_.empty() || prepared_[at(i)] ? nullptr : &fixed_});
      const bool crosses = instr.op == &ops::transfer_op;
      for (const int v : instr.inputs) touch(v, i), crosses ? touch(v, 0), touch(v, end) : void();
      for (const int v : instr.results) touch(v, i), crosses ? touch(v, 0), touch(v, end) : void();
    }
    for (const auto& copy : copies_) touch(copy.value, end);

    plan_->arena_bytes_.assign(plan_->devices_.size(), 0);
    for (std::size_t device = 0; device < plan_->devices_.size(); ++device) {
      std::vector<Lifetime> lives;
      std::vector<int> values, scratch_of;
      for (int v = 0; v < program_.value_count(); ++v) {
        const int producer = program_.producer(v);
        if (root(v) != v || place_[at(v)].kind != Place::Kind::nowhere || producer < 0 ||
            device_of(producer) != static_cast<int>(device))
          continue;
        const Instr& maker = program_.instr(producer);
        const bool wanted = used(v) || maker.results.size() == 1 || maker.op == &ops::cluster_op;
        if (!wanted) continue;  // of several results one that nobody reads stays nowhere: the kernel gets null
        const bool several_devices_reuse = crossing(v);
        lives.push_back(
            {bytes(v), several_devices_reuse ? 0 : first[at(v)], several_devices_reuse ? end : last[at(v)]});
        values.push_back(v);
      }
      const std::size_t value_count = lives.size();
      for (int i = 0; i < end; ++i)
        if (step_of_[at(i)].scratch && device_of(i) == static_cast<int>(device))
          lives.push_back({step_of_[at(i)].scratch, i, i}), scratch_of.push_back(i);
      const Packing packing = pack(lives);
      for (std::size_t k = 0; k < value_count; ++k)
        place_[at(values[k])] = {Place::Kind::arena, static_cast<int>(device), packing.offsets[k], nullptr};
      for (std::size_t k = 0; k < scratch_of.size(); ++k) scratch_[scratch_of[k]] = packing.offsets[value_count + k];
      plan_->arena_bytes_[device] = packing.bytes;
      plan_->live_maximum_ = std::max(plan_->live_maximum_, packing.live_maximum);
    }
  }

  bool used(int value) {
    if (used_.empty()) {
      used_.assign(at(program_.value_count()), false);
      for (const Instr& instr : program_.instrs())
        for (const int v : instr.inputs) used_[at(root(v))] = true;
      for (const auto& copy : copies_) used_[at(root(copy.value))] = true;
    }
    return used_[at(value)];
  }

  // Read or written by a step of another device, so that the order of one device's steps says nothing about its life.
  bool crossing(int value) const {
    if (plan_->devices_.size() == 1) return false;
    const int producer = program_.producer(value);
    if (program_.instr(producer).op == &ops::transfer_op) return true;
    for (const Instr& instr : program_.instrs())
      for (const int v : instr.inputs)
        if (root(v) == value && instr.device != program_.instr(producer).device) return true;
    return false;
  }

  void emit_steps() {
    for (int i = 0; i < static_cast<int>(program_.instrs().size()); ++i) {
      const Instr& instr = program_.instr(i);
      if (!step_of_[at(i)].run) continue;
      Plan::PlannedStep s;
      s.step = std::move(step_of_[at(i)]);
      s.instr = i;
      s.device = device_of(i);
      if (const auto it = scratch_.find(i); it != scratch_.end()) s.scratch = it->second;
      std::vector<Place> inputs;
      for (const int v : instr.inputs) inputs.push_back(place_of(v));
      for (const Pack& pack : s.step.packs) inputs[pack.input] = add_pack(pack, s.step, inputs[pack.input], i);
      s.in = plan_->pointers_.size();
      for (const Place& place : inputs) add_pointer(place);
      s.out = plan_->pointers_.size();
      for (const int v : instr.results) add_pointer(place_of(v));
      auto& list = prepared_[at(i)] ? plan_->prepare_steps_ : plan_->steps_;
      if (!prepared_[at(i)]) add_waits(s, instr);
      list.push_back(std::move(s));
    }
    for (const auto& copy : copies_) {
      struct CopyArgs {
        std::size_t bytes;
      };
      Plan::PlannedStep s;
      s.step = make_step(CopyArgs{bytes(copy.value)}, [](const CopyArgs& a, const Buffers& b) {
        if (a.bytes && b.in[0] != b.out[0]) std::memcpy(b.out[0], b.in[0], a.bytes);
      });
      s.step.kernel = "copy";
      s.in = plan_->pointers_.size();
      add_pointer(place_of(copy.value));
      s.out = plan_->pointers_.size();
      add_pointer({Place::Kind::external, 0, copy.external, nullptr});
      if (plan_->devices_.size() > 1)  // after everything: other devices may still read the old state
        for (int k = 0; k < static_cast<int>(plan_->steps_.size()); ++k)
          if (plan_->steps_[at(k)].device != s.device) s.waits_for.push_back(k), plan_->steps_[at(k)].awaited = true;
      plan_->steps_.push_back(std::move(s));
    }
  }

  // A step of `prepare` that brings a fixed input into a kernel's layout; returns where that lies.
  Place add_pack(const Pack& pack, const Step& owner, const Place& from, int instr) {
    struct PackArgs {
      std::shared_ptr<const void> args;
      void (*run)(const void*, const void*, void*);
    };
    const Place to{Place::Kind::prepared, 0, plan_->prepared_bytes_, nullptr};
    plan_->prepared_bytes_ += (pack.bytes + 63) / 64 * 64;
    Plan::PlannedStep s;
    s.step = make_step(PackArgs{owner.args, pack.run},
                       [](const PackArgs& a, const Buffers& b) { a.run(a.args.get(), b.in[0], b.out[0]); });
    s.step.kernel = "pack";
    s.instr = instr;
    s.packs = true;
    s.in = plan_->pointers_.size();
    add_pointer(from);
    s.out = plan_->pointers_.size();
    add_pointer(to);
    plan_->prepare_steps_.push_back(std::move(s));
    return to;
  }

  // With several devices each runs its own list; a step waits for the producers of what it reads on other devices, and,
  // when it writes over state, for the readers of the old value there.
  void add_waits(Plan::PlannedStep& s, const Instr& instr) {
    if (plan_->devices_.size() == 1) return;
    const auto wait = [&](int k) {
      if (plan_->steps_[at(k)].device == s.device) return;
      s.waits_for.push_back(k);
      plan_->steps_[at(k)].awaited = true;
    };
    for (const int v : instr.inputs)
      if (const auto it = step_index_.find(root(v)); it != step_index_.end()) wait(it->second);
    const int mine = static_cast<int>(plan_->steps_.size());
    for (const int v : instr.results) {
      step_index_[v] = mine;
      const Place& p = place_[at(v)];
      if (p.kind != Place::Kind::external || p.offset >= program_.inputs().size()) continue;
      for (const int reader : readers_[program_.inputs()[p.offset].value]) wait(reader);
    }
    for (const int v : instr.inputs) readers_[root(v)].push_back(mine);
  }

  void add_pointer(const Place& place) {
    if (place.kind == Place::Kind::external)
      plan_->patches_.push_back({plan_->pointers_.size(), place.offset, place.shift});
    plan_->pointers_.push_back(place);
  }

  struct Copy {
    int value;
    std::size_t external;
  };

  const Program& program_;
  const Backend& backend_;
  PlanOptions options_;
  std::shared_ptr<Plan> plan_;
  Storage storage_;
  std::vector<bool> prepared_, used_, fixed_;  // by instruction; by value; by value
  std::vector<Place> place_;
  std::vector<Copy> copies_;
  std::vector<Step> step_of_;
  std::map<int, std::size_t> scratch_;
  std::map<int, int> step_index_;            // value → step that made it
  std::map<int, std::vector<int>> readers_;  // value → steps that read it
};

std::shared_ptr<const Plan> make_plan(std::shared_ptr<const Program> program, const Backend& backend,
                                      PlanOptions options) {
  return Planner(with_old_state_copied(std::move(program)), backend, options).run();
}

void Plan::bind(void** pointers, char* const* arenas, char* prepared) const {
  for (std::size_t i = 0; i < pointers_.size(); ++i) {
    const Place& p = pointers_[i];
    switch (p.kind) {
      case Place::Kind::arena: pointers[i] = arenas[p.device] + p.offset; break;
      case Place::Kind::prepared: pointers[i] = prepared + p.offset; break;
      case Place::Kind::constant: pointers[i] = const_cast<void*>(p.data); break;
      default: pointers[i] = nullptr;
    }
  }
}

std::string Plan::to_string() const {
  const auto where = [](const Place& p) -> std::string {
    switch (p.kind) {
      case Place::Kind::arena: return cat("@", p.offset);
      case Place::Kind::prepared: return cat("prepared@", p.offset);
      case Place::Kind::constant: return "constant";
      case Place::Kind::external:
        return p.shift ? cat("external ", p.offset, "+", p.shift) : cat("external ", p.offset);
      default: return "-";
    }
  };
  std::string out;
  for (std::size_t d = 0; d < devices_.size(); ++d) out += cat(devices_[d], ": arena ", arena_bytes_[d], " bytes\n");
  if (prepared_bytes_) out += cat("prepared ", prepared_bytes_, " bytes\n");
  const auto list = [&](const std::vector<PlannedStep>& steps) {
    for (const auto& s : steps) {
      const std::string_view op = s.instr < 0 ? "copy" : program_->instr(s.instr).op->name;
      out += cat("  ", devices_[static_cast<std::size_t>(s.device)], "  ", op, " [", s.step.kernel, "]");
      const bool one = s.instr < 0 || s.packs;
      const std::size_t ins = one ? 1 : program_->instr(s.instr).inputs.size(),
                        outs = one ? 1 : program_->instr(s.instr).results.size();
      for (std::size_t i = 0; i < ins; ++i) out += (i ? ", " : "  ") + where(pointers_[s.in + i]);
      out += " →";
      for (std::size_t i = 0; i < outs; ++i) out += (i ? ", " : " ") + where(pointers_[s.out + i]);
      out += '\n';
    }
  };
  if (!prepare_steps_.empty()) out += "prepare:\n", list(prepare_steps_);
  out += "run:\n";
  list(steps_);
  return out;
}

}  // namespace ramet
