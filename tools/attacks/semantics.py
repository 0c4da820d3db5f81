"""Class A: configs that ask for what a file must never get — code, other files, other classes — and graphs that are none."""

from building import changed, drop, functional, input_layer, layer, node, obj, one, sequential, tensor

CODE = {"class_name": "__lambda__", "config": {"code": "4wEAAAAAAAAA\n", "defaults": None, "closure": None}}
SECRET = "@SECRET@"  # the test puts the path of a file here that nobody may open
AT = "/config/layers/1"


def function(name, module="builtins"):
    return {"module": module, "class_name": "function", "config": name, "registered_name": "function"}


def code():
    yield "lambda_bytecode", one("Lambda", function=CODE), AT, "bytecode"
    yield "lambda_bytecode_in_sequential", sequential(layer("Lambda", function=CODE)), AT, "bytecode"
    yield "lambda_bytecode_of_keras_2", one("Lambda", function=["4wEAAA==", None, None], function_type="lambda"), AT, "bytecode"
    yield "lambda_bytecode_in_nested_model", functional(input_layer(), {**sequential(layer("Lambda", function=CODE)), "name": "n", "inbound_nodes": [node(tensor("in"))]}, outputs="n"), AT, "bytecode"
    yield "lambda_bytecode_in_wrapper", one("TimeDistributed", (None, 2, 4), layer=obj("Lambda", name="l", function=CODE)), AT, "bytecode"
    for name, module in [("eval", "builtins"), ("exec", "builtins"), ("system", "os"), ("Popen", "subprocess"), ("get_file", "keras.utils"), ("load_model", "keras.models"),
                         ("enable_unsafe_deserialization", "keras.config")]:
        yield f"lambda_names_{name}", one("Lambda", function=function(name, module)), AT, f"'{name}'"
    yield "lambda_output_shape_bytecode", one("Lambda", function=function("eval"), output_shape=CODE), AT, "Lambda"
    yield "lambda_mask_bytecode", one("Lambda", function=function("eval"), mask=CODE), AT, "Lambda"
    yield "lambda_function_is_a_layer", one("Lambda", function=obj("Dense", units=3)), AT, "not a function"
    yield "activation_is_code", one("Dense", units=3, activation=CODE), AT, "activation"
    yield "activation_names_eval", one("Dense", units=3, activation="eval"), AT, "eval"
    yield "activation_names_load_model", one("Activation", activation=function("load_model", "keras.models")), AT, "activation"
    yield "initializer_is_code", one("Dense", units=3, kernel_initializer=CODE), AT, "__lambda__"
    yield "initializer_names_get_file", one("Dense", units=3, kernel_initializer=obj("get_file", "keras.utils", origin="file:" + SECRET)), AT, "get_file"
    yield "regularizer_is_code", one("Dense", units=3, kernel_regularizer=CODE), AT, "__lambda__"
    yield "regularizer_is_an_optimizer", one("Dense", units=3, bias_regularizer=obj("Adam", "keras.optimizers")), AT, "Adam"
    yield "constraint_is_code", one("Dense", units=3, kernel_constraint=CODE), AT, "__lambda__"
    yield "constraint_is_a_layer", one("Dense", units=3, bias_constraint=obj("Dense", units=3)), AT, "Dense"


def other_files():
    yield "tfsm_layer", one("TFSMLayer", filepath=SECRET, call_endpoint="serve"), AT, "TFSMLayer"
    yield "torch_module_wrapper", one("TorchModuleWrapper", module="gASVKAAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjA1lY2hvlIWUUpQu"), AT, "TorchModuleWrapper"
    yield "jax_layer", one("JaxLayer", call_fn=CODE), AT, "JaxLayer"
    yield "flax_layer", one("FlaxLayer", module="gASV"), AT, "FlaxLayer"
    for name in "StringLookup", "IntegerLookup", "TextVectorization":
        yield f"{name}_of_a_path", one(name, vocabulary=SECRET), AT, name
        yield f"{name}_of_an_address", one(name, vocabulary="http://127.0.0.1:9/x"), AT, name
    yield "embedding_from_a_path", one("Embedding", (None, 2), input_dim=3, output_dim=2, weights=SECRET), AT, "weights"
    yield "input_with_a_path", functional(input_layer(vocabulary=SECRET), layer("Dense", units=3)), "/config/layers/0", "vocabulary"
    yield "dense_with_a_path", one("Dense", units=3, kernel_file=SECRET), AT, "kernel_file"
    yield "model_with_a_path", functional(input_layer(), layer("Dense", units=3), weights=SECRET), "", "weights"
    yield "sequential_with_a_path", sequential(layer("Dense", units=3), weights=SECRET), "", "weights"


def classes():
    yield "unknown_class", one("Denze", units=3), AT, "Denze"
    yield "class_of_the_operating_system", one("system", module="os", command="true"), AT, "system"
    yield "builtin_class_from_elsewhere", one("Dense", module="os.path", units=3), AT, "os.path"
    yield "builtin_class_of_a_package", one("Dense", registered="theirs>Dense", units=3), AT, "theirs>Dense"
    yield "builtin_class_under_another_name", one("Dense", registered="Lambda", units=3), AT, "Lambda"
    yield "optimizer_as_a_layer", one("Adam", module="keras.optimizers", learning_rate=0.1), AT, "Adam"
    yield "initializer_as_a_layer", one("Zeros", module="keras.initializers"), AT, "Zeros"
    yield "op_that_is_none", one("Dense", module="keras.src.ops.numpy", units=3), AT, "Dense"
    yield "op_that_saves", one("save_model", module="keras.ops"), AT, "save_model"
    yield "layer_as_the_model", obj("Dense", units=3, name="d"), "", "not a model"
    yield "optimizer_as_the_model", obj("Adam", "keras.optimizers"), "", "Adam"
    yield "input_as_the_model", obj("InputLayer", batch_shape=[None, 4]), "", "not a model"
    yield "wrapper_of_an_optimizer", one("TimeDistributed", (None, 2, 4), layer=obj("Adam", "keras.optimizers")), AT, "Adam"
    yield "wrapper_of_nothing", one("TimeDistributed", (None, 2, 4), layer=None), AT, "TimeDistributed"
    yield "wrapper_of_a_string", one("TimeDistributed", (None, 2, 4), layer="Dense"), AT, "layer"
    yield "bidirectional_of_a_dense", one("Bidirectional", (None, 2, 4), layer=obj("Dense", units=3, name="d")), AT, "Bidirectional"
    yield "rnn_of_a_dense", one("RNN", (None, 2, 4), cell=obj("Dense", units=3, name="d")), AT, "RNN"
    yield "rnn_of_no_cells", one("RNN", (None, 2, 4), cell=obj("StackedRNNCells", cells=[])), AT, "cells"
    yield "dtype_policy_is_a_layer", one("Dense", units=3, dtype=obj("Dense", units=3)), AT, "dtype"
    yield "dtype_policy_of_integers", one("Dense", units=3, dtype="int32"), AT, "int32"
    yield "dtype_policy_nonsense", one("Dense", units=3, dtype={"class_name": "DTypePolicy", "config": {"name": "evil"}}), AT, "evil"
    yield "dtype_policy_number", one("Dense", units=3, dtype=32), AT, "dtype"
    yield "shared_object_id_of_itself", changed(one("Dense", units=3), AT + "/config/kernel_initializer", {"class_name": "shared_object", "config": {}, "shared_object_id": 0}), AT, "shared_object"


def names():
    for what, name in [("traversal", "../../etc/x"), ("of_two_dots", ".."), ("with_a_slash", "a/b"), ("with_nul", "a\0b"), ("with_a_line_end", "a\nb"), ("of_600_bytes", "n" * 600),
                       ("absolute", "/etc/passwd"), ("with_escape", "\x1b[2J")]:
        yield f"layer_name_{what}", functional(input_layer(), layer("Dense", name, units=3)), AT, "name"
        yield f"model_name_{what}", sequential(layer("Dense", units=3), name=name), "", "name"
    yield "input_name_traversal", functional(input_layer(name="../in"), layer("Dense", of=["../in"], units=3), inputs="../in"), "/config/layers/0", "name"
    yield "op_name_traversal", functional(input_layer(), layer("Relu", "..", module="keras.src.ops.nn")), AT, "name"
    yield "layer_name_is_a_number", functional(input_layer(), layer("Dense", 7, units=3), outputs="x"), AT, "string"
    yield "two_layers_of_one_name", functional(input_layer(), layer("Dense", "a", units=3), layer("Dense", "a", units=3)), "/config/layers/2", "'a'"
    yield "two_layers_of_one_name_in_sequential", sequential(layer("Dense", "a", units=3), layer("Dense", "a", units=3)), "/config/layers/2", "a"


def graphs():
    dense = layer("Dense", units=3)
    good = functional(input_layer(), dense)
    history = AT + "/inbound_nodes/0/args/0/config/keras_history"
    yield "layer_of_itself", functional(input_layer(), layer("Dense", of=["x"], units=3)), AT, "nothing makes"
    yield "cycle", functional(input_layer(), layer("Dense", "a", of=["b"], units=3), layer("Dense", "b", of=["a"], units=3)), "/config/layers/", "nothing makes"
    yield "tensor_of_no_layer", changed(good, history + "/0", "none"), AT, "no such layer"
    yield "call_too_far", changed(good, history + "/1", 9), AT, "nothing makes"
    yield "call_negative", changed(good, history + "/1", -1), AT, "nothing makes"
    yield "call_huge", changed(good, history + "/1", 2**63 - 1), AT, "nothing makes"
    yield "call_is_text", changed(good, history + "/1", "0"), AT, "int"
    yield "output_too_far", changed(good, history + "/2", 9), AT, "output 9"
    yield "output_negative", changed(good, history + "/2", -1), AT, "output -1"
    yield "output_huge", changed(good, history + "/2", 2**63 - 1), AT, "output"
    yield "history_too_short", changed(good, history, ["in", 0]), AT, "[layer, call, output]"
    yield "history_is_text", changed(good, history, "in"), AT, "array"
    yield "history_missing", changed(good, history, drop), AT, "keras_history"
    yield "model_output_of_no_layer", changed(good, "/config/output_layers/0", "none"), "/config/output_layers", "no such layer"
    yield "model_output_call_too_far", changed(good, "/config/output_layers/1", 5), "/config/output_layers", "call 5"
    yield "model_output_too_far", changed(good, "/config/output_layers/2", 5), "/config/output_layers", "output 5"
    yield "model_output_is_text", changed(good, "/config/output_layers", "x"), "/config/output_layers", ""
    yield "model_without_outputs", changed(good, "/config/output_layers", []), "", "output"
    yield "model_without_inputs", changed(good, "/config/input_layers", []), "", "input"
    yield "model_input_is_no_input", changed(good, "/config/input_layers/0", "x"), "/config", "nput"
    yield "model_output_before_its_input", functional(input_layer(), input_layer(name="other"), dense, inputs="other"), "", "in"
    yield "layers_missing", changed(good, "/config/layers", drop), "", "layers"
    yield "layers_is_an_object", changed(good, "/config/layers", {}), "/config", "layers"
    yield "layer_is_a_number", changed(good, AT, 5), AT, "object"
    yield "class_name_missing", changed(good, AT + "/class_name", drop), AT, "class_name"
    yield "class_name_is_a_list", changed(good, AT + "/class_name", ["Dense"]), AT, ""
    yield "config_missing", changed(good, AT + "/config", drop), AT, "config"
    yield "config_is_a_list", changed(good, AT + "/config", []), AT, "object"
    yield "nodes_are_a_number", changed(good, AT + "/inbound_nodes", 5), AT, "array"
    yield "node_is_text", changed(good, AT + "/inbound_nodes/0", "in"), AT, ""
    yield "node_without_args", changed(good, AT + "/inbound_nodes/0/args", drop), AT, "args"
    yield "node_kwargs_is_a_list", changed(good, AT + "/inbound_nodes/0/kwargs", [1]), AT, "object"
    yield "node_with_unknown_argument", changed(good, AT + "/inbound_nodes/0/kwargs", {"code": "x"}), AT, "'code'"
    yield "node_without_a_tensor", changed(good, AT + "/inbound_nodes/0/args", []), AT, "without a tensor"
    yield "tensor_of_no_type", changed(good, AT + "/inbound_nodes/0/args/0/config/dtype", "object"), AT, "object"
    yield "tensor_of_no_shape", changed(good, AT + "/inbound_nodes/0/args/0/config/shape", [None, -4]), AT, "-4"
    yield "build_config_is_text", {**good, "build_config": "x"}, "", "object"
    yield "initializer_config_is_a_number", changed(good, AT + "/config/kernel_initializer", {"class_name": "Zeros", "config": 3}), AT, "kernel_initializer"
    yield "module_is_a_number", changed(good, AT + "/module", 5), AT, "Keras"
    yield "registered_name_is_a_list", changed(good, AT + "/registered_name", ["Dense"]), AT, "string"
    yield "node_with_a_number_for_a_tensor", changed(good, AT + "/inbound_nodes/0/args/0", 3), AT, ""
    yield "config_of_the_model_missing", changed(good, "/config", drop), "", "config"
    yield "trainable_is_text", changed(good, "/config/trainable", "no"), "", "trainable"


def laughs(levels):
    """Models that call the model inside them twice: 2^levels calls, and a file of a few kilobytes."""
    inner = one("Activation", activation="relu")
    for i in range(levels):
        twice = {**inner, "name": "m", "inbound_nodes": [node(tensor("in")), node(tensor("m"))]}
        inner = functional(input_layer(), twice, outputs=["m", 2, 0])
    return inner


def ops():
    """Operations that are called directly. Their arguments are checked as a layer's are."""
    def op(name, module="numpy", shape=(None, 4), args=(), **config):
        entry = layer(name, module="keras.src.ops." + module, **config)
        entry["inbound_nodes"][0]["args"] += args
        return functional(input_layer(shape), entry)

    def part(start=None, stop=None, step=None):
        return {"class_name": "__slice__", "config": {"start": start, "stop": stop, "step": step}}
    dots = {"class_name": "__ellipsis__", "config": {}}
    yield "pad_without_widths", op("Pad"), AT, "pad_width"
    yield "pad_with_no_pairs", op("Pad", pad_width=[]), AT, "pad_width"
    yield "pad_with_pairs_of_one", op("Pad", pad_width=[[1], [1]]), AT, "pad_width"
    yield "pad_with_a_pair_too_few", op("Pad", shape=(None, 4, 4), pad_width=[[0, 0], [1, 1]]), AT, "pad_width"
    yield "pad_by_2_62", op("Pad", pad_width=[[0, 0], [2**62, 2**62]]), AT, "pad_width"
    yield "cast_to_nothing", op("Cast", "core"), AT, "dtype"
    yield "cast_to_objects", op("Cast", "core", dtype="object"), AT, "object"
    yield "item_of_two_ellipses", op("GetItem", args=[[dots, 0, dots]]), AT, "ellipsis"
    yield "item_of_five_indices", op("GetItem", args=[[0] * 5]), AT, "indices"
    yield "item_too_far", op("GetItem", args=[[part(), 9]]), AT, "out of bounds"
    yield "item_with_step_zero", op("GetItem", args=[[part(step=0)]]), AT, "step"
    yield "item_of_text", op("GetItem", args=[["x"]]), AT, ""
    yield "item_of_half_a_slice", op("GetItem", args=[[{"class_name": "__slice__", "config": {"start": 0}}]]), AT, "s"
    yield "split_of_nothing_into_2_31", op("Split", shape=(None, 0), indices_or_sections=2**31 - 1, axis=1), AT, "split"
    yield "split_into_zero", op("Split", indices_or_sections=0, axis=1), AT, "split"
    yield "split_without_parts", op("Split", axis=1), AT, "indices_or_sections"
    yield "split_backwards", op("Split", indices_or_sections=[3, 1], axis=1), AT, ""
    yield "reshape_without_shape", op("Reshape"), AT, "newshape"
    yield "reshape_op_open_too_far", op("Reshape", newshape=[-1, 2, 2, None]), AT, ""
    yield "sum_over_a_far_axis", op("Sum", axis=[7], keepdims=False), AT, "axis"
    yield "softmax_over_axis_2_32", op("Softmax", "nn", axis=2**32 + 1), AT, "axis"
    yield "transpose_twice_the_same", op("Transpose", axes=[0, 0]), AT, ""
    yield "transpose_of_too_many", op("Transpose", axes=[0, 1, 2]), AT, ""
    yield "repeat_negative", op("Repeat", repeats=-1, axis=1), AT, ""
    yield "repeat_2_40", op("Repeat", repeats=2**40, axis=1), AT, "repeats"
    yield "stack_of_nothing", changed(op("Stack", axis=-1), AT + "/inbound_nodes/0/args", [[]]), AT, "tensor"
    yield "concatenate_of_a_number", changed(op("Concatenate", axis=-1), AT + "/inbound_nodes/0/args", [3]), AT, "tensor"
    yield "add_of_text", op("Add", args=["x"]), AT, ""
    yield "add_of_a_ragged_array", op("Add", args=[{"class_name": "__numpy__", "config": {"value": [[1, 2], [3]], "dtype": "float32"}}]), AT, ""
    yield "add_of_an_array_of_objects", op("Add", args=[{"class_name": "__numpy__", "config": {"value": [1], "dtype": "object"}}]), AT, "object"


def attacks():
    yield "models_that_call_models_twice", laughs(30), "/config/layers", "calls"
    for part in code, other_files, classes, names, graphs, ops:
        yield from part()
