"""Serialized Keras objects as they stand in config.json of a .keras file."""

import json

import keras


def object_config(obj):
    """The JSON of a layer or another object, tuples turned into lists as in the file."""
    return json.loads(json.dumps(keras.saving.serialize_keras_object(obj)))


def model_config(model):
    """The JSON of a model without its compile_config."""
    config = object_config(model)
    config.pop("compile_config", None)
    return config
