#include "cli/data.h"

#include <algorithm>
#include <iostream>
#include <iterator>

#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"
#include "ramet/graph/input.h"
#include "ramet/train/training.h"

namespace ramet::cli {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& n : names) out.push_back(quoted(n));
  return join(out);
}

std::string hint(std::string_view name, const std::vector<std::string>& choices) {
  const std::string near = nearest(name, choices);
  return near.empty() ? "" : cat("; did you mean ", quoted(near), "?");
}

bool may_be_absent(const Tensor& input) {
  const auto& layer = static_cast<const InputLayer&>(*input.node()->operation);
  return layer.config().optional || layer.data().defined();
}

// `arrays` in the order of `names`, undefined where there is none. `prefix` stands before the names in the file.
Arrays by_name(const NamedArrays& arrays, const std::vector<std::string>& names, const std::string& who,
               const std::string& prefix, const char* what) {
  Arrays out(names.size());
  for (const auto& [name, array] : arrays) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw DataError(cat(who, ": the array ", quoted(prefix + name), " belongs to no ", what, " of the model",
                          hint(name, names), " (", what, "s: ", listed(names), ")"));
    out[static_cast<std::size_t>(at - names.begin())] = array;
  }
  return out;
}

Feed inputs_by_name(const NamedArrays& arrays, const Model& model, const std::string& who, const std::string& prefix) {
  const auto names = input_names(model);
  Arrays out = by_name(arrays, names, who, prefix, "input");
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!out[i].defined() && !may_be_absent(model.inputs()[i]))
      throw DataError(cat(who, ": there is no array ", quoted(prefix + names[i]), " for the input of that name"));
  return Feed(std::move(out));
}

// The arrays called `key`, or those called key/<name> without that prefix.
struct Part {
  Array single;
  NamedArrays named;
  bool empty() const { return !single.defined() && named.empty(); }
};

}  // namespace

NamedArrays read_npz(const std::string& path) {
  if (path != "-") return load_npz(path);
  std::cin >> std::noskipws;
  const std::vector<char> bytes{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  return parse_npz(std::as_bytes(std::span(bytes)), "stdin");
}

std::vector<std::string> input_names(const Model& model) {
  std::vector<std::string> names;
  if (!model.layer().has_graph()) return names;
  for (const Tensor& t : model.inputs()) names.push_back(t.node()->operation->name());
  return names;
}

std::vector<std::string> unique_output_names(const Model& model) {
  const std::vector<std::string> names = model.output_names();
  std::vector<std::string> out;
  for (const std::string& name : names) {
    std::string unique = name;
    const auto taken = [&] { return std::find(out.begin(), out.end(), unique) != out.end(); };
    const auto is_name = [&] { return std::find(names.begin(), names.end(), unique) != names.end(); };
    for (int n = 1; taken() || (unique != name && is_name()); ++n) unique = cat(name, "_", n);
    out.push_back(std::move(unique));
  }
  return out;
}

Feed inputs_from(const NamedArrays& file, const Model& model, const std::string& who) {
  const auto names = input_names(model);
  if (file.size() == 1 && names.size() <= 1) return Feed(file[0].second);
  if (!model.layer().has_graph())
    throw DataError(cat(who, ": the model takes one array; the file holds ", file.size()));
  return inputs_by_name(file, model, who, "");
}

TrainingData training_data_from(const NamedArrays& file, const Model& model, const std::string& who) {
  const std::vector<std::string> keys{"x", "y", "sample_weight"};
  Part parts[3];
  for (const auto& [name, array] : file) {
    const std::size_t slash = name.find('/');
    const auto key = std::find(keys.begin(), keys.end(), name.substr(0, slash));
    if (key == keys.end())
      throw DataError(cat(who, ": the array ", quoted(name), " is none of x, y, sample_weight, x/<input>, y/<output>, ",
                          "sample_weight/<output>"));
    Part& part = parts[key - keys.begin()];
    if (slash == name.npos)
      part.single = array;
    else
      part.named.emplace_back(name.substr(slash + 1), array);
    if (part.single.defined() && !part.named.empty())
      throw DataError(cat(who, ": it holds both ", quoted(*key), " and ", quoted(*key + "/" + part.named[0].first)));
  }
  const auto& [x, y, weight] = parts;
  if (x.empty()) throw DataError(cat(who, ": there is no array 'x' (or x/<input>)"));
  if (y.empty()) throw DataError(cat(who, ": there is no array 'y' (or y/<output>)"));

  const std::size_t inputs = input_names(model).size();
  if (x.single.defined() && inputs > 1)
    throw DataError(
        cat(who, ": the model has ", inputs, " inputs; name their arrays x/<input>: ", listed(input_names(model))));
  TrainingData out;
  if (x.single.defined() || inputs == 0)
    out.x = Feed(x.single.defined() ? x.single : x.named[0].second);
  else
    out.x = inputs_by_name(x.named, model, who, "x/");
  if (!model.layer().has_graph()) {  // a Sequential made for its first data: one output
    out.y = Feed(y.single.defined() ? y.single : y.named[0].second);
    if (!weight.empty()) out.sample_weight = Feed(weight.single.defined() ? weight.single : weight.named[0].second);
    return out;
  }
  // Where the outputs are a dict, its keys are names too.
  const auto layers = unique_output_names(model), keys_of_outputs = train::output_names(model.layer());
  const auto names_used = [&](const Part& part) -> const std::vector<std::string>& {
    const auto is_key = [&](const auto& entry) {
      return std::find(keys_of_outputs.begin(), keys_of_outputs.end(), entry.first) != keys_of_outputs.end();
    };
    return keys_of_outputs != model.output_names() && std::all_of(part.named.begin(), part.named.end(), is_key)
               ? keys_of_outputs
               : layers;
  };
  const auto& outputs = names_used(y);
  if (y.single.defined() && outputs.size() > 1)
    throw DataError(
        cat(who, ": the model has ", outputs.size(), " outputs; name their arrays y/<output>: ", listed(outputs)));
  out.y = y.single.defined() ? Feed(y.single) : Feed(by_name(y.named, outputs, who, "y/", "output"));
  if (weight.single.defined())
    out.sample_weight = Feed(weight.single);
  else if (!weight.named.empty())
    out.sample_weight = Feed(by_name(weight.named, names_used(weight), who, "sample_weight/", "output"));
  return out;
}

}  // namespace ramet::cli
