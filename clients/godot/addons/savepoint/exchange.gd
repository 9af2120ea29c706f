extends RefCounted
## Sends requests to the service, each with an [HTTPRequest] below a node of the tree.

const Clock = preload("clock.gd")
const Reply = preload("reply.gd")

## What a request may take. A phone that changes networks leaves connections that never end.
const TIMEOUT_SECONDS := 30.0

var _node: Node
var _base_url: String
var _clock: Clock


func _init(node: Node, base_url: String, clock: Clock) -> void:
	_node = node
	_base_url = base_url
	_clock = clock


## The signal [param ended] gives up the response.
func post(path: String, body: String, headers: Dictionary[String, String] = {}, ended := Signal()) -> Reply:
	var reply := await _send(HTTPClient.METHOD_POST, _base_url + path, body, headers, ended)
	_learn(reply)
	return reply


func fetch(path: String, headers: Dictionary[String, String]) -> Reply:
	var reply := await _send(HTTPClient.METHOD_GET, _base_url + path, "", headers)
	_learn(reply)
	return reply


func remove(path: String, headers: Dictionary[String, String]) -> Reply:
	var reply := await _send(HTTPClient.METHOD_DELETE, _base_url + path, "", headers)
	_learn(reply)
	return reply


## Posts to any address: the signing endpoint is not part of the service.
func post_to(url: String, body: String) -> Reply:
	return await _send(HTTPClient.METHOD_POST, url, body, {})


func _learn(reply: Reply) -> void:
	var server_ms := Clock.parse(reply.header("date"))
	if server_ms >= 0:
		_clock.learn(server_ms)


func _send(
		method: HTTPClient.Method, url: String, body: String, headers: Dictionary[String, String], ended := Signal()) -> Reply:
	if not _node.is_inside_tree():
		return Reply.new()
	var lines := PackedStringArray()
	for name in headers:
		lines.append("%s: %s" % [name, headers[name]])
	if method == HTTPClient.METHOD_POST:
		lines.append("Content-Type: application/json")
	var http := HTTPRequest.new()
	http.timeout = TIMEOUT_SECONDS
	_node.add_child(http)
	if http.request(url, lines, method, body) != OK:
		http.queue_free()
		return Reply.new()
	# A request that leaves the tree is cancelled without a signal, and its caller would wait for ever.
	http.tree_exiting.connect(
		http.request_completed.emit.bind(HTTPRequest.RESULT_REQUEST_FAILED, 0, PackedStringArray(), PackedByteArray()))
	if not ended.is_null():
		ended.connect(http.queue_free)
	var completed: Array = await http.request_completed
	http.queue_free()
	if completed[0] != HTTPRequest.RESULT_SUCCESS:
		return Reply.new()
	var bytes: PackedByteArray = completed[3]
	return Reply.new(completed[1], completed[2], bytes.get_string_from_utf8())
