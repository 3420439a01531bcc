# Sourced by the suites, from the repository root: sanitizers report with their own exit code, and stop at the first finding.
# libgomp and libomp synchronise with futexes that ThreadSanitizer cannot see: only our own modules are judged.
export ASAN_OPTIONS=exitcode=99:detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=99
TSAN_OPTIONS=ignore_noninstrumented_modules=1:allocator_may_return_null=1:halt_on_error=1:exitcode=99
export TSAN_OPTIONS=$TSAN_OPTIONS:suppressions=$PWD/tests/tsan.supp
