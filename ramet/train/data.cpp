#include "ramet/train/data.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ramet/train/compiled_loss.h"

namespace ramet::train {
namespace {

std::string quoted(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& n : names) out.push_back(cat("'", n, "'"));
  return cat("[", join(out, ", "), "]");
}

bool fits(const Shape& declared, const Shape& got) {
  if (declared.size() != got.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (i > 0 && declared[i] != None && declared[i] != got[i]) return false;
  return true;
}

// As given, or with the trailing axis of one that Keras adds or drops.
bool fits_with_rank(const Shape& declared, Shape got) {
  if (fits(declared, got)) return true;
  if (got.size() == declared.size() + 1 && got.back() == 1) return got.pop_back(), fits(declared, got);
  if (got.size() + 1 == declared.size() && declared.back() == 1) return got.push_back(1), fits(declared, got);
  return false;
}

void check_array(const Array& a, const std::string& what) {
  require(a.rank() >= 1, what, " is a scalar; arrays need the samples along their first axis");
  require(a.dtype() != DType::f16, what, " is ", a.dtype(), ", which cannot be computed with yet; use float32");
}

// What an input carries itself, when nothing is fed for it.
const Array& carried(const Tensor& input) { return static_cast<const InputLayer&>(*input.node()->operation).data(); }

bool all_carry(const ModelLayer& model) {
  if (!model.has_graph()) return false;
  const auto& inputs = model.graph().flat_inputs();
  return std::all_of(inputs.begin(), inputs.end(), [](const Tensor& t) { return carried(t).defined(); });
}

Arrays match_inputs(ModelLayer& model, const Feed& feed, const char* who) {
  require(!feed.empty() || all_carry(model), who, ": no input data");
  // The first of several threads builds.
  static std::mutex building;
  const std::lock_guard lock(building);
  if (!model.has_graph()) {
    require(feed.arrays().size() == 1, who, ": Sequential '", model.name(), "' takes one input; got ",
            feed.arrays().size());
    const Array& a = feed.arrays()[0];
    check_array(a, "the input");
    Shape shape = a.shape();
    shape[0] = None;
    static_cast<SequentialLayer&>(model).build_for({shape, is_floating(a.dtype()) ? DType::f32 : a.dtype()});
  }
  const auto& inputs = model.graph().flat_inputs();
  std::vector<std::string> names;
  for (const Tensor& t : inputs) names.push_back(t.name());
  // Keras lets a dict use the names of the input layers or, for a dict of inputs, its keys.
  if (model.graph().inputs().is_dict()) {
    names.clear();
    for (const auto* entry : model.graph().inputs().sorted()) names.push_back(entry->first);
  }
  Arrays out(inputs.size());
  if (feed.by_name()) {
    for (const auto& given : feed.names())
      require(std::find(names.begin(), names.end(), given) != names.end() || feed.names().size() <= names.size(),
              "There is no input named '", given, "'. Expected the following keys: ", quoted(names));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto at = std::find(feed.names().begin(), feed.names().end(), names[i]);
      const bool optional = static_cast<const InputLayer&>(*inputs[i].node()->operation).config().optional;
      require(at != feed.names().end() || optional || carried(inputs[i]).defined(), "Missing data for input \"",
              names[i], "\". You passed a data dictionary with keys ", quoted(feed.names()),
              ". Expected the following keys: ", quoted(names));
      if (at != feed.names().end()) out[i] = feed.arrays()[static_cast<std::size_t>(at - feed.names().begin())];
    }
  } else if (!feed.empty()) {
    const auto fed = static_cast<std::size_t>(
        std::count_if(inputs.begin(), inputs.end(), [](const Tensor& t) { return !carried(t).defined(); }));
    const bool for_all = feed.arrays().size() == inputs.size();
    require(for_all || feed.arrays().size() == fed, "Layer \"", model.name(), "\" expects ", fed,
            " input(s), but it received ", feed.arrays().size(), " input tensors.");
    auto next = feed.arrays().begin();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (for_all || !carried(inputs[i]).defined()) out[i] = *next++;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!out[i].defined()) out[i] = carried(inputs[i]);
    const auto& layer = static_cast<const InputLayer&>(*inputs[i].node()->operation);
    if (!out[i].defined()) {
      require(layer.config().optional, "The input '", inputs[i].name(), "' is not optional, but None was passed");
      continue;
    }
    check_array(out[i], cat("input '", inputs[i].name(), "'"));
    require(fits_with_rank(inputs[i].shape(), out[i].shape()), "Input ", i, " with name '", inputs[i].name(),
            "' of layer '", model.name(),
            "' is incompatible with the layer: expected shape=", to_string(inputs[i].shape()),
            ", found shape=", to_string(out[i].shape()));
  }
  return out;
}

// By output: all of them, or those that have a loss.
Arrays match_targets(const ModelLayer& model, const Feed& feed, const CompileOptions& options, const char* who) {
  const auto names = output_names(model);
  Arrays out(names.size());
  if (feed.empty()) return out;
  if (feed.by_name()) {
    for (std::size_t i = 0; i < feed.names().size(); ++i) {
      const auto at = std::find(names.begin(), names.end(), feed.names()[i]);
      require(at != names.end(), who, ": y has a target named '", feed.names()[i], "'; the outputs are ",
              quoted(names));
      out[static_cast<std::size_t>(at - names.begin())] = feed.arrays()[i];
    }
  } else if (feed.arrays().size() == names.size()) {
    out = feed.arrays();
  } else {
    std::vector<std::size_t> with_loss;
    const auto losses = losses_by_output(options, names);
    for (std::size_t i = 0; i < losses.size(); ++i)
      if (!losses[i].loss.empty()) with_loss.push_back(i);
    require(with_loss.size() == feed.arrays().size(), who, ": y_true and y_pred have different structures: y holds ",
            feed.arrays().size(), " array", feed.arrays().size() == 1 ? "" : "s", ", the model has ", names.size(),
            " outputs ", quoted(names));
    for (std::size_t k = 0; k < with_loss.size(); ++k) out[with_loss[k]] = feed.arrays()[k];
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].defined()) check_array(out[i], cat("the target of output '", names[i], "'"));
  return out;
}

Arrays match_weights(const ModelLayer& model, const Feed& feed, const char* who) {
  const auto names = output_names(model);
  Arrays out(names.size());
  if (feed.empty()) return out;
  if (feed.by_name()) {
    for (std::size_t i = 0; i < feed.names().size(); ++i) {
      const auto at = std::find(names.begin(), names.end(), feed.names()[i]);
      require(at != names.end(), who, ": sample_weight has an entry named '", feed.names()[i], "'; the outputs are ",
              quoted(names));
      out[static_cast<std::size_t>(at - names.begin())] = feed.arrays()[i];
    }
  } else if (feed.arrays().size() == 1) {
    out.assign(names.size(), feed.arrays()[0]);
  } else {
    require(feed.arrays().size() == names.size(), who, ": sample_weight holds ", feed.arrays().size(), " arrays for ",
            names.size(), " outputs ", quoted(names));
    out = feed.arrays();
  }
  for (const Array& a : out)
    if (a.defined()) check_array(a, "sample_weight");
  return out;
}

// The weight of every sample's class.
Array class_weights(const Array& y, const std::map<std::int64_t, double>& weights) {
  const std::int64_t n = y.dim(0), width = n == 0 ? 1 : y.size() / n;
  require(y.rank() == 1 || y.rank() == 2, "`class_weight` is only supported for targets of rank 1 or 2; got shape ",
          to_string(y.shape()));
  const auto values = y.to_doubles();
  Array out(Shape{n});
  for (std::int64_t i = 0; i < n; ++i) {
    const auto row = values.begin() + i * width;
    const double label =
        width == 1 ? std::nearbyint(*row) : static_cast<double>(std::max_element(row, row + width) - row);
    const auto found = weights.find(static_cast<std::int64_t>(label));
    out.data<float>()[static_cast<std::size_t>(i)] = found == weights.end() ? 1.0f : static_cast<float>(found->second);
  }
  return out;
}

// "'x' sizes: 5; 'y' sizes: 4"
std::string sizes_of(const DataSet& data) {
  std::vector<std::string> out;
  const auto add = [&](const char* what, const Arrays& arrays) {
    std::vector<std::int64_t> list;
    for (const Array& a : arrays)
      if (a.defined()) list.push_back(a.dim(0));
    if (!list.empty()) out.push_back(cat("'", what, "' sizes: ", join(list, ", ")));
  };
  add("x", data.x), add("y", data.y), add("sample_weight", data.weight);
  return join(out, "; ");
}

std::size_t row_bytes(const Array& a) { return a.dim(0) == 0 ? 0 : a.byte_size() / static_cast<std::size_t>(a.dim(0)); }

}  // namespace

DataSet DataSet::rows(std::int64_t begin, std::int64_t end) const {
  DataSet out;
  const auto cut = [&](const Arrays& from, Arrays& to) {
    for (const Array& a : from) to.push_back(a.defined() ? a.rows(begin, end) : a);
  };
  cut(x, out.x), cut(y, out.y), cut(weight, out.weight);
  out.count = end - begin;
  return out;
}

DataSet match_data(ModelLayer& model, const DataRequest& r, const CompileOptions* options) {
  DataSet data;
  data.x = match_inputs(model, r.x, r.who);
  if (options) {
    data.y = match_targets(model, r.y, *options, r.who);
    data.weight = match_weights(model, r.sample_weight, r.who);
  }
  bool same = true;
  std::int64_t count = -1;
  for (const Arrays* arrays : {&data.x, &data.y, &data.weight})
    for (const Array& a : *arrays)
      if (a.defined()) {
        same = same && (count < 0 || count == a.dim(0));
        count = count < 0 ? a.dim(0) : count;
      }
  require(same, "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples. ",
          sizes_of(data));
  require(count > 0 || (count == 0 && r.may_be_empty), r.who, ": the data holds no samples");
  data.count = count;
  return data;
}

void weigh_classes(DataSet& data, const std::map<std::int64_t, double>& weights) {
  if (weights.empty()) return;
  for (const Array& given : data.weight)
    require(!given.defined(), "You cannot `class_weight` and `sample_weight` at the same time.");
  require(data.y.size() == 1 && data.y[0].defined(),
          "`class_weight` is only supported for Models with a single output.");
  data.weight[0] = class_weights(data.y[0], weights);
}

BatchSignature Batches::signature(std::int64_t batch, StepKind kind) const {
  BatchSignature s;
  s.kind = kind;
  const auto specs = [&](const Arrays& arrays, std::vector<std::optional<Spec>>& out) {
    for (const Array& a : arrays) {
      out.emplace_back();
      if (!a.defined()) continue;
      Shape shape = a.shape();
      shape[0] = size(batch);
      out.back() = Spec{shape, a.dtype()};
    }
  };
  specs(data_.x, s.x), specs(data_.y, s.y), specs(data_.weight, s.weight);
  return s;
}

void Batches::load(const Arrays& arrays, std::vector<const void*>& out, std::int64_t batch, std::size_t& buffer) {
  out.clear();
  for (const Array& a : arrays) {
    if (!a.defined()) {
      out.push_back(nullptr);
      continue;
    }
    const std::size_t bytes = row_bytes(a), begin = static_cast<std::size_t>(batch * batch_size_),
                      n = static_cast<std::size_t>(size(batch));
    const auto* from = static_cast<const char*>(a.raw());
    if (order_.empty()) {
      out.push_back(from + begin * bytes);
      continue;
    }
    if (buffers_.size() <= buffer) buffers_.resize(buffer + 1);
    auto& to = buffers_[buffer++];
    to.resize(std::max<std::size_t>(n * bytes, to.size()));
    for (std::size_t i = 0; i < n; ++i)
      std::memcpy(to.data() + i * bytes, from + static_cast<std::size_t>(order_[begin + i]) * bytes, bytes);
    out.push_back(to.data());
  }
}

const Batches::Pointers& Batches::load(std::int64_t batch) {
  std::size_t buffer = 0;
  load(data_.x, pointers_.x, batch, buffer);
  load(data_.y, pointers_.y, batch, buffer);
  load(data_.weight, pointers_.weight, batch, buffer);
  return pointers_;
}

}  // namespace ramet::train
