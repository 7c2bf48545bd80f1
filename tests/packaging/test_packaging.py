# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds Debian's package and an RPM, and checks what came out.

Each is built from what "meson dist" makes; nothing is installed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import types

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = TOP / "tests" / "tools"

TOOLS = ("twowayreport", "twowaytest-campaign", "twowaytest-virtlab")
# What a package of ours holds at least; the rest is how each names its files.
PROGRAMS = ("twowaytest", "primitivetest", "whylate")
HOLDS = [
    r"/usr/share/twowaytest/twowaytest-3\.schema\.json",
    r"/usr/share/twowaytest/primitivetest-3\.schema\.json",
    r"/usr/share/twowaytest/whylate\.schema\.json",
    *(pattern for name in PROGRAMS for pattern in (
        rf"/usr/bin/{name}",
        rf"/usr/share/man/man8/{name}\.8(\.gz)?",
        rf"/usr/share/bash-completion/completions/{name}",
        rf"/usr/share/fish/vendor_completions\.d/{name}\.fish")),
    r"/usr/share/doc/[^/]+/README\.md(\.gz)?",
    r"/usr/share/doc/[^/]+/contrib/security\.md(\.gz)?",
    r"(/usr)?/lib/systemd/system/twowaytest\.socket",
    r"(/usr)?/lib/systemd/system/twowaytest@\.service",
]
TOOLS_HOLD = [
    *(rf"/usr/share/twowaytest/{name}" for name in (
        "report/twowayreport", "campaign/campaign", "virtlab/virtlab",
        r"twoway/read/runs\.py", r"twtools/options\.py",
        r"twtools/style\.css", "virtlab/init")),
    *(rf"/usr/share/doc/twowaytest/contrib/{name}/README\.md(\.gz)?"
      for name in ("report", "campaign", "virtlab")),
    r"/usr/share/man/man1/twowayreport\.1(\.gz)?",
    r"/usr/share/man/man1/twowaytest-virtlab\.1(\.gz)?",
    r"/usr/share/man/man8/twowaytest-campaign\.8(\.gz)?",
    r"(/usr)?/lib/systemd/system/twowaytest-monitor\.(service|timer)",
    *(pattern for name in TOOLS for pattern in (
        rf"/usr/bin/{name}",
        rf"/usr/share/bash-completion/completions/{name}",
        rf"/usr/share/fish/vendor_completions\.d/{name}\.fish",
        rf"/usr/share/zsh/(site-functions|vendor-completions)/_{name}")),
]
# NEWS.md is Debian's changelog.gz.
DEBIAN_HOLDS = HOLDS + [
    r"/usr/share/doc/twowaytest/changelog\.gz",
    r"/usr/share/doc/twowaytest/copyright",
    *(f"/usr/share/zsh/vendor-completions/_{name}" for name in PROGRAMS),
]
RPM_HOLDS = HOLDS + [
    r"/usr/share/doc/[^/]+/NEWS\.md",
    r"/usr/share/licenses/[^/]+/COPYING",
    *(f"/usr/share/zsh/site-functions/_{name}" for name in PROGRAMS),
]


def run(*command, **options):
    """Runs a command to its end; its stdout and stderr are kept."""
    return subprocess.run(command, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False,
                          timeout=900, **options)


def output(*command, **options):
    """The stdout of a command that must succeed."""
    done = run(*command, **options)
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def require(*commands):
    for command in commands:
        if not shutil.which(command):
            pytest.skip(f"{command} is not installed")


@pytest.fixture(scope="session")
def dist(tmp_path_factory):
    """The tarball of "meson dist", of the tree as it is now."""
    require("git", "meson", "ninja")

    def ignore(directory, names):
        at_top = pathlib.Path(directory) == TOP
        return [name for name in names if name == "__pycache__" or at_top and
                (name in (".git", "debian") or name.startswith("build"))]

    base = tmp_path_factory.mktemp("dist")
    tree = shutil.copytree(TOP, base / "tree", symlinks=True, ignore=ignore)
    git = ("git", "-C", tree, "-c", "user.name=x", "-c", "user.email=x@x")
    output(*git, "init", "-q")
    output(*git, "add", "-A")
    output(*git, "commit", "-q", "--no-verify", "-m", "tree")
    output("meson", "setup", "-Dtests=disabled", base / "build", tree)
    output("meson", "dist", "--no-tests", "--formats=gztar",
           "-C", base / "build")
    [tarball] = (base / "build/meson-dist").glob("*.tar.gz")
    return tarball


@pytest.fixture(scope="session")
def source(dist, tmp_path_factory):
    """It, unpacked, where git knows nothing of it."""
    directory = tmp_path_factory.mktemp("source")
    output("tar", "-xf", dist, "-C", directory)
    return directory / dist.name.removesuffix(".tar.gz")


@pytest.mark.parametrize("check", [
    "shell", "man", "spelling", "python", "licence", "includes",
    "promises"])
def test_dist_passes_lint(source, check):
    """It has all that is to be tested; packages run the unit tests."""
    done = run(source / "tests/tools/lint", check, cwd=source)
    assert done.returncode in (0, 77), done.stdout + done.stderr


def test_dist_has_its_patches(source):
    assert output(source / "contrib/mkseries", "--check") == ""


@pytest.fixture(scope="session")
def debian(source):
    """Debian's package, unpacked, with the log of its build."""
    require("dpkg-buildpackage", "dpkg-checkbuilddeps")
    shutil.copytree(source / "contrib/debian", source / "debian")
    needs = run("dpkg-checkbuilddeps", cwd=source)
    if needs.returncode:
        pytest.skip(needs.stderr.strip())

    env = {name: value for name, value in os.environ.items()
           if name not in ("DEB_BUILD_OPTIONS", "DEB_BUILD_PROFILES")}
    log = output("dpkg-buildpackage", "-us", "-uc", cwd=source, env=env)
    [changes] = source.parent.glob("*.changes")
    roots = []
    for name in ("twowaytest", "twowaytest-tools"):
        [package] = source.parent.glob(f"{name}_*.deb")
        roots.append(source.parent / f"unpacked-{name}")
        output("dpkg-deb", "-x", package, roots[-1])
    return types.SimpleNamespace(log=log, changes=changes, root=roots[0],
                                 tools=roots[1])


def version(path, pattern):
    """What the first match's group says in a file of the tree."""
    text = (TOP / path).read_text(encoding="utf-8")
    return re.search(pattern, text, re.MULTILINE)[1]


def assert_holds(names, patterns):
    for pattern in patterns:
        assert any(re.fullmatch(pattern, name) for name in names), \
            f"no {pattern} among:\n" + "\n".join(names)


def assert_unit_tests_ran(log):
    """Meson's summary of them stands in the log."""
    passed, failed = (re.search(rf"^{name}: +(\d+) *$", log, re.MULTILINE)
                      for name in ("Ok", "Fail"))
    assert int(passed[1]) > 0 and int(failed[1]) == 0, log


@pytest.mark.parametrize("path, pattern", [
    ("contrib/debian/changelog", r"\Atwowaytest \((.+)\) "),
    ("contrib/rpm/twowaytest.spec", r"^Version: +(.+)$"),
    ("contrib/rpm/twowaytest.spec", r"^%changelog\n.* - (.+)-\d+$"),
    ("NEWS.md", r"^## (.+)$"),
    *((f"man/{page}", r'^\.TH .* "twowaytest (.+?)"') for page in (
        "twowaytest.8", "twowaytest-campaign.8", "primitivetest.8",
        "whylate.8", "twowayreport.1", "twowaytest-virtlab.1")),
])
def test_version_is_the_projects(path, pattern):
    assert version(path, pattern) == version("meson.build",
                                             r"^ *version: '(.+)'")


def test_version_is_what_is_printed():
    """With two digits, as rt-tests' programs print theirs."""
    assert re.fullmatch(r"\d+\.\d\d", version("meson.build",
                                               r"^ *version: '(.+)'"))


def test_debian_builds_and_runs_the_unit_tests(debian):
    assert_unit_tests_ran(debian.log)


def files(root):
    return [f"/{path.relative_to(root)}"
            for path in root.rglob("*") if not path.is_dir()]


def test_debian_holds(debian):
    assert_holds(files(debian.root), DEBIAN_HOLDS)
    assert_holds(files(debian.tools), TOOLS_HOLD)
    assert not set(files(debian.root)) & set(files(debian.tools))


@pytest.mark.parametrize("name, unit", [
    ("twowaytest", "twowaytest.socket"),
    ("twowaytest-tools", "twowaytest-monitor.timer")])
def test_debian_neither_enables_nor_starts(debian, name, unit):
    """What its scripts call; what an operator has enabled stays so."""
    package, = debian.changes.parent.glob(f"{name}_*.deb")
    control = debian.changes.parent / f"control-{name}"
    output("dpkg-deb", "-e", package, control)
    script = (control / "postinst").read_text(encoding="utf-8")
    assert unit in script
    assert not re.search("(?:deb-systemd-invoke|systemctl) (?!--)", script)
    before, _, _ = script.partition("deb-systemd-helper enable ")
    assert before == script or "if deb-systemd-helper --quiet was-enabled " \
        f"'{unit}'; then" in before.splitlines()[-3]
    assert f"deb-systemd-invoke stop {unit}" in \
        (control / "prerm").read_text(encoding="utf-8")


def assert_tools_run(root, tmp_path):
    """Each finds its modules, and the others, from where it is unpacked."""
    for name in TOOLS:
        told = output(f"{root}/usr/bin/{name}", "--help", cwd=tmp_path)
        assert told.startswith(f"usage: {name} ")
        done = run(f"{root}/usr/bin/{name}", "--no-such", cwd=tmp_path)
        assert done.returncode == 1 and f"Try '{name} " in done.stderr
    results = tmp_path / "results"
    results.mkdir()
    for name in ("a.json", "b.json"):
        (results / name).write_text('{"thread": {"0": {"max": 1}}}')
    told = output(f"{root}/usr/bin/twowaytest-virtlab", "compare",
                  results / "a.json", results / "b.json", cwd=tmp_path)
    assert told == "identical\n"
    assert not list(root.rglob("*.pyc"))


def test_debian_tools_run(debian, tmp_path):
    assert_tools_run(debian.tools, tmp_path)


def test_meson_installs(tmp_path):
    """With tools and units or without, as is wanted; the units name the
    programs where they are installed. The programs are built once."""
    require("meson", "ninja")
    build = tmp_path / "build"
    output("meson", "setup", "--prefix=/usr", "-Dtests=disabled", build, TOP)
    for tools, folder, units in (
            ("false", "none", []),
            ("false", "lib/systemd/system", [".socket", "@.service"]),
            ("true", "lib/systemd/system", [
                "-monitor.service", "-monitor.timer", ".socket",
                "@.service"])):
        root = tmp_path / f"{tools}-{len(units)}"
        output("meson", "configure", f"-Dtools={tools}",
               f"-Dunit_dir={folder}", build)
        output("meson", "install", "-C", build, "--destdir", root)
        names = files(root)
        assert sorted(name for name in names if "systemd/system" in name) == \
            [f"/usr/{folder}/twowaytest{name}" for name in units]
        if tools == "false":
            assert not [name for name in names if name.endswith(".py")]
            assert {name for name in names if "/bin/" in name} == {
                f"/usr/bin/{name}" for name in PROGRAMS}
    assert_holds(names, TOOLS_HOLD)
    assert_tools_run(root, tmp_path)
    for unit, lines in (
            ("@", ["/usr/bin/twowaytest --far\n"]),
            ("-monitor", ["/usr/bin/twowaytest -q $OPTIONS ",
                          "/usr/bin/twowayreport "])):
        text = (root / f"usr/{folder}/twowaytest{unit}.service").read_text()
        assert all(f"\nExecStart={line}" in text for line in lines)


def test_debian_lintian(debian):
    require("lintian")
    done = run("lintian", "--pedantic", "--display-info", "--fail-on",
               "error,warning,info,pedantic", debian.changes)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def autopkgtest(debian, name, tmp_path):
    """What a script of them says, with the unpacked packages in PATH."""
    path = f"{debian.root}/usr/bin:{debian.tools}/usr/bin:/usr/bin:/bin"
    return output(TOP / "contrib/debian/tests" / name, cwd=tmp_path,
                  env={**os.environ, "PATH": path})


def test_debian_autopkgtest_measure(debian, tmp_path):
    told = autopkgtest(debian, "measure", tmp_path)
    assert f"{debian.root}/usr/bin/twowaytest: 500 cycles" in told
    assert f"{debian.root}/usr/bin/primitivetest: 500 trials" in told


def test_debian_autopkgtest_report(debian, tmp_path):
    """From /usr alone: a measurement, its report, a campaign, the lab."""
    if run("/usr/bin/python3", "-c", "import numpy, matplotlib").returncode:
        pytest.skip("numpy or matplotlib is not installed")
    told = autopkgtest(debian, "report", tmp_path)
    assert told.endswith("identical\n")
    assert not list(tmp_path.iterdir())


def test_debian_autopkgtests_are_all_run():
    control = (TOP / "contrib/debian/tests/control").read_text()
    assert re.findall("^Tests: (.*)$", control, re.M) == \
        ["measure", "report"]


def test_debian_hardening(debian):
    require("readelf")
    for name in PROGRAMS:
        told = output(SCRIPTS / "hardening", debian.root / "usr/bin" / name)
        assert len(re.findall("^yes ", told, re.MULTILINE)) == 6


def test_hardening_names_what_is_missing(tmp_path):
    require("readelf", "gcc")
    source = tmp_path / "soft.c"
    source.write_text("int main(void) { return 0; }\n", encoding="ascii")
    output("gcc", "-no-pie", "-fno-stack-protector", "-U_FORTIFY_SOURCE",
           "-Wl,-z,norelro,-z,lazy,-z,execstack", "-o", tmp_path / "soft",
           source)
    done = run(SCRIPTS / "hardening", tmp_path / "soft")
    assert done.returncode == 1, done.stderr
    assert len(re.findall("^NO  ", done.stdout, re.MULTILINE)) == 6


def test_reproducible():
    """The packages, or where these cannot be built, the programs."""
    require("meson", "ninja")
    told = output(SCRIPTS / "reproducible").splitlines()
    if not shutil.which("dpkg-checkbuilddeps") or \
            run("dpkg-checkbuilddeps", "-P", "nocheck",
                "contrib/debian/control", cwd=TOP).returncode:
        assert told[0].startswith("not compared: ")
        assert told[1:] == [f"same {name}" for name in PROGRAMS]
        pytest.skip(told[0])
    assert {re.sub("_.*", "", line) for line in told} == {
        "same twowaytest", "same twowaytest-dbgsym", "same twowaytest-tools"}


def test_reproducible_sees_a_path(tmp_path):
    """Of two small programs, that which holds where it was built."""
    require("meson", "ninja")
    for folder in ("tests/tools", "contrib/debian"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(SCRIPTS / "reproducible", tmp_path / "tests/tools")
    (tmp_path / "contrib/debian/control").write_text(
        "Source: made\nBuild-Depends: made-up\n\nPackage: made\n")
    (tmp_path / "meson_options.txt").write_text(
        "option('tests', type: 'feature')\n")
    (tmp_path / "meson.build").write_text(
        "project('made', 'c')\n"
        "executable('twowaytest', 'made.c')\n"
        "executable('primitivetest', 'made.c', c_args: "
        "'-DHERE=\"' + meson.project_source_root() + '\"')\n")
    (tmp_path / "made.c").write_text(
        "#ifndef HERE\n#define HERE \"\"\n#endif\n"
        "int main(void) { return HERE[0] == ' '; }\n"
        "const char here[] = HERE;\n")
    done = run(tmp_path / "tests/tools/reproducible")
    assert done.returncode == 1
    assert done.stdout.splitlines()[1:] == [
        "same twowaytest", "DIFFERENT primitivetest"], done.stderr


def test_rpm(dist, tmp_path):
    require("rpmbuild", "rpm")
    name = dist.name.removesuffix(".tar.gz")
    (tmp_path / "SOURCES").mkdir()
    shutil.copy(dist, tmp_path / "SOURCES")
    # A foreign rpmbuild does not know the packages of this system.
    log = output("rpmbuild", "-ba", "--nodeps", "-D", f"_topdir {tmp_path}",
                 TOP / "contrib/rpm/twowaytest.spec")
    assert_unit_tests_ran(log)
    owned = set()
    for kind, holds in (("", RPM_HOLDS), ("-tools", TOOLS_HOLD)):
        [package] = tmp_path.glob(
            f"RPMS/*/{name.replace('-', f'{kind}-')}-*.rpm")
        names = output("rpm", "-qlp", package).splitlines()
        assert_holds(names, holds)
        owned |= set(names)
    # Other packages have these directories.
    for directory in ("bash-completion", "fish", "zsh", "doc", "man",
                      "bash-completion/completions", "zsh/site-functions",
                      "fish/vendor_completions.d"):
        assert f"/usr/share/{directory}" not in owned
    assert "/usr/share/twowaytest" in owned
