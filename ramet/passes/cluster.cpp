// Groups pointwise instructions of one shape, and sums of what they make. A group is run where its last member stood,
// so a member may join only while nobody outside has read from the group, and nobody inside reads a sum.
#include <algorithm>
#include <map>

#include "ramet/ops/cluster/cluster.h"

#include "ramet/base/error.h"
#include "ramet/ops/reduce/reduce.h"
#include "ramet/passes/passes.h"
#include "ramet/passes/recompute.h"

namespace ramet::passes {
namespace {

constexpr std::size_t kMostMembers = 48;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Group {
  std::vector<int> members;
  bool open = true;
};

// Which group each instruction belongs to; -1 for none.
std::vector<int> find_groups(const Program& p, std::vector<Group>& groups) {
  std::vector<int> group_of(p.instrs().size(), -1);
  for (int i = 0; i < static_cast<int>(p.instrs().size()); ++i) {
    const Instr& instr = p.instr(i);
    const Spec& shape = p.spec(instr.results[0]);
    std::vector<int> sources;  // open groups of the same shape that feed it
    const bool pointwise = ops::can_cluster(p, instr), sum = ops::can_end_cluster(p, instr);
    const Shape& wanted = sum ? p.spec(instr.inputs[0]).shape : shape.shape;
    for (const int v : instr.inputs)
      if (const int g = p.producer(v) < 0 ? -1 : group_of[at(p.producer(v))];
          g >= 0 && p.instr(p.producer(v)).op == &ops::reduce_sum_op)
        groups[at(g)].open = false;
    for (const int v : instr.inputs) {
      if (p.producer(v) < 0) continue;
      const int g = group_of[at(p.producer(v))];
      if (g < 0) continue;
      const Instr& first = p.instr(groups[at(g)].members[0]);
      const bool fits = (pointwise || sum) && groups[at(g)].open && first.device == instr.device &&
                        p.spec(first.results[0]).shape == wanted;
      if (fits && std::find(sources.begin(), sources.end(), g) == sources.end()) sources.push_back(g);
    }
    int mine = -1;
    std::size_t size = 1;
    for (const int g : sources) {
      if (size + groups[at(g)].members.size() > kMostMembers) continue;
      size += groups[at(g)].members.size();
      if (mine < 0)
        mine = g;
      else {  // joins two groups
        for (const int m : groups[at(g)].members) group_of[at(m)] = mine;
        auto& into = groups[at(mine)].members;
        into.insert(into.end(), groups[at(g)].members.begin(), groups[at(g)].members.end());
        groups[at(g)].members.clear();
      }
    }
    if (mine < 0 && pointwise) {
      mine = static_cast<int>(groups.size());
      groups.push_back({});
    }
    if (mine >= 0) {
      groups[at(mine)].members.push_back(i);
      group_of[at(i)] = mine;
    }
    // Whatever this instruction reads from another group ends that group.
    for (const int v : instr.inputs)
      if (p.producer(v) >= 0)
        if (const int g = group_of[at(p.producer(v))]; g >= 0 && g != mine) groups[at(g)].open = false;
  }
  for (auto& g : groups) std::sort(g.members.begin(), g.members.end());
  return group_of;
}

}  // namespace

std::unique_ptr<Program> cluster(const Program& program, const PassOptions&) {
  std::vector<Group> groups;
  const std::vector<int> group_of = find_groups(program, groups);
  if (groups.empty()) return nullptr;

  // Values read outside the group that makes them.
  std::vector<bool> leaves(at(program.value_count()), false);
  for (int i = 0; i < static_cast<int>(program.instrs().size()); ++i)
    for (const int v : program.instr(i).inputs)
      if (program.producer(v) >= 0 && (group_of[at(i)] < 0 || group_of[at(program.producer(v))] != group_of[at(i)]))
        leaves[at(v)] = true;
  for (const auto& output : program.outputs()) leaves[at(output.value)] = true;
  for (const auto& input : program.inputs())
    if (input.update >= 0) leaves[at(input.update)] = true;

  // As `rebuild`, but the results of a group's members are all known at its last member.
  auto out = std::make_unique<Program>();
  Values map(at(program.value_count()));
  for (const auto& input : program.inputs())
    map[at(input.value)] = out->input(input.name, program.spec(input.value), input.kind);
  for (int i = 0; i < static_cast<int>(program.instrs().size()); ++i) {
    const Instr& instr = program.instr(i);
    out->device = instr.device;
    if (group_of[at(i)] < 0) {
      Values in;
      for (const int v : instr.inputs) in.push_back(map[at(v)]);
      const Values results = out->emit(*instr.op, in, instr.attrs);
      for (std::size_t r = 0; r < results.size(); ++r) map[at(instr.results[r])] = results[r];
      continue;
    }
    const Group& group = groups[at(group_of[at(i)])];
    if (i != group.members.back()) continue;
    auto body = std::make_unique<Program>();
    std::map<int, Value> inside;
    std::map<std::pair<const OpDef*, std::vector<int>>, Value> computed;
    Values inputs;
    std::vector<int> outputs;
    for (const int m : group.members) {
      const Instr& member = program.instr(m);
      Values in;
      for (const int v : member.inputs) {
        auto [it, fresh] = inside.try_emplace(v);
        if (fresh) {
          it->second = body->input(cat("x", inputs.size()), program.spec(v));
          inputs.push_back(map[at(v)]);
        }
        in.push_back(it->second);
      }
      Value& result = inside[member.results[0]];
      std::vector<int> ids;
      for (const Value& v : in) ids.push_back(v.id);
      Value& same = computed[{member.op, ids}];  // recomputed values meet their first computation
      if (!same || !(is_cheap(*member.op) || is_widening(program, member)))
        same = body->emit(*member.op, in, member.attrs)[0];
      result = same;
      if (leaves[at(member.results[0])]) outputs.push_back(member.results[0]);
    }
    for (const int v : outputs) body->output(cat("y", v), inside.at(v));
    if (outputs.empty()) continue;  // nobody reads it
    const Values results = out->emit(ops::cluster_op, inputs, Attrs::make(ops::ClusterAttrs{std::move(body)}));
    for (std::size_t r = 0; r < outputs.size(); ++r) map[at(outputs[r])] = results[r];
  }
  for (std::size_t i = 0; i < program.inputs().size(); ++i)
    if (program.inputs()[i].update >= 0) out->set_state(static_cast<int>(i), map[at(program.inputs()[i].update)]);
  for (const auto& output : program.outputs()) out->output(output.name, map[at(output.value)]);
  return out;
}

}  // namespace ramet::passes
