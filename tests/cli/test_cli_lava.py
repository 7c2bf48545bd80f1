# SPDX-License-Identifier: GPL-2.0-or-later
"""The LAVA test, run as test-definitions lays it out."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess

import pytest

import consumers
import outside
import twowaytest

LAVA = pathlib.Path(__file__).resolve().parent.parent.parent / \
    "contrib" / "lava"
NAMES = [f"t0-{key}-latency" for key in ("min", "avg", "max")]
# Ordinary priority, and no package is installed.
PLAIN = ("-p", "", "-s", "true")


def scripts(*names):
    """The text of those that work together."""
    return "".join((LAVA / name).read_text()
                   for name in ("twowaytest-lib.sh", *names))


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Tree:
    """A copy of test-definitions with our test and its library in it."""

    def __init__(self, root):
        self.root = root
        self.here = root / "automated" / "linux" / "twowaytest"
        self.here.mkdir(parents=True)
        for name in ("twowaytest-lib.sh", "twowaytest.sh",
                     "twowaytest.yaml"):
            shutil.copy(LAVA / name, self.here)
        shutil.copytree(LAVA / "lib", root / "automated" / "lib")
        self.bin = root / "bin"
        self.bin.mkdir()
        os.symlink(twowaytest.binary(), self.bin / "twowaytest")

    def start(self, command, cwd):
        return outside.Run(
            *command[1:], program=command[0], cwd=cwd,
            env={"PATH": f"{self.bin}:/usr/bin:/bin"})

    def run(self, command, cwd):
        """Runs it to its end; its output is in out and err."""
        process = self.start(command, cwd)
        try:
            status = process.finish()
            assert process.gone(), f"processes are left: {process.processes()}"
        finally:
            process.end()
        assert status == 0, process.err
        return process

    def script(self, *args):
        return self.run(["./twowaytest.sh", *PLAIN, *args], self.here)

    def result(self):
        return results((self.here / "output" / "result.txt").read_text())

    def json(self):
        return (self.here / "output" / "twowaytest.json").read_text()


def results(text):
    """As the project's script sends them: {name: (result, value, unit)}."""
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"(\S+) (pass|fail|skip|unknown)"
                             r"(?: (-?[0-9.]+) (\S+))?", line)
        assert match, f"no result line: {line}"
        assert match[1] not in found
        found[match[1]] = match.groups()[1:]
    return found


def sent(tree, definition, **params):
    """What LAVA is sent by its steps, in a shell that ends at the first that
    fails."""
    write_program(tree.root / "automated/utils/send-to-lava.sh",
                  "#!/bin/sh\necho SENT\ncat \"$1\"\n")
    params = {**definition["params"], "RT_PRIORITY": "",
              "SKIP_INSTALL": "true", **params}
    lines = ["set -e", *(f"{name}={shlex.quote(value)}"
                         for name, value in params.items()),
             *definition["run"]["steps"]]
    process = tree.run(["sh", "-c", "\n".join(lines)], tree.root)
    return results(process.out.partition("SENT\n")[2])


def assert_parameters(definition, *names):
    """Its steps use them all, and the scripts have the same defaults."""
    used = re.findall(r"\$\{(\w+)\}", " ".join(definition["run"]["steps"]))
    assert sorted(used) == sorted(definition["params"])
    for name, value in definition["params"].items():
        assert f'\n{name}="{value}"\n' in scripts(*names), name


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


VERDICT = "twowaytest"
FAILED = {VERDICT: ("fail", None, None)}


def test_a_measurement(tree):
    process = tree.script("-D", "1")
    found = tree.result()
    assert list(found) == [*NAMES, VERDICT]
    assert found.pop(VERDICT) == ("pass", None, None)
    passed, measured = consumers.linaro(tree.json())
    assert passed
    assert {f"{name}-latency": value for name, value in measured.items()} == \
        {name: float(value) for name, (_, value, _) in found.items()}
    assert {(result, unit) for result, _, unit in found.values()} == \
        {("pass", "us")}
    # They are in the log, too.
    assert (tree.here / "output/result.txt").read_text() in process.out


def test_arguments(tree):
    cpus = str(max(os.sched_getaffinity(0)))
    tree.script("-i", "2000", "-a", cpus, "-D", "60", "-L", "fft:2",
                "-A", "--loops=20 --metrics=total,send")
    json = outside.load_json(tree.here / "output" / "twowaytest.json")
    ours = json["twoway"]
    assert json["thread"]["0"]["cycles"] == 20
    assert ours["settings"]["interval"] == 2000
    assert ours["settings"]["duration"] == 60
    assert ours["pairs"][0]["client"]["cpus"] == cpus
    [load] = ours["load"]
    assert (load["kind"], load["units"]) == ("fft", 2)
    assert list(tree.result()) == [
        *NAMES, *(name.replace("t0", "t1") for name in NAMES), VERDICT]


def test_what_cannot_start_fails(tree):
    process = tree.script("-i", "50")
    assert tree.result() == FAILED
    assert "--interval=50" in process.err


def measuring(process):
    """The server, once it has answered: before, there is no result."""
    return [pid for pid in process.named("twoway-server")
            if outside.switches(pid) > outside.STEADY_SWITCHES]


def test_what_breaks_off_fails(tree):
    process = tree.start(["./twowaytest.sh", *PLAIN, "-D", "60"], tree.here)
    try:
        side = outside.wait_for(lambda: measuring(process))
        assert side, "it does not measure"
        os.kill(side[0], signal.SIGKILL)
        assert process.finish() == 0
    finally:
        process.end()
    found = tree.result()
    assert found[VERDICT][0] == "fail"
    assert not consumers.linaro(tree.json())[0]


def test_an_end_by_a_signal_fails(tree):
    """Its status is 0, but it is not what was asked for."""
    process = tree.start(["./twowaytest.sh", *PLAIN, "-D", "60"], tree.here)
    try:
        assert outside.wait_for(lambda: measuring(process))
        os.kill(process.named("twowaytest")[0], signal.SIGTERM)
        assert process.finish() == 0
    finally:
        process.end()
    assert tree.result()[VERDICT][0] == "fail"


@pytest.mark.parametrize("text", [
    "exit 0", "exit 7", "echo '{' >\"$json\"", ": >\"$json\"",
    "echo '{\"num_threads\": 1, \"return_code\": 0, \"thread\":"
    " {\"0\": {\"min\": 1}}}' >\"$json\"",
], ids=["no file", "no file, exit status", "cut", "empty", "a value missing"])
def test_results_that_cannot_be_read_fail(tree, text):
    (tree.bin / "twowaytest").unlink()
    write_program(tree.bin / "twowaytest", "#!/bin/sh\nfor word; do\n"
                  "\tcase $word in --json=*) json=${word#*=} ;; esac\n"
                  f"done\n{text}\n")
    tree.script()
    assert tree.result() == FAILED


def test_a_run_without_a_cycle_fails(tree):
    """Its figures are null: none is sent, and none is taken for one."""
    process = tree.start([twowaytest.binary(), "--default-system", "-q",
                          "--warmup=1000000", "--json=whole"], tree.root)
    process.steady()
    process.signal(signal.SIGINT)
    assert process.finish() == 1
    (tree.bin / "twowaytest").unlink()
    write_program(tree.bin / "twowaytest", "#!/bin/sh\nfor word; do\n"
                  "\tcase $word in --json=*) json=${word#*=} ;; esac\n"
                  f"done\ncp '{tree.root}/whole' \"$json\"\nexit 1\n")
    tree.script()
    assert tree.result() == FAILED


def test_without_the_program(tree):
    (tree.bin / "twowaytest").unlink()
    if shutil.which("twowaytest", path="/usr/bin:/bin"):
        pytest.skip("twowaytest is installed")
    process = tree.script()
    assert tree.result() == FAILED
    assert f"bin/{os.uname().machine}/twowaytest" in process.err
    # That is where a static one would be.
    write_program(tree.here / "bin" / os.uname().machine / "twowaytest",
                  "#!/bin/sh\nexec "
                  f"{shlex.quote(twowaytest.binary())} \"$@\"\n")
    tree.script("-D", "1")
    assert tree.result()[VERDICT] == ("pass", None, None)


def test_background_command(tree):
    """It is run over and over meanwhile, and ended; run() looks."""
    tree.script("-D", "3", "-w", "echo x >>runs; sleep 0.1")
    assert 2 <= len((tree.here / "runs").read_text().split()) < 20
    assert tree.result()[VERDICT] == ("pass", None, None)


def test_earlier_results_are_kept_apart(tree):
    tree.script("-i", "50")
    tree.script("-A", "-l 9")
    assert list(tree.result()) == [*NAMES, VERDICT]
    older, = tree.here.glob("output_*")
    assert results((older / "result.txt").read_text()) == FAILED


@pytest.mark.parametrize("words", [("-x",), ("-p",), ("word",)])
def test_usage(tree, words):
    done = subprocess.run(["./twowaytest.sh", *words], cwd=tree.here,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("Usage: ")
    assert not (tree.here / "output").exists()


def test_it_runs_in_this_tree(tree):
    """With the library that is beside it."""
    shutil.copytree(LAVA, tree.root / "lava")
    tree.run(["./twowaytest.sh", *PLAIN, "-A", "-l 9"], tree.root / "lava")
    text = (tree.root / "lava" / "output" / "result.txt").read_text()
    assert list(results(text)) == [*NAMES, VERDICT]


@pytest.fixture
def definition():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((LAVA / "twowaytest.yaml").read_text())


def test_definition_has_what_lava_wants(definition):
    for name in ("name", "format", "description", "maintainer", "os",
                 "devices", "scope"):
        assert definition["metadata"][name]
    assert definition["metadata"]["format"] == "Lava-Test Test Definition 1.0"
    assert "PRIORITY" not in definition["params"]


def test_defaults_are_the_same(definition):
    """In the definition, in the script, in the README."""
    assert_parameters(definition, "twowaytest.sh")
    readme = (LAVA / "README.md").read_text()
    told = dict(re.findall(r"^\| ([A-Z_]+) \| .* \| ?(\S*) \|$", readme,
                           re.MULTILINE))
    assert told == definition["params"]


@pytest.mark.parametrize("given, verdict", [
    ({"DURATION": "1"}, "pass"), ({"INTERVAL": "1"}, "fail")])
def test_definition_runs(tree, definition, given, verdict):
    found = sent(tree, definition, **given)
    assert found[VERDICT][0] == verdict
    assert len(found) == (len(NAMES) + 1 if verdict == "pass" else 1)


# Two devices: the tools of a MultiNode job, with files for the messages.
MULTINODE = {
    "lava-role": 'echo "$DEVICE"',
    "lava-send": 'name=$1; shift; printf "%s\\n" "$@" >"$BOARD/new.$$"; '
                 'mv "$BOARD/new.$$" "$BOARD/$name"',
    "lava-wait": 'until [ -e "$BOARD/$1" ]; do sleep 0.1; done; '
                 'cp "$BOARD/$1" "$LAVA_CACHE"',
}


# Another run of these tests on this machine may have a server, too.
ADDRESSES = {"client": "127.0.0.1", "server": "127.{}.{}.{}".format(
    *(1 + (os.getpid() >> shift) % 254 for shift in (16, 8, 0)))}


class Devices:
    """Two trees, and a board on which each leaves messages for the other."""

    def __init__(self, root):
        self.board = root / "board"
        self.board.mkdir()
        self.trees = {}
        self.said = ""
        for role in ("client", "server"):
            (root / role).mkdir()
            tree = self.trees[role] = Tree(root / role)
            for name in ("twowaytest-hosts.sh", "twowaytest-hosts.yaml"):
                shutil.copy(LAVA / name, tree.here)
            for name, text in MULTINODE.items():
                write_program(tree.bin / name, f"#!/bin/sh\n{text}\n")

    def start(self, role, *args):
        tree = self.trees[role]
        return outside.Run(
            *PLAIN, "-n", ADDRESSES[role], *args,
            program=tree.here / "twowaytest-hosts.sh", cwd=tree.here,
            env={"PATH": f"{tree.bin}:/usr/bin:/bin", "DEVICE": role,
                 "BOARD": str(self.board),
                 "LAVA_CACHE": str(tree.root / "cache")})

    def run(self, **args):
        """Both to their end; their results."""
        processes = [self.start(role, *args.get(role, ()))
                     for role in self.trees]
        try:
            for process in processes:
                assert process.finish() == 0, process.err
                assert process.gone(), "processes are left"
        finally:
            for process in processes:
                process.end()
        # On either device, what the results are read by and what load does.
        assert all("INFO: not installed here: rt-tests python3\n"
                   in process.out for process in processes)
        self.said = "\n".join(process.out for process in processes)
        return [tree.result() for tree in self.trees.values()]


@pytest.fixture
def devices(tmp_path):
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("an emulator lacks what servers for other hosts need")
    return Devices(tmp_path)


def test_two_devices(devices):
    client, server = devices.run(client=("-D", "1"))
    assert client.pop(VERDICT) == ("pass", None, None), devices.said
    assert server == {"twowaytest-server": ("pass", None, None)}
    assert list(client) == NAMES
    json = outside.load_json(
        devices.trees["client"].here / "output" / "twowaytest.json")
    assert json["twoway"]["peer"]["argv"][1] == \
        f"--server={ADDRESSES['server']}"
    said = (devices.trees["server"].here / "output/server.txt").read_text()
    assert said.endswith(
        f"# Listening at {ADDRESSES['server']}, priorities up to 0, "
        f"as the user {os.geteuid() or 65533}\n")


def test_two_devices_without_a_server(devices):
    client, server = devices.run(server=("-A", "--allow=nobody"))
    assert client == FAILED
    assert server == {"twowaytest-server": ("fail", None, None)}


def test_two_devices_with_a_silent_server(devices):
    """It is waited for 100 times, and no longer."""
    programs = devices.trees["server"].bin
    (programs / "twowaytest").unlink()
    write_program(programs / "twowaytest", "#!/bin/sh\nexec /bin/sleep 99\n")
    write_program(programs / "sleep", "#!/bin/sh\nexec /bin/sleep 0.001\n")
    client, server = devices.run()
    assert client == FAILED
    assert server == {"twowaytest-server": ("fail", None, None)}


def test_two_devices_have_the_same_parameters(definition):
    yaml = pytest.importorskip("yaml")
    both = yaml.safe_load((LAVA / "twowaytest-hosts.yaml").read_text())
    assert both["metadata"]["format"] == definition["metadata"]["format"]
    assert both["params"] == {"ROLE": "", "ADDRESS": "",
                              **definition["params"]}
    assert_parameters(both, "twowaytest-hosts.sh")


@pytest.mark.parametrize("words", [("-r", "other"), ("-x",), ("word",)])
def test_usage_for_two_devices(devices, words):
    process = devices.start("client", *words)
    assert process.finish() == 1 and process.err.startswith("Usage: ")
