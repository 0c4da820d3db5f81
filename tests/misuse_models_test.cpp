// Models, clones, replicas, surgery.
#include "tests/support/custom_layers.h"
#include "tests/support/misuse.h"

using namespace ramet;

namespace ramet::testing {
namespace {

LayerOptions named(const char* name) { return {.name = name}; }

}  // namespace

std::vector<Misuse> model_misuses() {
  return {
      {"a model whose output does not depend on its input",
       [](Model&) { Model(Input({4}, {.name = "x"}), Dense(2)(Input({4}, {.name = "other"}))); },
       {"Graph disconnected", "'other'", "(x)"}},
      {"a model without outputs", [](Model&) { Model(Input({4}), Arg()); }, {"output"}},
      {"a model with two layers of one name",
       [](Model&) {
         const auto x = Input({4});
         Model(x, Dense(2, named("q"))(Dense(3, named("q"))(x)));
       },
       {"The name \"q\" is used 2 times in the model"}},
      {"a Sequential with two layers of one name",
       [](Model&) {
         Sequential({Dense(2, named("q")), Dense(2, named("q"))});
       },
       {"unique names", "'q'"}},
      {"popping from an empty Sequential",
       [](Model&) { Sequential(ModelOptions{.name = "seq"}).pop(); },
       {"Sequential 'seq'", "no layer to remove"}},
      {"the output of a Sequential nobody built",
       [](Model&) { Sequential({Dense(2)}, {.name = "seq"}).output(); },
       {"'seq'", "Input"}},
      {"no model",
       [](Model&) {
         Model().predict(Array::zeros({1, 4}));
       },
       {"an empty Model", "Model(inputs, outputs)"}},
      {"calling a model on another shape",
       [](Model& m) {
         m({Input({4}), Input({5})});
       },
       {"'b'", "'subject'", "(None, 4)", "(None, 5)"}},
      {"calling a model on one tensor of two", [](Model& m) { m(Input({4})); }, {"subject", "2", "1"}},
      {"a layer there is not", [](Model& m) { m.get_layer("shred"); }, {"No such layer: shred", "'shared'"}},
      {"a layer number there is not", [](Model& m) { m.get_layer(99); }, {"index 99", "8 layers"}},
      {"an output there is not", [](Model& m) { m.output()[7]; }, {"no tensor 7", "2"}},
      {"a model from JSON that is none",
       [](Model&) { Model::from_json("{\"class_name\": \"Functional\"}"); },
       {"'config' is missing"},
       Refusal::data},
      {"a model from text that is no JSON", [](Model&) { Model::from_json("{oops"); }, {"JSON"}, Refusal::data},
      {"a layer class there is not",
       [](Model&) {
         deserialize_layer(Json(JsonObject{{"class_name", "Dence"}, {"config", Json(JsonObject{})}}));
       },
       {"'Dence'", "did you mean 'Dense'?", "register_object"},
       Refusal::data},
      {"a layer with an argument there is not",
       [](Model&) {
         deserialize_layer(
             Json(JsonObject{{"class_name", "Dense"}, {"config", Json(JsonObject{{"units", 3}, {"unitz", 4}})}}));
       },
       {"Dense", "unitz"},
       Refusal::data},
      {"a clone with one input of two",
       [](Model& m) { clone_model(m, {.input_tensors = {Input({4})}}); },
       {"clone_model", "input_tensors", "'subject'", "2", "1"}},
      {"a clone with an input of another rank",
       [](Model& m) {
         clone_model(m, {.input_tensors = {Input({4}), Input({4, 4})}});
       },
       {"clone_model", "'b'", "(None, 4, 4)", "(None, 4)"}},
      {"a clone with an input of another size",
       [](Model& m) {
         clone_model(m, {.input_tensors = {Input({4}), Input({5})}});
       },
       {"layer 'shared'", "(None, 5)"}},
      {"a clone function that returns nothing",
       [](Model& m) { clone_model(m, {.clone_function = [](const LayerRef&) { return LayerRef(); }}); },
       {"clone_model", "clone_function", "nothing"}},
      {"a clone function that changes a size",
       [](Model& m) {
         clone_model(m, {.clone_function = [](const LayerRef& l) -> LayerRef {
                       if (l->name() == "add") return Flatten(named("flat"));
                       return l->clone();
                     }});
       },
       {"'flat'", "1 input(s)", "2"}},
      {"a call function that returns nothing",
       [](Model& m) { clone_model(m, {.call_function = [](const LayerRef&, const CallArgs&) { return Tensor(); }}); },
       {"Dense 'shared'", "0 outputs", "1"}},
      {"a call function for a Sequential",
       [](Model&) {
         clone_model(Sequential(Input({4}), {Dense(2)}, {.name = "seq"}),
                     {.call_function = [](const LayerRef& l, const CallArgs& a) { return l->call(a); }});
       },
       {"clone_model", "call_function", "'seq'"}},
      {"a clone on a device there is not",
       [](Model& m) { clone_model(m, {.device = Device("gpu:0")}); },
       {"clone_model", "gpu:0 is not available", "'cpu:0'"}},
      {"a clone in a type there is not",
       [](Model& m) { clone_model(m, {.dtype = "float99"}); },
       {"'shared'", "float99", "float32"}},
      {"replicas on one device", [](Model& m) { replicate(m, {"cpu:0"}); }, {"replicate", "2", "1 device"}},
      {"replicas on a device there is not",
       [](Model& m) {
         replicate(m, {"cpu:0", "gpu:0"});
       },
       {"replicate", "gpu:0", "available", "'cpu:0'"}},
      {"replicas twice on one device",
       [](Model& m) {
         replicate(m, {"cpu:1", "cpu:1"});
       },
       {"replicate", "cpu:1", "twice"}},
      {"multi_gpu_model with one", [](Model& m) { multi_gpu_model(m, 1); }, {"gpus >= 2", "1"}},
      {"multi_gpu_model with too many", [](Model& m) { multi_gpu_model(m, 99); }, {"99 devices", "cpu:8", "available"}},
      {"extracting from a layer there is not",
       [](Model& m) { extract(m, "shred", "sum"); },
       {"'subject'", "no layer 'shred'", "did you mean 'shared'?"}},
      {"extracting backwards",
       [](Model& m) { extract(m, "sum", "shared"); },
       {"extract", "'shared' also needs the input"}},
      {"extracting what needs more inputs",
       [](Model& m) { extract(m, "a", "sum"); },
       {"extract", "'sum' also needs the input 'b'"}},
      {"replacing by a layer that does not fit",
       [](Model& m) { replace_layer(m, "noise", Conv2D(2, 3, named("conv"))); },
       {"Conv2D 'conv'", "'noise'", "(None, 3)"}},
      {"replacing by a layer of a size the next cannot take",
       [](Model& m) { replace_layer(m, "noise", Dense(9, named("nine"))); },
       {"Dense 'sum'", "(None, 9)", "'nine'"}},
      {"replacing by a name that is taken",
       [](Model& m) { replace_layer(m, "noise", Dropout(0.1, named("mean"))); },
       {"'subject'", "'mean'", "choose another name"}},
      {"replacing an input", [](Model& m) { replace_layer(m, "a", Dense(3)); }, {"'a'", "input", "clone_model"}},
      {"replacing by nothing", [](Model& m) { replace_layer(m, "noise", LayerRef()); }, {"no layer", "'noise'"}},
      {"inserting a layer that does not fit",
       [](Model& m) { insert_after(m, "add", LSTM(3, named("lstm"))); },
       {"'lstm'", "ndim=3", "ndim=2"}},
      {"inserting a size the next cannot take",
       [](Model& m) { insert_after(m, "noise", Dense(9, named("nine"))); },
       {"Dense 'sum'", "(None, 9)", "'nine'"}},
      {"a device that is on no machine of ours",
       [](Model&) {
         const DeviceScope scope("gpu:3");
         const auto in = Input({4});
         Model(in, Dense(2)(in)).predict(Array::zeros({1, 4}));
       },
       {"gpu:3 is not available", "'cpu:0'"},
       Refusal::device},
      {"removing a layer of two inputs", [](Model& m) { remove(m, "add"); }, {"Add 'add'", "2 inputs"}},
      {"removing an input", [](Model& m) { remove(m, "a"); }, {"'a'", "input", "cannot be removed"}},
      {"removing what gives the next its size",
       [](Model& m) { remove(m, "shared"); },
       {"Dense", "(None, 4)", "'shared'"}},
      {"renaming to a name that is taken",
       [](Model& m) {
         rename(m, {{"noise", "mean"}});
       },
       {"rename", "\"mean\" is used 2 times"}},
      {"renaming to a path",
       [](Model& m) {
         rename(m, {{"noise", "a/b"}});
       },
       {"'a/b'", "name"}},
      {"renaming a layer there is not",
       [](Model& m) {
         rename(m, {{"nose", "noisy"}});
       },
       {"no layer 'nose'", "did you mean 'noise'?"}},
      {"freezing an input", [](Model& m) { freeze(m, "a"); }, {"'a'", "no weights"}},
      {"a layer inside what is no model", [](Model& m) { freeze(m, "shared/dense"); }, {"'shared'", "not a model"}},
      {"registering another class under one name",
       [](Model&) {
         register_layer(SwapLayer::registration("mine"));
         register_layer({"Swap", "mine", &TwoOutputsLayer::from_config});
       },
       {"register_object", "mine>Swap", "already"}},
  };
}

}  // namespace ramet::testing
