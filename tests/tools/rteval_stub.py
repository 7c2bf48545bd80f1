# SPDX-License-Identifier: GPL-2.0-or-later
"""What a measurement module finds in rteval, and runs in.

Stands in for rteval and libxml2, in our own words: names, arguments and the
order of the calls are theirs.
"""

import importlib.util
import re
import sys
import threading
import types


# Where others have the CPUs, the last request may be the longest of so few.
UNANSWERED = re.compile(
    r"(?:\[twowaytest\] )?pair 0, cycle \d+: the client had waited (\d+) us for "
    r"its (?:reply|timer) when the run ended")


class Log:
    """Keeps what is logged."""
    ERR, WARN, INFO, DEBUG = 1, 2, 4, 8

    def __init__(self):
        self.lines = []

    def log(self, kind, text):
        self.lines.append((kind, text))

    def errors(self):
        return [text for kind, text in self.lines if kind == self.ERR]


class Section:
    """rteval.conf's values of a module: text, but for the defaults."""

    def __init__(self, **values):
        self.__dict__["values"] = values

    def __getattr__(self, name):
        return self.values.get(name)

    def __setattr__(self, name, value):
        self.values[name] = value

    def __contains__(self, name):
        return name in self.values

    def setdefault(self, name, value):
        return self.values.setdefault(name, value)


class Error(RuntimeError):
    """rtevalRuntimeError."""

    def __init__(self, module, message):
        super().__init__(message)
        module._setRuntimeError()


class Prototype(threading.Thread):
    """rtevalModulePrototype; a loop that need not wait 2 s a round."""
    ROUND_S = 0.02

    def __init__(self, kind, name, logger=None):
        super().__init__(daemon=True)
        self.kind = kind
        self.module = name
        self.logger = logger
        self.latency_test = self.ready = self.failed = False
        self.start_event = threading.Event()
        self.stop_event = threading.Event()
        self.finished_event = threading.Event()

    def _log(self, kind, text):
        self.logger.log(kind, f"[{self.module}] {text}")

    def set_latency_test(self):
        self.latency_test = True

    def _setReady(self, state=True):
        self.ready = state

    def _setRuntimeError(self, state=True):
        self.failed = state

    def _setFinished(self):
        self.finished_event.set()

    def run(self):
        try:
            self._WorkloadSetup()
            self._WorkloadBuild()
            self._WorkloadPrepare()
            self.start_event.wait()
            while not self.stop_event.is_set():
                self._WorkloadTask()
                self.stop_event.wait(self.ROUND_S)
            self._WorkloadCleanup()
        except Exception as error:
            self._setRuntimeError()
            self.error = error


class Node:
    """An element, as libxml2 for Python makes it."""

    def __init__(self, name, content=None):
        self.name = name
        self.content = content
        self.properties = {}
        self.children = []

    def newProp(self, name, value):
        assert isinstance(value, str) and name not in self.properties
        self.properties[name] = value

    def newChild(self, namespace, name, content):
        assert namespace is None
        assert content is None or isinstance(content, str)
        self.children.append(Node(name, content))
        return self.children[-1]

    newTextChild = newChild

    def named(self, name):
        return [child for child in self.children if child.name == name]

    def one(self, name):
        child, = self.named(name)
        return child


def load(path):
    """The module at @path, which imports from us."""
    def module(name, **members):
        made = types.ModuleType(name)
        made.__dict__.update(members)
        return made

    stubs = {
        "rteval": module("rteval", __path__=[]),
        "rteval.Log": module("rteval.Log", Log=Log),
        "rteval.modules": module("rteval.modules", rtevalRuntimeError=Error,
                                 rtevalModulePrototype=Prototype),
        "libxml2": module("libxml2", newNode=Node),
    }
    before = {name: sys.modules.get(name) for name in stubs}
    sys.modules.update(stubs)
    try:
        spec = importlib.util.spec_from_file_location("measurement", path)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded
    finally:
        for name, old in before.items():
            if old:
                sys.modules[name] = old
            else:
                del sys.modules[name]
