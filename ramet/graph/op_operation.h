// Operations without state: what operators and ops:: functions on symbolic tensors record. One table row each: Keras'
// module and class, and how to trace it.
#pragma once
#include "ramet/graph/functions.h"
#include "ramet/graph/layer.h"

namespace ramet {

// One call of an op operation being traced: its arguments and its configuration.
class OpCall {
 public:
  OpCall(Program& program, const TracedArgs& args, const JsonObject& config)
      : program_(program), args_(args), config_(config) {}
  Program& program() const { return program_; }
  // Positional or keyword argument i as a value. Plain numbers take the type of the first tensor, as Keras' weak types
  // do.
  Value value(std::size_t i, std::string_view name = "") const;
  Values values(std::size_t i) const;  // a list argument
  Value x() const { return value(0, "x"); }
  const TracedNest* find(std::size_t i, std::string_view name) const;
  // Constructor arguments; null and absent are the same.
  const Json* option(std::string_view key) const;
  const Json& needed(std::string_view key) const;  // UsageError when absent
  std::int64_t integer(std::string_view key, std::int64_t otherwise) const;
  bool flag(std::string_view key) const;
  // `axis` as a list; null means all axes of x.
  std::vector<std::int64_t> axes(Value x) const;

 private:
  Program& program_;
  const TracedArgs& args_;
  const JsonObject& config_;
};

struct OpRow {
  std::string_view class_name, module;  // module without "keras.src."
  std::string_view arguments;           // of the function, as Python writes them
  Values (*trace)(const OpCall&);
};
std::span<const OpRow> op_rows();
const OpRow* find_op_row(std::string_view class_name);  // null when there is none

class OpOperation final : public Operation {
 public:
  OpOperation(const OpRow& row, JsonObject config, std::string name);
  std::string_view class_name() const override { return row_.class_name; }
  std::string module() const { return cat("keras.src.", row_.module); }
  const JsonObject& config() const { return config_; }  // without the name
  TracedNest trace(Trace& trace, const TracedArgs& args) override;
  OperationRef clone() const;
  static OperationRef from_config(std::string_view class_name, const JsonObject& config);  // DataError naming the class

 private:
  const OpRow& row_;
  JsonObject config_;
};

}  // namespace ramet
