# SPDX-License-Identifier: GPL-2.0-or-later
"""Results that cannot be written: told, and nothing half is left."""

import os
import signal
import stat
import subprocess
import sys

import outside
import pytest

NO_SPACE = "No space left on device"
NO_MOUNT = 98       # statuses that twowaytest never has
OLD = "what was there before\n"

# Mounts on directory $1, for the command alone, what holds $3 KiB and, if $4
# is "full", is full up, or if it is "readonly", cannot be written to. Runs the
# command there, its stdout to $2, and lists what it has left.
IN_SMALL_DIRECTORY = f"""
mount -t tmpfs -o size=$3k none "$1" || exit {NO_MOUNT}
cd "$1" || exit {NO_MOUNT}
exec 3>"$2"
printf '{OLD}' >old
case $4 in
full)
    cat /dev/zero >filler 2>/dev/null
    ;;
readonly)
    mount -o remount,ro "$1" || exit {NO_MOUNT}
    ;;
esac
shift 4
"$@" >&3
status=$?
for name in *; do
    [ "$name" = filler ] || echo "$name"
done
find . -name '.?*'
cat old
exit $status
"""

# What each option for a file needs besides.
OPTIONS = {"--json": [], "--histfile": ["-h", "100"], "--dump": []}


@pytest.fixture
def in_small_directory(tmp_path):
    """Runs in a mount of its own; stdout is what is left there."""
    def run(kib, state, *options):
        directory = tmp_path / "mount"
        directory.mkdir()
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", IN_SMALL_DIRECTORY, "sh",
             directory, tmp_path / "stdout", str(kib), state,
             os.path.abspath(outside.binary()), "-q", *map(str, options)],
            env={**os.environ, "LC_ALL": "C"}, text=True, timeout=60,
            capture_output=True)
        if done.returncode == NO_MOUNT:
            pytest.skip(f"cannot mount here: {done.stderr}")
        done.printed = outside.read(tmp_path / "stdout")
        return done
    return run


@pytest.mark.parametrize("name", ["new", "old"])
@pytest.mark.parametrize("option", OPTIONS)
def test_full(in_small_directory, option, name):
    """Whether the file is new or old: it stays what it was."""
    done = in_small_directory(16, "full", *OPTIONS[option], "-l", 200,
                              f"{option}={name}")
    assert done.returncode == 1
    assert f"twowaytest: {option}={name}: cannot write: {NO_SPACE}\n" in \
        done.stderr
    assert done.stdout == f"old\n{OLD}"


def test_filled_up(in_small_directory):
    """It fills while the run lasts, which that ends; whole lines are kept."""
    done = in_small_directory(32, "", "-D", 30, "-i", 200, "--dump=dump",
                              "--json=-")
    assert done.returncode == 1
    assert f"twowaytest: --dump=dump: cannot write: {NO_SPACE}; what was " \
        "written before is kept in its directory as dump.partial\n" in \
        done.stderr
    assert done.stdout == f"dump.partial\nold\n{OLD}"
    # The results up to then are printed.
    assert "T: 0" in done.stderr
    assert '"return_code": 1' in done.printed


def test_dump_leaves_room(in_small_directory):
    """The results are written where the dump has filled the disk."""
    done = in_small_directory(400, "", "-D", 30, "-i", 200, "--dump=dump",
                              "--json=json")
    assert done.returncode == 1
    assert f"--dump=dump: cannot write: {NO_SPACE}; " in done.stderr
    assert done.stdout == f"dump.partial\njson\nold\n{OLD}"


def test_one_full_other_written(in_small_directory, tmp_path):
    done = in_small_directory(16, "full", "-l", 100, "--dump=dump",
                              "--json", tmp_path / "json")
    assert done.returncode == 1
    assert "--dump=dump: " in done.stderr
    assert outside.load_json(tmp_path / "json")["return_code"] == 1
    assert done.stdout == f"old\n{OLD}"


@pytest.mark.parametrize("option", OPTIONS)
def test_replaced(in_small_directory, option):
    """With space enough an old file is replaced, and nothing else is left."""
    done = in_small_directory(1024, "", *OPTIONS[option], "-l", 10,
                              f"{option}=old")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("old\n")
    assert OLD not in done.stdout
    assert len(done.stdout) > 100


@pytest.mark.parametrize("name", ["new", "old"])
@pytest.mark.parametrize("option", OPTIONS)
def test_read_only(in_small_directory, option, name):
    """Known before anything is started."""
    done = in_small_directory(16, "readonly", *OPTIONS[option], "-l", 0,
                              f"{option}={name}")
    assert done.returncode == 1
    assert f"twowaytest: {option}={name}: cannot write: Read-only file " \
        "system\n" in done.stderr
    assert done.printed == ""
    assert done.stdout == f"old\n{OLD}"


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("path, why", [
    ("missing/result", "No such file or directory"),
    ("result", "Permission denied"),
    (".", "Is a directory"),
    ("file/result", "Not a directory"),
    ("x" * 300, "File name too long"),
])
def test_no_such_place(start, public, tmp_path, option, path, why):
    """Known before anything is started."""
    os.chmod(tmp_path, 0o755)
    (tmp_path / "file").touch()
    # nobody may not pass through the directories above.
    fd = os.open(tmp_path, os.O_RDONLY)
    become = outside.nobody()

    def enter():
        os.fchdir(fd)
        become()

    run = start("-q", "-l", 0, *OPTIONS[option], f"{option}={path}",
                program=public / "twowaytest", preexec_fn=enter)
    os.close(fd)
    assert run.finish() == 1
    assert run.out == ""
    assert run.err == f"twowaytest: {option}={path}: cannot write: {why}\n"
    assert os.listdir(tmp_path) == ["file"]


@pytest.fixture
def full(tmp_path):
    """A /dev/full of the test's own: root might do harm to the system's."""
    path = tmp_path / "full"
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))
    try:
        os.close(os.open(path, os.O_WRONLY))
    except PermissionError:
        pytest.skip(f"no devices work in {tmp_path}")
    return path


@pytest.mark.parametrize("option", OPTIONS)
def test_device_full(start, full, option):
    """A device is written to, and not replaced by a file."""
    run = start("-q", "-l", 200, *OPTIONS[option], f"{option}={full}")
    assert run.finish() == 1
    assert f"twowaytest: {option}={full}: cannot write: {NO_SPACE}\n" in \
        run.err
    assert full.is_char_device()
    assert os.listdir(full.parent) == [full.name]


def test_device_full_and_side_killed(start, full, memory):
    """Two causes: both are told, the first stands in the JSON."""
    run = start("-q", "-D", 20, "-h", 50, f"--histfile={full}",
                "--json", memory / "json")
    pid = run.steady()["server"]
    os.kill(pid, signal.SIGKILL)
    assert run.finish() == 1
    died = f"the server (pid {pid}) was killed by signal 9 (Killed)"
    assert f"twowaytest: {died}\n" in run.err
    assert f"twowaytest: --histfile={full}: cannot write: " in run.err
    result = outside.load_json(memory / "json")
    assert result["return_code"] == 1
    assert result["twoway"]["error"] == died


@pytest.mark.parametrize("options", [
    ["-q"], [], ["-v"], ["-q", "-h", 50], ["-h", 50], ["-u"],
    ["-q", "--json=-"]])
@pytest.mark.parametrize("kind", ["full device", "closed pipe"])
def test_stdout_lost(start, full, memory, options, kind):
    """An error as any other: it ends the run, and is in the JSON."""
    if kind == "full device":
        stdout, why = os.open(full, os.O_WRONLY), NO_SPACE
    else:
        reader, stdout = os.pipe()
        os.close(reader)
        why = "Broken pipe"
    to_stdout = "--json=-" in options
    files = [f"--dump={memory / 'dump'}"]
    files += [] if to_stdout else [f"--json={memory / 'json'}"]
    run = start(*options, "-l", 300, *files, stdout=stdout)
    os.close(stdout)
    assert run.finish() == 1
    assert f"twowaytest: standard output: cannot write: {why}\n" in run.err
    assert run.processes() == []
    assert "dump" in os.listdir(memory)
    if not to_stdout:
        result = outside.load_json(memory / "json")
        assert result["return_code"] == 1
        assert result["twoway"]["error"]


# Of a process of somebody else's: at the name in $1, a link to $2 and a file
# take turns.
EXCHANGES = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
name, target = sys.argv[1:]
open(name, "w").close()
os.symlink(target, name + ".link")
print("ready", flush=True)
while not libc.renameat2(-100, name.encode(), -100, (name + ".link").encode(),
                         2):
    pass
print(os.strerror(ctypes.get_errno()))
"""


def test_links_of_others(start, tmp_path):
    """In a directory such as /tmp nobody makes root write where he likes."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    # nobody may not pass through the directories above.
    other = subprocess.Popen(
        [sys.executable, "-c", EXCHANGES, "x.json", victim],
        preexec_fn=lambda: (os.chdir(shared), outside.nobody()()),
        stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "ready\n"
        for _ in range(20):
            run = start("-q", "-l", 5, "--default-system",
                        f"--json={shared}/x.json")
            assert run.finish() == 1
            assert f"{shared}/x.json: cannot write: Permission denied; if " \
                "another user's link or file is there, " in run.err
            assert other.poll() is None, other.stdout.read()
            assert victim.read_text() == "precious"
    finally:
        other.kill()
        other.communicate()
    assert sorted(os.listdir(shared)) == ["x.json", "x.json.link"]


@pytest.mark.parametrize("kind", ["pipe", "link to a pipe"])
def test_pipe_of_others(start, tmp_path, kind):
    """Nor does root write into a pipe that somebody has put there."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    pipe = shared / "x.json" if kind == "pipe" else tmp_path / "pipe"
    os.mkfifo(pipe)
    if kind != "pipe":
        (shared / "x.json").symlink_to(pipe)
    os.chown(shared / "x.json", outside.NOBODY, outside.NOBODY,
             follow_symlinks=False)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    run = start("-q", "-l", 5, "--default-system", f"--json={shared}/x.json")
    assert run.finish() == 1
    assert f"{shared}/x.json: cannot write: Permission denied" in run.err
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_warning_is_not_waited_for(start, public):
    """A user without a right, and nobody who reads standard error."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(writer, b"x" * 4096)
    os.set_blocking(writer, True)
    run = start("-q", "-l", 10, program=public / "twowaytest", cwd=public,
                stderr=writer, preexec_fn=outside.nobody())
    assert run.gone()
    assert run.finish() == 0
    os.close(reader)
    os.close(writer)


def test_trace_file_of_a_run_without_a_break(start, full, memory, tracefs):
    """Nothing to write: an old one stays, also if something else fails."""
    old = memory / "trace"
    old.write_text(OLD)
    for stdout in subprocess.PIPE, os.open(full, os.O_WRONLY):
        run = start("-q", "-l", 100, "-b", 10 ** 9, "--trace",
                    f"--trace-file={old}", stdout=stdout)
        assert run.finish() == (stdout != subprocess.PIPE), run.err
        assert old.read_text() == OLD
    os.close(stdout)


def test_trace_of_a_break_without_standard_output(start, full, memory,
                                                  tracefs):
    """It may have taken a night to come by."""
    stdout = os.open(full, os.O_WRONLY)
    run = start("-q", "-b", 1, "--trace", f"--trace-file={memory / 'trace'}",
                stdout=stdout)
    os.close(stdout)
    assert run.finish() == 1
    assert NO_SPACE in run.err
    assert "# " in outside.read(memory / "trace")


def test_file_is_stdout(start, tmp_path):
    """A file that stdout goes to already is written on, not replaced."""
    with open(tmp_path / "all", "wb") as stdout:
        run = start("-q", "-l", 10, "--json=/dev/stdout", stdout=stdout)
        assert run.finish() == 0, run.err
    text = outside.read(tmp_path / "all")
    assert "C:     10 " in text
    assert '"return_code": 0' in text


@pytest.mark.parametrize("closed", [1, 2])
def test_closed(start, memory, closed):
    """Refused, as the first file opened would take its place."""
    run = start("-q", "-l", 10, "--json", memory / "json",
                preexec_fn=lambda: os.close(closed))
    assert run.finish() == 1
    assert run.out == ""
    if closed != 2:
        assert run.err.startswith("twowaytest: standard output and ")
    assert os.listdir(memory) == []


def test_closed_stdin(start):
    """Nobody reads from it: no reason to fail."""
    run = start("-q", "-l", 10, preexec_fn=lambda: os.close(0))
    assert run.finish() == 0, run.err
    assert "C:     10 " in run.out


def test_reader_leaves_later(start, memory):
    """As `twowaytest | head`."""
    reader, stdout = os.pipe()
    run = start("-D", 20, "--json", memory / "json", stdout=stdout)
    os.close(stdout)
    assert os.read(reader, 1)
    os.close(reader)
    assert run.finish() == 1
    assert "twowaytest: standard output: cannot write: Broken pipe\n" in \
        run.err
    result = outside.load_json(memory / "json")
    assert result["return_code"] == 1
    assert result["twoway"]["cycles"] > 0
    assert run.processes() == []


def test_reader_stalls(start, memory):
    """A reader that reads nothing holds up the display, not the cycles."""
    reader, stdout = os.pipe()
    run = start("-v", "-D", 20, "-i", 200, "--json", memory / "json",
                stdout=stdout)
    os.close(stdout)
    pids = run.steady()
    before = outside.switches(pids["client"])
    # Main blocks in write() before that.
    assert outside.wait_for(
        lambda: outside.switches(pids["client"]) > before + 1000)
    run.signal(signal.SIGINT)
    with open(reader, "rb") as file:
        text = file.read()
    assert run.finish() == 0, run.err
    assert text
    assert outside.load_json(memory / "json")["twoway"]["interrupted"]
