/* SPDX-License-Identifier: MIT */
#include "who/who.h"

#include <ctype.h>
#include <dirent.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cli/command.h"
#include "preload/select-lock.h"
#include "who/core.h"

static Dwfl *dwfl;

/* ---- Memory and symbols ---- */

bool process_read(const struct who_process *process, uint64_t address, void *to, size_t size)
{
    if (process->core)
        return core_read(process->core, address, to, size);
    struct iovec here = {to, size}, there = {(void *)address, size};
    return process_vm_readv(process->through, &here, 1, &there, 1, 0) == (ssize_t)size;
}

const char *process_symbol(uint64_t address, uint64_t *offset)
{
    GElf_Sym symbol;
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    return module ? dwfl_module_addrinfo(module, address, offset, &symbol, NULL, NULL, NULL) : NULL;
}

/* The call in the function itself, where what is at the address was inlined: recip_mutex_lock always is. */
static const char *inlined_call(Dwfl_Module *module, uint64_t address, int *number)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias), *lexical = NULL, *scopes = NULL, *call = NULL;
    int count = unit ? dwarf_getscopes(unit, address - bias, &lexical) : 0;
    count = count > 0 ? dwarf_getscopes_die(&lexical[0], &scopes) : 0;
    for (int i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
            call = &scopes[i];
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files;
    size_t file_count;
    bool is_known = call && dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &file) == 0 &&
                    dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &line) == 0 &&
                    dwarf_getsrcfiles(unit, &files, &file_count) == 0;
    free(lexical);
    free(scopes);
    *number = (int)line;
    return is_known ? dwarf_filesrc(files, file, NULL, NULL) : NULL;
}

bool process_line(uint64_t address, char text[128])
{
    int number = 0;
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address - 1);
    const char *file = module ? inlined_call(module, address - 1, &number) : NULL;
    Dwfl_Line *line = module && !file ? dwfl_module_getsrc(module, address - 1) : NULL;
    if (line)
        file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
    if (!file)
        return false;
    const char *slash = strrchr(file, '/');
    snprintf(text, 128, "%.100s:%d", slash ? slash + 1 : file, number);
    return true;
}

static const char *module_name(Dwfl_Module *module)
{
    const char *path = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

const char *process_module(uint64_t address, uint64_t *offset)
{
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    Dwarf_Addr start = 0;
    if (!module)
        return NULL;
    dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    *offset = address - start;
    return module_name(module);
}

/* A name may have a version behind it: libc-2.31.so, librecip.so.0.1. */
enum library process_library(uint64_t address)
{
    static const struct {
        const char *beginning;
        enum library library;
    } all[] = {{"librecip-preload.so", LIBRARY_PRELOAD},
               {"librecip.so", LIBRARY_RECIP},
               {"libc.so", LIBRARY_GLIBC},
               {"libc-", LIBRARY_GLIBC},
               {"libpthread", LIBRARY_GLIBC},
               {"ld-linux", LIBRARY_GLIBC}};
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    for (size_t i = 0; module && i < sizeof all / sizeof *all; i++)
        if (strncmp(module_name(module), all[i].beginning, strlen(all[i].beginning)) == 0)
            return all[i].library;
    return LIBRARY_NONE;
}

/* A symbol in the files whose names begin so; in files that are no shared libraries for a null one. */
struct wanted {
    const char *file, *name;
    bool is_loaded;
    uint64_t address;
};

static bool is_wanted(const struct wanted *wanted, const char *file)
{
    return wanted->file ? strncmp(file, wanted->file, strlen(wanted->file)) == 0 : !strstr(file, ".so");
}

static int find_in_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start, void *argument)
{
    struct wanted *wanted = argument;
    (void)data;
    (void)name;
    (void)start;
    if (!is_wanted(wanted, module_name(module)))
        return DWARF_CB_OK;
    wanted->is_loaded = true;
    int count = wanted->name ? dwfl_module_getsymtab(module) : 0;
    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *found = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (found && symbol.st_shndx != SHN_UNDEF && strcmp(found, wanted->name) == 0)
            wanted->address = address;
    }
    return wanted->address ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static struct wanted find_in(const char *file, const char *name)
{
    struct wanted wanted = {.file = file, .name = name};
    dwfl_getmodules(dwfl, find_in_module, &wanted, 0);
    return wanted;
}

uint64_t process_preload_symbol(const char *name)
{
    return find_in("librecip-preload.so", name).address;
}

uint64_t process_librecip_symbol(const char *name)
{
    uint64_t address = find_in("librecip.so", name).address;
    return address ? address : find_in(NULL, name).address;
}

/* ---- Threads ---- */

static bool read_text(pid_t process, pid_t thread, const char *file, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)process, (int)thread, file);
    FILE *stream = fopen(path, "re");
    size_t length = stream ? fread(text, 1, size - 1, stream) : 0;
    text[length] = '\0';
    if (stream)
        fclose(stream);
    return length > 0;
}

/* "202 0xADDRESS ...": the number of the system call, and its six arguments. */
static void read_call(const char *text, struct who_thread *thread)
{
    long call;
    unsigned long word, kinds;
    if (sscanf(text, "%ld 0x%lx 0x%*x 0x%*x 0x%*x 0x%*x 0x%lx", &call, &word, &kinds) != 3 || call != SYS_futex)
        return;
    thread->futex = word;
    thread->futex_kinds = (uint32_t)kinds;
}

static int take_frame(Dwfl_Frame *frame, void *argument)
{
    struct who_thread *thread = argument;
    Dwarf_Addr address;
    bool is_activation;
    if (thread->frame_count == WHO_FRAMES || !dwfl_frame_pc(frame, &address, &is_activation))
        return DWARF_CB_ABORT;
    thread->frames[thread->frame_count++] = address;
    return DWARF_CB_OK;
}

/* While they are taken, the thread is stopped and traced. */
static int take_frame_and_registers(Dwfl_Frame *frame, void *argument)
{
    struct who_thread *thread = argument;
    if (thread->frame_count == 0)
        registers_ask(thread);
    return take_frame(frame, argument);
}

/* "NSpid: 4711 12": in each namespace, from ours to its own. */
static void read_inner_number(pid_t process, struct who_thread *thread)
{
    char text[4096];
    thread->inner_number = thread->number;
    const char *line =
        read_text(process, thread->number, "status", text, sizeof text) ? strstr(text, "\nNSpid:") : NULL;
    for (char *end = (char *)(line ? line + 7 : ""); *end == '\t' || *end == ' ';)
        thread->inner_number = (pid_t)strtol(end, &end, 10);
}

static void read_thread(pid_t process, struct who_thread *thread)
{
    char text[512];
    if (read_text(process, thread->number, "comm", text, sizeof text)) {
        text[strcspn(text, "\n")] = '\0';
        snprintf(thread->name, sizeof thread->name, "%.15s", text);
    }
    const char *end = read_text(process, thread->number, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    thread->state = '?';
    if (end && end[1] && end[2])
        thread->state = end[2];
    if (read_text(process, thread->number, "syscall", text, sizeof text))
        read_call(text, thread);
    read_inner_number(process, thread);
    dwfl_getthread_frames(dwfl, thread->number, take_frame_and_registers, thread);
}

static void read_threads(struct who_process *process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process->number);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        process->threads = need_memory(realloc(process->threads, (process->count + 1) * sizeof *process->threads));
        process->threads[process->count] = (struct who_thread){.number = atoi(entry->d_name)};
        read_thread(process->number, &process->threads[process->count++]);
    }
    if (folder)
        closedir(folder);
}

/* One process at a time can trace another. And the kernel may forbid it (Yama). */
static void explain_missing_stacks(struct who_process *process)
{
    char text[4096];
    for (size_t i = 0; i < process->count; i++)
        if (process->threads[i].frame_count)
            return;
    const char *reason = dwfl_errmsg(-1);
    const char *tracer =
        read_text(process->number, process->through, "status", text, sizeof text) ? strstr(text, "TracerPid:") : NULL;
    int number = tracer ? atoi(tracer + strlen("TracerPid:")) : 0;
    if (number)
        snprintf(process->no_stacks, sizeof process->no_stacks, "process %d traces it, as gdb and strace do", number);
    else
        snprintf(process->no_stacks, sizeof process->no_stacks, "%s%s", reason ? reason : "the reason is not known",
                 access("/proc/sys/kernel/yama/ptrace_scope", F_OK) == 0 ? "; see kernel.yama.ptrace_scope" : "");
}

static void read_core_threads(struct who_process *process)
{
    const struct who_thread *threads;
    process->count = core_threads(process->core, &threads);
    process->threads = need_memory(calloc(process->count + 1, sizeof *threads));
    for (size_t i = 0; i < process->count; i++) {
        process->threads[i] = threads[i];
        dwfl_getthread_frames(dwfl, threads[i].number, take_frame, &process->threads[i]);
    }
}

/* ---- What it runs on ---- */

/* 0, if there is no such variable. */
static int64_t variable(const struct who_process *process, uint64_t address, size_t size)
{
    int64_t value = 0;
    return address && process_read(process, address, &value, size) ? value : 0;
}

static void find_libraries(struct who_process *process)
{
    bool has_preload = find_in("librecip-preload.so", NULL).is_loaded;
    unsigned mode = MODE_GLIBC;
    if (has_preload)
        mode = (unsigned)variable(process, process_preload_symbol("recip_preload_mode"), sizeof mode);
    process->number_offset = variable(process, process_preload_symbol("recip_preload_number_offset"), 8);
    process->kept_offset = variable(process, process_librecip_symbol("recip_kept_offset_"), 8);
    process->is_on_zoo = mode & MODE_ZOO;
    process->is_on_recip = !(mode & (MODE_ZOO | MODE_GLIBC));
    process->has_librecip = find_in("librecip.so", NULL).is_loaded || find_in(NULL, "recip_mutex_lock_slow_").address;
    process->has_glibc = find_in("libc.so", NULL).is_loaded || find_in("libc-", NULL).is_loaded ||
                         find_in(NULL, "pthread_mutex_lock").address;
}

/* What the libraries keep for each thread. */
static void read_thread_data(struct who_process *process)
{
    for (size_t i = 0; i < process->count; i++) {
        struct who_thread *thread = &process->threads[i];
        uint64_t at = thread->thread_pointer;
        if (at && process->number_offset)
            process_read(process, at + (uint64_t)process->number_offset, &thread->library_number,
                         sizeof thread->library_number);
        if (at && process->kept_offset)
            process_read(process, at + (uint64_t)process->kept_offset, &thread->kept, sizeof thread->kept);
    }
}

/* ---- The files that are loaded ---- */

/* The process may see other files under these names, as in a container. One that has been deleted, perhaps because it
 * was replaced, can be read as long as the process runs it. */

static pid_t reported;

static bool is_own_program(const char *name)
{
    char path[64], program[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)reported);
    ssize_t length = readlink(path, program, sizeof program - 1);
    return length > 0 && strncmp(name, program, (size_t)length) == 0 && !name[length];
}

/* Under the name that the kernel has for what is loaded there. */
static int open_mapped(Dwarf_Addr start)
{
    char path[128], *line = NULL;
    size_t size = 0;
    unsigned long from = 0, to = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)reported);
    FILE *maps = fopen(path, "re");
    while (maps && getline(&line, &size, maps) > 0 && (sscanf(line, "%lx-%lx", &from, &to) != 2 || from != start))
        continue;
    free(line);
    if (maps)
        fclose(maps);
    snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)reported, from, to);
    return from == start ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start, char **file_name, Elf **elf)
{
    static const char deleted[] = " (deleted)";
    size_t length = strlen(name), end = sizeof deleted - 1;
    bool is_deleted = length > end && strcmp(name + length - end, deleted) == 0;
    char path[PATH_MAX + 64];
    int file = -1;
    if (is_own_program(name))
        snprintf(path, sizeof path, "/proc/%d/exe", (int)reported);
    else
        snprintf(path, sizeof path, "/proc/%d/root%s", (int)reported, name);
    if (name[0] == '/')
        file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && is_deleted)
        file = open_mapped(start);
    if (file < 0)
        return dwfl_linux_proc_find_elf(module, data, name, start, file_name, elf);
    *file_name = strndup(name, is_deleted ? length - end : length);
    return file;
}

/* ---- Beginning and end ---- */

/* Without memory, as one that has ended, there is nothing to read by it. */
static bool has_memory(pid_t process, pid_t thread)
{
    char text[4096];
    return read_text(process, thread, "status", text, sizeof text) && strstr(text, "\nVmSize:");
}

static pid_t find_way_in(pid_t number)
{
    char path[64];
    pid_t found = number;
    snprintf(path, sizeof path, "/proc/%d/task", (int)number);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && !has_memory(number, found) && (entry = readdir(folder));)
        if (isdigit((unsigned char)entry->d_name[0]))
            found = atoi(entry->d_name);
    if (folder)
        closedir(folder);
    return found;
}

struct who_process *process_open(pid_t number, char why[256])
{
    static char *no_path;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .debuginfo_path = &no_path};
    reported = find_way_in(number);
    dwfl = dwfl_begin(&callbacks);
    int error = dwfl ? dwfl_linux_proc_report(dwfl, reported) : ENOMEM;
    if (dwfl)
        dwfl_report_end(dwfl, NULL, NULL);
    if (!error)
        error = dwfl_linux_proc_attach(dwfl, reported, false);
    if (error) {
        snprintf(why, 256, "%s", error > 0 ? strerror(error) : dwfl_errmsg(-1));
        return NULL;
    }
    struct who_process *process = need_memory(calloc(1, sizeof *process));
    process->number = number;
    process->through = reported;
    find_libraries(process);
    read_threads(process);
    explain_missing_stacks(process);
    read_thread_data(process);
    return process;
}

struct who_process *process_open_core(const char *path, const char *program, char why[256])
{
    static char *no_path;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .debuginfo_path = &no_path};
    struct core *core = core_open(path, why);
    if (!core)
        return NULL;
    dwfl = need_memory(dwfl_begin(&callbacks));
    bool is_there = dwfl_core_file_report(dwfl, core_elf(core), program ? program : core_program(core)) >= 0;
    dwfl_report_end(dwfl, NULL, NULL);
    if (!is_there || dwfl_core_file_attach(dwfl, core_elf(core)) < 0) {
        const char *reason = dwfl_errmsg(-1);
        snprintf(why, 256, "%s", reason ? reason : "libdw does not understand it");
        dwfl_end(dwfl);
        core_close(core);
        return NULL;
    }
    struct who_process *process = need_memory(calloc(1, sizeof *process));
    process->core = core;
    process->is_cut_off = core_is_cut(core);
    process->number = core_process(core);
    find_libraries(process);
    read_core_threads(process);
    read_thread_data(process);
    return process;
}

void process_close(struct who_process *process)
{
    dwfl_end(dwfl);
    if (process->core)
        core_close(process->core);
    free(process->threads);
    free(process);
}
