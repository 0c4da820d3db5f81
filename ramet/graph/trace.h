// Tracing: walking layers and having each emit its ops into a program. The mask travels beside its value.
#pragma once
#include <map>

#include "ramet/graph/nest.h"
#include "ramet/graph/variable.h"
#include "ramet/ir/program.h"

namespace ramet {

class Layer;
using LayerRef = std::shared_ptr<Layer>;

// What flows between layers: a value and, where one is known, its mask (bool; undefined when there is none).
struct Traced {
  Value value, mask;
};
using TracedNest = Nest<Traced>;

struct TracedArgs {
  std::vector<TracedNest> args;
  std::vector<std::pair<std::string, TracedNest>> kwargs;

  const TracedNest* find(std::string_view name) const;
};

// Which version of Keras decides where versions differ about masks.
enum class MaskSemantics : unsigned char {
  keras2,     // merges AND, one mask goes to every output
  keras3,     // 3.0 to 3.7: merges OR; one mask goes to every output (Keras itself: the first one only)
  keras3_8,   // 3.8 to 3.15: as keras3, and MultiHeadAttention takes the masks of its arguments away
  keras3_16,  // as keras3_8, and recurrent layers stop masks
};
// What a model built here has: that of the version its files name.
inline constexpr MaskSemantics kMaskSemantics = MaskSemantics::keras3_8;

class Trace {
 public:
  Trace(Program& into, bool is_training, MaskSemantics masks = kMaskSemantics)
      : program(into), training(is_training), mask_semantics(masks) {}

  Program& program;
  bool training;
  MaskSemantics mask_semantics;

  // A variable's value now: as it enters the program, or as the last update left it.
  Value value_of(const VariableRef& variable);
  void update(const VariableRef& variable, Value value);
  // Lets the variable stand for a value that is in the program already: how weights enter the body of a loop. It is not
  // listed below.
  void bind(const VariableRef& variable, Value value);
  // Variables in the order they were first used; their program inputs follow that order.
  const VariableRefs& variables() const { return variables_; }
  // Makes the updates leave the program. Call once, when everything is traced.
  void finish();

  // Masks travel beside their values. In Keras, though, a mask is an attribute of a tensor, which a layer can change
  // for whoever looks at the tensor later. From here on `tensor` has this mask; undefined: none.
  void set_mask(Value tensor, Value mask) { masks_[tensor.id] = mask; }
  // The mask that `t` has now.
  Value mask_of(const Traced& t) const {
    const auto changed = masks_.find(t.value.id);
    return changed == masks_.end() ? t.mask : changed->second;
  }
  bool masks_changed() const { return !masks_.empty(); }
  TracedArgs with_masks_now(const TracedArgs& args) const;

  Values losses;  // added by layers: activity penalties and add_loss

  // How much of the batch a slice of it is. What a model adds to the losses for a slice counts by that, so that
  // replicas together add what one model adds for the whole batch.
  void set_share(Value slice, double share) { shares_[slice.id] = share; }
  double share_of(Value v) const {
    const auto found = shares_.find(v.id);
    return found == shares_.end() ? 1.0 : found->second;
  }

  // Names of the layers being called, outermost first, for messages.
  std::vector<std::string> scope;

 private:
  struct Entry {
    Value now;
    int input = -1;
    bool updated = false;
  };
  VariableRefs variables_;
  std::map<const void*, Entry> entries_;  // by identity: variables that share are one state
  std::map<int, double> shares_;
  std::map<int, Value> masks_;  // set_mask, by the id of the tensor's value
};

// What a layer's `call` works with: its variables as values, the training flag, masks, randomness.
class CallContext {
 public:
  CallContext(Trace& trace, const Layer& layer, const TracedArgs& args, bool training);

  Program& program() const { return trace_.program; }
  bool training() const { return training_; }
  MaskSemantics mask_semantics() const { return trace_.mask_semantics; }
  DType compute_dtype() const { return compute_dtype_; }
  const TracedArgs& args() const { return args_; }

  // A variable, cast to the layer's compute type when floating and the layer casts.
  Value operator[](const Weight& weight) const;
  // A variable in its own type.
  Value raw(const Weight& weight) const;
  void update(const Weight& weight, Value value) const;
  // The state to draw from next; advances it.
  Value draw(const Weight& seed) const;
  void add_loss(Value loss) const { trace_.losses.push_back(loss); }

  // The mask in force for the first argument (or its i-th tensor): the `mask` argument when given, else what came with
  // the tensor.
  Value mask(std::size_t i = 0) const;
  // The mask that Keras hands to `call`: as above, but from Keras 3 on one that only came with the tensor is not handed
  // over when another argument (initial_state) holds tensors, too. The outputs' masks follow from mask() all the same.
  Value call_mask() const;
  // The value of a keyword argument, or undefined.
  Value tensor(std::string_view name) const;
  bool flag(std::string_view name, bool otherwise) const;

  // Calls a layer inside this one. It is built if need be (by the caller's Builder).
  TracedNest call(const LayerRef& layer, TracedArgs args) const;
  Value call(const LayerRef& layer, Value x) const;
  Traced call(const LayerRef& layer, Traced x) const;

  Trace& trace() const { return trace_; }

 private:
  const VariableRef& built(const Weight& weight) const;  // UsageError when there is none
  Trace& trace_;
  const Layer& layer_;
  const TracedArgs& args_;
  std::vector<Traced> first_;  // the tensors of the first argument
  bool training_;
  DType compute_dtype_;
  bool autocast_;
};

}  // namespace ramet
