# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks JSON results against the schemas that the programs print."""

import functools
import json
import os
import subprocess

import jsonschema

import outside

# Which environment variable names the program.
TWOWAY = "TWOWAYTEST"
PRIMITIVES = "PRIMITIVETEST"


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


@functools.cache
def text(of):
    done = subprocess.run([os.path.abspath(os.environ[of]), "--schema"],
                          text=True, capture_output=True, check=True)
    assert not done.stderr
    return done.stdout


def read(of):
    return parse(text(of))


@functools.cache
def validator(of):
    schema = read(of)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def errors(results, of):
    """What of the results the schema does not allow."""
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in validator(of).iter_errors(results)]


def is_allowed(results, of):
    """Faster than all errors."""
    return validator(of).is_valid(results)


def check(json_text, of):
    """The results in a JSON text, which must be what the schema says."""
    results = parse(json_text)
    found = errors(results, of)
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


def assert_described(part, path=""):
    """Every member of a schema has a description."""
    for name, member in part.get("properties", {}).items():
        assert member.get("description"), f"{path}/{name}"
        assert_described(member, f"{path}/{name}")
    inner = [part.get("items"), part.get("additionalProperties")]
    for one in (*inner, *part.get("anyOf", ())):
        if isinstance(one, dict) and "properties" not in part:
            assert_described(one, f"{path}/*")


def span(spans, name, times):
    """A value by the formula that a file tells; but for what is to be added."""
    of = spans[name]
    found = times[of["to"]] - times[of["from"]] - of.get("less_ns", 0)
    if "from2" in of:
        found += times[of["to2"]] - times[of["from2"]]
    return found / of["per"] if "per" in of else found
