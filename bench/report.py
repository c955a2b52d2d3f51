"""Prints results: one line per run, and the table at the end."""

import os
import pathlib


BEGIN, END = "<!-- scripts/bench --record writes from here -->", "<!-- to here -->"
BEGIN_OWN = "<!-- scripts/bench --only {} --record writes from here -->"  # of a row with a table of its own
TOLD = {"rate", "missed", "doubled", "expected", "settled_s", "commits_per_execution", "statements_per_execution",
        "drift_us", "executions", "starts"}  # printed on separate lines


def machine():
    model = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown")
    return {"cores": len(os.sched_getaffinity(0)), "processor": model, "kernel": os.uname().release}


def number(value):
    if value is None:
        return "-"
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"


def tell(name, turn, turns, result):
    """One run."""
    lines = [f"{name} {turn + 1}/{turns}"]
    for tried in result.get("tried", ()):
        lines.append(", ".join(f"{key} {number(value)}" for key, value in tried.items()))
    if "by_second" in result:
        lines.append(f"{number(result['rate'])} executions/s (each second: {spread(result['by_second'])}), "
                     f"missed {result['missed']}, doubled {result['doubled']} of {result['expected']:,}, settled after "
                     f"{number(result['settled_s'])} s")
    elif "rate" in result:
        lines.append(f"{number(result['rate'])} executions/s")
    for what, values in result.items():
        if what.endswith("_ms") and isinstance(values, dict):
            lines.append(f"{what}: " + ", ".join(f"{key} {number(value)}" for key, value in values.items()))
    plain = [f"{what} {number(value)}" for what, value in result.items()
             if isinstance(value, (int, float)) and what not in TOLD]
    if plain:
        lines.append(", ".join(plain))
    if "commits_per_execution" in result:
        lines.append(f"commits/execution {number(result['commits_per_execution'])}, statements/execution "
                     f"{number(result['statements_per_execution'])}, drift {number(result['drift_us'])} µs")
    if "processor_us" in result:
        lines.append("µs of processor for each execution, whole run: " + ", ".join(
            f"{name} {value:.0f}" for name, value in result["processor_us"].items()))
    if "counters" in result:
        lines.append("counters: " + ", ".join(f"{key} {value:,}" for key, value in result["counters"].items()))
    for process, used in result.get("processes", {}).items():
        lines.append(f"{process}: {used['cores']:.2f} cores, {used['resident_mib']:.0f} MiB, threads {used['threads']}")
    lines += [f"PROBLEM: {problem}" for problem in result.get("problems", ())]
    print("\n    ".join(lines), flush=True)


def spread(counts):
    return f"{number(min(counts))} to {number(max(counts))}" if counts else "-"


def table(document):
    """Markdown."""
    return "\n\n".join(([figures_table(document)] if plain_rows(document) else []) +
                       [own_table(document, name) for name in rows_with_table(document)])


def plain_rows(document):
    return [row for row in document["rows"].values() if not row.get("table")]


def rows_with_table(document):
    return [name for name, row in document["rows"].items() if row.get("table")]


def described(machine):
    return f"{machine['cores']} cores, {machine['processor']}, Linux {machine['kernel']}"


def figures_table(document):
    lines = [f"{described(document['machine'])}.",
             "", *(f"- {said(part)}" for part in document["parts"]), "",
             "| row | figure | to reach | median | least to most | n |", "|---|---|---|---|---|---|"]
    for row in plain_rows(document):
        name, runs = row["title"], len(row["runs"])
        for title, figure in row["figures"].items():
            unit = f" {figure['unit']}" if figure["unit"] else ""
            goal = f"{figure['goal']}{unit}" + ("" if figure["reached"] else " (not reached)") if figure["goal"] else ""
            lines.append(f"| {name} | {title} | {goal} | {number(figure['median'])}{unit} | "
                         f"{number(figure['least'])} to {number(figure['most'])} | {runs} |")
            name = runs = ""  # printed once
    return "\n".join(lines)


def own_table(document, name):
    row = document["rows"][name]
    date = next(part["date"] for part in reversed(document["parts"]) if name in part["rows"])
    return "\n".join([f"{described(document['machine'])}, {date}, medians of {len(row['runs'])}.", "", *row["table"]])


def said(part):
    """The options that were given for some rows."""
    changed = ", ".join(f"`--{name.replace('_', '-')} {value:g}`" if isinstance(value, float) else
                        f"`--{name.replace('_', '-')} {value}`" for name, value in part["changed"].items())
    return f"{part['date']}: {', '.join(part['rows'])}" + (f" with {changed}." if changed else ".")


def record(document, drawn, file):
    """Replaces the tables and the figures in the document."""
    text = file.read_text()
    if plain_rows(document):
        images = "\n".join(f"![{name}](figures/{name}.svg)" for name in drawn)
        text = replaced(text, BEGIN, f"{figures_table(document)}\n\n{images}")
    for name in rows_with_table(document):
        text = replaced(text, BEGIN_OWN.format(name), own_table(document, name))
    file.write_text(text)


def replaced(text, begin, content):
    before, rest = text.split(begin)
    _, after = rest.split(END, 1)
    return f"{before}{begin}\n\n{content}\n\n{END}{after}"
