/* The platform on Windows. Descriptors are the C runtime's, as everywhere else; reading goes straight to the handle
 * behind one, which knows no text mode. */
#ifdef _WIN32
#  ifndef _WIN32_WINNT
#    define _WIN32_WINNT 0x0602 /* PrefetchVirtualMemory came with Windows 8 */
#  endif
#  ifndef WIN32_LEAN_AND_MEAN
#    define WIN32_LEAN_AND_MEAN
#  endif
#  include "platform.h"

#  include <windows.h>

#  include <errno.h>
#  include <fcntl.h>
#  include <io.h>
#  include <process.h>
#  include <stdlib.h>

/* GetLastError, which is never 0 here even if the system forgot to say why. */
static int last_error(void) {
  DWORD error = GetLastError();
  return error != 0 ? (int)error : ERROR_GEN_FAILURE;
}

/* ---- files ---- */

/* The C runtime ends the process over a descriptor that cannot be one, so those never get there. */
static int handle_of(int fd, HANDLE *out) {
  intptr_t handle = fd < 0 ? -1 : _get_osfhandle(fd);
  if (handle == -1 || handle == -2) return ERROR_INVALID_HANDLE; /* -2: a standard stream that is not there */
  *out = (HANDLE)handle;
  return 0;
}

/* A path as the system wants it, from malloc; NULL with *error set. */
static wchar_t *wide_path(const char *path, int *error) {
  int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
  wchar_t *wide = count == 0 ? NULL : malloc((size_t)count * sizeof *wide);
  if (count == 0) {
    *error = last_error();
  } else if (!wide) {
    *error = ERROR_NOT_ENOUGH_MEMORY;
  } else {
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, count);
  }
  return wide;
}

enum { IS_DIRECTORY = 336 }; /* ERROR_DIRECTORY_NOT_SUPPORTED; older headers lack it */

/* Others may go on writing, renaming and deleting the file, as they may elsewhere. A directory is "access denied" to
 * CreateFile, which helps nobody. */
static int open_handle(const wchar_t *path, DWORD access, DWORD disposition, HANDLE *out) {
  const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  HANDLE handle = CreateFileW(path, access, share, NULL, disposition, FILE_ATTRIBUTE_NORMAL, NULL);
  if (handle == INVALID_HANDLE_VALUE) {
    int error = last_error();
    DWORD attributes = error == ERROR_ACCESS_DENIED ? GetFileAttributesW(path) : INVALID_FILE_ATTRIBUTES;
    bool is_directory = attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    return is_directory ? IS_DIRECTORY : error;
  }
  *out = handle;
  return 0;
}

static int open_fd(const char *path, DWORD access, DWORD disposition, int flags, int *fd) {
  int error = 0, opened;
  HANDLE handle;
  wchar_t *wide = wide_path(path, &error);
  if (!wide) return error;
  error = open_handle(wide, access, disposition, &handle);
  free(wide);
  if (error) return error;
  opened = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
  if (opened < 0) {
    CloseHandle(handle);
    return ERROR_TOO_MANY_OPEN_FILES;
  }
  *fd = opened;
  return 0;
}

int fastio__file_open(const char *path, int *fd) { return open_fd(path, GENERIC_READ, OPEN_EXISTING, _O_RDONLY, fd); }

int fastio__file_info_get(int fd, fastio__file_info *info) {
  HANDLE handle;
  LARGE_INTEGER size = {0};
  BY_HANDLE_FILE_INFORMATION details;
  int error = handle_of(fd, &handle);
  if (error) return error;
  bool is_disk = GetFileType(handle) == FILE_TYPE_DISK;
  if (is_disk && !GetFileInformationByHandle(handle, &details)) return last_error();
  info->is_directory = is_disk && (details.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  info->is_regular = is_disk && !info->is_directory;
  if (info->is_regular && !GetFileSizeEx(handle, &size)) return last_error();
  info->size = (uint64_t)size.QuadPart;
  return 0;
}

static int move_position(int fd, int64_t distance, DWORD from, uint64_t *position) {
  HANDLE handle;
  LARGE_INTEGER move, at;
  int error = handle_of(fd, &handle);
  if (error) return error;
  move.QuadPart = distance;
  if (!SetFilePointerEx(handle, move, &at, from)) return last_error();
  if (position) *position = (uint64_t)at.QuadPart;
  return 0;
}

int fastio__file_position(int fd, uint64_t *position) { return move_position(fd, 0, FILE_CURRENT, position); }

int fastio__file_seek(int fd, uint64_t position) { return move_position(fd, (int64_t)position, FILE_BEGIN, NULL); }

int fastio__file_close(int fd) { return _close(fd) == 0 ? 0 : last_error(); }

enum { CALL_MAX = 1 << 30 };

/* The end is 0 bytes, though the system calls it an error where the last writer of a pipe is gone or the offset is past
 * the end. */
static int read_handle(int fd, void *data, size_t size, OVERLAPPED *where, size_t *got) {
  HANDLE handle;
  DWORD count = 0;
  int error = handle_of(fd, &handle);
  if (error) return error;
  if (!ReadFile(handle, data, (DWORD)(size < CALL_MAX ? size : CALL_MAX), &count, where)) {
    error = last_error();
    if (error != ERROR_BROKEN_PIPE && error != ERROR_HANDLE_EOF) return error;
    count = 0;
  }
  *got = count;
  return 0;
}

static int hooked(int64_t result, size_t *got) {
  if (result < 0) return (int)-result;
  *got = (size_t)result;
  return 0;
}

int fastio__file_read(const fastio_env *env, int fd, void *data, size_t size, size_t *got) {
  if (size > CALL_MAX) size = CALL_MAX;
  if (env && env->read) return hooked(env->read(env->ctx, fd, data, size), got);
  return read_handle(fd, data, size, NULL, got);
}

/* Unlike pread this moves the position too; whoever borrows a descriptor sets it in the end. */
int fastio__file_pread(const fastio_env *env, int fd, void *data, size_t size, uint64_t offset, size_t *got) {
  OVERLAPPED where = {0};
  if (size > CALL_MAX) size = CALL_MAX;
  if (env && env->pread) return hooked(env->pread(env->ctx, fd, data, size, offset), got);
  where.Offset = (DWORD)offset;
  where.OffsetHigh = (DWORD)(offset >> 32);
  return read_handle(fd, data, size, &where, got);
}

/* Nothing is read ahead, so nobody waits. */
bool fastio__file_is_slow(int fd) {
  (void)fd;
  return false;
}

int fastio__waker_open(fastio__waker *waker) {
  (void)waker;
  return ERROR_NOT_SUPPORTED;
}

void fastio__waker_close(fastio__waker *waker) { (void)waker; }
void fastio__waker_wake(const fastio__waker *waker) { (void)waker; }

bool fastio__waker_pause(const fastio__waker *waker, int milliseconds) {
  (void)waker, (void)milliseconds;
  return false;
}

bool fastio__file_wait(int fd, const fastio__waker *waker) {
  (void)fd, (void)waker;
  return false;
}

void fastio__pipe_enlarge(int fd, int size) { (void)fd, (void)size; }
bool fastio__is_try_again(int error) { return error == EAGAIN; }

int fastio__stdin_fd(void) { return 0; }

void fastio__file_advise_sequential(int fd) { (void)fd; /* only at opening */ }

/* ---- writing ---- */

/* With the right to append and none to write, every write goes behind the end. Permissions are not a thing here. */
int fastio__file_create(const char *path, int mode, unsigned permissions, int *fd) {
  (void)permissions;
  if (mode == FASTIO_APPEND) return open_fd(path, FILE_APPEND_DATA | SYNCHRONIZE, OPEN_ALWAYS, _O_APPEND, fd);
  return open_fd(path, GENERIC_WRITE, mode == FASTIO_EXCLUSIVE ? CREATE_NEW : CREATE_ALWAYS, _O_WRONLY, fd);
}

static int write_handle(int fd, const void *data, size_t size, size_t *put) {
  HANDLE handle;
  DWORD count = 0;
  int error = handle_of(fd, &handle);
  if (error) return error;
  if (!WriteFile(handle, data, (DWORD)size, &count, NULL)) return last_error();
  *put = count;
  return count > 0 ? 0 : ERROR_WRITE_FAULT;
}

int fastio__file_write(const fastio_env *env, int fd, const fastio_bytes *pieces, size_t count, size_t *put) {
  size_t size;
  int error;
  *put = 0;
  while (count > 0 && pieces->size == 0) pieces++, count--;
  if (count == 0) return 0;
  size = pieces->size < CALL_MAX ? pieces->size : CALL_MAX;
  if (!env || !env->write) return write_handle(fd, pieces->data, size, put);
  do error = hooked(env->write(env->ctx, fd, pieces->data, size), put);
  while (error == EINTR || error == EAGAIN);
  return error || *put > 0 ? error : ERROR_WRITE_FAULT;
}

/* Consoles and pipes have nothing to sync. */
int fastio__file_sync(int fd) {
  HANDLE handle;
  int error = handle_of(fd, &handle);
  if (error || GetFileType(handle) != FILE_TYPE_DISK) return error;
  return FlushFileBuffers(handle) ? 0 : last_error();
}

/* _isatty also means the null device. */
bool fastio__is_terminal(int fd) {
  HANDLE handle;
  DWORD mode;
  return handle_of(fd, &handle) == 0 && GetConsoleMode(handle, &mode);
}

int fastio__stdout_fd(void) { return 1; }
int fastio__stderr_fd(void) { return 2; }
int fastio__stdio_fd(FILE *file) { return _fileno(file); }

/* ---- names ---- */

int fastio__path_look(const char *path, bool follow, fastio__path_kind *kind) {
  int error = 0;
  DWORD attributes;
  wchar_t *wide = wide_path(path, &error);
  (void)follow; /* opening and renaming know about links themselves */
  *kind = FASTIO__PATH_NONE;
  if (!wide) return error;
  attributes = GetFileAttributesW(wide);
  if (attributes == INVALID_FILE_ATTRIBUTES) error = last_error();
  free(wide);
  if (error) return error == ERROR_FILE_NOT_FOUND ? 0 : error;
  *kind = (attributes & FILE_ATTRIBUTE_DEVICE) != 0 ? FASTIO__PATH_OTHER : FASTIO__PATH_FILE;
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return IS_DIRECTORY;
  return (attributes & FILE_ATTRIBUTE_READONLY) != 0 ? ERROR_ACCESS_DENIED : 0;
}

int fastio__link_read(const char *path, char *out, size_t capacity, size_t *size) {
  (void)path, (void)out, (void)capacity, (void)size;
  return ERROR_NOT_SUPPORTED;
}

int fastio__file_take_rights(int fd, const char *path) {
  (void)fd, (void)path; /* a new file has those of its directory */
  return 0;
}

int fastio__file_rename(const char *from, const char *to, bool exclusive) {
  DWORD flags = MOVEFILE_WRITE_THROUGH | (exclusive ? 0 : MOVEFILE_REPLACE_EXISTING);
  int error = 0;
  wchar_t *wide_from = wide_path(from, &error), *wide_to = wide_from ? wide_path(to, &error) : NULL;
  if (wide_to && !MoveFileExW(wide_from, wide_to, flags)) error = last_error();
  free(wide_from);
  free(wide_to);
  return error;
}

bool fastio__is_name_taken(int error) { return error == ERROR_FILE_EXISTS || error == ERROR_ALREADY_EXISTS; }

int fastio__file_remove(const char *path) {
  int error = 0;
  wchar_t *wide = wide_path(path, &error);
  if (wide && !DeleteFileW(wide)) error = last_error();
  free(wide);
  return error;
}

size_t fastio__directory_size(const char *path) {
  size_t size = strlen(path);
  while (size > 0 && !strchr("/\\:", path[size - 1])) size--;
  return size;
}

int fastio__directory_sync(const char *path) {
  (void)path; /* MOVEFILE_WRITE_THROUGH has seen to it */
  return 0;
}

uint64_t fastio__random(void) {
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  return ((uint64_t)now.QuadPart ^ (uint64_t)GetCurrentProcessId() << 40 ^ (uint64_t)GetCurrentThreadId() << 20) *
         UINT64_C(0x9e3779b97f4a7c15);
}

/* ---- directories ---- */

bool fastio__is_path_separator(char c) { return c == '/' || c == '\\'; }

bool fastio__path_exists(const char *path) {
  size_t size = strlen(path);
  int error = 0;
  wchar_t *wide = wide_path(path, &error);
  DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
  free(wide);
  if (attributes == INVALID_FILE_ATTRIBUTES) return false;
  return size == 0 || !fastio__is_path_separator(path[size - 1]) || (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

/* Names that are no UTF-16 can't be opened by a path in UTF-8 anyway: they are left out. */
static bool tell_name(const wchar_t *wide, bool (*each)(void *ctx, const char *name), void *ctx) {
  char name[MAX_PATH * 4];
  int size = WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, -1, name, sizeof name, NULL, NULL);
  return size == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || each(ctx, name);
}

int fastio__directory_each(const char *path, bool (*each)(void *ctx, const char *name), void *ctx) {
  size_t size = strlen(path);
  char *pattern = malloc(size + 3);
  int error = ERROR_NOT_ENOUGH_MEMORY;
  wchar_t *wide;
  HANDLE search;
  WIN32_FIND_DATAW found;
  if (!pattern) return error;
  memcpy(pattern, path, size);
  strcpy(pattern + size, size == 0 || fastio__is_path_separator(path[size - 1]) ? "*" : "/*");
  wide = wide_path(pattern, &error);
  free(pattern);
  if (!wide) return error;
  search = FindFirstFileW(wide, &found);
  error = search == INVALID_HANDLE_VALUE ? last_error() : 0;
  free(wide);
  if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND || error == ERROR_DIRECTORY) return 0;
  if (error) return error;
  while (tell_name(found.cFileName, each, ctx) && FindNextFileW(search, &found)) continue;
  FindClose(search);
  return 0;
}

/* ---- from descriptor to descriptor ---- */

uint64_t fastio__file_transfer(fastio__way way, int from, int to, uint64_t size) {
  (void)way, (void)from, (void)to, (void)size;
  return 0;
}

/* ---- memory ---- */

/* What offsets of maps must be a multiple of: 64 KiB, a multiple of what a page is. */
size_t fastio__page_size(void) {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwAllocationGranularity;
}

void *fastio__memory_reserve(size_t size) { return VirtualAlloc(NULL, size, MEM_RESERVE, PAGE_NOACCESS); }

int fastio__memory_commit(void *base, size_t offset, size_t size) {
  return VirtualAlloc((char *)base + offset, size, MEM_COMMIT, PAGE_READWRITE) ? 0 : last_error();
}

int fastio__memory_move(void *to, void *from, size_t used, size_t from_size) {
  int error = fastio__memory_commit(to, 0, used);
  if (error) return error;
  memcpy(to, from, used);
  fastio__memory_free(from, from_size);
  return 0;
}

/* A reservation ends as a whole: the memory goes back now, the addresses with the rest. */
void fastio__memory_trim(void *base, size_t size, size_t keep) {
  size_t page = fastio__page_size();
  keep = (keep + page - 1) / page * page;
  if (keep < size) VirtualFree((char *)base + keep, size - keep, MEM_DECOMMIT);
}

void fastio__memory_free(void *base, size_t size) {
  (void)size;
  if (base) VirtualFree(base, 0, MEM_RELEASE);
}

int fastio__file_map(int fd, uint64_t offset, size_t size, unsigned flags, void **out) {
  HANDLE handle;
  int error = handle_of(fd, &handle);
  if (error) return error;
  HANDLE mapping = CreateFileMappingW(handle, NULL, PAGE_READONLY, 0, 0, NULL);
  if (!mapping) return last_error();
  void *data = MapViewOfFile(mapping, FILE_MAP_READ, (DWORD)(offset >> 32), (DWORD)offset, size);
  error = data ? 0 : last_error();
  CloseHandle(mapping); /* the view keeps what it needs */
  if (error) return error;
  fastio__map_advise(data, size, flags);
  *out = data;
  return 0;
}

void fastio__file_unmap(void *data, size_t size) {
  (void)size;
  UnmapViewOfFile(data);
}

void fastio__map_advise(void *data, size_t size, unsigned flags) {
  WIN32_MEMORY_RANGE_ENTRY range = {data, size};
  if ((flags & (FASTIO_MAP_WILLNEED | FASTIO_MAP_POPULATE)) != 0)
    PrefetchVirtualMemory(GetCurrentProcess(), 1, &range, 0);
}

/* Nobody can truncate a file under a map here. */
bool fastio__guard_is_supported(void) { return false; }

int fastio__guard_add(const void *base, size_t size, fastio__guard **out) {
  (void)base, (void)size, (void)out;
  return ERROR_NOT_SUPPORTED;
}

const void *fastio__guard_lost(const fastio__guard *guard) {
  (void)guard;
  return NULL;
}

void fastio__guard_remove(fastio__guard *guard) { (void)guard; }

/* ---- threads ---- */

typedef struct start_info {
  HANDLE handle;
  void (*run)(void *ctx);
  void *ctx;
} start_info;

static unsigned __stdcall thread_main(void *argument) {
  start_info *info = argument;
  info->run(info->ctx);
  return 0;
}

int fastio__thread_start(fastio__thread *thread, void (*run)(void *ctx), void *ctx) {
  start_info *info = malloc(sizeof *info);
  if (!info) return ERROR_NOT_ENOUGH_MEMORY;
  info->run = run;
  info->ctx = ctx;
  info->handle = (HANDLE)_beginthreadex(NULL, 0, thread_main, info, 0, NULL);
  if (!info->handle) {
    free(info);
    return ERROR_MAX_THRDS_REACHED;
  }
  thread->handle = info;
  return 0;
}

void fastio__thread_join(fastio__thread *thread) {
  start_info *info = thread->handle;
  WaitForSingleObject(info->handle, INFINITE);
  CloseHandle(info->handle);
  free(info);
}

_Static_assert(sizeof(SRWLOCK) <= sizeof(fastio__mutex), "fastio__mutex is too small");
_Static_assert(sizeof(CONDITION_VARIABLE) <= sizeof(fastio__condition), "fastio__condition is too small");

static SRWLOCK *as_lock(fastio__mutex *mutex) { return (SRWLOCK *)(void *)mutex; }
static CONDITION_VARIABLE *as_condition(fastio__condition *condition) {
  return (CONDITION_VARIABLE *)(void *)condition;
}

int fastio__mutex_init(fastio__mutex *mutex) {
  InitializeSRWLock(as_lock(mutex));
  return 0;
}
void fastio__mutex_destroy(fastio__mutex *mutex) { (void)mutex; }
void fastio__mutex_lock(fastio__mutex *mutex) { AcquireSRWLockExclusive(as_lock(mutex)); }
void fastio__mutex_unlock(fastio__mutex *mutex) { ReleaseSRWLockExclusive(as_lock(mutex)); }
int fastio__condition_init(fastio__condition *condition) {
  InitializeConditionVariable(as_condition(condition));
  return 0;
}
void fastio__condition_destroy(fastio__condition *condition) { (void)condition; }
void fastio__condition_wait(fastio__condition *condition, fastio__mutex *mutex) {
  SleepConditionVariableSRW(as_condition(condition), as_lock(mutex), INFINITE, 0);
}
void fastio__condition_broadcast(fastio__condition *condition) { WakeAllConditionVariable(as_condition(condition)); }

unsigned fastio__cpu_count(void) {
  DWORD_PTR process, machine;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &process, &machine) || process == 0) return 1;
  return fastio__popcount64((uint64_t)process);
}

#else
typedef int fastio__win32_unused; /* a translation unit must not be empty */
#endif
