#!/usr/bin/env python3
"""The schemas that clients announce of their handlers, through an upgrade, on the store that $BATON_STORE names (sqlite by
default)."""

import json
import os
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
OLD = {"type": "object", "properties": {"day": {"type": "string"}}}
NEW = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]}


class HandlerSchemas(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        for number in (1, 2):
            self.cluster.start_trigger(f"trigger-{number}")
        self.cluster.start_web()
        self.cluster.await_ready(2, 0)

    def start_client(self, name, schema):
        self.cluster.start_recorder(name, environment={"RECORDER_INSTANCE": name, "RECORDER_SCHEMA": json.dumps(schema)})

    def handlers(self):
        return self.cluster.rest.get("/api/v1/services/default/recorder/handlers")["items"]

    def await_note(self, what, holds):
        def note():
            found = next(each for each in self.handlers() if each["handler"] == "note")
            return found if holds(found) else None

        return harness.wait_for(what, note, 30)

    def test_an_upgrade_shows_two_schemas_and_the_newer_one_and_no_handler_outlives_its_clients(self):
        self.start_client("old:1", OLD)
        self.cluster.await_ready(2, 1)
        shown = self.await_note("the schema of the old build", lambda note: note["schemas"] == 1)
        self.assertEqual(shown, {"handler": "note", "clients": 1, "schema": OLD, "description": "Writes that it ran",
                                 "schemas": 1})
        self.assertEqual([each["schema"] for each in self.handlers() if each["handler"] == "nap"], [None])

        self.start_client("new:1", NEW)
        self.start_client("new:2", NEW)
        self.cluster.await_ready(2, 3)
        shown = self.await_note("both schemas", lambda note: note["schemas"] == 2)
        self.assertEqual((shown["clients"], shown["schema"]), (3, NEW))
        baton = lambda *words: self.cluster.run_baton("services", "handlers", "recorder", *words, "--server",
                                                      self.cluster.addresses["web"])
        self.assertRegex(baton(), "note +3 +2 different +Writes that it ran")
        self.assertIn('"format": "date"', baton("note"))

        self.cluster.processes["old:1"].child.terminate()
        self.await_note("the schema of the new build alone", lambda note: note["schemas"] == 1 and note["clients"] == 2)

        # Work goes on as without schemas: a payload that does not fit is passed on.
        task = self.cluster.create("a", {"kind": "api"}, handler="note", payload={"day": 7})
        self.cluster.await_state(self.cluster.run_now(task), "succeeded", 20)

        # The homes of all clients die: they register elsewhere, and their schemas with them.
        home = self.cluster.clients()[0]["node"]
        name = next(node["name"] for node in self.cluster.live_nodes() if node["incarnation"] == home)
        self.cluster.processes[name].kill()
        harness.wait_for("a master", self.cluster.master, 30)
        harness.wait_for("another home", lambda: all(each["node"] != home for each in self.cluster.clients()), 40)
        shown = self.await_note("the schema", lambda note: note["clients"] == 2)
        self.assertEqual((shown["schema"], shown["schemas"]), (NEW, 1))

        for instance in ("new:1", "new:2"):
            self.cluster.processes[instance].child.terminate()
        harness.wait_for("no handler", lambda: not self.handlers(), 30)


if __name__ == "__main__":
    unittest.main()
