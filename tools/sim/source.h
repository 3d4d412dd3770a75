/* Lines of the locks' source, from this program's own debugging information. */
#ifndef RECIP_SIM_SOURCE_H
#define RECIP_SIM_SOURCE_H

enum { SOURCE_DEPTH = 4 };

struct source_line {
    char file[64]; /* from the top of the source tree */
    int number;
};

/* The line of the call that returns to `site`, then those of the calls around it that were inlined, as far as they are
 * in the source tree. How many; 0 without debugging information. */
unsigned source_lines(const void *site, struct source_line *lines);

#endif
