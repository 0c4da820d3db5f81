"""Small models as Keras writes them into config.json, to be bent by the attacks."""

import copy


def obj(class_name, module="keras.layers", registered=None, **config):
    return {"module": module, "class_name": class_name, "config": config, "registered_name": registered}


def tensor(layer, call=0, output=0):
    return {"class_name": "__keras_tensor__", "config": {"shape": [None, 4], "dtype": "float32", "keras_history": [layer, call, output]}}


def node(*args, **kwargs):
    return {"args": list(args), "kwargs": kwargs}


def input_layer(shape=(None, 4), name="in", **more):
    config = {"batch_shape": list(shape), "dtype": "float32", "sparse": False, "name": name, **more}
    return {**obj("InputLayer"), "config": config, "name": name, "inbound_nodes": []}


def layer(class_name, name="x", of=("in",), module="keras.layers", registered=None, **config):
    """A layer of a functional model, called once on the outputs of the layers `of`."""
    tensors = [tensor(before) for before in of]
    entry = obj(class_name, module, registered, name=name, trainable=True, **config)
    return {**entry, "name": name, "inbound_nodes": [node(tensors[0] if len(tensors) == 1 else tensors)]}


def functional(*layers, inputs="in", outputs=None, name="m", **more):
    last = outputs or layers[-1].get("name", "x")
    place = lambda at: [at, 0, 0] if isinstance(at, str) else at
    config = {"name": name, "trainable": True, "layers": list(layers), "input_layers": place(inputs), "output_layers": place(last), **more}
    return {"module": "keras.src.models.functional", "class_name": "Functional", "config": config, "registered_name": "Functional"}


def sequential(*layers, shape=(None, 4), name="m", **more):
    entries = [input_layer(shape)] if shape else []
    entries += [{k: v for k, v in one.items() if k not in ("name", "inbound_nodes")} for one in layers]
    return {"module": "keras", "class_name": "Sequential", "config": {"name": name, "trainable": True, "layers": entries, **more}, "registered_name": None}


def one(class_name, shape=(None, 4), **config):
    """A functional model of one layer, "x", on an input of this shape."""
    return functional(input_layer(shape), layer(class_name, **config))


def changed(document, pointer, value):
    """A copy of the document with another value at a JSON pointer; `drop` takes it away."""
    document = copy.deepcopy(document)
    *path, last = pointer.strip("/").split("/")
    at = document
    for key in path:
        at = at[int(key)] if isinstance(at, list) else at[key]
    last = int(last) if isinstance(at, list) else last
    if value is drop:
        del at[last]
    else:
        at[last] = value
    return document


class drop:
    pass
