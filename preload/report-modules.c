/* SPDX-License-Identifier: MIT */
/* dladdr knows the functions and variables that a module exports. A program exports few of its own, and a static mutex
 * is in the symbol table of the file only. */
#define RECIP_UNANNOTATED
#include "preload/report-modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/loaded-modules.h"

enum { MAX_MODULES = 64 };

static struct module modules[MAX_MODULES];
static int module_count;

/* The program itself has no name in the list of modules. */
static struct module *add_module(uintptr_t bias, const char *name)
{
    if (module_count == MAX_MODULES)
        return NULL;
    struct module *module = &modules[module_count++];
    *module = (struct module){.bias = bias};
    if (name[0]) {
        snprintf(module->path, sizeof module->path, "%s", name);
    } else {
        ssize_t length = readlink("/proc/self/exe", module->path, sizeof module->path - 1);
        module->path[length > 0 ? length : 0] = '\0';
    }
    const char *slash = strrchr(module->path, '/');
    module->name = slash ? slash + 1 : module->path;
    return module;
}

static struct module *find_module(const void *address)
{
    Dl_info info;
    struct link_map *map = NULL;
    bool is_loaded = dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && map;
    const struct loaded_module *before = is_loaded ? NULL : loaded_module_at(address);
    if (!is_loaded && !before)
        return NULL;
    uintptr_t bias = is_loaded ? map->l_addr : before->bias;
    const char *name = is_loaded ? map->l_name : before->path;
    for (int i = 0; i < module_count; i++)
        if (modules[i].bias == bias && (!name[0] || strcmp(modules[i].path, name) == 0))
            return &modules[i];
    return add_module(bias, name);
}

const struct module *module_of(const void *address)
{
    return find_module(address);
}

/* ---- The file ---- */

static const void *inside(const struct module *module, uint64_t offset, uint64_t size)
{
    return offset <= module->size && size <= module->size - offset ? module->file + offset : NULL;
}

static bool map_file(struct module *module)
{
    static const unsigned char nothing[1];
    if (module->file)
        return module->size > 0;
    struct stat about;
    int file = open(module->path, O_RDONLY | O_CLOEXEC);
    module->file = nothing;
    if (file < 0)
        return false;
    if (fstat(file, &about) == 0 && about.st_size > (off_t)sizeof(Elf64_Ehdr)) {
        void *memory = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (memory != MAP_FAILED) {
            module->file = memory;
            module->size = (size_t)about.st_size;
        }
    }
    close(file);
    return module->size > 0;
}

void modules_end(void)
{
    for (int i = 0; i < module_count; i++)
        if (modules[i].size)
            munmap((void *)modules[i].file, modules[i].size);
    module_count = 0;
}

/* ---- Its sections ---- */

/* All of them; null if it is no ELF file. */
static const Elf64_Shdr *find_sections(const struct module *module, int *count)
{
    const Elf64_Ehdr *header = inside(module, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return NULL;
    *count = header->e_shnum;
    return inside(module, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
}

static const Elf64_Shdr *find_section(const struct module *module, uint32_t type)
{
    int count = 0;
    const Elf64_Shdr *sections = find_sections(module, &count);
    for (int i = 0; sections && i < count; i++)
        if (sections[i].sh_type == type && sections[i].sh_link < (uint32_t)count)
            return &sections[i];
    return NULL;
}

/* A section's bytes; null if there is none of that name. */
static const unsigned char *find_named(const struct module *module, const char *name, uint64_t *size)
{
    int count = 0;
    const Elf64_Shdr *sections = find_sections(module, &count);
    unsigned names = sections ? ((const Elf64_Ehdr *)(const void *)module->file)->e_shstrndx : 0;
    const char *all =
        names && names < (unsigned)count ? inside(module, sections[names].sh_offset, sections[names].sh_size) : NULL;
    for (int i = 0; all && i < count; i++) {
        uint64_t at = sections[i].sh_name, length = strlen(name) + 1;
        if (at > sections[names].sh_size || length > sections[names].sh_size - at ||
            memcmp(all + at, name, length) != 0)
            continue;
        *size = sections[i].sh_size;
        return inside(module, sections[i].sh_offset, sections[i].sh_size);
    }
    return NULL;
}

/* ---- Whether debuggers know more than dladdr ---- */

static bool has_named(const struct module *module, const char *name)
{
    uint64_t size;
    return find_named(module, name, &size);
}

/* A header of 16 bytes, then the number. */
static bool has_file_by_number(const struct module *module)
{
    enum { HEADER = 16, MOST = 64 };
    char path[64 + 2 * MOST];
    uint64_t size = 0;
    const unsigned char *note = find_named(module, ".note.gnu.build-id", &size);
    if (!note || size <= HEADER + 1 || size > HEADER + MOST)
        return false;
    int length = snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%02x/", note[HEADER]);
    for (uint64_t i = HEADER + 1; i < size; i++)
        length += snprintf(path + length, sizeof path - (size_t)length, "%02x", note[i]);
    snprintf(path + length, sizeof path - (size_t)length, ".debug");
    return access(path, R_OK) == 0;
}

/* The section begins with a file's name, which is beside the module, or in a folder for such files. */
static bool has_file_by_name(const struct module *module)
{
    static const char *const places[] = {"%s%.*s%s", "%s%.*s.debug/%s", "%s%.*s%s"};
    char path[sizeof module->path + 512];
    uint64_t size = 0;
    const char *link = (const char *)find_named(module, ".gnu_debuglink", &size);
    int folder = (int)(module->name - module->path);
    if (!link || !memchr(link, 0, size < 255 ? size : 255))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, places[i], i == 2 ? "/usr/lib/debug" : "", folder, module->path, link);
        if (strcmp(path, module->path) != 0 && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool module_has_lines(const struct module *of)
{
    struct module *module = (struct module *)of;
    if (module->lines == LINES_UNKNOWN) {
        bool has_lines = !map_file(module) || find_section(module, SHT_SYMTAB) || has_named(module, ".debug_line") ||
                         has_named(module, ".zdebug_line") || has_file_by_number(module) || has_file_by_name(module);
        module->lines = has_lines ? LINES_MAYBE : LINES_NONE;
    }
    return module->lines == LINES_MAYBE;
}

/* ---- Its symbols ---- */

struct table {
    const Elf64_Sym *symbols;
    size_t count;
    const char *names;
    uint64_t names_size;
};

static struct table find_table(const struct module *module, uint32_t type)
{
    struct table table = {0};
    const Elf64_Shdr *section = find_section(module, type);
    if (!section)
        return table;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)module->file;
    const Elf64_Shdr *names = (const Elf64_Shdr *)(const void *)(module->file + header->e_shoff) + section->sh_link;
    table.symbols = inside(module, section->sh_offset, section->sh_size);
    table.names = inside(module, names->sh_offset, names->sh_size);
    table.names_size = names->sh_size;
    if (table.symbols && table.names && names->sh_size && !table.names[names->sh_size - 1])
        table.count = section->sh_size / sizeof *table.symbols;
    return table;
}

/* Its name; "" if there is none. */
static const char *name_in(const struct table *table, const Elf64_Sym *symbol)
{
    return symbol->st_name < table->names_size ? table->names + symbol->st_name : "";
}

static bool search(const struct module *module, uint32_t section, unsigned char type, uintptr_t offset,
                   struct symbol *found)
{
    struct table table = find_table(module, section);
    for (size_t i = 0; i < table.count; i++) {
        const Elf64_Sym *each = &table.symbols[i];
        if (ELF64_ST_TYPE(each->st_info) != type || offset < each->st_value || offset - each->st_value >= each->st_size)
            continue;
        *found = (struct symbol){name_in(&table, each), (const void *)(module->bias + each->st_value), each->st_size};
        return true;
    }
    return false;
}

static bool find_symbol(const void *address, unsigned char type, struct symbol *symbol)
{
    struct module *module = find_module(address);
    if (!module || !map_file(module))
        return false;
    uintptr_t offset = (uintptr_t)address - module->bias;
    return search(module, SHT_SYMTAB, type, offset, symbol) || search(module, SHT_DYNSYM, type, offset, symbol);
}

bool module_function(const void *address, struct symbol *symbol)
{
    return find_symbol(address, STT_FUNC, symbol);
}

bool module_variable(const void *address, struct symbol *symbol)
{
    return find_symbol(address, STT_OBJECT, symbol);
}

/* _ZN4shop7AccountC2Ev, _ZTIN4shop7AccountE, _ZTI7Account. */
static bool is_of_class(const char *name, const char *scope)
{
    size_t length = strlen(scope);
    if (strncmp(name, "_ZN", 3) == 0)
        return strncmp(name + 3, scope, length) == 0 && (name[3 + length] == 'C' || name[3 + length] == 'D') &&
               name[4 + length] >= '0' && name[4 + length] <= '5';
    if (strncmp(name, "_ZTI", 4) != 0)
        return false;
    return strncmp(name + 4 + (name[4] == 'N'), scope, length) == 0 &&
           strcmp(name + 4 + (name[4] == 'N') + length, name[4] == 'N' ? "E" : "") == 0;
}

bool module_has_class(const void *address, const char *scope)
{
    struct module *module = find_module(address);
    if (!module || !map_file(module))
        return false;
    struct table table = find_table(module, SHT_SYMTAB);
    for (size_t i = 0; i < table.count; i++)
        if (is_of_class(name_in(&table, &table.symbols[i]), scope))
            return true;
    return false;
}
