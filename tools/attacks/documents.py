"""Class C, and what stands beside the config: texts that are no JSON, metadata, compile configs.

A text may be written [head, piece, count, tail]: the piece is repeated, '#' in it being the number.
"""

import json

from building import input_layer, obj, one
from semantics import CODE, SECRET, function

GOOD = json.dumps(one("Dense", units=3))


def texts():
    yield "text_empty_object", "{}", "class_name"
    yield "text_null", "null", ""
    yield "text_list", "[]", ""
    yield "text_number", "7", ""
    yield "text_truncated", GOOD[:-1], ""
    yield "text_trailing", GOOD + "{}", ""
    yield "text_with_a_comment", "// hello\n" + GOOD, ""
    yield "text_with_a_mark", "\ufeff" + GOOD, ""
    yield "text_with_nan", GOOD.replace('"units": 3', '"units": NaN'), ""
    yield "text_with_infinity", GOOD.replace('"units": 3', '"units": -Infinity'), ""
    yield "text_with_1e999", GOOD.replace('"units": 3', '"units": 1e999'), ""
    yield "text_with_2_64", GOOD.replace('"units": 3', '"units": 18446744073709551616'), ""
    yield "text_with_a_key_twice", GOOD.replace('"units": 3', '"units": 3, "units": 4'), ""
    yield "text_with_a_lone_surrogate", GOOD.replace('"x"', '"\\ud800"'), ""
    yield "text_with_single_quotes", GOOD.replace('"', "'"), ""
    yield "text_100000_deep", ["", "[", 100_000, ""], "deep"
    yield "text_objects_100000_deep", ["", '{"a":', 100_000, ""], "deep"
    yield "text_of_17_megabytes", ['{"a": "', "x" * 100, 170_000, '"}'], ""
    yield "text_of_5000000_numbers", ["[0", ",0", 5_000_000, "]"], ""
    nested = '{"class_name": "Sequential", "config": {"name": "m#", "layers": ['
    yield "models_10000_deep", ["", nested, 10_000, ""], "deep"
    yield "models_34_deep", ["", nested, 34, "]}}" * 34], "deep"
    start = '{"class_name": "Functional", "config": {"name": "m", "layers": [' + json.dumps(input_layer())
    end = '], "input_layers": ["in", 0, 0], "output_layers": ["in", 0, 0]}}'
    yield "layers_100001", [start, ', {"class_name": "Identity", "config": {"name": "i#"}, "inbound_nodes": [[["in", 0, 0, {}]]]}', 100_001, end], "100000"
    yield "layers_100001_in_sequential", ['{"class_name": "Sequential", "config": {"name": "m", "layers": [' + json.dumps(input_layer()), ', {"class_name": "Identity", "config": {"name": "i#"}}', 100_001, "]}}"], "100000"
    shared = start + ', {"class_name": "Identity", "config": {"name": "i"}, "inbound_nodes": [[["in", 0, 0, {}]]'
    yield "calls_100001", [shared, ',[["in", 0, 0, {}]]', 100_001, "]}" + end], "100000"
    yield from large(start, end)


def large(start, end):
    """Small things in such number that work which grows with their square never ends."""
    called = '"inbound_nodes": [[["in", 0, 0, {}]]]'
    entry = lambda class_name, config: f'{start}, {{"class_name": "{class_name}", "config": {{"name": "x", {config}'
    yield "input_called", start.replace('"inbound_nodes": []', '"inbound_nodes": [[["in", 0, 0, {}]]]') + end, "an input is not called"
    yield "keys_1000000_of_a_layer", [entry("Dense", '"units": 3, "k": 1'), ', "k#": 1', 1_000_000, "}, " + called + "}" + end], "not supported"
    yield "keys_300000_of_a_layer_that_are_off", [entry("Dense", '"units": -3'), ', "k#": null', 300_000, "}, " + called + "}" + end], "units"
    yield "reshape_of_10000_axes", [entry("Reshape", '"target_shape": [4'), ", 1", 10_000, "]}, " + called + "}" + end], "10001"
    yield "layer_normalization_of_100000_axes", [entry("LayerNormalization", '"axis": [-1'), ", -1", 100_000, "]}, " + called + "}" + end], "100001"
    yield "permute_of_100000_axes", [entry("Permute", '"dims": [1'), ", 2", 100_000, "]}, " + called + "}" + end], "100001"
    yield "sum_over_100000_axes", [entry("Sum", '"axis": [1'), ", 1", 100_000, ']}, "module": "keras.src.ops.numpy", ' + called + "}" + end], ""
    yield "class_of_100000_letters", [start + ', {"class_name": "', "x", 100_000, '", "config": {}, ' + called + "}" + end], "unknown layer class"
    yield "activation_of_100000_letters", [entry("Dense", '"units": 3, "activation": "'), "x", 100_000, '"}, ' + called + "}" + end], "activation"
    yield "add_of_100000_tensors_that_do_not_fit", [start + ", " + json.dumps(input_layer((None, 5), "other")) + ', {"class_name": "Add", "config": {"name": "x"}, "inbound_nodes": [[["other", 0, 0, {}]',
                                                    ', ["in", 0, 0, {}]', 100_000, "]]}" + end], "broadcast"
    yield "inputs_20000_and_none_of_them_used", ['{"class_name": "Functional", "config": {"name": "m", "layers": [' + json.dumps(input_layer()) + ", " + json.dumps(input_layer(name="other")),
                                                 ', {"class_name": "InputLayer", "config": {"name": "in#", "batch_shape": [null, 4]}, "inbound_nodes": []}', 20_000,
                                                 '], "input_layers": ["other", 0, 0], "output_layers": ["in", 0, 0]}}'], "in"


def metadata():
    yield "metadata_list", "[]", ""
    yield "metadata_truncated", '{"keras_version": "3', ""
    yield "metadata_nan", '{"keras_version": NaN}', ""
    yield "metadata_100000_deep", ["", "[", 100_000, ""], "deep"
    yield "metadata_key_twice", '{"keras_version": "3.0.0", "keras_version": "2.0.0"}', ""


def compile_configs():
    good = {"optimizer": obj("SGD", "keras.optimizers", learning_rate=0.1), "loss": "mse", "metrics": None}
    rate = lambda value: {**good, "optimizer": obj("SGD", "keras.optimizers", learning_rate=value)}
    yield "compile_optimizer_unknown", {**good, "optimizer": obj("Evil", "keras.optimizers")}, "Evil"
    yield "compile_optimizer_is_a_layer", {**good, "optimizer": obj("Dense", units=3)}, "Dense"
    yield "compile_optimizer_is_code", {**good, "optimizer": CODE}, "__lambda__"
    yield "compile_optimizer_number", {**good, "optimizer": 5}, ""
    yield "compile_optimizer_unknown_key", {**good, "optimizer": obj("SGD", "keras.optimizers", code=SECRET)}, "'code'"
    yield "compile_learning_rate_text", rate("fast"), "'fast'"
    yield "compile_schedule_unknown", rate(obj("Evil", "keras.optimizers.schedules")), "Evil"
    yield "compile_schedule_is_code", rate(CODE), "__lambda__"
    yield "compile_loss_unknown", {**good, "loss": "evil"}, "evil"
    yield "compile_loss_is_code", {**good, "loss": CODE}, "__lambda__"
    yield "compile_loss_names_system", {**good, "loss": function("system", "os")}, "function"
    yield "compile_loss_number", {**good, "loss": 3}, ""
    yield "compile_loss_of_no_output", {**good, "loss": {"none": "mse"}}, "none"
    yield "compile_metric_unknown", {**good, "metrics": ["evil"]}, "evil"
    yield "compile_metric_is_code", {**good, "metrics": [CODE]}, "__lambda__"
    yield "compile_metric_names_load_model", {**good, "metrics": [function("load_model", "keras.models")]}, ""
    yield "compile_momentum_two", {**good, "optimizer": obj("SGD", "keras.optimizers", learning_rate=0.1, momentum=2.0)}, "momentum"
    yield "compile_loss_weights_text", {**good, "loss_weights": "x"}, ""
