"""A small MCP server over streamable HTTP for tests. Prints its port; wants the token of its first argument."""
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != "Bearer " + sys.argv[1]:
            return self.answer(401, {"error": "no"})
        if "id" not in message:
            return self.answer(202, None)
        params = message.get("params") or {}
        result = {
            "initialize": {"protocolVersion": params.get("protocolVersion"), "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}},
            "tools/list": {"tools": [{"name": "shout", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "HTTP " + str((params.get("arguments") or {}).get("word"))}]},
        }.get(message["method"], {})
        self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})

    def do_GET(self):
        self.answer(405, None)

    do_DELETE = do_GET

    def answer(self, status, body):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
