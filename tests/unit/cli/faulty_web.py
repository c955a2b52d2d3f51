"""A proxy before web whose failures a test chooses."""

import http.client
import http.server
import threading
import urllib.parse


class FaultyWeb:
    """Hands requests on to `web`. `fault` gets the method and the target of each. If it returns a status, that is the
    answer; if it returns 0, the connection is closed without one."""

    def __init__(self, web, fault=lambda method, target: None):
        self.fault = fault
        proxy, there = self, urllib.parse.urlsplit(web)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def hand_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status = proxy.fault(self.command, self.path)
                if status == 0:
                    self.close_connection = True
                elif status is not None:
                    self.answer(status, "application/problem+json", b'{"title": "chosen by the test"}')
                else:
                    headers = {key: value for key, value in self.headers.items() if key.lower() != "host"}
                    link = http.client.HTTPConnection(there.hostname, there.port, timeout=30)
                    link.request(self.command, self.path, body, headers)
                    answer = link.getresponse()
                    self.answer(answer.status, answer.headers["Content-Type"], answer.read())
                    link.close()

            def answer(self, status, form, body):
                self.send_response(status)
                self.send_header("Content-Type", form or "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = hand_on

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
