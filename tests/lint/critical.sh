#!/bin/sh
# No `omp critical (name)` in libsst: it is one lock for the whole process. A lock lies in the object that it protects.
! grep -rnE '# *pragma omp critical *\(' libsst
