// The functions of ops:: on arrays: a program of one op, made ready once for arguments of the same kind and run by the
// kernels that models run on.
#include <list>
#include <mutex>
#include <unordered_map>

#include "ramet/exec/executable.h"
#include "ramet/graph/op_operation.h"

namespace ramet {
namespace {

// The programs used last. A plan of one op takes some microseconds to make and a few kilobytes to keep.
class Programs {
 public:
  std::shared_ptr<const Executable> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto it = by_key_.find(key);
    if (it == by_key_.end()) return nullptr;
    used_.splice(used_.begin(), used_, it->second);
    return it->second->second;
  }
  void keep(const std::string& key, std::shared_ptr<const Executable> program) {
    constexpr std::size_t kMost = 512;
    const std::lock_guard lock(mutex_);
    if (by_key_.contains(key)) return;
    used_.emplace_front(key, std::move(program));
    by_key_[key] = used_.begin();
    if (used_.size() <= kMost) return;
    by_key_.erase(used_.back().first);
    used_.pop_back();
  }

 private:
  using Entries = std::list<std::pair<std::string, std::shared_ptr<const Executable>>>;
  std::mutex mutex_;
  Entries used_;  // the latest first
  std::unordered_map<std::string, Entries::iterator> by_key_;
};

// Everything a program of one op depends on.
void add_to_key(std::string& key, const Nest<Array>& nest) {
  if (nest.is_leaf())
    key += to_string(Spec{nest.leaf().shape(), nest.leaf().dtype()});
  else if (nest.is_constant())
    key += nest.constant().dump();
  else if (nest.is_list())
    for (const auto& item : nest.list()) key += '(', add_to_key(key, item), key += ')';
  else
    key += '-';
  key += ';';
}

std::shared_ptr<const Executable> compile(const OpRow& row, const std::vector<Nest<Array>>& args,
                                          const JsonObject& config) {
  auto program = std::make_unique<Program>();
  TracedArgs traced;
  for (const auto& a : args)
    traced.args.push_back(a.map<Traced>([&](const Array& x) {
      return Traced{program->input(cat("x", program->inputs().size()), {x.shape(), x.dtype()}), {}};
    }));
  for (const Value& y : row.trace(OpCall(*program, traced, config))) program->output("y", y);
  return Executable::compile(std::move(program));
}

}  // namespace

template <>
Arrays apply_op(std::string_view class_name, const std::vector<Nest<Array>>& args, const JsonObject& config) {
  static auto& programs = *new Programs;  // arrays may be computed while the process ends
  const OpRow* row = find_op_row(class_name);
  ensure(row != nullptr, "no op row ", class_name);
  Arrays leaves;
  std::string key(class_name);
  key += Json(config).dump();
  for (const auto& a : args) {
    add_to_key(key, a);
    a.each([&](const Array& x) { leaves.push_back(x); });
  }
  require(!leaves.empty(), class_name, ": called without an array");
  for (const Array& x : leaves) require(x.defined(), class_name, ": an undefined Array was used");
  auto program = programs.find(key);
  if (!program) programs.keep(key, program = compile(*row, args, config));
  return program->run(leaves);
}

Array Array::operator[](const Index& index) const { return ops::get_item(*this, {index}); }
Array Array::operator[](std::initializer_list<Index> key) const { return ops::get_item(*this, key); }

}  // namespace ramet
