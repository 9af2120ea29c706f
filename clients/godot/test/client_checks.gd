extends "check.gd"
## The client as a game sees it, and the parts that need no storage.

const Responses = preload("res://addons/savepoint/responses.gd")
const Client = preload("res://addons/savepoint/savepoint.gd")
const Clock = preload("res://addons/savepoint/clock.gd")
const Json = preload("res://addons/savepoint/json.gd")
const Result = preload("res://addons/savepoint/result.gd")
const Storage = preload("res://addons/savepoint/storage.gd")


## A game that has callbacks of its own.
class OwnCallbacks:
	extends Client
	var frames := 0

	func _ready() -> void:
		track("Ready")

	func _process(_delta: float) -> void:
		frames += 1


func check_all() -> void:
	await check("JSON: texts, numbers and nesting come back as they were", _json_comes_back)
	await check("JSON: what is not JSON is refused", _json_refuses)
	await check("instants are read in both forms, and what is none is refused", _instants)
	await check("track never fails, for any argument", _track_never_fails)
	await check("saved ends, though there are more events with every frame", _saved_ends)
	await check("a response is reported when it differs from the one before", _responses_are_told)
	await check("experiments are told by id, and a login does not take them away, also after a restart", _experiments_are_told)
	await check("a script with callbacks of its own works, also in a paused tree", _own_callbacks)
	await check("a waiting call ends when the client leaves the tree, and the client goes on afterwards", _leaves_the_tree)
	await check("what was tracked is on the disk when the app is paused or quits", _kept_at_the_end)
	await check("a client without an address says so, and fails", _no_address)


func _json_comes_back() -> bool:
	var value := {
		"z": [1, -2.5, 1e100, 1e-7, 0.99, 0.1 + 0.2, 123456789.123, true, null],
		"text": "\u0001\u000b\u001f ü🚀\\\"\n\t\\v",
		"a": {"b": {}, &"name": &"of a node"},
		"whole": 3.0,
		"packed": PackedInt32Array([1, 2]),
	}
	var text := Json.write(value)
	same(Json.problem_of(value), "")
	same(text.contains('"text":"\\u0001\\u000b\\u001f ü🚀\\\\\\"\\n\\t\\\\v"'), true)
	same(text.contains("0.99,0.30000000000000004,123456789.123,true,null]"), true)
	same(text.ends_with('"whole":3,"packed":[1,2]}'), true)
	var back: Dictionary = Json.read(text)
	same(back["z"], [1.0, -2.5, 1e100, 1e-7, 0.99, 0.1 + 0.2, 123456789.123, true, null])
	same(back["text"], value["text"])
	same(back["a"], {"b": {}, "name": "of a node"})
	return true


func _json_refuses() -> bool:
	for text: String in ["", "{", '{"a" 1}', "nul", '"\\x"', "1 2", '{"broken', "<html>", "[".repeat(5000)]:
		same(Json.read(text), null)
	return true


func _instants() -> bool:
	same(Clock.parse("2026-11-16T12:30:05Z"), 1794832205000)
	same(Clock.parse("2026-11-16T14:30:05.250+02:00"), 1794832205250)
	same(Clock.parse("Mon, 16 Nov 2026 12:30:05 GMT"), 1794832205000)
	for text: String in ["", "soon", "2026-13-01T00:00:00Z", "Mon, 16 Non 2026 12:30:05 GMT"]:
		same(Clock.parse(text), -1)
	same(Clock.format(1794832205007), "2026-11-16T12:30:05.007Z")
	same(Clock.format_seconds(1794832205999), "2026-11-16T12:30:05Z")
	return true


func _track_never_fails() -> bool:
	var client := _offline("track")
	var told: Array[String] = []
	client.rejected.connect(func(type: String, code: String, _m: String, _e: Dictionary) -> void: told.append(type + " " + code))
	var cycle := {}
	cycle["self"] = cycle
	same(client.track("Cycle", cycle).length(), 26)
	cycle.clear()
	client.track("NaN", {"n": NAN})
	client.track("Type", {"at": Vector2.ONE})
	client.track("Node", {"node": root})
	client.track("Key", {1: "one"})
	client.track("Metadata", {}, {"n": INF})
	client.track("Huge", {"text": "x".repeat(40_000)})
	client.track("")
	await client.close()
	client.track("Late")
	same(", ".join(told), "Cycle event_unserializable, NaN event_unserializable, Type event_unserializable, "
		+ "Node event_unserializable, Key event_unserializable, Metadata event_unserializable, Huge event_too_large, Late closed")
	same((await client.status()).code, "closed")
	client.queue_free()
	return true


func _saved_ends() -> bool:
	var client := _offline("busy")
	var on_frame := func() -> void: client.track("Step", {"text": "x".repeat(1000)})
	process_frame.connect(on_frame)
	for _round in 20:
		var event_id := client.track("Last")
		await client.saved()
		same(texts_in(client.storage_folder).contains(event_id), true)
	process_frame.disconnect(on_frame)
	client.free()
	return true


func _responses_are_told() -> bool:
	var responses := Responses.new(null, null, Storage.new(folder.path_join("responses"), "owner"), Clock.new())
	var told: Array[String] = []
	responses.changed.connect(func(what: String, response: Dictionary) -> void: told.append("%s %s" % [what, response["asOf"]]))
	for store: Dictionary in [{"asOf": 1, "n": 1}, {"asOf": 2, "n": 1}, {"asOf": 3, "n": 2}]:
		responses.keep_grant({"playerConfig": {"storeConfig": store}})
	same(told, ["store 1", "store 3"])
	return true


func _experiments_are_told() -> bool:
	var arms := [{"experimentId": "first_offer", "variantId": "half"}]
	var client := _offline("experiments", 9, {"values": {"values": {}, "experiments": arms}})
	same((await client.experiments()).value, {"first_offer": "half"})
	client._responses.keep_grant({"userId": "p", "playerConfig": {"values": {"speed": 2}}})
	same(client.value("speed", 1), 2)
	same((await client.experiments()).value, {"first_offer": "half"})
	client.free()
	client = _offline("experiments")
	client._responses.keep_grant({"userId": "p", "playerConfig": {"values": {"speed": 3}}})
	same((await client.experiments()).value, {"first_offer": "half"})
	client.free()
	client = _offline("experiments")
	client._responses.keep_grant({"userId": "another", "playerConfig": {"values": {"speed": 3}}})
	same((await client.experiments()).value, {})
	client.free()
	return true


func _own_callbacks() -> bool:
	var client := OwnCallbacks.new()
	client.base_url = "http://127.0.0.1:9"
	client.sign_url = "http://127.0.0.1:9/sign"
	client.storage_folder = folder.path_join("own")
	paused = true
	root.add_child(client)
	while client.frames < 3:
		await process_frame
	paused = false
	client.free()
	same(texts_in(folder.path_join("own")).contains("Ready"), true)
	return true


func _leaves_the_tree() -> bool:
	var server := TCPServer.new()
	server.listen(0, "127.0.0.1")
	var client := _offline("leaves", server.get_local_port())
	var results: Array[Result] = []
	var log_in := func() -> void: results.append(await client.login())
	log_in.call()
	while not server.is_connection_available():
		await process_frame
	var connection := server.take_connection()
	root.remove_child(client)
	same(results.map(func(result: Result) -> String: return result.code), ["sign_failed"])
	same((await client.login()).code, "sign_failed")
	root.add_child(client)
	log_in.call()
	while not server.is_connection_available():
		await process_frame
	connection.disconnect_from_host()
	client.free()
	return true


func _kept_at_the_end() -> bool:
	var client := _offline("end")
	var event_id := client.track("Before the pause")
	client.notification(Node.NOTIFICATION_APPLICATION_PAUSED)
	same(texts_in(client.storage_folder).contains(event_id), true)
	event_id = client.track("Before the end")
	client.free()
	same(texts_in(folder.path_join("end")).contains(event_id), true)
	return true


func _no_address() -> bool:
	var client := Client.new()
	client.track("Early")
	root.add_child(client)
	same((await client.login()).code, "closed")
	await client.flush()
	client.free()
	return true


func _offline(name: String, port: int = 9, fallback: Dictionary = {}) -> Client:
	var client := Client.new()
	client.fallback = fallback
	client.base_url = "http://127.0.0.1:%d" % port
	client.sign_url = "http://127.0.0.1:%d/sign" % port
	client.storage_folder = folder.path_join(name)
	root.add_child(client)
	return client
