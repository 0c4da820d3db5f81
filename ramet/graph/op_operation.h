// Operations without state: what operators and ops:: functions on symbolic tensors record. One table row each: Keras'
// module and class, and how to trace it.
#pragma once
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

// Calls an op on tensors and constants.
Tensor call_op(std::string_view class_name, std::vector<Arg> args, JsonObject config = {});

// Arithmetic on symbolic tensors records the nodes Keras records.
Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& x);
Tensor operator+(const Tensor& a, double b);
Tensor operator-(const Tensor& a, double b);
Tensor operator*(const Tensor& a, double b);
Tensor operator/(const Tensor& a, double b);
Tensor operator+(double a, const Tensor& b);
Tensor operator-(double a, const Tensor& b);
Tensor operator*(double a, const Tensor& b);
Tensor operator/(double a, const Tensor& b);

// One index of x[…]: an integer, a range, a new axis or an ellipsis.
struct Index {
  enum class Kind : unsigned char { integer, range, new_axis, ellipsis } kind = Kind::range;
  std::optional<std::int64_t> start = std::nullopt, stop = std::nullopt, step = std::nullopt;
  Index(int i) : kind(Kind::integer), start(i) {}
  Index(std::optional<std::int64_t> from, std::optional<std::int64_t> to, std::optional<std::int64_t> by = std::nullopt)
      : start(from), stop(to), step(by) {}
  explicit Index(Kind k) : kind(k) {}
};
inline const Index kAll{std::nullopt, std::nullopt};
inline const Index kEllipsis{Index::Kind::ellipsis};
inline const Index kNewAxis{Index::Kind::new_axis};

namespace ops {
Tensor get_item(const Tensor& x, const std::vector<Index>& key);  // get_item(x, {kAll, {1, 3}}) is x[:, 1:3]
Tensor relu(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor softmax(const Tensor& x, int axis = -1);
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor square(const Tensor& x);
Tensor abs(const Tensor& x);
Tensor matmul(const Tensor& a, const Tensor& b);
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor concatenate(const std::vector<Tensor>& xs, int axis = -1);
Tensor reshape(const Tensor& x, const Shape& shape);  // one -1
Tensor transpose(const Tensor& x, const std::vector<std::int64_t>& axes);
Tensor expand_dims(const Tensor& x, int axis);
Tensor squeeze(const Tensor& x, int axis);
Tensor sum(const Tensor& x, std::optional<int> axis = std::nullopt, bool keepdims = false);
Tensor mean(const Tensor& x, std::optional<int> axis = std::nullopt, bool keepdims = false);
Tensor max(const Tensor& x, std::optional<int> axis = std::nullopt, bool keepdims = false);
Tensor min(const Tensor& x, std::optional<int> axis = std::nullopt, bool keepdims = false);
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor not_equal(const Tensor& x, double value);
Tensor cast(const Tensor& x, std::string_view dtype);
}  // namespace ops

}  // namespace ramet
