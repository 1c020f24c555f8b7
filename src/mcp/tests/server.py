"""A small MCP server for tests: speaks JSON lines; what it does wrong is chosen by its arguments."""
import json, os, signal, subprocess, sys

modes = sys.argv[1:]
notices = []


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def tool(name, **more):
    return {"name": name, "description": f"DESC {name}", "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}}, **more}


def call(name, arguments):
    if name == "shout":
        return text("HEARD " + str(arguments.get("word", "")).upper())
    if name == "fail":
        return text("no such table", isError=True)
    if name == "env":
        return text(json.dumps({n: os.environ.get(n) for n in arguments.get("word", "").split(",")}))
    if name == "session":
        return text(json.dumps([os.getsid(0) == os.getpid(), os.getcwd()]))
    if name == "notices":
        return text(json.dumps(notices))
    if name == "long":
        return text("HEAD" + "x" * 60000 + "TAIL")
    if name == "new":
        return {"content": [{"type": "hologram"}, {"type": "text", "text": "still here"}]}
    return None


if "stubborn" in modes:
    # Ignores the end of its input and TERM, has a child that does too, and both hold a pipe open.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "HOLD" in os.environ:
        pipe = os.open(os.environ["HOLD"], os.O_WRONLY)
        subprocess.Popen(["sleep", "600"], pass_fds=[pipe])
if "noise" in modes:
    print("Loaded 65 definitions\n{\"level\":\"info\",\"msg\":\"up\"}\n\nunfinished", flush=True)
if "crash" in modes:
    sys.exit("Traceback: No module named 'definitions' (key %s)" % os.environ.get("API_KEY"))

for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params") or {}
    if "id" not in message:
        notices.append(method)
        continue
    if "silent" in modes:
        continue
    reply = None
    if method == "initialize":
        reply = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    elif method == "ping":
        reply = {}
    elif method == "tools/list" and "none" not in modes:
        if "pages" in modes:
            page = int(params.get("cursor") or 0)
            reply = {"tools": [tool(f"t{page}"), {"name": f"broken{page}", "inputSchema": None}], "nextCursor": str(page + 1) if page < 2 or "endless" in modes else None}
            reply = {k: v for k, v in reply.items() if v is not None}
        else:
            names = ["shout", "fail", "env", "session", "notices", "long", "new", "hang", "die", "odd"]
            reply = {"tools": [tool(n, annotations={"readOnlyHint": True}) for n in names]}
    elif method == "tools/call":
        if params["name"] == "hang":
            continue
        if params["name"] == "die":
            print("out of memory", file=sys.stderr, flush=True)
            sys.exit(3)
        reply = call(params["name"], params.get("arguments") or {})
    if reply is None:
        send({"id": message["id"], "error": {"code": -32601, "message": f"no {method}"}})
    else:
        send({"id": message["id"], "result": reply})

if "stubborn" in modes:
    while True:
        signal.pause()
