extends SceneTree
## The Godot client under test: does what the runner of the conformance suite says, one JSON object a line.

const Client = preload("res://addons/savepoint/savepoint.gd")
const Json = preload("res://addons/savepoint/json.gd")
const Result = preload("res://addons/savepoint/result.gd")

## Longer than any line.
const MAX_LINE_BYTES := 1_048_576

var _client: Client
## Counts the clients that were forgotten.
var _life := 0
var _ahead_seconds := 0.0
var _reader := Thread.new()


func _initialize() -> void:
	# Without a screen nothing else holds a frame back.
	Engine.max_fps = 200
	_reader.start(_read_lines)


## Waits for lines, on a thread of its own.
func _read_lines() -> void:
	var line := OS.read_string_from_stdin(MAX_LINE_BYTES)
	while not line.is_empty():
		_handle.call_deferred(line)
		line = OS.read_string_from_stdin(MAX_LINE_BYTES)
	_end.call_deferred()


func _end() -> void:
	_reader.wait_to_finish()
	quit()


## Not awaited: the next command may come before this one is done.
func _handle(line: String) -> void:
	var command: Dictionary = Json.read(line)
	if command["do"] == "reset":
		_forget()
		_send({"id": command["id"]})
		return
	var life := _life
	var result := await _perform(command)
	if life != _life:
		return
	var reply := {"id": command["id"]}
	if not result.is_ok():
		reply["error"] = {"code": result.code, "message": result.message}
	elif result.value != null:
		reply["value"] = result.value
	_send(reply)


## Outside the tree the client sends nothing and is not called any more. It is not freed: its functions may be waiting for a reply.
func _forget() -> void:
	_life += 1
	if _client == null:
		return
	_client.rejected.disconnect(_on_rejected)
	_client.failed.disconnect(_on_failed)
	root.remove_child(_client)
	_client = null


func _perform(command: Dictionary) -> Result:
	match command["do"]:
		"hello":
			return Result.new({"client": "Savepoint for Godot", "can": ["clock", "account", "reset"]})
		"create":
			_create(command)
			return Result.new()
		"clock":
			_ahead_seconds = command["aheadSeconds"]
			return Result.new()
		"track":
			return Result.new(
				_client.track(Json.text(command, "eventType"), Json.object(command, "payload"), Json.object(command, "metadata")))
		"saved":
			await _client.saved()
			return Result.new()
		"flush":
			await _client.flush()
			return Result.new()
		"close":
			await _client.close()
			return Result.new()
		"login":
			return await _client.login()
		"logout":
			return await _client.logout()
		"purchase":
			return Result.new(
				_client.purchase(Json.text(command, "sku"), Json.object(command, "receipt"), Json.text(command, "promoId")))
		"deleteAccount":
			return await _client.delete_account()
		"export":
			return await _client.export_data()
		"erasureCode":
			return await _client.erasure_code()
		"status":
			return await _client.status()
		"store":
			return await _client.store()
		"segments":
			return await _client.segments()
		"predictions":
			return await _client.predictions()
		"values":
			return await _client.values()
		"value":
			return Result.new(_value(command["key"], command["defaultValue"]))
	return Result.new(null, "unknown", "Unknown command: %s" % command["do"])


## All numbers of a command are floats.
func _value(key: String, default_value: Variant) -> Variant:
	if default_value is float:
		var number: float = default_value
		if number == floorf(number):
			return _client.value(key, int(number))
	return _client.value(key, default_value)


func _create(command: Dictionary) -> void:
	var batch := Json.object(command, "batch")
	_ahead_seconds = command.get("clockAheadSeconds", 0.0)
	_client = Client.new()
	_client.base_url = command["baseUrl"]
	_client.sign_url = command["signUrl"]
	_client.storage_folder = command["storage"]
	_client.device_id = command["deviceId"]
	_client.build = Json.text(command, "build")
	_client.event_metadata = Json.object(command, "metadata")
	_client.batch_events = Json.integer(batch, "events")
	_client.batch_bytes = Json.integer(batch, "bytes")
	_client.batch_seconds = batch["seconds"]
	_client.max_stored_bytes = Json.integer(command, "maxStoredBytes", _client.max_stored_bytes)
	_client.fallback = Json.object(command, "fallback")
	_client.device_clock = func() -> float: return Time.get_unix_time_from_system() + _ahead_seconds
	_client.rejected.connect(_on_rejected)
	_client.failed.connect(_on_failed)
	root.add_child(_client)


func _on_rejected(event_type: String, code: String, _message: String, _event: Dictionary) -> void:
	_send({"told": "rejected", "eventType": event_type, "code": code})


func _on_failed(error: Result) -> void:
	_send({"told": "error", "code": error.code, "message": error.message})


func _send(message: Dictionary) -> void:
	print(Json.write(message))
