# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks JSON results against the schemas in contrib."""

import functools
import json
import pathlib

import jsonschema

import outside

CONTRIB = pathlib.Path(__file__).resolve().parents[2] / "contrib"
TWOWAY = CONTRIB / "twowaytest-2.schema.json"
PRIMITIVES = CONTRIB / "primitivetest.schema.json"


def unique(pairs):
    """An object; Python's parser would keep but the last of two."""
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a key stands there twice: {keys}")
    return dict(pairs)


def parse(text):
    """As strict as the standard: unique keys, no NaN."""
    return json.loads(text, object_pairs_hook=unique,
                      parse_constant=outside.refuse_constant)


def read(path):
    return parse(path.read_text(encoding="utf-8"))


@functools.cache
def validator(path):
    schema = read(path)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def errors(results, path):
    """What of the results the schema does not allow."""
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in validator(path).iter_errors(results)]


def is_allowed(results, path):
    """Faster than all errors."""
    return validator(path).is_valid(results)


def check(text, path):
    """The results in a JSON text, which must be what the schema says."""
    results = parse(text)
    found = errors(results, path)
    assert not found, "\n".join(found)
    numbers = list(results["thread"])
    assert numbers == [str(n) for n in range(results["num_threads"])]
    return results


def every_member(value, path=()):
    """Paths of all members of all objects."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from every_member(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from every_member(inner, (*path, index))


def parent_of(json, path):
    for key in path[:-1]:
        json = json[key]
    return json


def objects(value, path=()):
    """Paths of all objects within, those in arrays as well."""
    if isinstance(value, dict):
        yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from objects(value[key], (*path, key))


def assert_described(root):
    """Every member of a schema has a description."""
    def look(part, path):
        for name, member in part.get("properties", {}).items():
            described = "description" in member or "$ref" in member
            assert described, f"{path}/{name}"
            look(member, f"{path}/{name}")

    look(root, "")
    for name, part in root["$defs"].items():
        assert "description" in part, name
        for alternative in part.get("oneOf", [part]):
            look(alternative, name)
