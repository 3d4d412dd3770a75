/* SPDX-License-Identifier: MIT */
/* A core file: its threads, and its memory. The names of threads are not in it. */
#include "who/core.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"

struct core {
    int file;
    Elf *elf;
    pid_t process;
    size_t segment_count, thread_count;
    GElf_Phdr *segments;
    struct who_thread *threads;
    uint64_t headers;  /* where the program's own are in memory */
    const char *files; /* a note */
    size_t files_size;
    char *program;
};

static void add_thread(struct core *core, const void *note)
{
    struct elf_prstatus status;
    memcpy(&status, note, sizeof status);
    core->threads = need_memory(realloc(core->threads, (core->thread_count + 1) * sizeof *core->threads));
    struct who_thread *thread = &core->threads[core->thread_count++];
    *thread = (struct who_thread){.number = status.pr_pid, .inner_number = status.pr_pid};
    registers_read(&status.pr_reg, sizeof status.pr_reg, thread);
    thread->state = thread->futex ? 'S' : STATE_OF_CORE;
}

/* Pairs of numbers. */
static void read_auxiliary(struct core *core, const char *note, size_t size)
{
    Elf64_auxv_t pair;
    for (size_t at = 0; at + sizeof pair <= size; at += sizeof pair) {
        memcpy(&pair, note + at, sizeof pair);
        if (pair.a_type == AT_PHDR)
            core->headers = pair.a_un.a_val;
    }
}

/* A count and the size of a page; for each file start, end and offset; then their names. The program is the file that
 * has the program headers. */
static void find_program(struct core *core)
{
    const char *note = core->files;
    size_t size = core->files_size;
    uint64_t count, range[3];
    if (size < 2 * sizeof count)
        return;
    memcpy(&count, note, sizeof count);
    if (count > (size - 2 * sizeof count) / sizeof range)
        return;
    const char *ranges = note + 2 * sizeof count, *name = ranges + count * sizeof range, *end = note + size;
    for (uint64_t i = 0; i < count && name < end && !core->program; i++) {
        memcpy(range, ranges + i * sizeof range, sizeof range);
        size_t length = strnlen(name, (size_t)(end - name));
        if (range[0] <= core->headers && core->headers < range[1])
            core->program = need_memory(strndup(name, length));
        name += length + 1;
    }
}

static void read_note(struct core *core, const GElf_Nhdr *header, const char *note)
{
    struct elf_prpsinfo about;
    if (header->n_type == NT_ARM_TLS && core->thread_count)
        registers_read_pointer(note, header->n_descsz, &core->threads[core->thread_count - 1]);
    else if (header->n_type == NT_PRSTATUS && header->n_descsz == sizeof(struct elf_prstatus))
        add_thread(core, note);
    else if (header->n_type == NT_AUXV)
        read_auxiliary(core, note, header->n_descsz);
    else if (header->n_type == NT_FILE)
        core->files = note, core->files_size = header->n_descsz;
    else if (header->n_type == NT_PRPSINFO && header->n_descsz == sizeof about) {
        memcpy(&about, note, sizeof about);
        core->process = about.pr_pid;
    }
}

static bool is_name(const GElf_Nhdr *header, const char *name, const char *wanted)
{
    return header->n_namesz == strlen(wanted) + 1 && strcmp(name, wanted) == 0;
}

static void read_notes(struct core *core, const GElf_Phdr *segment)
{
    GElf_Nhdr header;
    size_t name, description;
    Elf_Data *data = elf_getdata_rawchunk(core->elf, (int64_t)segment->p_offset, segment->p_filesz, ELF_T_NHDR);
    for (size_t at = 0; data && (at = gelf_getnote(data, at, &header, &name, &description)) > 0;)
        if (is_name(&header, (const char *)data->d_buf + name, "CORE") ||
            is_name(&header, (const char *)data->d_buf + name, "LINUX"))
            read_note(core, &header, (const char *)data->d_buf + description);
}

static const char *why_not(struct core *core)
{
    GElf_Ehdr header, own;
    Elf *self;
    if (elf_kind(core->elf) != ELF_K_ELF || !gelf_getehdr(core->elf, &header) || header.e_type != ET_CORE)
        return "it is no core file";
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    self = elf_begin(file, ELF_C_READ, NULL);
    bool is_alike = self && gelf_getehdr(self, &own) && own.e_machine == header.e_machine;
    elf_end(self);
    close(file);
    return is_alike ? NULL : "it is of another kind of machine";
}

bool core_is_cut(const struct core *core)
{
    struct stat about;
    uint64_t end = 0;
    for (size_t i = 0; i < core->segment_count; i++)
        if (core->segments[i].p_offset + core->segments[i].p_filesz > end)
            end = core->segments[i].p_offset + core->segments[i].p_filesz;
    return fstat(core->file, &about) == 0 && (uint64_t)about.st_size < end;
}

struct core *core_open(const char *path, char why[256])
{
    struct core *core = need_memory(calloc(1, sizeof *core));
    elf_version(EV_CURRENT);
    core->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* of a pipe it would wait for a writer */
    core->elf = core->file < 0 ? NULL : elf_begin(core->file, ELF_C_READ_MMAP, NULL);
    const char *reason = core->file < 0 ? strerror(errno) : why_not(core);
    if (reason) {
        snprintf(why, 256, "%s", reason);
        core_close(core);
        return NULL;
    }
    elf_getphdrnum(core->elf, &core->segment_count);
    core->segments = need_memory(calloc(core->segment_count + 1, sizeof *core->segments));
    for (size_t i = 0; i < core->segment_count; i++)
        if (gelf_getphdr(core->elf, (int)i, &core->segments[i]) && core->segments[i].p_type == PT_NOTE)
            read_notes(core, &core->segments[i]);
    find_program(core);
    if (core->thread_count == 0) {
        snprintf(why, 256, "%s",
                 core_is_cut(core) ? "it is cut off, and its threads are missing" : "it has no threads");
        core_close(core);
        return NULL;
    }
    return core;
}

void core_close(struct core *core)
{
    elf_end(core->elf);
    if (core->file >= 0)
        close(core->file);
    free(core->segments);
    free(core->threads);
    free(core->program);
    free(core);
}

bool core_read(const struct core *core, uint64_t address, void *to, size_t size)
{
    for (size_t i = 0; i < core->segment_count; i++) {
        const GElf_Phdr *segment = &core->segments[i];
        uint64_t from = address - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && from < segment->p_filesz &&
            size <= segment->p_filesz - from)
            return pread(core->file, to, size, (off_t)(segment->p_offset + from)) == (ssize_t)size;
    }
    return false;
}

Elf *core_elf(const struct core *core)
{
    return core->elf;
}

pid_t core_process(const struct core *core)
{
    return core->process;
}

const char *core_program(const struct core *core)
{
    return core->program;
}

size_t core_threads(const struct core *core, const struct who_thread **threads)
{
    *threads = core->threads;
    return core->thread_count;
}
