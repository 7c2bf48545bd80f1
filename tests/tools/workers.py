# SPDX-License-Identifier: GPL-2.0-or-later
"""A pytest plugin: `-p workers --workers=N` has N processes run the tests.

For suites that mostly wait. A file's tests stay together and in order, so that
its fixtures are made once. All reports go to the first process, which prints
and counts them as without this plugin. Files whose tests are marked "alone"
come last, one by one, in the first process.

On a machine that runs many things at a time, a test may fail because it did not
get a CPU in time. So contrib/setup runs what has failed once more, after all
suites, and the second run counts. TWOWAY_LATER names the file that such tests are
written to, a line "test, tabulator, how it failed" for each: they are then
neither printed nor in --junitxml. TWOWAY_AGAIN names the file whose tests alone
are run; how each failed at first is a property of its case in --junitxml. With
-x, or if more than MOST have failed, none is left for later.
"""

import multiprocessing
import multiprocessing.connection
import os
import traceback

import pytest
from _pytest import runner

SIZE = 4                # of a file's number in the queue
MOST = 10               # that are left for later: more are no accident


def pytest_addoption(parser):
    parser.addoption("--workers", type=int, default=1, metavar="N",
                     help="run the tests of N files at a time")


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: no other file is run meanwhile")


def by_file(items):
    """The tests of each file; first of those that have many."""
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return sorted(files.values(), key=len, reverse=True)


def reason(reports):
    """In a line: of a failure, the line that names it."""
    report = next(report for report in reports if report.failed)
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    return text.partition("\n")[0].replace("\t", " ")


class Reports:
    """What the first process does with the reports of each test."""

    def __init__(self, session):
        self.session = session
        # It is not for a pytest that a test starts.
        self.later = os.environ.pop("TWOWAY_LATER", None)
        self.failed = []

    def give(self, reports):
        """Those of a test that fails wait until all have ended."""
        if self.later and any(report.failed for report in reports) and \
                not self.session.config.getoption("maxfail"):
            self.failed.append(reports)
        else:
            self.tell(reports)

    def tell(self, reports):
        for report in reports:
            self.session.config.hook.pytest_runtest_logreport(report=report)
        stop_early(self.session)

    def finish(self):
        if len(self.failed) > MOST:
            for reports in self.failed:
                self.tell(reports)
        elif self.failed:
            with open(self.later, "a", encoding="utf-8") as file:
                for reports in self.failed:
                    file.write(f"{reports[0].nodeid}\t{reason(reports)}\n")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leaves those that TWOWAY_AGAIN names; all of them must be there."""
    path = os.environ.pop("TWOWAY_AGAIN", None)
    if not path:
        return
    with open(path, encoding="utf-8") as file:
        failed = dict(line.rstrip("\n").split("\t") for line in file)
    missing = failed.keys() - {item.nodeid for item in items}
    if missing:
        raise pytest.UsageError(
            f"{path}: there is no test {', '.join(sorted(missing))}")
    items[:] = [item for item in items if item.nodeid in failed]
    for item in items:
        item.user_properties.append(("failed at first", failed[item.nodeid]))


def pytest_runtest_protocol(item, nextitem):
    """The reports of a test come at once, when it has ended."""
    item.config.give_reports(runner.runtestprotocol(
        item, nextitem=nextitem, log=False))
    return True


def take(queue, files):
    """Yields one file's tests after the other, until there are none."""
    while True:
        number = os.read(queue, SIZE)
        if not number:
            return
        yield files[int.from_bytes(number, "little")]


def run_all(session, items):
    """The tests of a file or of several, in this process."""
    for item, following in zip(items, [*items[1:], None]):
        session.config.hook.pytest_runtest_protocol(
            item=item, nextitem=following)
        stop_early(session)


def stop_early(session):
    stop = session.shouldfail or session.shouldstop
    if stop:
        raise session.Interrupted(stop)


def work(session, queue, files, pipe, others):
    """The main function of a worker. It ends if nobody listens to it."""
    for other in others:
        other.close()
    manager = session.config.pluginmanager
    to_data = session.config.hook.pytest_report_to_serializable
    session.config.give_reports = lambda reports: pipe.send([
        to_data(config=session.config, report=report) for report in reports])
    # The files that output is captured in are shared until now.
    capture = manager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    try:
        for items in take(queue, files):
            run_all(session, items)
        pipe.send(None)
    except BaseException:
        manager.getplugin("runner").pytest_sessionfinish(session)
        pipe.send(traceback.format_exc())
        raise


def listen(session, pipes):
    """Reports what the workers send, until all have ended."""
    from_data = session.config.hook.pytest_report_from_serializable
    while pipes:
        for pipe in multiprocessing.connection.wait(list(pipes)):
            try:
                told = pipe.recv()
            except EOFError:
                told = "a worker was killed"
            if isinstance(told, list):
                session.config.give_reports([
                    from_data(config=session.config, data=data)
                    for data in told])
                continue
            pipes.remove(pipe)
            if told:
                raise RuntimeError(told)


def share(session, files, count):
    """Has @count workers run the tests of @files."""
    # All are to have one, and this process is to remove it.
    session.config._tmp_path_factory.getbasetemp()
    queue, fill = os.pipe()
    os.write(fill, b"".join(number.to_bytes(SIZE, "little")
                            for number in range(len(files))))
    os.close(fill)
    fork = multiprocessing.get_context("fork")
    workers, pipes = [], []
    try:
        for _ in range(count):
            ours, theirs = fork.Pipe(duplex=False)
            pipes.append(ours)
            workers.append(fork.Process(
                target=work, args=(session, queue, files, theirs, pipes)))
            workers[-1].start()
            theirs.close()
        listen(session, pipes)
    finally:
        # If this is an early end: what was begun is finished.
        for _ in take(queue, files):
            pass
        for worker in workers:
            worker.join()
        os.close(queue)


def pytest_runtestloop(session):
    """None: pytest's own loop is to do it."""
    option = session.config.option
    if session.testsfailed or option.collectonly:
        return None
    reports = Reports(session)
    session.config.give_reports = reports.give
    together, alone = [], []
    for item in session.items:
        (alone if item.get_closest_marker("alone") else together).append(item)
    files = by_file(together)
    count = min(option.workers, len(files))
    if count > 1:
        share(session, files, count)
    else:
        run_all(session, together)
    run_all(session, alone)
    reports.finish()
    return True
