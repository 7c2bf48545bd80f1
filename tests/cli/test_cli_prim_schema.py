# SPDX-License-Identifier: GPL-2.0-or-later
"""The schema of primitivetest's JSON: it allows its results, and nothing
else."""

import copy
import os
import pathlib
import subprocess

import jsonschema
import pytest

import primitives
import schema
import twowaytest

QUICK = ("--default-system", "-q", "-l", 20, "--json=json")
RUNS = {
    "all": ("--test=timer.1000,sync1.futex,sync2.futex", "-h", 9, "--worst",
            "--percentiles=50,99", "--limit=sync1.pair:1000000",
            "--limit=sync2.out:p99:5", "--load=fft", "-p", 50, "-m"),
    "skipped": ("--test=sync1.mutex,rhealstone", "-l", 2),
    "two": ("--test=sync2", "--tasks=thread,process", "--order=equal"),
    "ns": ("--test=sync1.sysv", "-N", "--warmup=0"),
    "broken": ("--test=sync2.cond", "-b1", "--clock=realtime",
               "--limit=sync2.out:0"),
    "everything": ("--test=all", "-l", 3, "--cpus=same"),
    "check": ("--check",),
}


# Of these, every member is looked at.
LOOKED_AT = ("all", "skipped", "broken", "check")


def errors(results):
    return schema.errors(results, schema.PRIMITIVES)


def allowed(results):
    return schema.is_allowed(results, schema.PRIMITIVES)


def measured(directory, name):
    if os.geteuid() and {"-m", "-p"} & set(RUNS[name]):
        pytest.skip("needs root")
    result = twowaytest.run(*QUICK, *RUNS[name], program=primitives.binary(),
                            directory=directory, timeout=120)
    return schema.check(result.text("json"), schema.PRIMITIVES)


@pytest.mark.parametrize("name", [name for name in RUNS
                                  if name not in LOOKED_AT])
def test_results_are_as_described(tmp_path, name):
    measured(tmp_path, name)


@pytest.fixture(scope="module", params=LOOKED_AT)
def any_valid(request, tmp_path_factory):
    return measured(tmp_path_factory.mktemp("run"), request.param)


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    result = twowaytest.run(*QUICK, "--test=sync1.futex,sync2.futex",
                            "--worst",
                            "--load=fft", "--limit=sync1.pair:1000000",
                            program=primitives.binary(),
                            directory=tmp_path_factory.mktemp("run"))
    assert result.returncode == 0, result.stderr
    return schema.check(result.text("json"), schema.PRIMITIVES)


# Members whose names are data: rows and metrics, percentages.
TABLES = ("histogram", "percentiles", "worst", "values", "means", "spans",
          "thread")


OPTIONAL = (("primitives", "spans", "*", "per"),
            ("primitives", "spans", "*", "less_ns"),
            ("primitives", "limits", "*", "percentile"),
            ("thread", "*", "percentiles"), ("primitives", "worst"))


def one_of_each(paths):
    """Of members that differ in an index or in such a name only, the first:
    to look at all of them would take minutes."""
    found = {}
    for path in paths:
        shape = tuple("*" if isinstance(name, int) or before in TABLES
                      else name for before, name in zip(("", *path), path))
        found.setdefault(shape, path)
    return found.items()


def test_schema_needs_every_member(any_valid):
    """The schema is no sieve: without any one member, it complains."""
    for shape, path in one_of_each(schema.every_member(any_valid)):
        if shape[-1] == "*" and path != ("thread", "0") or \
                shape in OPTIONAL:
            continue
        broken = copy.deepcopy(any_valid)
        del schema.parent_of(broken, path)[path[-1]]
        assert not allowed(broken), path


def test_schema_knows_every_type(any_valid):
    for shape, path in one_of_each(schema.every_member(any_valid)):
        broken = copy.deepcopy(any_valid)
        schema.parent_of(broken, path)[path[-1]] = [{"not": "this"}]
        assert not allowed(broken), path


def test_schema_allows_nothing_else(any_valid):
    for shape, path in one_of_each(schema.objects(any_valid)):
        broken = copy.deepcopy(any_valid)
        schema.parent_of(broken, (*path, ""))["Another"] = 1
        assert not allowed(broken), path


def test_schemas_are_of_one_program_each(valid, tmp_path):
    assert schema.errors(valid, schema.TWOWAY)
    result = twowaytest.run("--default-system", "-q", "-l", 9, "--json=json",
                            directory=tmp_path)
    assert errors(schema.check(result.text("json"), schema.TWOWAY))


WRONG = {
    "no column": {"num_threads": 4, "thread": {}},
    "a column by name": {"thread": {"first": None}},
    "a skipped row with results": {"primitives.tests.0.skipped": "why"},
    "a span without a begin": {"primitives.spans.sync1.futex.pair": {}},
    "another placement": {"primitives.tests.0.cpus": "both"},
    "a verdict that is none": {"primitives.limits.0.verdict": "passed"},
    "undecided with a value": {"primitives.limits.0.verdict": "undecided"},
    "met without a value": {"primitives.limits.0.value_ns": None},
    "a load of another kind": {"primitives.load.0.kind": "none"},
    "trial 0": {"primitives.worst.sync1.futex.pair.trial": 0},
    "a task of another name": {"primitives.tests.0.processes.0.name": "low"},
    "twowaytest's member": {"twoway": {}},
    "a histogram without its overflows": {"thread.0.histogram": {}},
    "no values, but a maximum": {"thread.0.cycles": 0},
    "values, but no maximum": {"thread.0.max": None},
}


def put(json, path, value):
    """At a path whose parts points separate; a part may have points."""
    if isinstance(json, list):
        head, _, rest = path.partition(".")
        head = int(head)
    else:
        head = next((name for name in json if path.startswith(f"{name}.")),
                    path)
        rest = path[len(head) + 1:]
    if rest:
        put(json[head], rest, value)
    else:
        json[head] = value


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_schema_refuses(valid, changes):
    json = copy.deepcopy(valid)
    for path, value in changes.items():
        put(json, path, value)
    assert errors(json)


def test_schema_describes_every_member():
    root = schema.validator(schema.PRIMITIVES).schema
    schema.assert_described(root)
    with pytest.raises(jsonschema.ValidationError):
        schema.validator(schema.PRIMITIVES).validate({})


@pytest.mark.parametrize("of, name", [
    (schema.TWOWAY, "twowaytest-3"), (schema.PRIMITIVES, "primitivetest-3")])
def test_file_is_what_the_program_prints(of, name):
    made = pathlib.Path(twowaytest.binary()).parent / "contrib"
    if not made.is_dir():
        pytest.skip(f"{made}: not of a build directory")
    assert (made / f"{name}.schema.json").read_text(
        encoding="utf-8") == schema.text(of)


@pytest.mark.parametrize("of", [schema.TWOWAY, schema.PRIMITIVES])
def test_schema_does_not_depend_on_other_options(of):
    """That is, on what they have set before."""
    words = ["-p", "9", "--interval=7", "--latency=5", "-b", "9", "-h", "3"]
    done = subprocess.run([os.path.abspath(os.environ[of]), *words, "--schema"],
                          text=True, capture_output=True, check=True)
    assert done.stdout == schema.text(of)
