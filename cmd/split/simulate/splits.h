/* How a table is split before anything is written: what --splits takes.
 *
 *   none                                     one region
 *   HexStringSplit:N DecimalStringSplit:N UniformSplit:N    HBase's RegionSplitter (hex:N, decimal:N, uniform:N for short)
 *   prefixes:N[:WIDTH]                       decimal numbers with leading zeros in front of keys: 01, 02 … N-1
 *   longs:N                                  the same as 8 bytes, big-endian
 *   keys:A,B,…                               first rows; text, \xNN, or hex:6162
 *   file:PATH                                the same, one a line: a SPLITS_FILE of HBase's shell
 *   sampled:N                                equal shares of the first keys that are written */
#ifndef SIMULATE_SPLITS_H
#define SIMULATE_SPLITS_H

#include "cmd/split/simulate/key_bounds.h"

/* *sampled: the number of regions of sampled:N, whose bounds are not known yet; else 0. out is to be freed whatever is
 * returned. ERR_USAGE names the text, and line. */
int splits_parse(const char *text, struct key_bounds *out, uint32_t *sampled, struct err *err);

#endif
