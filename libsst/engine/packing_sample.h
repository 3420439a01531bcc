/* Estimates how long packing will take beside reading, by a few samples of what is read: for progress, before anything is
 * written. */
#ifndef ENGINE_PACKING_SAMPLE_H
#define ENGINE_PACKING_SAMPLE_H

#include "cell/cell.h"
#include "engine/partition_writer.h"

struct packing_sample;
/* Makes a sample; NULL: none are taken, because the codec's pace is much the same for all values, or memory is short. */
struct packing_sample *packing_sample_new(const struct output_opts *o, size_t memory_bytes);
/* Ends the sample of a chunk, and may begin one of the next, of which all further parts are. true: *packing is new, a multiple of
 * the time that reading takes. */
bool packing_sample_chunk(struct packing_sample *s, double *packing);
/* Adds a part of the chunk's family to the sample. Lack of memory ends the samples. */
void packing_sample_put(struct packing_sample *s, uint32_t family, const struct row_part *part);
/* Something else than reading happens now: the chunk is no sample. */
void packing_sample_drop(struct packing_sample *s);
void packing_sample_free(struct packing_sample *s); /* NULL is fine */

#endif
