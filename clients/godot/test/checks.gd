extends SceneTree
## Checks that need no service. Prints [code]ok[/code] or [code]FAILED[/code] and a name a line. Its argument is an empty folder.

const Answers = preload("res://addons/savepoint/answers.gd")
const Batch = preload("res://addons/savepoint/batch.gd")
const Client = preload("res://addons/savepoint/savepoint.gd")
const Clock = preload("res://addons/savepoint/clock.gd")
const Json = preload("res://addons/savepoint/json.gd")
const Queue = preload("res://addons/savepoint/queue.gd")
const Result = preload("res://addons/savepoint/result.gd")
const Storage = preload("res://addons/savepoint/storage.gd")

const EVENT_A := '{"eventType":"A"}'
const EVENT_B := '{"eventType":"B"}'

var _folder := OS.get_cmdline_user_args()[0]
## Of the queue that was made last.
var _storage: Storage
var _problems := PackedStringArray()


## A game that has callbacks of its own.
class OwnCallbacks:
	extends Client
	var frames := 0

	func _ready() -> void:
		track("Ready")

	func _process(_delta: float) -> void:
		frames += 1


func _initialize() -> void:
	Engine.max_fps = 200
	_check_all.call_deferred()


func _check_all() -> void:
	await _check("JSON: texts, numbers and nesting come back as they were", _json_comes_back)
	await _check("JSON: what is not JSON is refused", _json_refuses)
	await _check("instants are read in both forms, and what is none is refused", _instants)
	await _check("track never fails, whatever it is given", _track_never_fails)
	await _check("a folder that fails loses nothing while the process lives", _folder_fails)
	await _check("the storage finishes what a kill has interrupted", _kill_is_finished)
	await _check("saved ends, though there are more events with every frame", _saved_ends)
	await _check("damaged files do not stop the queue", _damaged_files)
	await _check("another device starts an installation at once", _another_device)
	await _check("an answer is told when it differs from the one before", _answers_are_told)
	await _check("a script with callbacks of its own works, also in a paused tree", _own_callbacks)
	await _check("whoever waits for a request is told when the client leaves the tree, and it goes on afterwards", _leaves_the_tree)
	await _check("a client without an address says so, and fails", _no_address)
	quit()


func _json_comes_back() -> bool:
	var value := {
		"z": [1, -2.5, 1e100, 1e-7, 0.99, 0.1 + 0.2, 123456789.123, true, null],
		"text": "\u0001\u000b\u001f ü🚀\\\"\n\t\\v",
		"a": {"b": {}, &"name": &"of a node"},
		"whole": 3.0,
		"packed": PackedInt32Array([1, 2]),
	}
	var text := Json.write(value)
	_same(Json.problem_of(value), "")
	_same(text.contains('"text":"\\u0001\\u000b\\u001f ü🚀\\\\\\"\\n\\t\\\\v"'), true)
	_same(text.contains("0.99,0.30000000000000004,123456789.123,true,null]"), true)
	_same(text.ends_with('"whole":3,"packed":[1,2]}'), true)
	var back: Dictionary = Json.read(text)
	_same(back["z"], [1.0, -2.5, 1e100, 1e-7, 0.99, 0.1 + 0.2, 123456789.123, true, null])
	_same(back["text"], value["text"])
	_same(back["a"], {"b": {}, "name": "of a node"})
	return true


func _json_refuses() -> bool:
	for text: String in ["", "{", '{"a" 1}', "nul", '"\\x"', "1 2", '{"broken', "<html>", "[".repeat(5000)]:
		_same(Json.read(text), null)
	return true


func _instants() -> bool:
	_same(Clock.parse("2026-11-16T12:30:05Z"), 1794832205000)
	_same(Clock.parse("2026-11-16T14:30:05.250+02:00"), 1794832205250)
	_same(Clock.parse("Mon, 16 Nov 2026 12:30:05 GMT"), 1794832205000)
	for text: String in ["", "soon", "2026-13-01T00:00:00Z", "Mon, 16 Non 2026 12:30:05 GMT"]:
		_same(Clock.parse(text), -1)
	_same(Clock.format(1794832205007), "2026-11-16T12:30:05.007Z")
	_same(Clock.format_seconds(1794832205999), "2026-11-16T12:30:05Z")
	return true


func _track_never_fails() -> bool:
	var client := _offline("track")
	var told: Array[String] = []
	client.rejected.connect(func(type: String, code: String, _m: String, _e: Dictionary) -> void: told.append(type + " " + code))
	var cycle := {}
	cycle["self"] = cycle
	_same(client.track("Cycle", cycle).length(), 26)
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
	_same(", ".join(told), "Cycle event_unserializable, NaN event_unserializable, Type event_unserializable, "
		+ "Node event_unserializable, Key event_unserializable, Metadata event_unserializable, Huge event_too_large, Late closed")
	_same((await client.status()).code, "closed")
	client.queue_free()
	return true


func _folder_fails() -> bool:
	var path := _folder.path_join("fails")
	FileAccess.open(path, FileAccess.WRITE).close()
	var storage := Storage.new(path, "owner")
	var codes: Array[String] = []
	storage.failed.connect(func(error: Result) -> void: codes.append(error.code))
	storage.write("a", 1)
	_same(storage.read("a"), 1.0)
	_same(codes, ["storage_failed"])
	DirAccess.remove_absolute(path)
	storage.write("b", 2)
	storage.finish()
	var next := Storage.new(path, "owner")
	_same([next.read("a"), next.read("b")], [1.0, 2.0])
	_same(Storage.new(path, "another owner").read("a"), null)
	return true


func _kill_is_finished() -> bool:
	var path := _folder.path_join("killed")
	var killed := Storage.new(path, "owner")
	killed.apply({"a": '"old"', "b": '"old"', "c": '"old"', "d": '"old"'})
	killed.finish()
	var prefix := "owner".sha256_text().left(12) + "-"
	_write(path, "journal.json", Json.write({prefix + "a": '"new"', prefix + "b": ""}))
	# Cut off while it was written; and written, but not moved where the old one had to be removed first.
	_write(path, prefix + "c.json.new", '"ne')
	DirAccess.rename_absolute(path.path_join(prefix + "d.json"), path.path_join(prefix + "d.json.new"))
	var storage := Storage.new(path, "owner")
	_same([storage.read("a"), storage.read("b"), storage.read("c"), storage.read("d")], ["new", null, "old", "old"])
	_same(DirAccess.get_files_at(path).size(), 3)
	return true


func _saved_ends() -> bool:
	var client := _offline("busy")
	var on_frame := func() -> void: client.track("Step", {"text": "x".repeat(1000)})
	process_frame.connect(on_frame)
	for _round in 20:
		var event_id := client.track("Last")
		await client.saved()
		var texts := PackedStringArray()
		for file in DirAccess.get_files_at(client.storage_folder):
			texts.append(FileAccess.get_file_as_string(client.storage_folder.path_join(file)))
		_same("".join(texts).contains(event_id), true)
	process_frame.disconnect(on_frame)
	client.free()
	return true


func _damaged_files() -> bool:
	var path := _folder.path_join("damaged")
	_queue_at(path, "").add([EVENT_A])
	_storage.finish()
	for file in DirAccess.get_files_at(path):
		_write(path, file, '{"broken')
	var second := _queue_at(path, "")
	_same(second.is_empty(), true)
	second.add([EVENT_B])
	_same(second.take().body(), '[{"eventType":"B","seq":1}]')
	return true


func _another_device() -> bool:
	var path := _folder.path_join("identity")
	_queue_at(path, "phone-1").add([EVENT_A])
	_storage.finish()
	var copied := _queue_at(path, "phone-2")
	copied.add([EVENT_B])
	var a := copied.take()
	copied.settle(a, 1, 0, a.events)
	var b := copied.take()
	_same(a.install != b.install, true)
	_same(b.body(), '[{"eventType":"B","seq":1}]')
	return true


func _answers_are_told() -> bool:
	var answers := Answers.new(null, null, Storage.new(_folder.path_join("answers"), "owner"), Clock.new())
	var told: Array[String] = []
	answers.changed.connect(func(what: String, answer: Dictionary) -> void: told.append("%s %s" % [what, answer["asOf"]]))
	for store: Dictionary in [{"asOf": 1, "n": 1}, {"asOf": 2, "n": 1}, {"asOf": 3, "n": 2}]:
		answers.keep_grant({"playerConfig": {"storeConfig": store}})
	_same(told, ["store 1", "store 3"])
	return true


func _own_callbacks() -> bool:
	var client := OwnCallbacks.new()
	client.base_url = "http://127.0.0.1:9"
	client.sign_url = "http://127.0.0.1:9/sign"
	client.storage_folder = _folder.path_join("own")
	paused = true
	root.add_child(client)
	while client.frames < 3:
		await process_frame
	paused = false
	client.free()
	var kept: Array = DirAccess.get_files_at(_folder.path_join("own"))
	_same(kept.any(func(file: String) -> bool: return file.ends_with("-batch-0.json")), true)
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
	_same(results.map(func(result: Result) -> String: return result.code), ["sign_failed"])
	_same((await client.login()).code, "sign_failed")
	root.add_child(client)
	log_in.call()
	while not server.is_connection_available():
		await process_frame
	connection.disconnect_from_host()
	client.free()
	return true


func _no_address() -> bool:
	var client := Client.new()
	client.track("Early")
	root.add_child(client)
	_same((await client.login()).code, "closed")
	await client.flush()
	client.free()
	return true


func _offline(name: String, port: int = 9) -> Client:
	var client := Client.new()
	client.base_url = "http://127.0.0.1:%d" % port
	client.sign_url = "http://127.0.0.1:%d/sign" % port
	client.storage_folder = _folder.path_join(name)
	root.add_child(client)
	return client


func _queue_at(path: String, identity: String) -> Queue:
	_storage = Storage.new(path, "owner")
	var queue := Queue.new(_storage)
	queue.identity = identity
	return queue


func _write(path: String, file: String, text: String) -> void:
	FileAccess.open(path.path_join(file), FileAccess.WRITE).store_string(text)


## A check that stops in the middle, at an error of the script, does not return true.
func _check(name: String, check: Callable) -> void:
	_problems.clear()
	if await check.call() != true:
		_problems.append("it stopped at an error")
	print("ok " + name if _problems.is_empty() else "FAILED %s: %s" % [name, "; ".join(_problems)])


func _same(actual: Variant, expected: Variant) -> void:
	if typeof(actual) != typeof(expected) or actual != expected:
		_problems.append("expected %s, got %s" % [expected, actual])
