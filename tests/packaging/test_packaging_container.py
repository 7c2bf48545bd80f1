# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the image of contrib/container on a base made from the distribution's
packages, and runs it."""

import json
import os
import pathlib
import platform
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
HERE = TOP / "contrib" / "container"
MISSING = [name for name in ("buildah", "mmdebstrap") if not shutil.which(name)]

pytestmark = pytest.mark.skipif(
    bool(MISSING) or os.geteuid() != 0,
    reason=f"needed are root and {', '.join(MISSING) or 'nothing else'}")


def run(*command, **options):
    return subprocess.run(command, text=True, capture_output=True, check=False,
                          timeout=600, stdin=subprocess.DEVNULL, **options)


def must(*command, **options):
    done = run(*command, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


class Store:
    """Images and containers in a directory of the test's own."""

    def __init__(self, directory):
        self.words = ["buildah", "--storage-driver", "vfs", "--root",
                      str(directory / "store"), "--runroot",
                      str(directory / "run")]

    def __call__(self, command, *words):
        return must(*self.words, command, *words)

    def measure(self, *words, rights=()):
        """In a container; the program's own exit status and messages."""
        return run(*self.words, "run", "--isolation=chroot", *rights,
                   "measured", "--", "twowaytest", *words)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    directory = tmp_path_factory.mktemp("container")
    base = directory / "base.tar"
    # Of this system's release: its keys are here.
    must("mmdebstrap", "--quiet", "--variant=apt", "--mode=root",
         platform.freedesktop_os_release()["VERSION_CODENAME"], str(base))
    found = Store(directory)
    name = found("from", "scratch").strip()
    found("add", name, str(base), "/")
    found("commit", "--quiet", "--rm", name, "localhost/base")
    found("build", "--isolation=chroot", "--pull-never", "--quiet",
          "--build-arg=BASE=localhost/base", "-t", "localhost/twowaytest",
          "-f", str(HERE / "Containerfile"), str(TOP))
    found("from", "--pull-never", "--name=measured", "localhost/twowaytest")
    yield found
    shutil.rmtree(directory / "store")


RIGHTS = ("--cap-add=CAP_SYS_NICE", "--cap-add=CAP_IPC_LOCK")


def test_measures(store, tmp_path):
    """Its file is whole; what it prints, a busy machine may cut off."""
    tmp_path.chmod(0o777)
    done = store.measure("-q", "-m", "-p", "98", "-a", "-l", "200",
                         "--json=/out/json", "--default-system",
                         rights=(*RIGHTS, f"--volume={tmp_path}:/out"))
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "json").read_text("utf-8"))
    assert found["thread"]["0"]["cycles"] == 200
    assert found["twoway"]["pairs"][0]["client"]["priority"] == 98


def test_exit_status_and_load(store):
    done = store.measure("-q", "-l", "20", "--limit=1", "--load=hackbench:1",
                         "--default-system")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "# Load" in done.stdout


def test_without_rights(store):
    done = store.measure("-q", "-p", "98", "-l", "9", "--default-system",
                         rights=("--cap-drop=CAP_SYS_NICE",))
    assert done.returncode == 1
    assert "the server cannot get its scheduling policy and priority: " \
        "Operation not permitted" in done.stderr


def test_pod_asks_for_what_its_command_needs():
    """Of the page's table: -p and -m, and --default-system without the
    device; CPUs of its own."""
    yaml = pytest.importorskip("yaml")
    pod = yaml.safe_load((HERE / "pod.yaml").read_text(encoding="ascii"))
    only, = pod["spec"]["containers"]
    assert {"-p", "-m", "--default-system"} <= set(only["args"])
    assert only["securityContext"]["capabilities"] == {
        "drop": ["ALL"], "add": ["SYS_NICE", "IPC_LOCK"]}
    assert only["resources"]["limits"] == only["resources"]["requests"]
    assert json.loads(only["resources"]["limits"]["cpu"]) > 0
    assert pod["spec"]["restartPolicy"] == "Never"
