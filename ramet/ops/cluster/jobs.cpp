#include "ramet/ops/cluster/jobs.h"

#include <algorithm>
#include <optional>

#include "ramet/ops/elementwise/elementwise.h"
#include "ramet/ops/reduce/reduce.h"

namespace ramet::ops {
namespace {

std::optional<Link> link_of(const OpDef* op) {
  if (op == &add_op) return Link::add;
  if (op == &sub_op) return Link::sub;
  if (op == &mul_op || op == &square_op) return Link::mul;
  return std::nullopt;
}

bool is_comparison(const OpDef* op) {
  return op == &equal_op || op == &not_equal_op || op == &less_op || op == &less_equal_op || op == &greater_op ||
         op == &greater_equal_op;
}

class Finder {
 public:
  explicit Finder(const Program& body) : body_(body) {
    uses_.assign(static_cast<std::size_t>(body.value_count()), 0);
    job_of_.assign(uses_.size(), -1);
    for (const Instr& instr : body.instrs())
      for (const int v : instr.inputs) ++uses_[at(v)];
    for (const auto& output : body.outputs()) ++uses_[at(output.value)];
  }

  std::vector<Job> run() {
    for (const Instr& instr : body_.instrs()) {
      job_of_[at(instr.results[0])] = static_cast<int>(jobs_.size());
      jobs_.push_back(job_ending(instr));
    }
    std::erase_if(jobs_, [](const Job& job) { return job.last == nullptr; });
    for (Job& job : jobs_)
      if (job.links.size() == 1) job = single(*job.last);
    return std::move(jobs_);
  }

 private:
  static std::size_t at(int v) { return static_cast<std::size_t>(v); }

  // The instruction `op` that makes v for one reader only.
  const Instr* only(int v, const OpDef& op) const {
    if (body_.producer(v) < 0 || uses_[at(v)] != 1) return nullptr;
    const Instr& instr = body_.instr(body_.producer(v));
    return instr.op == &op ? &instr : nullptr;
  }

  // The job that makes v is part of another now.
  void drop(int v) { jobs_[at(job_of_[at(v)])].last = nullptr; }

  Job job_ending(const Instr& instr) {
    if (std::optional<Job> job = descent(instr)) return *std::move(job);
    if (std::optional<Job> job = choice(instr)) return *std::move(job);
    if (std::optional<Job> job = rounding(instr)) return *std::move(job);
    if (std::optional<Job> job = chain(instr)) return *std::move(job);
    return single(instr);
  }

  static Job single(const Instr& instr) {
    return {Job::Kind::single, &instr, instr.inputs, {}, nullptr, instr.results};
  }

  std::optional<Job> descent(const Instr& sub) {
    if (sub.op != &sub_op) return std::nullopt;
    const Instr* div = only(sub.inputs[1], div_op);
    if (!div) return std::nullopt;
    const Instr* mul = only(div->inputs[0], mul_op);
    const Instr* add = only(div->inputs[1], add_op);
    if (!mul || !add) return std::nullopt;
    const std::size_t root = only(add->inputs[0], sqrt_op) ? 0 : 1;
    const Instr* sqrt = only(add->inputs[root], sqrt_op);
    if (!sqrt) return std::nullopt;
    for (const Instr* part : {mul, add})
      if (jobs_[at(job_of_[at(part->results[0])])].links.size() != 1) return std::nullopt;  // the end of a longer chain
    for (const Instr* part : {div, mul, add, sqrt}) drop(part->results[0]);
    const int w = sub.inputs[0], m = mul->inputs[0], v = sqrt->inputs[0];
    const int rate = mul->inputs[1], epsilon = add->inputs[1 - root];
    if (const auto of = means(m, v)) {
      drop(m), drop(v);
      Job job{Job::Kind::adam,
              &sub,
              {of->gradient, of->first, of->first_rate, of->second, of->second_rate, w, rate, epsilon},
              {},
              nullptr,
              {m, v, sub.results[0]}};
      if (const Job* rounding = rounding_for_both(of->gradient)) {
        job.kind = Job::Kind::adam_of_rounded;
        job.inputs[0] = rounding->inputs[0];
        drop(of->gradient);
      }
      return job;
    }
    return Job{Job::Kind::descend, &sub, {w, m, rate, v, epsilon}, {}, nullptr, sub.results};
  }

  struct Means {
    int gradient, first, first_rate, second, second_rate;
  };
  // m = first + (gradient - first) rate and v = second + (gradient² - second) rate, read by the descent alone.
  std::optional<Means> means(int m, int v) const {
    using enum Link;
    const Job *first = chain_of({sub, mul, add}, m), *second = chain_of({mul, sub, mul, add}, v);
    if (!first || !second) return std::nullopt;
    const std::vector<int>&a = first->inputs, &b = second->inputs;
    if (a[1] != a[3] || b[2] != b[4] || a[0] != b[0] || b[0] != b[1]) return std::nullopt;
    return Means{a[0], a[1], a[2], b[2], b[3]};
  }
  // What rounds the gradient for its two means alone.
  const Job* rounding_for_both(int gradient) const {
    if (body_.producer(gradient) < 0 || uses_[at(gradient)] != 2) return nullptr;
    const Job& job = jobs_[at(job_of_[at(gradient)])];
    return job.kind == Job::Kind::round ? &job : nullptr;
  }
  // The chain of these links that makes v, which one job reads besides the cluster's reader.
  const Job* chain_of(const std::vector<Link>& links, int v) const {
    if (body_.producer(v) < 0) return nullptr;
    const auto outputs = std::count_if(body_.outputs().begin(), body_.outputs().end(),
                                       [&](const auto& output) { return output.value == v; });
    const Job& job = jobs_[at(job_of_[at(v)])];
    return uses_[at(v)] - outputs == 1 && job.links == links ? &job : nullptr;
  }

  std::optional<Job> choice(const Instr& select) {
    if (select.op != &select_op || body_.producer(select.inputs[0]) < 0) return std::nullopt;
    const Instr& compare = body_.instr(body_.producer(select.inputs[0]));
    if (!is_comparison(compare.op) || !only(select.inputs[0], *compare.op)) return std::nullopt;
    drop(select.inputs[0]);
    return Job{Job::Kind::choose,
               &select,
               {compare.inputs[0], compare.inputs[1], select.inputs[1], select.inputs[2]},
               {},
               &compare,
               select.results};
  }

  std::optional<Job> rounding(const Instr& widen) {
    if (widen.op != &cast_op || body_.spec(widen.results[0]).dtype != DType::f32) return std::nullopt;
    const Instr* narrow = only(widen.inputs[0], cast_op);
    if (!narrow || body_.spec(widen.inputs[0]).dtype != DType::bf16) return std::nullopt;
    drop(widen.inputs[0]);
    return Job{Job::Kind::round, &widen, narrow->inputs, {}, nullptr, widen.results};
  }

  std::optional<Job> chain(const Instr& instr) {
    if (sums_columns(instr)) {
      Job* before = chain_making(instr.inputs[0]);
      return before ? std::optional(extended(*before, instr, Link::add)) : std::nullopt;
    }
    const std::optional<Link> link = link_of(instr.op);
    if (!link) return std::nullopt;
    const int left = instr.inputs[0], right = instr.inputs.back();
    const bool apart = left != right;  // a square needs its value twice
    Job *before = apart ? chain_making(left) : nullptr,
        *other = apart && *link != Link::sub ? chain_making(right) : nullptr;
    if (before && other && other->links.size() > before->links.size()) before = nullptr;  // the longer one goes on
    if (!before && !other) return Job{Job::Kind::chain, &instr, {left, right}, {*link}, nullptr, instr.results};
    Job job = extended(before ? *before : *other, instr, *link);
    job.inputs.push_back(before ? right : left);
    return job;
  }

  // The chain that makes v for this reader only and may grow.
  Job* chain_making(int v) {
    if (body_.producer(v) < 0 || uses_[at(v)] != 1) return nullptr;
    Job& job = jobs_[at(job_of_[at(v)])];
    return job.kind == Job::Kind::chain && job.links.size() < kMostLinks ? &job : nullptr;
  }
  static Job extended(Job& chain, const Instr& by, Link link) {
    Job job = std::move(chain);
    chain.last = nullptr;
    job.last = &by;
    job.results = by.results;
    job.links.push_back(link);
    return job;
  }

  const Program& body_;
  std::vector<int> uses_, job_of_;  // of each value
  std::vector<Job> jobs_;           // those without `last` have become part of others
};

}  // namespace

std::vector<Job> jobs_of(const Program& body) { return Finder(body).run(); }

bool sums_columns(const Instr& instr) {
  return instr.op == &reduce_sum_op && instr.attrs.as<ReduceAttrs>().axes.front() == 0;
}

}  // namespace ramet::ops
