# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks JSON results against contrib/twowaytest.schema.json."""

import functools
import json
import pathlib

import jsonschema

import outside

PATH = (pathlib.Path(__file__).resolve().parents[2] / "contrib" /
        "twowaytest.schema.json")


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
def validator():
    schema = parse(PATH.read_text(encoding="utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def errors(results):
    """What of the results the schema does not allow."""
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in validator().iter_errors(results)]


def check(text):
    """The results in a JSON text, which must be what the schema says."""
    results = parse(text)
    found = errors(results)
    assert not found, "\n".join(found)
    numbers = list(results["thread"])
    assert numbers == [str(n) for n in range(results["num_threads"])]
    return results
