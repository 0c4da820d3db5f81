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
