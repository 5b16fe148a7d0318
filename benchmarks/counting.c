/* What benchmarks/hot.py calls before and after what callgrind has to count; without callgrind it does nothing. */
#include <valgrind/callgrind.h>

void count_begin(void) { CALLGRIND_START_INSTRUMENTATION; }

void count_end(void) {
    CALLGRIND_STOP_INSTRUMENTATION;
    CALLGRIND_DUMP_STATS;
}
