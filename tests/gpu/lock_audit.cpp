// SPDX-License-Identifier: Apache-2.0
// Preloaded: counts what a thread asks of the C library that locks, waits, allocates or enters the kernel.
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

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
int sem_wait(sem_t* semaphore) { return pass_on<int>("sem_wait", semaphore); }
int sched_yield() noexcept { return pass_on<int>("sched_yield"); }
int nanosleep(const timespec* time, timespec* left) { return pass_on<int>("nanosleep", time, left); }
int poll(pollfd* files, nfds_t number, int milliseconds) { return pass_on<int>("poll", files, number, milliseconds); }

// As all callers pass them: integers in registers, as many as there may be.
int ioctl(int file, unsigned long request, void* argument) noexcept {
  return pass_on<int>("ioctl", file, request, argument);
}

long syscall(long number, long a, long b, long c, long d, long e, long f) noexcept {
  return pass_on<long>("syscall", number, a, b, c, d, e, f);
}

}  // extern "C"
