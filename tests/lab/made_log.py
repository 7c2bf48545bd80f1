# SPDX-License-Identifier: GPL-2.0-or-later
"""A log of instructions as QEMU writes it, of a made kernel and program."""

SYMBOLS = {
    "__x64_sys_clock_nanosleep": 0xffffffff81000000,
    "__x64_sys_recvfrom": 0xffffffff81001000,
    "__x64_sys_sethostname": 0xffffffff81002000,
    "default_idle": 0xffffffff81003000,
    "tcp_sendmsg": 0xffffffff81004000,
    "schedule.part.0": 0xffffffff81005000,
    "entry": 0xffffffff81006000,
    "timer_interrupt": 0xffffffff81007000,
    "tick": 0xffffffff81008000,
}
KALLSYMS = "".join(f"{address:016x} t {name}\n"
                   for name, address in SYMBOLS.items()) + \
    "ffffffff81004000 t __pfx_tcp_sendmsg\nffffffff81009000 d data\n"
CLIENT, SERVER, OTHER = 0x401000, 0x402000, 0x403000
# Where user space calls the kernel; it comes back two bytes later.
SLEEP, RECEIVE, SEND = 0x400010, 0x400020, 0x400030
NS = 8


def line(pc):
    return f"Trace 0: 0x7fe014000100 [0000000000000000/{pc:016x}/" \
           "18c0c2b0/ff020201] \n"


STOPPED = "Stopped execution of TB chain before 0x7fb89fd804c0 [1] \n"


class Made:
    """Instructions, one after the other."""

    def __init__(self):
        self.pcs = []

    def call(self, name, instructions):
        start = SYMBOLS[name]
        self.pcs += range(start, start + instructions)

    def user(self, code, instructions=60):
        self.pcs += range(code, code + instructions)

    def enter(self, stub, call):
        self.pcs.append(stub)
        self.call("entry", 10)
        self.call(call, 5)

    def back(self, stub, code):
        self.call("entry", 3)
        self.pcs += [stub + 2, stub + 4]
        self.user(code)

    def send(self, code, instructions):
        self.pcs.append(SEND)
        self.call("tcp_sendmsg", instructions)
        self.pcs.append(SEND + 2)
        self.user(code)

    def wait(self, code, ticks=0):
        """A task waits for a time, and nothing else is to be done."""
        self.enter(SLEEP, "__x64_sys_clock_nanosleep")
        self.call("schedule.part.0", 20)
        self.call("default_idle", 4)
        for _ in range(ticks):
            self.call("tick", 50)
            self.call("default_idle", 4)
        self.call("timer_interrupt", 30)
        self.back(SLEEP, code)

    def answer(self, code, other):
        """A task waits for the message that it has caused."""
        self.enter(RECEIVE, "__x64_sys_recvfrom")
        self.call("schedule.part.0", 20)
        self.back(RECEIVE, other)

    def cycle(self, sent=100, replied=200, ticks=0):
        self.wait(CLIENT)
        self.send(CLIENT, sent)
        self.answer(CLIENT, SERVER)
        self.wait(SERVER, ticks)
        self.send(SERVER, replied)
        self.answer(SERVER, CLIENT)
        return self

    def closed(self):
        self.send(CLIENT, 100)
        self.answer(CLIENT, SERVER)
        self.send(SERVER, 200)
        self.answer(SERVER, CLIENT)
        return self

    def other(self):
        """Another task's wait."""
        self.enter(SLEEP, "__x64_sys_clock_nanosleep")
        self.back(SLEEP, OTHER)
        return self

    def text(self):
        return "".join(map(line, self.pcs))


def begin():
    """The call that begins it, and as many waits as have to pass."""
    made = Made()
    made.call("tick", 5)
    made.call("__x64_sys_sethostname", 5)
    return made


def length(instructions):
    """What the program would have measured, in ns."""
    return float(instructions * NS)
