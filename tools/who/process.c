/* SPDX-License-Identifier: MIT */
#include "who/who.h"

#include <ctype.h>
#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cli/command.h"

static Dwfl *dwfl;

/* ---- Memory and symbols ---- */

bool process_read(const struct who_process *process, uint64_t address, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)address, size};
    return process_vm_readv(process->number, &here, 1, &there, 1, 0) == (ssize_t)size;
}

const char *process_symbol(uint64_t address, uint64_t *offset)
{
    GElf_Sym symbol;
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    return module ? dwfl_module_addrinfo(module, address, offset, &symbol, NULL, NULL, NULL) : NULL;
}

bool process_line(uint64_t address, char text[128])
{
    int number = 0;
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address - 1);
    Dwfl_Line *line = module ? dwfl_module_getsrc(module, address - 1) : NULL;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
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

bool process_is_library(uint64_t address)
{
    static const char *const names[] = {"libc.so", "libc-", "libpthread", "ld-linux", "librecip"};
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    for (size_t i = 0; module && i < sizeof names / sizeof *names; i++)
        if (strncmp(module_name(module), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

struct wanted {
    const char *name;
    bool is_loaded;
    uint64_t address;
};

static int find_in_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start, void *argument)
{
    struct wanted *wanted = argument;
    (void)data;
    (void)name;
    (void)start;
    if (strcmp(module_name(module), "librecip-preload.so") != 0)
        return DWARF_CB_OK;
    wanted->is_loaded = true;
    int count = dwfl_module_getsymtab(module);
    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *found = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (found && strcmp(found, wanted->name) == 0)
            wanted->address = address;
    }
    return DWARF_CB_ABORT;
}

static struct wanted find_in_preload(const char *name)
{
    struct wanted wanted = {.name = name};
    dwfl_getmodules(dwfl, find_in_module, &wanted, 0);
    return wanted;
}

uint64_t process_preload_symbol(const char *name)
{
    return find_in_preload(name).address;
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

/* "202 0xADDRESS ...": the number of the system call, then its arguments. */
static uint64_t futex_of(const char *text)
{
    long call;
    unsigned long address;
    bool is_futex = sscanf(text, "%ld 0x%lx", &call, &address) == 2 && call == SYS_futex;
    return is_futex ? address : 0;
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

static void read_thread(pid_t process, struct who_thread *thread)
{
    char text[512];
    if (read_text(process, thread->number, "comm", text, sizeof text)) {
        text[strcspn(text, "\n")] = '\0';
        snprintf(thread->name, sizeof thread->name, "%.15s", text);
    }
    const char *end = read_text(process, thread->number, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    thread->state = end && end[1] && end[2] ? end[2] : '?';
    if (read_text(process, thread->number, "syscall", text, sizeof text))
        thread->futex = futex_of(text);
    dwfl_getthread_frames(dwfl, thread->number, take_frame, thread);
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

/* The variable that says so is in the environment that the process began with. */
static bool is_on_zoo(pid_t number)
{
    char path[64], *line = NULL;
    size_t size = 0;
    bool is = false;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)number);
    FILE *stream = fopen(path, "re");
    while (stream && getdelim(&line, &size, '\0', stream) > 0)
        if (strncmp(line, "RECIP_LOCK=", 11) == 0)
            is = line[11] && strcmp(line + 11, "mutex") != 0 && strcmp(line + 11, "pthread") != 0;
    if (stream)
        fclose(stream);
    free(line);
    return is;
}

struct who_process *process_open(pid_t number, char why[256])
{
    static char *no_path;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .debuginfo_path = &no_path};
    dwfl = dwfl_begin(&callbacks);
    int error = dwfl ? dwfl_linux_proc_report(dwfl, number) : ENOMEM;
    if (dwfl)
        dwfl_report_end(dwfl, NULL, NULL);
    if (!error)
        error = dwfl_linux_proc_attach(dwfl, number, false);
    if (error) {
        snprintf(why, 256, "%s", error > 0 ? strerror(error) : dwfl_errmsg(-1));
        return NULL;
    }
    struct who_process *process = need_memory(calloc(1, sizeof *process));
    process->number = number;
    process->is_on_zoo = is_on_zoo(number);
    process->is_on_recip = find_in_preload("").is_loaded && !process->is_on_zoo;
    read_threads(process);
    return process;
}

void process_close(struct who_process *process)
{
    dwfl_end(dwfl);
    free(process->threads);
    free(process);
}
