extends "check.gd"
## The storage and the queue.

const Clock = preload("res://addons/savepoint/clock.gd")
const Exchange = preload("res://addons/savepoint/exchange.gd")
const Json = preload("res://addons/savepoint/json.gd")
const Queue = preload("res://addons/savepoint/queue.gd")
const Records = preload("res://addons/savepoint/records.gd")
const Reply = preload("res://addons/savepoint/reply.gd")
const Result = preload("res://addons/savepoint/result.gd")
const Sender = preload("res://addons/savepoint/sender.gd")
const Session = preload("res://addons/savepoint/session.gd")
const Sessions = preload("res://addons/savepoint/sessions.gd")
const Storage = preload("res://addons/savepoint/storage.gd")

const EVENT_A := '{"eventType":"A"}'
const EVENT_B := '{"eventType":"B"}'

## Of the queue that was made last.
var _storage: Storage


## The player is logged in.
class LoggedIn:
	extends Sessions

	func current() -> Result:
		return Result.new(Session.new())


## Accepts events, and looks how often the disk says that they were sent.
class LooksAtDisk:
	extends Exchange
	var path: String
	var tries: Array[int] = []

	func post(_path: String, _body: String, _headers: Dictionary[String, String] = {}, _ended := Signal()) -> Reply:
		var records := Records.new(Storage.new(path, "owner").read_bytes("batch-%d" % tries.size()))
		tries.append(Json.integer(Json.read(records.sound[0]), "tries"))
		return Reply.new(202, [], '{"accepted":1,"duplicates":0}')


func check_all() -> void:
	await check("a folder that fails loses nothing while the process lives", _folder_fails)
	await check("the storage finishes what a kill has interrupted", _kill_is_finished)
	await check("a batch is marked as sent on the disk before it is sent", _marked_before_sent)
	await check("damaged files do not stop the queue", _damaged_files)
	await check("another device starts an installation at once", _another_device)


func _folder_fails() -> bool:
	var path := folder.path_join("fails")
	FileAccess.open(path, FileAccess.WRITE).close()
	var storage := Storage.new(path, "owner")
	var codes: Array[String] = []
	storage.failed.connect(func(error: Result) -> void: codes.append(error.code))
	storage.write("a", 1)
	same(storage.read("a"), 1.0)
	same(codes, ["storage_failed"])
	DirAccess.remove_absolute(path)
	storage.write("b", 2)
	storage.finish()
	var next := Storage.new(path, "owner")
	same([next.read("a"), next.read("b")], [1.0, 2.0])
	same(Storage.new(path, "another owner").read("a"), null)
	return true


func _kill_is_finished() -> bool:
	var path := folder.path_join("killed")
	var killed := Storage.new(path, "owner")
	var old := Records.write('"old"')
	killed.apply({"a": old, "b": old, "c": old, "d": old})
	killed.finish()
	var prefix := "owner".sha256_text().left(12) + "-"
	_write(path, "journal.json", Records.write(Json.write({prefix + "a": Records.write('"new"'), prefix + "b": ""})))
	# Cut off while it was written; and written, but not moved where the old one had to be removed first.
	_write(path, prefix + "c.json.new", '"ne')
	DirAccess.rename_absolute(path.path_join(prefix + "d.json"), path.path_join(prefix + "d.json.new"))
	var storage := Storage.new(path, "owner")
	same([storage.read("a"), storage.read("b"), storage.read("c"), storage.read("d")], ["new", null, "old", "old"])
	same(DirAccess.get_files_at(path).size(), 3)
	return true


func _marked_before_sent() -> bool:
	var queue := _queue_at(folder.path_join("marked"), "")
	queue.max_events = 1
	queue.add([EVENT_A, EVENT_B])
	var exchange := LooksAtDisk.new(null, "", null)
	exchange.path = folder.path_join("marked")
	var sender := Sender.new(queue, LoggedIn.new(exchange, _storage, queue, Clock.new()), exchange)
	process_frame.connect(_storage.poll)
	await sender.flush()
	process_frame.disconnect(_storage.poll)
	same(exchange.tries, [1, 1])
	same(queue.is_empty(), true)
	return true


func _damaged_files() -> bool:
	var path := folder.path_join("damaged")
	_queue_at(path, "").add([EVENT_A])
	_storage.finish()
	for file in DirAccess.get_files_at(path):
		_write(path, file, '{"broken')
	var second := _queue_at(path, "")
	same(second.is_empty(), true)
	second.add([EVENT_B])
	same(second.take().body(), '[{"eventType":"B","seq":1}]')
	return true


func _another_device() -> bool:
	var path := folder.path_join("identity")
	_queue_at(path, "phone-1").add([EVENT_A])
	_storage.finish()
	var copied := _queue_at(path, "phone-2")
	copied.add([EVENT_B])
	var a := copied.take()
	copied.settle(a, 1, 0, a.events)
	var b := copied.take()
	same(a.install != b.install, true)
	same(b.body(), '[{"eventType":"B","seq":1}]')
	return true


func _queue_at(path: String, identity: String) -> Queue:
	_storage = Storage.new(path, "owner")
	var queue := Queue.new(_storage)
	queue.identity = identity
	return queue


func _write(path: String, file: String, text: String) -> void:
	FileAccess.open(path.path_join(file), FileAccess.WRITE).store_string(text)
