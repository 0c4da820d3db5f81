// Runs what ends lifetimes as early as it can: an optimizer's update right after the gradient it consumes, so that
// gradients do not wait for the end of the step, and with them the scalars and views it needs. Everything else keeps
// its order.
#include <algorithm>
#include <queue>

#include "ramet/ops/shape/view.h"
#include "ramet/passes/passes.h"

namespace ramet::passes {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class Scheduler {
 public:
  explicit Scheduler(const Program& program)
      : p_(program), root_(at(p_.value_count())), waits_(p_.instrs().size(), 0), followers_(p_.instrs().size()) {
    for (int v = 0; v < p_.value_count(); ++v) root_[at(v)] = ops::viewed(p_, v);
    find_eager();
    find_waits();
  }

  // The instructions in their new order.
  std::vector<int> run() {
    int next = 0;  // of those that keep their order
    const int count = static_cast<int>(p_.instrs().size());
    for (int i = 0; i < count; ++i)
      if (eager_[at(i)] && waits_[at(i)] == 0) ready_.push(i);
    while (static_cast<int>(order_.size()) < count) {
      if (!ready_.empty()) {
        const int i = ready_.top();
        ready_.pop();
        put(i);
        continue;
      }
      while (eager_[at(next)]) ++next;
      put(next++);
    }
    return std::move(order_);
  }

 private:
  // Views, scalars, and what nobody reads: new state and outputs.
  void find_eager() {
    std::vector<bool> read(at(p_.value_count()), false);
    for (const Instr& instr : p_.instrs())
      for (const int v : instr.inputs)
        if (!ops::is_view(p_, instr)) read[at(root_[at(v)])] = true;
    for (const Instr& instr : p_.instrs()) {
      const auto& results = instr.results;
      eager_.push_back(
          ops::is_view(p_, instr) ||
          std::all_of(results.begin(), results.end(), [&](int v) { return element_count(p_.spec(v).shape) <= 1; }) ||
          std::none_of(results.begin(), results.end(), [&](int v) { return read[at(root_[at(v)])]; }));
    }
  }

  // An instruction waits for those whose results it reads, and for those that read the state it writes over.
  void find_waits() {
    std::vector<std::vector<int>> readers(at(p_.value_count()));
    for (int i = 0; i < static_cast<int>(p_.instrs().size()); ++i)
      for (const int v : p_.instr(i).inputs) {
        if (p_.producer(v) >= 0) wait(i, p_.producer(v));
        readers[at(root_[at(v)])].push_back(i);
      }
    for (const auto& input : p_.inputs()) {
      const int writer = input.update < 0 ? -1 : p_.producer(root_[at(input.update)]);
      for (const int reader : readers[at(input.value)])
        if (reader < writer) wait(writer, reader);
    }
  }
  void wait(int instr, int before) {
    followers_[at(before)].push_back(instr);
    ++waits_[at(instr)];
  }

  void put(int i) {
    order_.push_back(i);
    for (const int follower : followers_[at(i)])
      if (--waits_[at(follower)] == 0 && eager_[at(follower)]) ready_.push(follower);
  }

  const Program& p_;
  std::vector<int> root_;  // what a view looks at
  std::vector<bool> eager_;
  std::vector<int> waits_;                                               // for how many
  std::vector<std::vector<int>> followers_;                              // who waits
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready_;  // the first of the program first
  std::vector<int> order_;
};

}  // namespace

std::unique_ptr<Program> schedule(const Program& program, const PassOptions&) {
  const std::vector<int> order = Scheduler(program).run();
  if (std::is_sorted(order.begin(), order.end())) return nullptr;
  return rebuild(program, order, [](Program& out, int, const Instr& instr, std::span<const Value> in) {
    return out.emit(*instr.op, in, instr.attrs);
  });
}

}  // namespace ramet::passes
