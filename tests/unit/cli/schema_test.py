#!/usr/bin/env python3
"""The JSON Schemas of config/schema accept every example and refuse every wrong configuration that the loader refuses,
except for those marked "schema": false, which no schema can judge. cli_config_test holds the loader to the same lists."""

import json
import pathlib
import re
import sys

import jsonschema

ROOT = pathlib.Path(sys.argv[1])
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def read(path):
    text = TOKEN.sub(lambda m: m.group(0) if m.group(0).startswith('"') else "", path.read_text())
    return json.loads(text)


def main():
    failures = []
    schemas = {}
    for path in sorted((ROOT / "config/schema").glob("*.schema.json")):
        schema = read(path)
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[path.name.split(".")[0]] = jsonschema.Draft202012Validator(schema)

    examples = sorted((ROOT / "config").glob("*.json"))
    for path in examples:
        for error in schemas[path.name.split(".")[0]].iter_errors(read(path)):
            failures.append(f"{path.name}: {error.json_path}: {error.message}")

    wrong = read(ROOT / "tests/unit/cli/wrong_configurations.json")
    for each in wrong:
        refused = not schemas[each["document"]].is_valid(each["config"])
        if refused != each.get("schema", True):
            failures.append(f"{'refused' if refused else 'accepted'}: {json.dumps(each)}")

    print(f"{len(schemas)} schemas, {len(examples)} examples, {len(wrong)} wrong configurations, {len(failures)} failures")
    print("\n".join(failures))
    return 1 if failures or not examples or not wrong else 0


sys.exit(main())
