# SPDX-License-Identifier: GPL-2.0-or-later
"""What the lab's tests run: virtlab, and made-up programs around it.

The made QEMU runs on this machine what the initramfs would run in a guest,
or what $LAB_GUEST says; the made twowaytest writes a result at once.
"""

import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tarfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
VIRTLAB = TOP / "contrib" / "virtlab"
PROGRAM = VIRTLAB / "virtlab"
RELEASE = "6.9.1-made"
METRICS = ("interval", "send", "sleep", "receive", "response", "total",
           "wakeup")

QEMU = r"""#!/bin/sh
[ "$1" != --version ] || { echo "QEMU emulator version 9.9 (made)"; exit; }
for word; do
	case $last in
	-serial)
		[ -z "$console" ] || data=${word#file:}
		console=${console:-${word#file:}}
		;;
	-kernel) KERNEL=$(realpath "$word") ;;
	-initrd) initrd=$word ;;
	-append) append=$word ;;
	esac
	last=$word
done
export KERNEL
quiet() {
	echo "$1 ${LAB_QUIET:-$2}" >>lab.quiet
	[ "$LAB_QUIET" = never ] || return 0
	echo "# Others used 90.0 % of CPU 0: loop-7 90.0 %" >>lab.quiet
	return 1
}
boot() {
	root=$(dirname "$data")/root
	mkdir "$root" && cd "$root" || exit
	cpio -idm --quiet --no-preserve-owner <"$initrd"
	cd out || exit
	(PATH=$root/bin:$PATH; . ../measure) >>"$console"
	tar -czf - . >>"$data"
}
echo $$ >>"$LAB_PIDS"
echo "made guest: $append" >"$console"
eval "${LAB_GUEST-boot}"
"""

# What is told of a boot meanwhile, on standard error.
TOLD = re.compile(r"virtlab: (downloads|builds|writes) .*\n|virtlab: \S+: "
                  r"(boots|measured|still ('\S+'|the boot)|\S+, \d+ of \d+)"
                  r"(; \d+ of \d+ measured in .*)?\n")

# A kernel's line max=N is its latency.
TOOL = r"""#!/bin/sh
max=$(sed -n "s/^max=//p" "$KERNEL")
status=0
for word; do
	case $word in
	--json=*) json=${word#*=} ;;
	--limit=*) [ "${max:-0}" -le "${word##*:}" ] || status=2 ;;
	--exit=*) status=${word#*=} ;;
	esac
done
[ -z "$json" ] || printf '{\n  "file_version": 1,\n  "thread": {
    "0": {"metric": "response", "max": %s}\n  }\n}\n' "${max:-0}" >"$json"
echo "T: 0 max ${max:-0}"
exit $status
"""


def script(path, text):
    """Writes a program."""
    path.write_text(text)
    path.chmod(0o755)
    return path


def image(path, release=RELEASE, rest=""):
    """Writes what has the head of a kernel image."""
    head = bytearray(0x400)
    head[0x1fe:0x206] = b"\x55\xaa\xeb\x66HdrS"
    head[0x20e:0x210] = (0x100).to_bytes(2, "little")
    text = f"{release} (nobody) #1 made".encode() + b"\0"
    head[0x300:0x300 + len(text)] = text
    path.write_bytes(bytes(head) + rest.encode())
    return path


def other_image(path, arch, release):
    """Writes what has the head of a kernel image that is not for x86."""
    head = bytearray(0x1000)
    magic = {"arm64": b"ARM\x64", "riscv64": b"RSC\x05"}[arch]
    head[0x38:0x3c] = magic
    path.write_bytes(bytes(head) + f"Linux version {release} (made".encode())
    return path


def archive(files, mode="w:gz"):
    """What a guest sends."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return data.getvalue()


def result(**figures):
    """A result of twowaytest's, as far as the lab looks into it."""
    return {"start_time": "now", "thread": {"0": {
        "metric": "latency", "pair": 0, "max": 7, "phases": {
            metric: {"max": figures.get(metric, 7)} for metric in METRICS}}}}


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def alive(pid):
    """Whether a process still runs; one that nobody waits for does not."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def wait_for(condition, seconds=30):
    """Waits until condition() holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not come about"
        time.sleep(0.02)


class Lab:
    """virtlab among made-up programs, in a directory of its own."""

    def __init__(self, directory):
        self.directory = directory
        for name in ("bin", "tmp", "home"):
            (directory / name).mkdir()
        self.program("qemu-system-x86_64", QEMU)
        self.tool = self.program("tool", TOOL)
        self.kernel = image(directory / "vmlinuz")
        self.pids_file = directory / "pids"
        self.told = []          # by the last run
        self.environment = {
            **os.environ, "LC_ALL": "C.UTF-8",
            "PATH": f"{directory / 'bin'}:{os.environ['PATH']}",
            "TMPDIR": str(directory / "tmp"),
            "XDG_CACHE_HOME": str(directory / "home"),
            "LAB_PIDS": str(self.pids_file)}
        self.environment.pop("LAB_GUEST", None)

    def program(self, name, text):
        """A program that comes before the system's."""
        return script(self.directory / "bin" / name, text)

    def pids(self):
        """Of the made programs that said so."""
        if not self.pids_file.exists():
            return []
        return [int(pid) for pid in self.pids_file.read_text().split()]

    def start(self, *args, **environment):
        return subprocess.Popen(
            [sys.executable, PROGRAM, *map(str, args)], cwd=self.directory,
            env={**self.environment, **environment}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def ended(self, process, timeout):
        """What it said; what it told of boots is kept apart."""
        out, err = process.communicate(timeout=timeout)
        self.told = [found[0] for found in TOLD.finditer(err)]
        return out, TOLD.sub("", err)

    def __call__(self, *args, status=0, **environment):
        """Runs virtlab to its end; what it is to leave, it does."""
        process = self.start(*args, **environment)
        out, err = self.ended(process, 120)
        assert process.returncode == status, out + err
        assert "Traceback" not in err
        assert not list((self.directory / "tmp").iterdir())
        assert not any(map(alive, self.pids()))
        return out, err

    def measure(self, *args, command="run", kernel=None, **options):
        """A run of the made tool in the made guest."""
        return self(command, f"--kernel={kernel or self.kernel}",
                    f"--binary={self.tool}", *args, **options)

    def refused(self, *args, status=1, **environment):
        """What it says of what it cannot do; nothing is written."""
        before = self.files()
        out, err = self(*args, status=status, **environment)
        assert out == "" and err.startswith("virtlab"), out + err
        assert self.files() == before
        return err

    def files(self):
        return sorted(path for path in self.directory.rglob("*")
                      if path != self.pids_file)

    def stopped(self, process, number, said=""):
        """Ends virtlab while a made program runs; what it said."""
        wait_for(self.pids)
        process.send_signal(number)
        out, err = self.ended(process, 30)
        wait_for(lambda: not any(map(alive, self.pids())))
        if number == signal.SIGKILL:
            assert process.returncode == -signal.SIGKILL
        else:
            assert process.returncode == 128 + number, out + err
            assert err == said + f"virtlab: ended by {number.name}\n"
            assert not list((self.directory / "tmp").iterdir())
        return out
