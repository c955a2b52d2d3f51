"""Calls of a REST API over HTTP."""

import json
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """An answer of 400 or above."""

    def __init__(self, status, body):
        super().__init__(f"{status}: {body}")
        self.status = status
        self.body = body


class Rest:
    def __init__(self, address, token=None):
        self.address = address
        self.token = token

    def call(self, method, path, body=None, headers=None, within=10):
        """(parsed body, headers) of the answer."""
        request = urllib.request.Request(self.address + path, method=method)
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, data, timeout=within) as answer:
                text = answer.read()
                return (json.loads(text) if text else None), answer.headers
        except urllib.error.HTTPError as failure:
            raise Refused(failure.code, failure.read().decode(errors="replace")) from None

    def get(self, path, **query):
        return self.call("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))[0]

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, **more)[0]
