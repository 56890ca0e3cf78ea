#!/usr/bin/env python3
"""Run wherein and semble side by side on the same folders: first index, query, size and memory, as ratios.

usage: compare.py [--wherein BIN] [--semble BIN] --model DIR [--queries FILE.json] [--runs N] FOLDER...

Set-up, once:
  python3 -m venv venv && venv/bin/pip install 'semble==0.7.*'
  DIR is crates/wherein-engine/models/static-code-128 with tokenizer.json and config.json of the model2vec layout beside the
  table, so that both programs use the same vectors.

Each folder is copied to a place without git metadata, so that both walk it alike. Every figure is the median of N runs; the two programs
take turns. "first" is the whole process from nothing to the first answer, "again" the same command on the index that is
there. Memory is the largest resident size of the process. Index size is what each leaves in its own folder.
"""
import argparse, json, os, shutil, statistics, subprocess, sys, tempfile, time

DEFAULT_QUERIES = ["how are requests retried", "parse the configuration file", "error handling", "cache eviction"]


def run(command, cwd, env):
    """Wall seconds, peak memory in MB, and stdout of one process."""
    before = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate()
    wall = time.perf_counter() - before
    if process.returncode != 0:
        sys.exit(f"{command}: {err.decode(errors='replace')}")
    return wall, out.decode(errors="replace")


def peak(command, cwd, env):
    """Largest resident size in MB, measured in a process that has no other child."""
    code = "import resource,subprocess,sys; subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    out = subprocess.run([sys.executable, "-c", code, *command], cwd=cwd, env=env, capture_output=True, text=True)
    return int(out.stdout) / 1024


def size(folder):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(folder) for f in files)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--wherein", default="target/release/wherein")
    ap.add_argument("--semble", default="venv/bin/semble")
    ap.add_argument("--model", required=True)
    ap.add_argument("--queries", help="a JSON list of strings or of objects with a key query")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("folders", nargs="+")
    a = ap.parse_args()
    queries = DEFAULT_QUERIES
    if a.queries:
        queries = [q if isinstance(q, str) else q["query"] for q in json.load(open(a.queries, encoding="utf8"))]
    rows = []
    with tempfile.TemporaryDirectory() as work:
        env = dict(os.environ, HF_HUB_OFFLINE="1", SEMBLE_MODEL_NAME=os.path.realpath(a.model), GIT_CEILING_DIRECTORIES=os.path.realpath(work))
        stores = {"wherein": os.path.join(work, "wherein-data"), "semble": os.path.join(work, "semble-data")}
        env.update(WHEREIN_DATA_DIR=stores["wherein"], SEMBLE_CACHE_LOCATION=stores["semble"])
        for number, folder in enumerate(a.folders):
            name = os.path.basename(os.path.realpath(folder))
            copy = os.path.join(work, "roots", str(number), name)
            shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            commands = {
                "wherein": lambda q: [os.path.realpath(a.wherein), "search", "--json", q],
                "semble": lambda q: [os.path.abspath(a.semble), "search", q, copy, "-k", "10"],
            }
            row = {"name": name}
            for tool, command in commands.items():
                row[tool] = {"first": [], "again": [], "query": []}
            for _ in range(a.runs):
                for tool, command in commands.items():
                    shutil.rmtree(stores[tool], ignore_errors=True)
                    row[tool]["first"].append(run(command(queries[0]), copy, env)[0])
            for q in queries[: 5 * a.runs]:
                for tool, command in commands.items():
                    wall, out = run(command(q), copy, env)
                    row[tool]["again"].append(wall)
                    if tool == "wherein":
                        row[tool]["query"].append(json.loads(out)["took_ms"])
            code = (
                "import sys,time,json,statistics\nfrom semble import SembleIndex\n"
                "i=SembleIndex.from_path(sys.argv[1]);t=[]\n"
                "for q in json.loads(sys.argv[2]):\n b=time.perf_counter();i.search(q,top_k=10);t.append(1000*(time.perf_counter()-b))\n"
                "print(statistics.median(t))"
            )
            python = os.path.join(os.path.dirname(os.path.abspath(a.semble)), "python")
            row["semble"]["query"] = [float(run([python, "-P", "-c", code, copy, json.dumps(queries)], copy, env)[1])]
            for tool, command in commands.items():
                row[tool]["size"] = [size(stores[tool])]
                shutil.rmtree(stores[tool], ignore_errors=True)
                row[tool]["memory"] = [peak(command(queries[0]), copy, env)]
            rows.append(row)
            print_row(row)
        total = {"name": "ALL (sums; medians of query and again)"}
        for tool in ("wherein", "semble"):
            middle = lambda key: [statistics.median(r[tool][key]) for r in rows]
            total[tool] = {"first": [sum(middle("first"))], "again": [statistics.median(middle("again"))], "query": [statistics.median(middle("query"))],
                           "size": [sum(middle("size"))], "memory": [max(middle("memory"))]}
        print_row(total)


def print_row(row):
    parts = []
    for key, unit, scale in (("first", "s", 1), ("again", "ms", 1000), ("query", "ms", 1), ("size", "MB", 1e-6), ("memory", "MB", 1)):
        ours, theirs = (scale * statistics.median(row[tool][key]) for tool in ("wherein", "semble"))
        parts.append(f"{key} {ours:.2f} / {theirs:.2f} {unit} = 1/{theirs / max(ours, 1e-9):.1f}")
    print(f"{row['name']:14s} " + "  ".join(parts), flush=True)


if __name__ == "__main__":
    main()
