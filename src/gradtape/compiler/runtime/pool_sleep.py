"""How the pool's threads wait, as LLVM assembly: `sleep` until a 32-bit word changes, and `wake` who sleeps on it.

Linux has this as a system call, the futex. Elsewhere a mutex and a condition variable (a monitor) do it: those of POSIX,
or those of Windows.
"""

from __future__ import annotations

import sys

# Numbers of the futex system call.
_FUTEX = {"x86_64": 202, "aarch64": 98, "riscv64": 98, "loongarch64": 98, "ppc64le": 221}


def has_futex(system: str, processor: str) -> bool:
    """Whether threads can sleep by futex, for names as of `sys.platform` and `platform.machine()`."""
    return system == "linux" and processor in _FUTEX and sys.maxsize > 1 << 32


def assembly(system: str, processor: str, futex: bool) -> str:
    """The functions `sleep`, `wake` and `reset_monitor`; with lines `FIELDS name ...` as in `pool_code`."""
    if futex:
        return _FUTEX_SLEEP.replace("FUTEX", str(_FUTEX[processor]))
    return _MONITOR_SLEEP + (_WINDOWS_MONITOR if system == "win32" else _POSIX_MONITOR)


# 128 waits, 129 wakes, among the threads of one process.
_FUTEX_SLEEP = """
declare i64 @syscall(i64, ...)
define internal void @sleep(ptr %state, ptr %word, i32 %value) {
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %word, i64 128, i32 %value, ptr null, ptr null, i64 0)
  ret void
}
define internal void @wake(ptr %state, ptr %word, i32 %count) {
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %word, i64 129, i32 %count, ptr null, ptr null, i64 0)
  ret void
}
define internal void @reset_monitor(ptr %state) {
  ret void
}
"""

# One monitor serves both words: whoever is woken without need looks at its own word and sleeps on.
_MONITOR_SLEEP = """
define internal void @sleep(ptr %state, ptr %word, i32 %value) {
entry:
  call void @enter_monitor(ptr %state)
  br label %look
look:
  %now = load atomic i32, ptr %word seq_cst, align 4
  %is.same = icmp eq i32 %now, %value
  br i1 %is.same, label %wait, label %leave
wait:
  call void @wait_in_monitor(ptr %state)
  br label %look
leave:
  call void @leave_monitor(ptr %state)
  ret void
}
define internal void @wake(ptr %state, ptr %word, i32 %count) {
  call void @enter_monitor(ptr %state)
  call void @notify_monitor(ptr %state)
  call void @leave_monitor(ptr %state)
  ret void
}
"""

_POSIX_MONITOR = """
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define internal void @enter_monitor(ptr %state) {
  FIELDS mutex
  call i32 @pthread_mutex_lock(ptr %mutex)
  ret void
}
define internal void @leave_monitor(ptr %state) {
  FIELDS mutex
  call i32 @pthread_mutex_unlock(ptr %mutex)
  ret void
}
define internal void @wait_in_monitor(ptr %state) {
  FIELDS mutex condition
  call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  ret void
}
define internal void @notify_monitor(ptr %state) {
  FIELDS condition
  call i32 @pthread_cond_broadcast(ptr %condition)
  ret void
}
define internal void @reset_monitor(ptr %state) {
  FIELDS mutex condition
  call void @llvm.memset.p0.i64(ptr %mutex, i8 0, i64 256, i1 false)
  call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  call i32 @pthread_cond_init(ptr %condition, ptr null)
  ret void
}
"""

# Locks and condition variables of Windows are one pointer each, and ready when they are zero.
_WINDOWS_MONITOR = """
declare void @AcquireSRWLockExclusive(ptr)
declare void @ReleaseSRWLockExclusive(ptr)
declare i32 @SleepConditionVariableSRW(ptr, ptr, i32, i32)
declare void @WakeAllConditionVariable(ptr)
define internal void @enter_monitor(ptr %state) {
  FIELDS mutex
  call void @AcquireSRWLockExclusive(ptr %mutex)
  ret void
}
define internal void @leave_monitor(ptr %state) {
  FIELDS mutex
  call void @ReleaseSRWLockExclusive(ptr %mutex)
  ret void
}
define internal void @wait_in_monitor(ptr %state) {
  FIELDS mutex condition
  call i32 @SleepConditionVariableSRW(ptr %condition, ptr %mutex, i32 -1, i32 0)
  ret void
}
define internal void @notify_monitor(ptr %state) {
  FIELDS condition
  call void @WakeAllConditionVariable(ptr %condition)
  ret void
}
define internal void @reset_monitor(ptr %state) {
  ret void
}
"""
