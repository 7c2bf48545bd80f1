# SPDX-License-Identifier: GPL-2.0-or-later
"""A pytest plugin: `-p workers --workers=N` has N processes run the tests.

For suites that mostly wait. A file's tests stay together and in order, so that
its fixtures are made once. All reports go to the first process, which prints
and counts them as without this plugin. Files whose tests are marked "alone"
come last, one by one, in the first process.
"""

import multiprocessing
import multiprocessing.connection
import os
import traceback

SIZE = 4                # of a file's number in the queue


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


class Teller:
    """Sends what is reported in a worker to the first process."""

    def __init__(self, config, pipe):
        self.config = config
        self.pipe = pipe

    def pytest_runtest_logreport(self, report):
        self.pipe.send(self.config.hook.pytest_report_to_serializable(
            config=self.config, report=report))


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
    manager.unregister(name="terminalreporter")
    manager.register(Teller(session.config, pipe))
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
    hook = session.config.hook
    while pipes:
        for pipe in multiprocessing.connection.wait(list(pipes)):
            try:
                told = pipe.recv()
            except EOFError:
                told = "a worker was killed"
            if isinstance(told, dict):
                hook.pytest_runtest_logreport(
                    report=hook.pytest_report_from_serializable(
                        config=session.config, data=told))
                stop_early(session)
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
    together, alone = [], []
    for item in session.items:
        (alone if item.get_closest_marker("alone") else together).append(item)
    files = by_file(together)
    count = min(option.workers, len(files))
    if count < 2 or session.testsfailed or option.collectonly:
        return None
    share(session, files, count)
    run_all(session, alone)
    return True
