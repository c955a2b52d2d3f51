#!/usr/bin/env python3
"""Holds recorded exchanges against the OpenAPI document.

    check_openapi.py DOCUMENT FILE...              status 1 if an exchange and the document disagree
    check_openapi.py --self-test DOCUMENT FILE...  falsifies exchanges and fails unless each is found out

Each line of a FILE is one exchange as JSON (tests/unit/web/harness.cpp). Every answer must be documented for its path,
method and status, with the media type, header fields and body that the document gives it; every accepted request must
fit it too; and every operation of the document must have succeeded at least once.
"""

import copy
import json
import re
import sys
import urllib.parse

import jsonschema
import yaml


def check_keys(part, path="$"):
    """YAML reads some words without quotes as other things than text: the key `on` as true."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in items:
        if isinstance(part, dict) and not isinstance(key, str):
            raise SystemExit(f"{path}: the key {key!r} is not text; write it in quotes")
        check_keys(value, f"{path}.{key}")


class Document:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.root = yaml.safe_load(file)
        check_keys(self.root)
        self.resolver = jsonschema.RefResolver.from_schema(self.root)
        self.routes = []
        for pattern, item in self.root["paths"].items():
            expression = re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(pattern)) + r"\Z")
            self.routes.append(("{" in pattern, expression, pattern, item))
        self.routes.sort(key=lambda route: route[0])

    def deref(self, value):
        while isinstance(value, dict) and set(value) == {"$ref"}:
            _, value = self.resolver.resolve(value["$ref"])
        return value

    def check(self, value, schema, what):
        validator = jsonschema.Draft202012Validator(schema, resolver=self.resolver)
        return [f"{what}: {error.json_path}: {error.message[:300]}" for error in validator.iter_errors(value)]

    def find(self, path):
        for _, expression, pattern, item in self.routes:
            if expression.match(path):
                return pattern, item
        return None, None


METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


def parameter_value(text, schema, explode=True):
    if schema.get("type") == "array" and not explode:
        return text.split(",")
    if schema.get("type") == "integer" and re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    if schema.get("type") == "boolean" and text in ("true", "false"):
        return text == "true"
    return text


def check_parameters(document, exchange, item, operation, path, pattern, query):
    given = [document.deref(one) for one in item.get("parameters", []) + operation.get("parameters", [])]
    by_place = {(one["in"], one["name"]): one for one in given}
    problems = []

    def check(place, name, text):
        known = by_place.get((place, name))
        if known is None:
            problems.append(f"{place} parameter {name} is accepted but not documented")
        else:
            schema = document.deref(known["schema"])
            problems.extend(document.check(parameter_value(text, schema, known.get("explode", True)), schema, f"{place} parameter {name}"))

    for name, text in query:
        check("query", name, text)
    for wanted, found in zip(pattern.split("/"), path.split("/")):
        if wanted.startswith("{"):
            check("path", wanted[1:-1], urllib.parse.unquote(found))
    for (place, name), known in by_place.items():
        if place == "header" and name in exchange["request_headers"]:
            check("header", name, exchange["request_headers"][name])
    return problems


def check_request(document, exchange, operation):
    body = exchange["request_body"]
    described = document.deref(operation.get("requestBody"))
    if not described:
        return ["a body is accepted but not documented"] if body else []
    if not body:
        return ["the document requires a body"] if described.get("required") else []
    return document.check(json.loads(body), described["content"]["application/json"]["schema"], "request")


def check_answer(document, exchange, operation):
    described = document.deref(operation["responses"].get(str(exchange["status"])))
    if described is None:
        return [f"status {exchange['status']} is not documented"]
    problems = []
    for name, header in described.get("headers", {}).items():
        header = document.deref(header)
        value = exchange["response_headers"].get(name)
        if value is None and header.get("required"):
            problems.append(f"the header {name} is missing")
        elif value is not None:
            problems.extend(document.check(value, header["schema"], f"header {name}"))
    content = described.get("content")
    if exchange["method"] == "HEAD" or content is None:
        if exchange["response_body"]:
            problems.append("a body is sent but not documented")
        return problems
    media = exchange["response_headers"].get("Content-Type", "").split(";")[0]
    if media not in content:
        return problems + [f"the media type '{media}' is not documented"]
    value = exchange["response_body"]
    if media.endswith("json"):
        value = json.loads(value)
    if media == "application/problem+json" and value.get("status") != exchange["status"]:
        problems.append("the problem names another status")
    return problems + document.check(value, content[media]["schema"], "answer")


def check_exchange(document, exchange):
    """(operation as (pattern, method) if there is one, list of problems)"""
    path, _, query_text = exchange["target"].partition("?")
    pattern, item = document.find(urllib.parse.unquote(path) if "/%" in path[:2] else path)
    method = "GET" if exchange["method"] == "HEAD" else exchange["method"]
    operation = item.get(method.lower()) if item else None
    if operation is None:
        wanted = 405 if item else 404
        found = exchange["status"]
        return None, [] if found == wanted else [f"undocumented, and answered {found} instead of {wanted}"]
    problems = check_answer(document, exchange, operation)
    if exchange["status"] < 400:
        query = urllib.parse.parse_qsl(query_text, keep_blank_values=True)
        problems += check_parameters(document, exchange, item, operation, path, pattern, query)
        problems += check_request(document, exchange, operation)
    return (pattern, method), problems


def operations(document):
    return {(pattern, method) for _, _, pattern, item in document.routes
            for method in METHODS if method.lower() in item}


def run(document, exchanges):
    problems = []
    succeeded = set()
    statuses = {}
    for exchange in exchanges:
        operation, found = check_exchange(document, exchange)
        name = f"{exchange['method']} {exchange['target'][:120]} -> {exchange['status']}"
        problems += [f"{name}: {problem}" for problem in found]
        if operation:
            statuses.setdefault(operation, set()).add(exchange["status"])
            if 200 <= exchange["status"] < 300:
                succeeded.add(operation)
    for pattern, method in sorted(operations(document) - succeeded):
        problems.append(f"{method} {pattern} is documented, but no test has seen it succeed")
    return problems, statuses


def read(paths):
    exchanges = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            exchanges += [json.loads(line) for line in file]
    return exchanges


def falsified(exchanges):
    """Copies of real exchanges, each made wrong in one way: (what, exchange)."""
    def pick(method, pattern, status):
        return copy.deepcopy(next(one for one in exchanges if one["method"] == method and one["status"] == status
                                  and re.fullmatch(pattern, one["target"])))

    def edit_body(exchange, change):
        body = json.loads(exchange["response_body"])
        change(body)
        exchange["response_body"] = json.dumps(body)
        return exchange

    task = r"/api/v1/tasks/\d+"
    yield "a member too many", edit_body(pick("GET", task, 200), lambda body: body.update(secret="x"))
    yield "a member missing", edit_body(pick("GET", task, 200), lambda body: body.pop("version"))
    yield "an id that is a number", edit_body(pick("GET", task, 200), lambda body: body.update(id=7))
    yield "a time without fraction", edit_body(pick("GET", task, 200),
                                               lambda body: body.update(created_at="2026-01-01T00:00:00Z"))
    created = pick("POST", "/api/v1/tasks", 201)
    del created["response_headers"]["ETag"]
    yield "no ETag", created
    teapot = pick("GET", "/api/v1/nodes", 200)
    teapot["status"] = 418
    yield "a status that is not documented", teapot
    plain = pick("GET", task, 404)
    plain["response_headers"]["Content-Type"] = "text/plain"
    yield "another media type", plain
    extra = pick("GET", "/api/v1/nodes", 200)
    extra["target"] += "?all=true"
    yield "a query parameter that is not documented", extra
    lost = pick("GET", "/api/v1/executions", 200)
    lost["target"] = "/api/v1/executions?state=failed,lost"
    yield "a list with an unknown member", lost
    asked = pick("POST", "/api/v1/tasks", 201)
    asked["request_body"] = asked["request_body"].replace('"name"', '"nome"')
    yield "an accepted request that does not fit", asked
    hidden = pick("GET", "/api/v1/nodes", 200)
    hidden["target"] = "/api/v1/hidden"
    yield "a path that is not documented", hidden


def self_test(document, exchanges):
    missed = [what for what, exchange in falsified(exchanges) if not check_exchange(document, exchange)[1]]
    only_health = [one for one in exchanges if one["target"].startswith("/healthz")]
    if not any("no test has seen" in problem for problem in run(document, only_health)[0]):
        missed.append("an operation that was never called")
    return [f"not found out: {what}" for what in missed]


def main(arguments):
    testing = arguments[:1] == ["--self-test"]
    if testing:
        arguments = arguments[1:]
    document = Document(arguments[0])
    exchanges = read(arguments[1:])
    problems, statuses = (self_test(document, exchanges), {}) if testing else run(document, exchanges)
    for problem in problems[:100]:
        print(problem)
    for (pattern, method), seen in sorted(statuses.items()):
        print(f"{method} {pattern}: {', '.join(map(str, sorted(seen)))}")
    print(f"{len(exchanges)} exchanges, {len(problems)} problems")
    return 1 if problems or not exchanges else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
