# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest sends: taken whole or not at all, and marked as virtual."""

import gzip
import io
import json
import tarfile

import pytest

import lab as made
import vl_common
import vl_qemu
import vl_run

MARK = {"mode": "exact", "release": "6.9", "qemu": "9.9"}
LINE = "# virtual: exact, Linux 6.9, QEMU 9.9\n"


def received(tmp_path, data):
    path = tmp_path / "data"
    path.write_bytes(data)
    files, dropped, amiss = vl_qemu.received(path)
    assert "\n" not in amiss
    return files, dropped, amiss


def test_received(tmp_path):
    files = {"a.json": b"{}", "a.status": b"0\n", "empty": b"",
             "trace.dat": bytes(range(256)) * 99}
    data = made.archive(files)
    assert received(tmp_path, data) == (
        files, [], "the guest ended before its measurements did")
    more = {"a.json": b"other", "b.txt": b"b"}
    assert received(tmp_path, data + made.archive({**more, "lab.end": b""})) \
        == ({**files, **more}, [], "")


def test_cut(tmp_path):
    """Wherever the guest ended: what is whole is there."""
    data = made.archive({"a": bytes(range(256)), "b": b"b" * 9999})
    first = made.archive({"c": b"c"})
    for length in range(1, len(data)):
        for before, files in ((b"", {}), (first, {"c": b"c"})):
            found, _, amiss = received(tmp_path, before + data[:length])
            assert found == files and "did not send" in amiss


def test_damaged(tmp_path):
    """Also where the archive's own checks do not look."""
    plain = made.archive({"a": b"1234" * 9}, mode="w")
    data = bytearray(gzip.compress(plain, compresslevel=0))
    at = data.index(b"1234")
    data[at] ^= 1
    assert "did not send" in received(tmp_path, bytes(data))[2]


@pytest.mark.parametrize("data", [
    b"x" * 999, made.archive({})[:-1], gzip.compress(b"x" * 999)])
def test_no_results(tmp_path, data):
    files, _, amiss = received(tmp_path, data)
    assert not files and "did not send" in amiss


def test_nothing(tmp_path):
    assert "it did not boot" in received(tmp_path, b"")[2]


def test_only_plain_files(tmp_path):
    """Nothing that would be written elsewhere, or over the boot's own."""
    names = ["../up", "/root", "sub/../x", "sub/.y", "sub//z", ".hidden",
             "-x", "lab.json", "a\nb"]
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name in [*names, "good", "sub/good", "sub/lab.json"]:
            tar.addfile(tarfile.TarInfo(name))
        for name, kind in (("link", tarfile.SYMTYPE), ("dir", tarfile.DIRTYPE),
                           ("hard", tarfile.LNKTYPE),
                           ("device", tarfile.CHRTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            tar.addfile(member)
    files, dropped, _ = received(tmp_path, data.getvalue())
    assert set(files) == {"good", "sub/good", "sub/lab.json"}
    # tarfile takes a "/" away from what ends in it.
    assert set(dropped) == {*names, "link", "hard", "device"}


def test_directories(lab):
    """Of /out come back; what cannot is named."""
    lab.program("deep", "#!/bin/sh\nmkdir -p a/b\necho 1 >a/b/c\n"
                "echo 2 >./-option\necho 3 >.hidden\n")
    _, err = lab.measure("-a", "bin/deep", "--", "deep")
    base = lab.directory / "virtlab" / made.RELEASE
    assert (base / "a/b/c").read_text().splitlines()[-1] == "1"
    assert f"{made.RELEASE}: not copied from /out: '-option', '.hidden': " in err
    assert {str(path.relative_to(base)) for path in base.rglob("*")} == {
        "a", "a/b", "a/b/c", "deep.txt", "lab.json"}


@pytest.mark.parametrize("text", [
    '{"a": 1}', '{\n  "a": 1,\n  "b": {"{": "}"}\n}\n', "{}", "{ }\n",
    '\n {"a": 1.0e3, "c": "\u20ac"}'])
def test_json(text):
    """The member is added; what the program wrote stays, to the byte."""
    data = vl_run.marked(text.encode(), MARK).decode()
    assert json.loads(data) == {"lab": MARK, **json.loads(text)}
    assert data.endswith(text.split("{", 1)[1])
    assert list(json.loads(data))[0] == "lab"


@pytest.mark.parametrize("text", [
    "", "T: 0\n", "{ no json\n", "1,2\n3,4\n", "17\n", "null\n", "\u20ac\n"])
def test_text(text):
    assert vl_run.marked(text.encode(), MARK).decode() == LINE + text


def test_binary():
    """What is no text has no place for a mark."""
    assert vl_run.marked(b"\xff\0", MARK) == b"\xff\0"


def test_every_file(lab):
    """JSON, text, dump; and lab.json, with what determines the figures."""
    lab.program("measuring", "#!/bin/sh\necho 1,2 >cycles.csv\n"
                "printf '{\"a\": 1}' >own.json\nprintf '\\377' >raw\n"
                "echo said\n")
    lab.measure("-a", lab.directory / "bin/measuring", "-A", "quirk=1",
                "-M", 256, "--", "-q", "--", "own=measuring", "-x")
    base = lab.directory / "virtlab" / made.RELEASE
    assert {path.name for path in base.iterdir()} == {
        "twowaytest.json", "twowaytest.txt", "own.json", "own.txt",
        "cycles.csv", "raw", "lab.json"}
    mark = json.loads((base / "lab.json").read_text())
    assert mark["measurements"] == [
        {"name": "twowaytest", "status": 0, "waited_s": 1.2, "command":
         ["twowaytest", "-q", "--json=twowaytest.json"]},
        {"name": "own", "status": 0, "waited_s": 1.2,
         "command": ["measuring", "-x"]}]
    mark = mark["lab"]
    assert set(mark) == {
        "mode", "arch", "release", "cpus", "memory_mib", "qemu", "qemu_arguments",
        "kernel_arguments", "kernel_sha256", "initramfs_sha256"}
    assert mark["mode"] == "exact" and mark["cpus"] == 1
    assert mark["release"] == made.RELEASE and mark["memory_mib"] == 256
    assert mark["qemu"] == "9.9 (made)"
    assert mark["kernel_arguments"].endswith(" quirk=1")
    assert mark["kernel_sha256"] == vl_common.sha256(lab.kernel)
    for name in ("twowaytest.json", "own.json"):
        assert json.loads((base / name).read_text())["lab"] == mark
    line = f"# virtual: exact, Linux {made.RELEASE}, QEMU 9.9 (made)\n"
    for name, text in (("own.txt", "said\n"), ("cycles.csv", "1,2\n"),
                       ("twowaytest.txt", "T: 0 max 0\n")):
        assert (base / name).read_text() == line + text
    assert (base / "raw").read_bytes() == b"\xff"
