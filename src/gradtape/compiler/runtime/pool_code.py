"""The thread pool's machine code, as LLVM assembly.

A job is published by one store of its number of chunks to `left`. A chunk is won by one atomic subtraction from it, and
task and argument are read only after that: a thread that comes late takes part in the job that is there, or finds
nothing, but can never run an old task. A thread adds what it did to `done` when it finds no more chunks; the job has
ended when `done` equals the number of chunks. So nobody waits for a thread that has no chunk, and a job whose caller is
the only one to get a core runs like a loop.

The chunks are cut into as many parts as there are threads, and a thread begins with its own: what one job left in the cache of a core is
mostly what the same core needs in the next job. Who is done with its part helps with those of others.

Threads without work spin for a bounded time, then sleep until a 32-bit word changes: by futex on Linux, by a mutex
and a condition variable (a monitor) elsewhere. They never yield: where another process wants the core too, that would
hand it a whole turn of the scheduler, while who sleeps keeps its share and is let in as soon as it is called.

Between two chunks the caller looks at the clock, and now and then it lets Python's handlers of signals run. If one raises, such as that of
Ctrl-C, what is left of the job is counted and not computed.
"""

from __future__ import annotations

from gradtape.compiler.runtime import pool_sleep

# Byte offsets into the state. What different threads write is far apart: processors fetch lines of 64 bytes in pairs.
FIELDS = {
    # The job, written by its caller; and the crew whose members are to work. Workers of another crew leave.
    "task": 0,
    "argument": 8,
    "chunks": 16,
    "crew": 24,
    # Not 0 once a handler of signals has stopped the job; and what it has raised, as CPython's three pointers.
    "stopped": 32,
    "caught": 40,
    # Chunks that nobody has taken; zero or less if there is no job.
    "left": 128,
    # Chunks that are computed, and whether the caller sleeps until that is all.
    "done": 256,
    "waiting": 264,
    # Workers that sleep, and the word they watch: it changes when they are called.
    "sleeping": 384,
    "calls": 392,
    # 1 while a caller has the pool.
    "lock": 512,
    # Number of workers, -1 before they are started; the function that starts them; how long to spin.
    "workers": 640,
    "start": 648,
    "spins": 656,
    "mutex": 768,
    "condition": 896,
    # How many parts the chunks are cut into, one for each thread; and the first part: its next chunk, and where it ends.
    "parts": 1024,
    "ranges": 1152,
}
_MOST_PARTS, _RANGE = 32, 128  # how many parts at most, and bytes from one to the next
STATE_SIZE = FIELDS["ranges"] + _MOST_PARTS * _RANGE

# How a processor is told that a thread spins: declaration and call of LLVM's function.
_X86 = ("declare void @llvm.x86.sse2.pause()\n", "call void @llvm.x86.sse2.pause()")
_ARM = ("declare void @llvm.aarch64.isb(i32)\n", "call void @llvm.aarch64.isb(i32 15)")
_PAUSE = {"x86_64": _X86, "amd64": _X86, "aarch64": _ARM, "arm64": _ARM}


# How to read a clock, and how many of its ticks are about a tenth of a second, which 64-bit ARM tells; and functions that this needs.
# Without a clock nobody ever looks.
_X86_CLOCK = ("call i64 @llvm.readcyclecounter()", "add i64 300000000, 0", "declare i64 @llvm.readcyclecounter()\n")
_ARM_CLOCK = (
    "call i64 @llvm.read_volatile_register.i64(metadata !0)",
    "call i64 @ticks()",
    """declare i64 @llvm.read_volatile_register.i64(metadata)
!0 = !{!"cntvct_el0"}
!1 = !{!"cntfrq_el0"}
define internal i64 @ticks() {
entry:
  %second = call i64 @llvm.read_volatile_register.i64(metadata !1)
  %part = lshr i64 %second, 3
  ret i64 %part
}
""",
)
_CLOCKS = {"x86_64": _X86_CLOCK, "amd64": _X86_CLOCK, "aarch64": _ARM_CLOCK, "arm64": _ARM_CLOCK}


def assembly(system: str, processor: str, futex: bool) -> str:
    """The pool as LLVM assembly.

    It defines `parallel_for(state, task, argument, chunks)`, which returns 0, or another number if a handler of signals has stopped it;
    `share(state, task, argument, chunks, asked)`, which is given the time when signals were looked at last, or no place for it: then nothing
    stops it; `share_whole(state, task, argument, chunks)`, which nothing stops; `now()`, `heard(state, asked)`, which looks at signals if it is time; `worker(state, crew, place)`, `dismiss(state)`, which
    sends the workers home, `reset(state)`, for new memory and after fork, and `linger(pauses)`.

    Args:
      system: as `sys.platform`.
      processor: as `platform.machine()`.
      futex: sleep by futex rather than by a monitor.
    """
    declaration, pause = _PAUSE.get(processor.lower(), ("", ""))
    clock, patience, needed = _CLOCKS.get(processor.lower(), ("add i64 0, 0", "add i64 0, 0", ""))
    code = declaration + needed + _SIGNALS + _RUN + _PARALLEL_FOR + _WORKER + _CONTROL
    code += pool_sleep.assembly(system, processor, futex)
    for word, text in (
        ("PAUSE", pause),
        ("MOST_PARTS", str(_MOST_PARTS)),
        ("RANGE", str(_RANGE)),
        ("CLOCK", clock),
        ("PATIENCE", patience),
    ):
        code = code.replace(word, text)
    return "".join(_with_addresses(line) for line in code.splitlines(keepends=True))


def symbols(code: str) -> list[str]:
    """The functions of the system's libraries that an assembly calls."""
    declared = [line.split("@")[1].split("(")[0] for line in code.splitlines() if line.startswith("declare")]
    return [name for name in declared if not name.startswith("llvm.")]


def _with_addresses(line: str) -> str:
    """A line, or the instructions that compute the fields' addresses in its place if it reads `FIELDS name ...`."""
    words = line.split()
    if words[:1] != ["FIELDS"]:
        return line
    return "".join(f"  %{name} = getelementptr i8, ptr %state, i64 {FIELDS[name]}\n" for name in words[1:])


# The handlers may be called on any thread that has no lock of the interpreter; only on the main thread they do something.
_SIGNALS = """
declare i32 @PyGILState_Ensure()
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyGILState_Release(i32)
define i64 @now() {
entry:
  %time = CLOCK
  ret i64 %time
}
define i64 @asks(ptr %state) noinline {
entry:
  FIELDS caught
  %held = call i32 @PyGILState_Ensure()
  %raised = call i32 @PyErr_CheckSignals()
  %any = icmp ne i32 %raised, 0
  br i1 %any, label %keep, label %done
keep:
  %value = getelementptr i8, ptr %caught, i64 8
  %trace = getelementptr i8, ptr %caught, i64 16
  call void @PyErr_Fetch(ptr %caught, ptr %value, ptr %trace)
  br label %done
done:
  call void @PyGILState_Release(i32 %held)
  %answer = zext i1 %any to i64
  ret i64 %answer
}
define i64 @heard(ptr %state, ptr %asked) {
entry:
  %is.deaf = icmp eq ptr %asked, null
  br i1 %is.deaf, label %no, label %look
look:
  %before = load i64, ptr %asked
  %time = CLOCK
  %passed = sub i64 %time, %before
  %patience = PATIENCE
  %is.late = icmp ugt i64 %passed, %patience
  br i1 %is.late, label %ask, label %no
ask:
  store i64 %time, ptr %asked
  %answer = call i64 @asks(ptr %state)
  ret i64 %answer
no:
  ret i64 0
}
"""

# Takes chunks until there is none. What was taken belongs to one job: it cannot end before it is added to `done`. Who has counted down
# `left` has a chunk for sure; it is of the thread's own part, or of the next one where some are left.
_RUN = """
define internal void @run(ptr %state, i64 %place, ptr %asked) {
entry:
  FIELDS task argument chunks left done waiting parts ranges stopped
  %first = atomicrmw sub ptr %left, i64 1 acq_rel
  %any = icmp sgt i64 %first, 0
  br i1 %any, label %begin, label %none
begin:
  %f = load ptr, ptr %task
  %x = load i64, ptr %argument
  %n = load i64, ptr %chunks
  %count.parts = load i64, ptr %parts
  %own = urem i64 %place, %count.parts
  br label %work
work:
  %now = phi i64 [ %first, %begin ], [ %next, %fetch ]
  %count = phi i64 [ 0, %begin ], [ %count.next, %fetch ]
  %start = phi i64 [ %own, %begin ], [ %part, %fetch ]
  br label %look
look:
  %part = phi i64 [ %start, %work ], [ %part.next, %pass ]
  %distance = mul i64 %part, RANGE
  %range = getelementptr i8, ptr %ranges, i64 %distance
  %range.end = getelementptr i8, ptr %range, i64 8
  %end = load i64, ptr %range.end
  %seen = load atomic i64, ptr %range monotonic, align 8
  %is.open = icmp slt i64 %seen, %end
  br i1 %is.open, label %take, label %pass
take:
  %chunk = atomicrmw add ptr %range, i64 1 monotonic
  %is.ours = icmp slt i64 %chunk, %end
  br i1 %is.ours, label %compute, label %pass
pass:
  %part.after = add i64 %part, 1
  %is.beyond = icmp eq i64 %part.after, %count.parts
  %part.next = select i1 %is.beyond, i64 0, i64 %part.after
  br label %look
compute:
  %stop = load atomic i64, ptr %stopped monotonic, align 8
  %goes.on = icmp eq i64 %stop, 0
  br i1 %goes.on, label %call, label %counted
call:
  call void %f(i64 %x, i64 %chunk)
  br label %counted
counted:
  %count.next = add i64 %count, 1
  %was.last = icmp eq i64 %now, 1
  br i1 %was.last, label %add, label %ask
ask:
  %is.worker = icmp eq ptr %asked, null
  br i1 %is.worker, label %fetch, label %listen
listen:
  %heard = call i64 @heard(ptr %state, ptr %asked)
  %is.calm = icmp eq i64 %heard, 0
  br i1 %is.calm, label %fetch, label %stop.all
stop.all:
  store atomic i64 1, ptr %stopped monotonic, align 8
  br label %fetch
fetch:
  %next = atomicrmw sub ptr %left, i64 1 acq_rel
  %more = icmp sgt i64 %next, 0
  br i1 %more, label %work, label %add
add:
  %before = atomicrmw add ptr %done, i64 %count.next seq_cst
  %total = add i64 %before, %count.next
  %last = icmp eq i64 %total, %n
  br i1 %last, label %finished, label %none
finished:
  %sleeps = load atomic i32, ptr %waiting seq_cst, align 4
  %is.awake = icmp eq i32 %sleeps, 0
  br i1 %is.awake, label %none, label %wake
wake:
  store atomic i32 0, ptr %waiting seq_cst, align 4
  call void @wake(ptr %state, ptr %waiting, i32 1)
  br label %none
none:
  ret void
}
"""

# A caller that does not get the pool, since another one has it or since it is itself a chunk of a job, works alone.
_PARALLEL_FOR = """
define i64 @parallel_for(ptr %state, i64 %function, i64 %x, i64 %n) {
entry:
  %asked = alloca i64
  %time = call i64 @now()
  store i64 %time, ptr %asked
  %stopped = call i64 @share(ptr %state, i64 %function, i64 %x, i64 %n, ptr %asked)
  ret i64 %stopped
}
define i64 @share_whole(ptr %state, i64 %function, i64 %x, i64 %n) {
entry:
  %never = call i64 @share(ptr %state, i64 %function, i64 %x, i64 %n, ptr null)
  ret i64 0
}
define i64 @share(ptr %state, i64 %function, i64 %x, i64 %n, ptr %asked) {
entry:
  FIELDS task argument chunks left done waiting sleeping calls lock workers start spins parts ranges stopped
  %single = icmp sle i64 %n, 1
  br i1 %single, label %alone, label %ask
ask:
  %answer = cmpxchg ptr %lock, i64 0, i64 1 acquire monotonic
  %granted = extractvalue { i64, i1 } %answer, 1
  br i1 %granted, label %staff, label %alone
staff:
  %known = load atomic i64, ptr %workers monotonic, align 8
  %is.new = icmp slt i64 %known, 0
  br i1 %is.new, label %hire, label %count
hire:
  %starter = load ptr, ptr %start
  call void %starter()
  br label %count
count:
  %crew.size = load atomic i64, ptr %workers monotonic, align 8
  %has.workers = icmp sgt i64 %crew.size, 0
  br i1 %has.workers, label %publish, label %unlock
unlock:
  store atomic i64 0, ptr %lock release, align 8
  br label %alone
publish:
  store i64 %function, ptr %task
  store i64 %x, ptr %argument
  store i64 %n, ptr %chunks
  store atomic i64 0, ptr %stopped monotonic, align 8
  %crew.all = add i64 %crew.size, 1
  %crew.most = call i64 @llvm.smin.i64(i64 %crew.all, i64 MOST_PARTS)
  %cut = call i64 @llvm.smin.i64(i64 %crew.most, i64 %n)
  store i64 %cut, ptr %parts
  br label %divide
divide:
  %p = phi i64 [ 0, %publish ], [ %p.next, %divide ]
  %p.begin = phi i64 [ 0, %publish ], [ %p.end, %divide ]
  %p.next = add i64 %p, 1
  %p.product = mul i64 %p.next, %n
  %p.end = udiv i64 %p.product, %cut
  %p.distance = mul i64 %p, RANGE
  %p.range = getelementptr i8, ptr %ranges, i64 %p.distance
  %p.range.end = getelementptr i8, ptr %p.range, i64 8
  store atomic i64 %p.begin, ptr %p.range monotonic, align 8
  store i64 %p.end, ptr %p.range.end
  %p.more = icmp slt i64 %p.next, %cut
  br i1 %p.more, label %divide, label %announce
announce:
  store atomic i64 0, ptr %done monotonic, align 8
  store atomic i64 %n, ptr %left seq_cst, align 8
  %asleep = load atomic i64, ptr %sleeping seq_cst, align 8
  %all.awake = icmp eq i64 %asleep, 0
  br i1 %all.awake, label %work, label %compare
compare: ; as many are called as there are chunks for, less those awake
  %others = sub i64 %n, 1
  %useful = call i64 @llvm.smin.i64(i64 %others, i64 %crew.size)
  %awake = sub i64 %crew.size, %asleep
  %missing = sub i64 %useful, %awake
  %enough = icmp sle i64 %missing, 0
  br i1 %enough, label %work, label %call
call:
  %calls.before = atomicrmw add ptr %calls, i32 1 seq_cst
  %missing.32 = trunc i64 %missing to i32
  call void @wake(ptr %state, ptr %calls, i32 %missing.32)
  br label %work
work:
  call void @run(ptr %state, i64 0, ptr %asked)
  %limit = load atomic i64, ptr %spins monotonic, align 8
  br label %watch
watch:
  %k = phi i64 [ 0, %work ], [ %k.next, %again ]
  %seen = load atomic i64, ptr %done acquire, align 8
  %ended = icmp eq i64 %seen, %n
  br i1 %ended, label %leave, label %again
again:
  PAUSE
  %k.next = add i64 %k, 1
  %patient = icmp slt i64 %k.next, %limit
  br i1 %patient, label %watch, label %doze
doze: ; whoever has the last chunk lost its core, or the chunk is long: our core is free for others meanwhile
  store atomic i32 1, ptr %waiting seq_cst, align 4
  %seen.late = load atomic i64, ptr %done seq_cst, align 8
  %ended.late = icmp eq i64 %seen.late, %n
  br i1 %ended.late, label %awaken, label %sleep
sleep:
  call void @sleep(ptr %state, ptr %waiting, i32 1)
  br label %doze
awaken:
  store atomic i32 0, ptr %waiting seq_cst, align 4
  br label %leave
leave:
  %was.stopped = load atomic i64, ptr %stopped monotonic, align 8
  store atomic i64 0, ptr %lock release, align 8
  ret i64 %was.stopped
alone:
  %f = inttoptr i64 %function to ptr
  br label %head
head:
  %i = phi i64 [ 0, %alone ], [ %i.next, %listen ]
  %inside = icmp slt i64 %i, %n
  br i1 %inside, label %body, label %exit
body:
  call void %f(i64 %x, i64 %i)
  %i.next = add i64 %i, 1
  %is.last = icmp eq i64 %i.next, %n
  br i1 %is.last, label %exit, label %listen
listen:
  %heard = call i64 @heard(ptr %state, ptr %asked)
  %is.calm = icmp eq i64 %heard, 0
  br i1 %is.calm, label %head, label %stop
stop:
  ret i64 1
exit:
  ret i64 0
}
declare i64 @llvm.smin.i64(i64, i64)
"""

# A worker says that it sleeps before it looks for work a last time, and a caller publishes work before it counts the
# sleepers: one of the two sees the other. The same holds between `dismiss` and the look at `crew`.
_WORKER = """
define void @worker(ptr %state, i64 %mine, i64 %place) {
entry:
  FIELDS left sleeping calls crew spins
  br label %check
check:
  %current = load atomic i64, ptr %crew acquire, align 8
  %is.member = icmp eq i64 %current, %mine
  br i1 %is.member, label %work, label %home
work:
  call void @run(ptr %state, i64 %place, ptr null)
  %limit = load atomic i64, ptr %spins monotonic, align 8
  br label %watch
watch:
  %k = phi i64 [ 0, %work ], [ %k.next, %again ]
  %open = load atomic i64, ptr %left monotonic, align 8
  %any = icmp sgt i64 %open, 0
  br i1 %any, label %check, label %again
again:
  PAUSE
  %k.next = add i64 %k, 1
  %patient = icmp slt i64 %k.next, %limit
  br i1 %patient, label %watch, label %nap
nap:
  %sleepers = atomicrmw add ptr %sleeping, i64 1 seq_cst
  %heard = load atomic i32, ptr %calls seq_cst, align 4
  %open.late = load atomic i64, ptr %left seq_cst, align 8
  %none.late = icmp sle i64 %open.late, 0
  %current.late = load atomic i64, ptr %crew seq_cst, align 8
  %is.member.late = icmp eq i64 %current.late, %mine
  %is.idle = and i1 %none.late, %is.member.late
  br i1 %is.idle, label %sleep, label %awake
sleep:
  call void @sleep(ptr %state, ptr %calls, i32 %heard)
  br label %awake
awake:
  %sleepers.left = atomicrmw sub ptr %sleeping, i64 1 seq_cst
  br label %check
home:
  ret void
}
"""

_CONTROL = """
define void @dismiss(ptr %state) {
entry:
  FIELDS crew workers calls
  store atomic i64 -1, ptr %workers seq_cst, align 8
  %crew.before = atomicrmw add ptr %crew, i64 1 seq_cst
  %calls.before = atomicrmw add ptr %calls, i32 1 seq_cst
  call void @wake(ptr %state, ptr %calls, i32 2147483647)
  ret void
}
define void @reset(ptr %state) {
entry:
  FIELDS left done waiting sleeping lock workers
  store atomic i64 0, ptr %left seq_cst, align 8
  store atomic i64 0, ptr %done seq_cst, align 8
  store atomic i32 0, ptr %waiting seq_cst, align 4
  store atomic i64 0, ptr %sleeping seq_cst, align 8
  store atomic i64 -1, ptr %workers seq_cst, align 8
  call void @reset_monitor(ptr %state)
  store atomic i64 0, ptr %lock seq_cst, align 8
  ret void
}
define void @linger(i64 %pauses) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  PAUSE
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %pauses
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
"""
