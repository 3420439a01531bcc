"""The loop over cases of the chains of nights: each has a seed of its own, which replays it, and a folder, which can be kept."""
import argparse
import pathlib
import shutil
import subprocess
import tempfile


def options(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="folder with the programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--keep", type=pathlib.Path, help="where the files of a case that differs are left")
    return parser.parse_args()


def run_cases(args, make, end):
    """make(binaries, seed, folder): a chain, whose run() raises what is wrong; end(chains, cases): texts of what all of them
    lack, so that they would test nothing. Prints failures and the sum, returns the exit code."""
    failed, chains = 0, []
    for seed in range(args.seed, args.seed + args.cases):
        with tempfile.TemporaryDirectory(prefix="chains-") as folder:
            chain = make(args.bin.resolve(), seed, pathlib.Path(folder))
            try:
                chain.run()
            except (ValueError, KeyError, AssertionError, subprocess.TimeoutExpired) as e:
                failed += 1
                print("not ok - seed %d: %s %s" % (seed, " ".join(map(str, chain.rules)), e))
                if args.keep:
                    shutil.copytree(folder, args.keep / str(seed), dirs_exist_ok=True)
            chains.append(chain)
    for text in end(chains, args.cases):
        failed += 1
        print("not ok - " + text)
    print("%d passed, %d failed, 0 skipped" % (args.cases - failed, failed))
    return 1 if failed else 0
