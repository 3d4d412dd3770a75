/* SPDX-License-Identifier: MIT */
/* recip: finds the command that is asked for and calls it. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/suggest.h"
#include "cli/terminal.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"list", command_list, "the locks, with what each of them is"},
    {"run", command_run, "a program on one of the locks, without recompiling it"},
    {"bench", command_bench, "compare the locks on this machine"},
    {"sim", command_sim, "run the locks on a simulated machine"},
    {"table", command_table, "the paper's table of lock properties, from measurement"},
    {"check", command_check, "explore every execution of a lock, or of your own code"},
    {"who", command_who, "what the threads of a process, or of a core file, wait for"},
    {"report", command_report, "a page from the results of bench, sim, table and check"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void)
{
    const char *bold = terminal_style(stdout, STYLE_BOLD), *plain = terminal_style(stdout, STYLE_PLAIN);
    puts("Usage: recip COMMAND [OPTION...]\n"
         "Reciprocating locks, the locks they are compared with, and the instruments that\n"
         "measure them.\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %s%-9s%s  %s\n", bold, commands[i].name, plain, commands[i].summary);
    puts("\n  help COMMAND  the options of a command, as COMMAND --help\n"
         "  --help        this text\n"
         "  --version     the version");
}

static _Noreturn void refuse_command(const char *word)
{
    static const char *const other_words[] = {"help", "--help", "--version"};
    char names[256] = "", text[128];
    struct suggestion suggestion = {.word = word};
    for (int i = 0; i < COMMANDS; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", commands[i].name);
    if (!word)
        refuse("a command is missing: %s (or --help, --version)", names);
    for (int i = 0; i < COMMANDS; i++)
        suggest(&suggestion, commands[i].name);
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
        suggest(&suggestion, other_words[i]);
    refuse("unknown command '%s'%s: %s (or --help, --version)", word, suggestion_text(&suggestion, text), names);
}

/* "recip help bench" is "recip bench --help". */
static void turn_help_round(int argc, char **argv)
{
    static char option[] = "--help";
    if (argc < 3 || strcmp(argv[1], "help") != 0)
        return;
    if (argc > 3)
        refuse("'%s' is not expected after 'help %s'", argv[3], argv[2]);
    if (argv[2][0] == '-')
        refuse_command(argv[2]);
    argv[1] = argv[2];
    argv[2] = option;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        refuse_command(NULL);
    turn_help_round(argc, argv);
    const char *word = argv[1];
    if (word[0] == '-' && argc > 2)
        refuse("'%s' is not expected after '%s'", argv[2], word);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help();
        return STATUS_OK;
    }
    if (strcmp(word, "--version") == 0) {
        puts("recip " RECIP_VERSION);
        return STATUS_OK;
    }
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(word, commands[i].name) != 0)
            continue;
        char name[64];
        snprintf(name, sizeof name, "recip %s", word);
        argv[1] = name;
        return commands[i].run(argc - 1, argv + 1);
    }
    refuse_command(word);
}

int main(int argc, char **argv)
{
    return output_status(dispatch(argc, argv));
}
