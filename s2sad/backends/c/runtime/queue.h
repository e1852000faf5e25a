/* How does a program that runs many steps take batches from its host, and hand out results? */
#ifndef S2SAD_QUEUE_H
#define S2SAD_QUEUE_H

#include "s2sad.h"

/* Two bounded rings between a program and its host, each the one thread on its side: batches, of
 * which the host holds the arrays, and reports, of a step's results; and the state that the last
 * step which ended has left. */
typedef struct s2_queue s2_queue;

/* A queue for at most `batches` batches of `n_values` arrays of `value_bytes[i]`, and for `reports`
 * reports of `n_results` arrays of `result_bytes[i]`; NULL where no memory is left. */
S2_API s2_queue *s2_queue_new(int32_t batches, int32_t n_values, const int64_t *value_bytes,
                              int32_t reports, int32_t n_results, const int64_t *result_bytes);
S2_API void s2_queue_free(s2_queue *queue);

/* ---- the host's side: only s2_queue_wait waits --------------------------------------------- */

/* Whether a batch is taken now. */
S2_API int s2_queue_has_room(s2_queue *queue);
/* Give a batch: its arrays stay as they are until it counts as taken. 1 where there is no room. */
S2_API int s2_queue_put(s2_queue *queue, const void *const *arrays);
/* Number of batches of which the program needs the arrays no longer. */
S2_API int64_t s2_queue_taken(s2_queue *queue);
/* Where numbers of 64 bits lie that only grow, for a look without a call: batches that count as
 * taken, reports that were ever made, and whether the program has ended. What was seen there holds,
 * but what else the program did before is sure only behind a call. */
S2_API const void *s2_queue_counts(const s2_queue *queue);
/* No batch comes any more: the program ends after the last one. */
S2_API void s2_queue_close(s2_queue *queue);
/* The program ends at the end of its step, whatever waits; from any thread. */
S2_API void s2_queue_stop(s2_queue *queue);
/* The oldest reports, `most` at most: result i of each into `arrays[i]`, one behind the other. How
 * many there were. */
S2_API int64_t s2_queue_take_reports(s2_queue *queue, int64_t most, void *const *arrays);
/* Wait for a report, for room for a batch, for the program's end, or for so many seconds. */
S2_API void s2_queue_wait(s2_queue *queue, double seconds);
/* The program has ended; whether it has. */
S2_API void s2_queue_finish(s2_queue *queue);
S2_API int s2_queue_is_finished(s2_queue *queue);
/* How many steps have ended. */
S2_API int64_t s2_queue_steps(s2_queue *queue);
/* Where array `index` of the state lies that was kept last; NULL where there is none. Behind a
 * program that has failed, as long as its run has its memory. */
S2_API const void *s2_queue_kept(const s2_queue *queue, int32_t index);

/* ---- the program's side -------------------------------------------------------------------- */

/* The next batch, waited for, into `values`, and 1 into `more`; at the end zeros, and 0. */
S2_API int s2_queue_next(s2_queue *queue, void *const *values, uint8_t *more);
/* Hand out a step's results; waits while there is no room. */
S2_API int s2_queue_report(s2_queue *queue, const void *const *results);
/* A step has ended, and has left `count` arrays, which stay as they are while anything in the next
 * one can fail. 1 where no memory is left, and the step before is what was kept. */
S2_API int s2_queue_keep(s2_queue *queue, int32_t count, const void *const *state);

#endif
