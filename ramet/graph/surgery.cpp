#include "ramet/graph/surgery.h"

#include <algorithm>
#include <set>

#include "ramet/base/strings.h"
#include "ramet/graph/op_operation.h"

namespace ramet {
namespace {

// What happens to one layer.
struct Change {
  enum class Kind : unsigned char { replace, insert_after, remove, rename, trainable } kind;
  LayerRef layer = nullptr;
  std::string name = "";
  bool trainable = true;
};
using Changes = std::map<std::string, Change>;  // by layer name or path

// Everything of a model that has a name, a Sequential's input included.
std::vector<OperationRef> operations_of(const ModelLayer& model) {
  if (model.has_graph()) return model.graph().operations();
  std::vector<OperationRef> out;
  for (const auto& layer : model.layers()) out.push_back(layer);
  return out;
}

OperationRef find(const ModelLayer& model, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& operation : operations_of(model)) {
    if (operation->name() == name) return operation;
    names.push_back(operation->name());
  }
  const std::string near = nearest(name, names);
  throw UsageError(cat("model '", model.name(), "' has no layer '", name, "'",
                       near.empty() ? "" : cat("; did you mean '", near, "'?"), " (its layers: ", join(names, ", "),
                       ")"));
}

std::string shapes_of(const std::vector<Tensor>& tensors) {
  std::vector<std::string> out;
  for (const Tensor& t : tensors) out.push_back(to_string(t.shape()));
  return join(out, ", ");
}

class Editor {
 public:
  ModelRef edit(const ModelLayer& model, const Changes& given, const std::string& name) {
    Changes changes = with_nested(model, given);
    for (const auto& [layer, change] : changes) check(model, *find(model, layer), change);
    const auto out = model.class_name() == "Sequential"
                         ? sequential(static_cast<const SequentialLayer&>(model), changes, name)
                         : functional(model, changes, name);
    out->set_own_trainable(model.trainable());
    out->mask_semantics = model.mask_semantics;
    return out;
  }

  // Layers on the same weights as others; they have them once everything is built.
  LayerMap twins;

 private:
  // A change inside a nested model is a replacement of that model here.
  Changes with_nested(const ModelLayer& model, const Changes& given) {
    Changes out;
    std::map<std::string, Changes> nested;
    for (const auto& [path, change] : given) {
      const auto slash = path.find('/');
      if (slash == std::string::npos)
        out.emplace(path, change);
      else
        nested[path.substr(0, slash)].emplace(path.substr(slash + 1), change);
    }
    for (const auto& [name, inner] : nested) {
      require(!out.count(name), "'", name, "' and a layer inside it cannot be changed together");
      const auto operation = find(model, name);
      const auto* layer = dynamic_cast<const ModelLayer*>(operation.get());
      require(layer != nullptr, describe(*operation), " is not a model, it has no layer '", inner.begin()->first, "'");
      out.emplace(name, Change{Change::Kind::replace, edit(*layer, inner, layer->name())});
    }
    return out;
  }

  void check(const ModelLayer& model, const Operation& old, const Change& change) const {
    const bool input = old.class_name() == "InputLayer";
    const auto free = [&](const std::string& name, const Operation* same) {
      for (const auto& other : operations_of(model))
        require(other->name() != name || other.get() == same || other.get() == &old, "model '", model.name(),
                "' has a layer named '", name, "' already; choose another name");
    };
    switch (change.kind) {
      case Change::Kind::replace:
        require(change.layer != nullptr, "no layer was given for '", old.name(), "'");
        require(!input, "'", old.name(), "' is an input; clone_model takes other inputs in `input_tensors`");
        return free(change.layer->name(), change.layer.get());
      case Change::Kind::insert_after:
        require(change.layer != nullptr, "no layer was given to follow '", old.name(), "'");
        require(change.layer->name() != old.name() || change.layer.get() == &old, "the new layer is called '",
                old.name(), "' as the one before it; choose another name");
        return free(change.layer->name(), change.layer.get());
      case Change::Kind::remove:
        require(!input, "'", old.name(), "' is an input of model '", model.name(), "' and cannot be removed");
        if (!model.has_graph()) return;
        for (const NodeRef& node : model.graph().nodes_of(old)) {
          const auto inputs = node->arguments.tensors().size(), outputs = node->outputs.size();
          require(inputs == 1 && outputs == 1, describe(old), " has ", inputs, " inputs and ", outputs,
                  " outputs; a layer with one of each can be removed");
        }
        return;
      case Change::Kind::rename:
        require(!change.name.empty() && change.name.find('/') == std::string::npos, "'", change.name,
                "' cannot be the name of a layer");
        return;
      case Change::Kind::trainable: return require(old.is_layer() && !input, describe(old), " has no weights");
    }
  }

  // The operation that stands for `old`.
  OperationRef twin(const OperationRef& old, const Changes& changes) {
    const auto it = changes.find(old->name());
    if (it == changes.end()) return old;
    const Change& change = it->second;
    if (change.kind == Change::Kind::replace) return change.layer;
    if (change.kind == Change::Kind::rename) {
      if (old->is_layer())
        return twins[std::static_pointer_cast<Layer>(old)] = static_cast<const Layer&>(*old).clone_named(change.name);
      const auto& op = static_cast<const OpOperation&>(*old);
      JsonObject config = op.config();
      config.set("name", Json(change.name));
      return OpOperation::from_config(op.class_name(), config);
    }
    if (change.kind != Change::Kind::trainable) return old;
    const LayerRef layer = static_cast<const Layer&>(*old).clone();
    layer->set_trainable(change.trainable);
    return twins[std::static_pointer_cast<Layer>(old)] = layer;
  }

  // What `operation`, standing for a layer of that name in the source, gives.
  Tensor call(const std::string& name, const OperationRef& operation, const CallArgs& args, const Changes& changes) {
    const auto it = changes.find(name);
    const auto kind = it == changes.end() ? std::nullopt : std::optional(it->second.kind);
    if (kind == Change::Kind::remove) {
      const auto tensors = args.tensors();  // one, as `check` saw
      changed_ = cat("the input ", shapes_of(tensors), " of ", describe(*operation), ", which was removed");
      return tensors[0];
    }
    Tensor out;
    try {
      out = operation->call(args);
    } catch (const UsageError& error) {
      if (kind == Change::Kind::replace)
        throw UsageError(cat(describe(*operation), " cannot stand for '", name, "', which takes ",
                             shapes_of(args.tensors()), ": ", error.what()));
      if (changed_.empty()) throw;
      throw UsageError(cat(describe(*operation), " cannot take ", changed_, ": ", error.what()));
    }
    if (kind == Change::Kind::replace)
      changed_ = cat("the output ", shapes_of(Arg(out).flatten()), " of ", describe(*operation));
    return kind == Change::Kind::insert_after ? follow(describe(*operation), out, it->second.layer) : out;
  }

  Tensor follow(const std::string& who, const Tensor& x, const LayerRef& layer) {
    require(!x.several(), who, " has ", x.size(), " outputs; a layer can be inserted after one with one output");
    const Tensor out = layer->call(CallArgs{{Arg(x)}, {}});
    require(!out.several(), describe(*layer), " returned ", out.size(),
            " tensors; a layer with one output can be inserted");
    changed_ = cat("the output ", to_string(out.shape()), " of ", describe(*layer));
    return out;
  }

  // An input of the source: itself, or under another name.
  Tensor input(const Tensor& old, const Changes& changes) {
    const auto it = changes.find(old.node()->operation->name());
    if (it == changes.end() || it->second.kind != Change::Kind::rename) return old;
    const auto& layer = static_cast<const InputLayer&>(*old.node()->operation);
    InputLayer::Config config = layer.config();
    config.name = it->second.name;
    return InputLayer::create(config, layer.data());
  }

  ModelRef functional(const ModelLayer& model, const Changes& changes, const std::string& name) {
    const Graph& graph = model.graph();
    std::map<Tensor, Tensor> inputs, start;
    for (const Tensor& t : graph.flat_inputs()) {
      inputs[t] = start[t] = input(t, changes);
      if (const auto it = changes.find(t.node()->operation->name());
          it != changes.end() && it->second.kind == Change::Kind::insert_after)
        start[t] = follow(describe(*t.node()->operation), inputs[t], it->second.layer);
    }
    std::map<const Operation*, std::string> source_name;
    const ReplayHooks hooks{[&](const OperationRef& old) {
                              const auto out = twin(old, changes);
                              source_name[out.get()] = old->name();
                              return out;
                            },
                            [&](const OperationRef& operation, const CallArgs& args) {
                              return call(source_name.at(operation.get()), operation, args, changes);
                            }};
    const Arg outputs = replay(graph, start, hooks);
    return std::make_shared<FunctionalLayer>(graph.inputs().map<Tensor>([&](const Tensor& t) { return inputs.at(t); }),
                                             outputs, LayerOptions{name, true, model.dtype_name()});
  }

  // Layer by layer, so that a Sequential without an input shape can be changed, too.
  ModelRef sequential(const SequentialLayer& model, const Changes& changes, const std::string& new_name) {
    auto out =
        std::make_shared<SequentialLayer>(std::vector<LayerRef>{}, LayerOptions{new_name, true, model.dtype_name()});
    const auto kind_of = [&](const std::string& name) {
      const auto it = changes.find(name);
      return it == changes.end() ? std::nullopt : std::optional(it->second.kind);
    };
    const auto add = [&](const LayerRef& layer) {
      try {
        out->add(layer);
      } catch (const UsageError& error) {
        if (changed_.empty()) throw;
        throw UsageError(cat(describe(*layer), " cannot take ", changed_, ": ", error.what()));
      }
    };
    const auto output = [&] {
      return out->has_graph() ? cat(shapes_of(out->graph().flat_outputs()), " ") : std::string();
    };
    const auto add_new = [&](const LayerRef& layer) {
      add(layer);
      changed_ = cat("the output ", output(), "of ", describe(*layer));
    };
    if (model.input()) {
      out->add_input(input(*model.input(), changes));
      const std::string& name = model.input()->node()->operation->name();
      if (kind_of(name) == Change::Kind::insert_after) add_new(changes.at(name).layer);
    }
    for (const auto& layer : model.layers()) {
      const auto kind = kind_of(layer->name());
      if (kind == Change::Kind::remove) {
        changed_ = cat("the input ", output(), "of ", describe(*layer), ", which was removed");
        continue;
      }
      const auto now = std::static_pointer_cast<Layer>(twin(layer, changes));
      if (kind == Change::Kind::replace)
        add_new(now);
      else
        add(now);
      if (kind == Change::Kind::insert_after) add_new(changes.at(layer->name()).layer);
    }
    return out;
  }

  std::string changed_;  // what the layers that follow get now, for messages
};

Model source_of(const Model& model, const SurgeryOptions& options) {
  return options.weights == Weights::share ? model : clone_model(model, {.weights = options.weights});
}

// Errors begin with the function's name.
template <class Body>
auto named(const char* function, Body&& body) {
  try {
    return body();
  } catch (const UsageError& error) { throw UsageError(cat(function, ": ", error.what())); }
}

Model changed(const char* function, const Model& model, const Changes& changes, const SurgeryOptions& options) {
  return named(function, [&] {
    Editor editor;
    const Model source = source_of(model, options);
    ModelRef out = editor.edit(source.layer(), changes, options.name.empty() ? source.name() : options.name);
    take_weights(editor.twins, Weights::share);
    return Model(std::move(out));
  });
}

Changes trainable_changes(const LayerNames& names, bool trainable) {
  Changes out;
  for (const auto& name : names.list())
    out.insert_or_assign(name, Change{Change::Kind::trainable, nullptr, "", trainable});
  return out;
}

// ---- extract
// ----------------------------------------------------------------------------------------------------------------------
class Extractor {
 public:
  explicit Extractor(const ModelLayer& model) : graph_(model.graph()), model_(model) {}

  ModelRef extract(const std::vector<std::string>& from, const std::vector<std::string>& to, const std::string& name) {
    require(!from.empty() && !to.empty(), "names of layers to begin and to end with are needed");
    for (const auto& layer : from) begin_at(layer);
    std::vector<Arg> results;
    for (const auto& layer : to)
      for (const Tensor& t : results_of(layer)) results.push_back(Arg(t));
    for (const auto& [tensor, twin] : start_)
      require(used_.count(tensor) > 0, "the output of ", join(to, ", "), " does not depend on ", begins_.at(tensor),
              "; leave it out of `from`");
    const Arg outputs = results.size() == 1 ? results[0] : Arg(Nest<Tensor>(Arg::List(results.begin(), results.end())));
    const Arg inputs = inputs_.size() == 1 ? Arg(inputs_[0]) : Arg(inputs_);
    const bool same = std::all_of(start_.begin(), start_.end(), [](const auto& e) { return e.first == e.second; });
    std::reverse(needed_.begin(), needed_.end());  // producers first is the short way
    const ReplayHooks hooks{[](const OperationRef& operation) { return operation; },
                            [](const OperationRef& operation, const CallArgs& args) { return operation->call(args); }};
    auto out = std::make_shared<FunctionalLayer>(inputs, same ? outputs : replay(needed_, start_, outputs, hooks),
                                                 LayerOptions{name, true, model_.dtype_name()});
    out->set_own_trainable(model_.trainable());
    out->mask_semantics = model_.mask_semantics;
    return out;
  }

 private:
  void begin_at(const std::string& name) {
    const auto operation = find(model_, name);
    if (operation->class_name() == "InputLayer") {
      const Tensor t(graph_.nodes_of(*operation).at(0), 0);
      return start_with(t, t, describe(*operation));
    }
    std::vector<Tensor> feeds;
    for (const NodeRef& node : graph_.nodes_of(*operation))
      for (const Tensor& t : node->arguments.tensors())
        if (std::find(feeds.begin(), feeds.end(), t) == feeds.end()) feeds.push_back(t);
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      if (start_.count(feeds[i])) continue;
      InputLayer::Config config;
      config.batch_shape = feeds[i].shape();
      config.dtype = keras_name(feeds[i].dtype());
      config.name = feeds.size() == 1 ? cat(name, "_input") : cat(name, "_input_", i);
      start_with(feeds[i], InputLayer::create(config), cat("input ", i, " of ", describe(*operation)));
    }
  }

  void start_with(const Tensor& old, const Tensor& fresh, std::string who) {
    if (!start_.emplace(old, fresh).second) return;
    begins_[old] = std::move(who);
    inputs_.push_back(fresh);
  }

  // The input that a tensor needs besides those we start with; null when they are enough.
  const Node* missing(const Tensor& t) {
    if (start_.count(t)) return nullptr;
    if (t.node()->is_input()) return t.node().get();
    const auto [it, first] = missing_.try_emplace(t.node().get(), nullptr);
    if (first)
      for (const Tensor& before : t.node()->arguments.tensors())
        if (const Node* input = missing(before)) {
          missing_[t.node().get()] = input;
          break;
        }
    return missing_[t.node().get()];
  }

  void need(const Tensor& t) {
    if (start_.count(t)) {
      used_.insert(t);
      return;
    }
    if (std::find(needed_.begin(), needed_.end(), t.node()) != needed_.end()) return;
    needed_.push_back(t.node());
    for (const Tensor& before : t.node()->arguments.tensors()) need(before);
  }

  std::vector<Tensor> results_of(const std::string& name) {
    const auto operation = find(model_, name);
    std::vector<Tensor> out;
    const Node* lacks = nullptr;
    for (const NodeRef& node : graph_.nodes_of(*operation)) {
      const Tensor first(node, 0);
      require(node->is_input() || !start_.count(first), "'", name, "' lies before the layers of `from`");
      if (const Node* input = missing(first)) {
        lacks = input;
        continue;
      }
      out.push_back(outputs_of(node));
      need(first);
    }
    require(!out.empty() || lacks == nullptr, "'", name, "' also needs the input '",
            lacks ? lacks->operation->name() : "", "', which nothing in `from` stands for");
    return out;
  }

  const Graph& graph_;
  const ModelLayer& model_;
  std::map<Tensor, Tensor> start_;
  std::map<Tensor, std::string> begins_;
  std::vector<Tensor> inputs_;
  std::map<const Node*, const Node*> missing_;
  std::set<Tensor> used_;
  std::vector<NodeRef> needed_;
};

}  // namespace

Model extract(const Model& model, const LayerNames& from, const LayerNames& to, const SurgeryOptions& options) {
  return named("extract", [&] {
    const Model source = source_of(model, options);
    return Model(Extractor(source.layer()).extract(from.list(), to.list(), options.name));
  });
}

Model replace_layer(const Model& model, const std::string& name, const LayerRef& layer, const SurgeryOptions& options) {
  return changed("replace_layer", model, {{name, {Change::Kind::replace, layer}}}, options);
}

Model insert_after(const Model& model, const std::string& name, const LayerRef& layer, const SurgeryOptions& options) {
  return changed("insert_after", model, {{name, {Change::Kind::insert_after, layer}}}, options);
}

Model remove(const Model& model, const std::string& name, const SurgeryOptions& options) {
  return changed("remove", model, {{name, {Change::Kind::remove}}}, options);
}

Model rename(const Model& model, const std::map<std::string, std::string>& names, const SurgeryOptions& options) {
  Changes changes;
  for (const auto& [from, to] : names) changes.insert_or_assign(from, Change{Change::Kind::rename, nullptr, to});
  return changed("rename", model, changes, options);
}

Model freeze(const Model& model, const LayerNames& names, const SurgeryOptions& options) {
  return changed("freeze", model, trainable_changes(names, false), options);
}
Model unfreeze(const Model& model, const LayerNames& names, const SurgeryOptions& options) {
  return changed("unfreeze", model, trainable_changes(names, true), options);
}

}  // namespace ramet
