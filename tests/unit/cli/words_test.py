"""The words of the command line, of its variables and of its answers: words_test.py BATON."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cluster"))

from processes import program_environment  # noqa: E402

BATON = sys.argv.pop(1)


def run_baton(*words, variables=None, cwd=None):
    """Exit status, standard output and standard error."""
    done = subprocess.run([BATON, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60, cwd=cwd, env=program_environment(variables))
    return done.returncode, done.stdout, done.stderr


class Words(unittest.TestCase):
    def refused(self, line, *expected):
        status, _, said = run_baton(*line.split())
        self.assertEqual(status, 2, said)
        for text in expected:
            self.assertIn(text, said, line)

    def test_a_wrong_word_is_named_with_the_nearest_right_one(self):
        self.refused("taks list", "'taks'", "did you mean 'task'")
        self.refused("task lst", "'lst'", "did you mean 'list'", "baton task --help")
        self.refused("task list --limt 5", "'--limt'", "did you mean '--limit'")
        self.refused("task add x --corn=1 --service s --handler h", "'--corn'", "did you mean '--cron'")
        self.refused("--sever x task list", "'--sever'", "did you mean '--server'")
        self.refused("task xyzzy", "'xyzzy'", "the commands are: list, add")
        self.refused("task show a b", "unexpected word 'b'")

    def test_an_expression_without_quotes_is_told_to_be_quoted(self):
        self.refused("cron explain 0 9 * * *", "unexpected word '9': quote the expression")

    def test_help_is_a_command_too(self):
        for words in ((), ("task",), ("task", "add")):
            self.assertEqual(run_baton("help", *words), run_baton(*words, "--help"))

    def test_a_missing_command_is_named(self):
        self.refused("", "a command is missing", "task")
        self.refused("cron", "a command is missing", "explain", "baton cron --help")

    def test_a_line_that_is_logged_before_a_process_runs_has_the_format_of_the_log(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "tab"
            file.write_text("* * * * * /bin/true\n61 * * * * /bin/true\n")
            file.chmod(0o600)
            _, _, said = run_baton("agent", "--crontab", str(file), "--check")
            self.assertRegex(said, r"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z W baton: agent: ", said)
            self.assertNotIn("[warning]", said)

    def test_a_missing_argument_is_still_named(self):
        self.refused("task show", "task is required")

    def test_the_help_of_a_command_over_rest_has_the_common_options_and_that_of_a_process_has_not(self):
        for line in ("", "task", "task add", "task import", "executions", "executions show", "nodes", "cron explain",
                     "schedule preview"):
            with self.subTest(line=line):
                status, out, _ = run_baton(*line.split(), "--help")
                self.assertEqual(status, 0)
                self.assertEqual(out.count("Common options:"), 1, out)
                for option in ("--server", "--token-file", "--json", "--utc"):
                    self.assertEqual(out.count(f"  {option} "), 1, out)
        for line in ("trigger", "dev", "version"):
            self.assertNotIn("Common options", run_baton(line, "--help")[1])

    def test_a_wrong_value_is_wrong_usage(self):
        add = "task add x --service s --handler h "
        for line, expected in (("executions --since yesterday", "'yesterday'"), ("executions show abc", "'abc' is not the id"),
                               ("executions --until x", "--until"), ("executions --parent x", "'x' is not the id"),
                               (add + "--at tomorrow", "--at: 'tomorrow' is not a time"), (add + "--end-at x", "--end-at"),
                               (add + "--attempts 0", "--attempts"), (add + "--max-deaths 0", "--max-deaths"),
                               (add + "--every x", "--every"), (add + "--every 10ms", "--every: must be from 100ms to 366d, not 10ms"), ("cron explain x --count 0", "--count"),
                               ("schedule preview --at tomorrow", "--at: 'tomorrow' is not a time"), ("schedule preview --count 101", "--count"),
                               ("--server 127.0.0.1:47821 nodes", "--server: '127.0.0.1:47821'"), ("task show", "task is required"),
                               ("executions --state x", "--state"), ("trigger --config /none/x", "/none/x")):
            with self.subTest(line=line):
                status, out, said = run_baton(*line.split())
                self.assertEqual((status, out), (2, ""), said)
                self.assertTrue(said.startswith("baton: "), said)
                self.assertIn(expected, said)
                self.assertEqual(len(said.splitlines()), 1, said)
        status, _, said = run_baton("nodes", variables={"BATON_SERVER": "127.0.0.1:47821"})
        self.assertEqual(status, 1)
        self.assertIn("BATON_SERVER: '127.0.0.1:47821'", said)
        self.assertIn("(baton task show --help)", run_baton("task", "show")[2])

    def test_a_password_among_the_arguments_is_refused(self):
        address = "mysql://baton:secret@127.0.0.1:1/x"
        status, _, said = run_baton("migrate", "--database", address)
        self.assertEqual(status, 1, said)
        self.assertIn("every user of this host can read the password", said)
        self.assertIn("BATON_DATABASE_URL", said)
        self.assertNotIn("secret", said)
        status, _, said = run_baton("migrate", variables={"BATON_DATABASE_URL": address})  # goes on, to no server
        self.assertEqual(status, 1, said)
        self.assertNotIn("every user", said)

    def test_an_unknown_variable_is_refused(self):
        status, _, said = run_baton("version", variables={"BATON_ELECTION_TLL": "2s"})
        self.assertEqual(status, 1, said)
        self.assertIn("BATON_ELECTION_TLL: is not a variable that is known; did you mean BATON_ELECTION_TTL?", said)
        status, _, said = run_baton("version", variables={"BATON_STORE": "x"})
        self.assertEqual(status, 1, said)

    def test_variables_of_every_process_and_of_the_agents_commands_are_accepted(self):
        for name in ("BATON_SERVER", "BATON_ELECTION_TTL", "BATON_WEB_EDIT_LEAD", "BATON_KILL_AFTER", "BATON_DATA",
                     "BATON_AGENT_SLOTS", "BATON_TOKEN", "BATON_TOKEN_FILE", "BATON_DATABASE_PASSWORD_FILE", "BATON_EXECUTION",
                     "BATON_SHARD_TOTAL", "BATON_SCHEDULED_AT", "BATON_PREVIOUS_STATE", "BATON_LAST_SUCCESS_ENDED_AT"):
            with self.subTest(name=name):
                self.assertEqual(run_baton("version", variables={name: "1"})[0], 0)
        self.assertEqual(run_baton("--help", variables={"BATON_STORE": "x"})[0], 0)

    def test_an_output_that_cannot_be_written_is_a_failure(self):
        empty = tempfile.NamedTemporaryFile("w", suffix=".json")
        self.addCleanup(empty.close)
        empty.write("[]")
        empty.flush()
        for words in (("version",), ("task", "import", empty.name)):
            with self.subTest(words=words):
                self.assertEqual(run_baton(*words)[0], 0)
                with open("/dev/full", "w") as full:
                    done = subprocess.run([BATON, *words], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.DEVNULL,
                                          env=program_environment(), timeout=60)
                self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
