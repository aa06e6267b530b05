// SPDX-License-Identifier: Apache-2.0
// Preloaded: counts what a thread asks of the C library that locks, waits, allocates or talks to a device: the functions
// below. System calls that a library makes by an instruction of its own are not seen.
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>

namespace {

thread_local bool is_counting = false;
thread_local long seen = 0;

void count() {
  if (is_counting) ++seen;
}

template <typename Result, typename... Parameters>
Result pass_on(const char* name, Parameters... parameters) {
  count();
  const auto next = reinterpret_cast<Result (*)(Parameters...)>(dlsym(RTLD_NEXT, name));
  return next(parameters...);
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);

void audit_begin() {
  seen = 0;
  is_counting = true;
}

long audit_end() {
  is_counting = false;
  return seen;
}

// dlsym() allocates: these have names of their own.
void* malloc(std::size_t size) noexcept {
  count();
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
  count();
  return __libc_calloc(number, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  count();
  return __libc_realloc(memory, size);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept { return pass_on<int>("pthread_mutex_lock", mutex); }
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept { return pass_on<int>("pthread_mutex_trylock", mutex); }
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept { return pass_on<int>("pthread_rwlock_rdlock", lock); }
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept { return pass_on<int>("pthread_rwlock_wrlock", lock); }
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept { return pass_on<int>("pthread_rwlock_tryrdlock", lock); }
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept { return pass_on<int>("pthread_rwlock_trywrlock", lock); }
int pthread_spin_lock(pthread_spinlock_t* lock) noexcept { return pass_on<int>("pthread_spin_lock", lock); }
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return pass_on<int>("pthread_cond_wait", condition, mutex);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  return pass_on<int>("pthread_cond_timedwait", condition, mutex, until);
}
int sem_timedwait(sem_t* semaphore, const timespec* until) { return pass_on<int>("sem_timedwait", semaphore, until); }
int sem_wait(sem_t* semaphore) { return pass_on<int>("sem_wait", semaphore); }
int sched_yield() noexcept { return pass_on<int>("sched_yield"); }
int nanosleep(const timespec* time, timespec* left) { return pass_on<int>("nanosleep", time, left); }
int usleep(useconds_t microseconds) { return pass_on<int>("usleep", microseconds); }
int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  return pass_on<int>("clock_nanosleep", clock, flags, time, left);
}
ssize_t read(int file, void* memory, std::size_t size) { return pass_on<ssize_t>("read", file, memory, size); }
ssize_t write(int file, const void* memory, std::size_t size) { return pass_on<ssize_t>("write", file, memory, size); }
void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return pass_on<void*>("mmap", at, size, protection, flags, file, offset);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  return pass_on<int>("posix_memalign", memory, alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return pass_on<void*>("aligned_alloc", alignment, size);
}
int poll(pollfd* files, nfds_t number, int milliseconds) { return pass_on<int>("poll", files, number, milliseconds); }

// As all callers pass them: integers in registers, as many as there may be.
int ioctl(int file, unsigned long request, void* argument) noexcept {
  return pass_on<int>("ioctl", file, request, argument);
}

long syscall(long number, ...) noexcept {
  std::va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  return pass_on<long>("syscall", number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                       arguments[5]);
}

}  // extern "C"
