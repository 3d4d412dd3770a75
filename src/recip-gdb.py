# SPDX-License-Identifier: MIT
"""recip OBJECT, for gdb: the state of a recip_mutex_t, recip_cond_t or recip_sem_t, and the threads that wait, in order.

    (gdb) source /usr/local/share/recip/recip-gdb.py
    (gdb) recip till
    mutex 0x404060 <till>: locked
      marks: LEADER_SLEEPS
      leader: thread 2 (customer, 4712), asleep until release
      then: thread 3 (customer, 4713), asleep

It reads memory and registers only, of a process or a core file. docs/debugging.md explains what it prints. It takes what it
knows of structures from debug information; without that of the library, from the numbers below, which a test compares.
"""
import gdb

# As in <recip.h>.
LOCK_BITS = (("LOCKED", 0x01), ("RESERVED", 0x02))
MARKS = (
    ("EXPRESS", 0x0100),
    ("EXPRESS_SLEEPS", 0x0200),
    ("BARRED", 0x0400),
    ("LEADER_SLEEPS", 0x0800),
    ("WAKE_DUE", 0x1000),
    ("HANDS_OVER", 0x2000),
    ("CHECKED", 0x8000),
)
SLEEPERS_SHIFT = 16  # above the marks: how many express waiters sleep
# src/mutex.c, src/waiter.h, port/gate.h.
EPOCH_SHIFT = 48
ADDRESS = (1 << EPOCH_SHIFT) - 1
SEGMENT_EMPTY = 1
MAX_REVERSED = 32  # src/tunables.h
GATE_CLOSED, GATE_PARKED, GATE_LEFT, GATE_ORPHANED = 0, 2, 4, 6
WAITER_LISTED, WAITER_CHOSEN, WAITER_LEAVING, WAITER_DESTROYING = range(4)
LEADER_KIND, EXPRESS_KIND = 1, 2
# In bytes; where debug information has another, that is taken.
OFFSETS = {
    ("recip_mutex", "state"): (0, 4),
    ("recip_mutex", "bound"): (4, 2),
    ("recip_mutex", "passes"): (6, 2),
    ("recip_mutex", "arrivals"): (8, 8),
    ("recip_cond", "inner"): (0, 16),
    ("recip_cond", "first"): (16, 8),
    ("recip_sem", "value"): (0, 8),
    ("recip_sem", "inner"): (8, 16),
    ("recip_sem", "entry"): (24, 8),
    ("recip_sem", "arrivals"): (32, 8),
    ("recip_waiter_", "gate"): (0, 8),
    ("recip_waiter_", "successor"): (8, 8),
    ("recip_waiter_", "mutex"): (16, 8),
    ("recip_waiter_", "next"): (24, 8),
    ("recip_waiter_", "status"): (40, 4),
    ("recip_leadership_", "mutex"): (0, 8),
    ("recip_leadership_", "successor"): (8, 8),
}
MAX_WAITERS = 10000  # of a list that is damaged, not all

# The registers of a system call: its number and arguments 1 and 6.
SYSTEM_CALL = {
    "i386:x86-64": ("orig_rax", 202, "rdi", "r9"),
    "aarch64": ("x8", 98, "x0", "x5"),
}
THREAD_POINTER = {"i386:x86-64": "fs_base", "aarch64": "tpidr"}


# ---- Memory ----


def layout(structure, field):
    """Where the field is, and its size."""
    try:
        for each in gdb.lookup_type("struct " + structure).strip_typedefs().fields():
            if each.name == field:
                return each.bitpos // 8, each.type.strip_typedefs().sizeof
    except gdb.error:
        pass
    return OFFSETS[structure, field]


def read(address, structure, field):
    offset, size = layout(structure, field)
    memory = gdb.selected_inferior().read_memory(address + offset, size)
    return int.from_bytes(bytes(memory), "little")


def place(address):
    """The address, with the name of the variable that it is in."""
    symbol = gdb.execute("info symbol %#x" % address, to_string=True)
    known = symbol.split(" in section")[0] if " in section" in symbol else ""
    return "%#x%s" % (address, " <%s>" % known.replace(" + ", "+") if known else "")


# ---- Threads ----


class Thread:
    """What is known of a thread: the futex that it sleeps at, its stack, and whether it is in a function of a leader's."""

    def __init__(self, thread):
        thread.switch()
        frame = gdb.newest_frame()
        self.text = "thread %d (%s, %d)" % (thread.num, thread.name or "?", thread.ptid[1] or thread.ptid[0])
        self.stack = int(frame.read_register("sp")) & (1 << 64) - 1
        self.futex, self.kinds = self.system_call(frame)
        self.pointer = self.thread_pointer(frame)
        self.leads = False
        for _ in range(24):
            self.leads |= frame is not None and frame.name() in ("lead", "lead_and_pass_on")
            frame = older(frame) if frame else None

    @staticmethod
    def system_call(frame):
        names = SYSTEM_CALL.get(frame.architecture().name())
        if names is None:
            return 0, 0
        try:
            number, word, kinds = (int(frame.read_register(name)) for name in (names[0], names[2], names[3]))
        except (ValueError, gdb.error):
            return 0, 0
        return (word & (1 << 64) - 1, kinds & 0xFFFFFFFF) if number == names[1] else (0, 0)

    @staticmethod
    def thread_pointer(frame):
        """From which thread-local variables have fixed places; 0 if it is not known."""
        try:
            return int(frame.read_register(THREAD_POINTER[frame.architecture().name()])) & (1 << 64) - 1
        except (KeyError, ValueError, gdb.error):
            return 0


def older(frame):
    try:
        return frame.older()
    except gdb.error:
        return None


def all_threads():
    """In the order of their numbers. What was selected is selected again."""
    selected, frame = gdb.selected_thread(), None
    if selected is None:
        return []
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        pass
    try:
        return [Thread(thread) for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num)]
    finally:
        selected.switch()
        if frame is not None and frame.is_valid():
            frame.select()


class Waiter:
    """An element, and the thread that waits at it, if that is found."""

    def __init__(self, address, threads):
        self.address = address
        self.gate, self.successor, self.mutex, self.next, self.status = (
            read(address, "recip_waiter_", field) for field in ("gate", "successor", "mutex", "next", "status")
        )
        sleeper = [thread for thread in threads if thread.futex == address]
        # Otherwise it is on the stack of the thread whose stack pointer is the next below.
        below = [thread for thread in threads if 0 <= address - thread.stack < 1 << 23]
        self.thread = sleeper[0] if sleeper else max(below, key=lambda t: t.stack, default=None)

    def waits(self):
        """Or did, and is to be skipped; it does not lead."""
        return self.gate in (GATE_CLOSED, GATE_PARKED, GATE_LEFT, GATE_ORPHANED)

    def text(self):
        thread = self.thread.text if self.thread else "a thread at %#x" % self.address
        if self.gate == GATE_LEFT:
            return "nobody: the deadline passed before (%#x)" % self.address
        if self.gate == GATE_ORPHANED:
            return "nobody: the thread has ended (%#x)" % self.address
        if self.gate == GATE_PARKED:
            return thread + ", asleep"
        return thread + (", awake" if self.gate == GATE_CLOSED else ", let go")


def waiter_at(address, threads):
    """None where there is no memory: the list is changing, or damaged."""
    try:
        return Waiter(address, threads)
    except gdb.MemoryError:
        return None


def chain(address, link, threads, stop=()):
    """From the element at the address on, by that field."""
    found, seen = [], set(stop)
    while address > SEGMENT_EMPTY and address not in seen and len(found) < MAX_WAITERS:
        waiter = waiter_at(address, threads)
        if waiter is None:
            break
        seen.add(address)
        found.append(waiter)
        address = getattr(waiter, link)
    return found


# ---- The mutex ----


def kept_by_owner(mutex, threads):
    """The owner that keeps leadership, because it hands the mutex over, and the element of the next; or None twice."""
    try:
        offset = int(gdb.parse_and_eval("*(long *)&recip_kept_offset_"))
    except gdb.error:
        offset = 0
    for thread in threads if offset else []:
        if thread.pointer and read(thread.pointer + offset, "recip_leadership_", "mutex") == mutex:
            return thread, read(thread.pointer + offset, "recip_leadership_", "successor")
    return None, None


def in_queue(mutex, first, threads, stop=()):
    """From that element on. A segment ends at a number, or at the element of a thread that came when nobody waited, and so has
    no successor."""
    for waiter in chain(first, "successor", threads, stop):
        if waiter.mutex != mutex or not waiter.successor or not waiter.waits():
            return
        yield waiter


def sleepers_of(mutex, threads):
    """The elements of this mutex at which threads sleep. Those without a successor wait in a condition variable, and for the
    mutex only after a signal."""
    for thread in threads:
        waiter = waiter_at(thread.futex, threads) if thread.futex and thread.futex % 64 == 0 else None
        if waiter and waiter.mutex == mutex and waiter.successor:
            yield waiter


def in_segment(mutex, threads, arrivals):
    """The waiters before those in the arrivals, behind a leader. Only the leader knows the first of them. So: those that sleep
    at an element of this mutex, each behind the one whose successor it is."""
    known = {waiter.address for waiter in arrivals}
    found = {}
    for sleeper in sleepers_of(mutex, threads):
        for waiter in in_queue(mutex, sleeper.address, threads, known):
            found[waiter.address] = waiter
    behind = {waiter.successor for waiter in found.values()}
    ordered = []
    for waiter in [waiter for waiter in found.values() if waiter.address not in behind]:
        ordered += [each for each in chain(waiter.address, "successor", threads) if each.address in found]
    return ordered


def epoch():
    """How often the process has forked from itself; None if the library does not say."""
    try:
        return int(gdb.parse_and_eval("*(unsigned *)&recip_native_epoch"))
    except gdb.error:
        return None


def read_arrivals(mutex, threads):
    """Whether there is a leader, its element if that is at the bottom, and who has come, the newest first."""
    word = read(mutex, "recip_mutex", "arrivals")
    now = epoch()
    if now is not None and word >> EPOCH_SHIFT != now:
        return False, None, []
    stack = chain(word & ADDRESS, "successor", threads)
    leader = stack.pop() if stack and stack[-1].successor == 0 else None
    return word & ADDRESS != 0, leader, stack


def in_order(stack, bound):
    """Those who have arrived, as they will lead: sleepers come as they arrived, unless the bound is 0."""
    asleep = 0
    while bound and asleep < min(len(stack), MAX_REVERSED) and stack[asleep].gate != GATE_CLOSED:
        asleep += 1
    return stack[:asleep][::-1] + stack[asleep:]


def leader_text(mutex, own, threads):
    """Of the thread that competes for the mutex: it sleeps at the state word, or its element shows which it is."""
    for thread in threads:
        if thread.futex == mutex and thread.kinds == LEADER_KIND:
            return thread.text + ", asleep until release"
    for waiter in sleepers_of(mutex, threads):
        if not waiter.waits():
            return waiter.thread.text + ", which release wakes"
    if own is not None and own.thread is not None:
        return own.thread.text + ", awake or napping"
    for thread in threads:
        if thread.leads and not thread.futex:
            return thread.text + ", awake or napping, if it is of this mutex"
    return "a thread that is awake or napping"


def print_mutex(mutex, label="mutex"):
    state = read(mutex, "recip_mutex", "state")
    bound = (read(mutex, "recip_mutex", "bound") - 1) & 0xFFFF
    threads = all_threads()
    named = "locked" if state & 0x01 else "reserved for a waiter" if state & 0x02 else "free"
    marks = [name for name, bit in MARKS if state & bit]
    others = state & 0xFFFF & ~sum(bit for _, bit in LOCK_BITS + MARKS)
    if others:
        marks.append("%#x" % others)
    print("%s %s: %s" % (label, place(mutex), named))
    if marks:
        print("  marks: " + " ".join(marks))
    if bound != 0xFFFF:
        print("  bound: %d" % bound)
    has_leader, own, stack = read_arrivals(mutex, threads)
    owner, first = kept_by_owner(mutex, threads)
    if owner:
        print("  owner: %s, which hands it over" % owner.text)
        segment = list(in_queue(mutex, first, threads))
    else:
        segment = in_segment(mutex, threads, stack)
        if has_leader:
            print("  leader: " + leader_text(mutex, own, threads))
    for waiter in segment + in_order(stack, bound):
        print("  then: " + waiter.text())
    for thread in threads:
        if thread.futex == mutex and thread.kinds == EXPRESS_KIND:
            print("  asks to be next: %s, asleep" % thread.text)
    if state >> SLEEPERS_SHIFT & 0xFF:
        print("  asleep at the state, asking to be next: %d" % (state >> SLEEPERS_SHIFT & 0xFF))


# ---- The condition variable and the semaphore ----

STATUS = {
    WAITER_CHOSEN: ", signalled",
    WAITER_LEAVING: ", whose deadline has passed",
    WAITER_DESTROYING: ", which destroys it",
}


def print_waiters(waiters):
    for waiter in waiters:
        mutex = "; its mutex is %s" % place(waiter.mutex) if waiter.mutex else ""
        print("  waits: %s%s%s" % (waiter.text(), STATUS.get(waiter.status, ""), mutex))
    if not waiters:
        print("  nobody waits")


def print_inner(address, structure):
    inner = address + layout(structure, "inner")[0]
    if read(inner, "recip_mutex", "state") & 0x01 or read(inner, "recip_mutex", "arrivals") & ADDRESS:
        print_mutex(inner, "  its inner mutex")


def print_cond(cond):
    print("condition variable " + place(cond))
    print_waiters(chain(read(cond, "recip_cond", "first"), "next", all_threads()))
    print_inner(cond, "recip_cond")


def print_sem(sem):
    value = read(sem, "recip_sem", "value")
    threads = all_threads()
    print("semaphore %s: %d permit%s" % (place(sem), value >> 1, "" if value >> 1 == 1 else "s"))
    waiters = chain(read(sem, "recip_sem", "entry"), "next", threads)
    waiters += chain(read(sem, "recip_sem", "arrivals"), "next", threads)
    for waiter in waiters:
        waiter.mutex = 0  # not theirs
        waiter.status = WAITER_LISTED
    print_waiters(waiters)
    print_inner(sem, "recip_sem")


# ---- The command ----

PRINTERS = {"recip_mutex": print_mutex, "recip_cond": print_cond, "recip_sem": print_sem}


def find_object(value):
    """The structure's name and address: of an object, a pointer or reference to one, or a C++ object around one."""
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return find_object(value.referenced_value())
    if kind.code == gdb.TYPE_CODE_PTR:
        return find_object(value.dereference())
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return None
    name = (kind.tag or kind.name or "").replace("struct ", "")
    if name in PRINTERS:
        return name, int(value.address)
    if not name.startswith("recip::"):
        return None
    for field in kind.fields():
        if not hasattr(field, "bitpos"):
            continue
        found = find_object(value[field])
        if found:
            return found
    return None


class Recip(gdb.Command):
    """recip OBJECT: the state of a mutex, condition variable or semaphore of librecip, and who waits for it, in order.

OBJECT is an expression: the object, a pointer to it, or the C++ object."""

    def __init__(self):
        super().__init__("recip", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("recip: an object is missing: recip OBJECT")
        try:
            found = find_object(gdb.parse_and_eval(argument))
        except gdb.error as error:
            raise gdb.GdbError("recip: '%s': %s" % (argument, error)) from None
        if found is None:
            raise gdb.GdbError("recip: '%s' is no recip_mutex_t, recip_cond_t or recip_sem_t" % argument)
        PRINTERS[found[0]](found[1])


Recip()
