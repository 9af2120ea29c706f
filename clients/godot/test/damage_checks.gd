extends "check.gd"
## Damaged files, and a storage that refuses writes.

const Clock = preload("res://addons/savepoint/clock.gd")
const Exchange = preload("res://addons/savepoint/exchange.gd")
const Queue = preload("res://addons/savepoint/queue.gd")
const Reply = preload("res://addons/savepoint/reply.gd")
const Result = preload("res://addons/savepoint/result.gd")
const Sender = preload("res://addons/savepoint/sender.gd")
const Session = preload("res://addons/savepoint/session.gd")
const Sessions = preload("res://addons/savepoint/sessions.gd")
const Storage = preload("res://addons/savepoint/storage.gd")

const TYPES: Array[String] = ["A", "Bäume 🚀", "C\u2028", "D", "E"]

var _codes: Array[String] = []


## Refuses writes while it is full.
class FullStorage:
	extends Storage
	var is_full := false

	func _begin() -> void:
		if is_full:
			_given = made
			_end(false)
		else:
			super()


## The player is logged in.
class LoggedIn:
	extends Sessions

	func current() -> Result:
		return Result.new(Session.new())


## Accepts events, and keeps what was sent.
class Accepts:
	extends Exchange
	var bodies: Array[String] = []
	var installs: Dictionary[String, bool] = {}

	func post(_path: String, body: String, headers: Dictionary[String, String] = {}, _ended := Signal()) -> Reply:
		bodies.append(body)
		installs[headers["X-Install-Id"]] = true
		return Reply.new(202, [], '{"accepted":1,"duplicates":0}')


func check_all() -> void:
	await check("whichever byte is changed or cut off, the rest is sent, it is reported once, and new events go on", _any_damage)
	await check("JSON of another shape does not stop new events, and is reported", _other_shapes)
	await check("a storage that refuses writes: all is sent, and the next run reuses no number", _refused_writes)
	await check("events that are refused while their batch is taken get another installation", _refused_while_taken)
	await check("the id of the device and a logout survive a damaged file", _copies)


func _any_damage() -> bool:
	var files := _filled("filled")
	var count := 0
	for file: String in files:
		var bytes: PackedByteArray = files[file]
		# Not each byte: a run of files and threads takes its time.
		for at in range(0, bytes.size(), 3):
			var flipped := bytes.duplicate()
			flipped[at] ^= 1 << (at % 8)
			_check_damage(files, file, flipped, at, at + 1)
			if at % 7 == 0:
				_check_damage(files, file, bytes.slice(0, at), at, bytes.size())
			count += 1
	same(count > 200, true)
	return true


func _check_damage(files: Dictionary, file: String, damaged: PackedByteArray, from: int, to: int) -> void:
	var path := folder.path_join("damage")
	_fill(path, files.merged({file: damaged}, true))
	var storage := _open(path)
	var queue := _queue_in(storage)
	queue.add([_event_of("New")])
	storage.finish()
	var sent := _send_all(queue, storage)
	var events := sent.map(func(entry: Array) -> String: return entry[1])
	var numbers := {}
	for entry in sent:
		numbers[entry[0]] = true
	var missing := _untouched(files, file, from, to).filter(func(event: String) -> bool: return not event in events)
	var what := "%s %d-%d" % [file, from, to]
	same([what, missing, events.back(), numbers.size(), _codes], [what, [], _event_of("New"), sent.size(), ["storage_damaged"]])
	var again := _open(path)
	same([what, _queue_in(again).is_empty(), _codes], [what, true, []])


## The events whose record, from its start to its end, has none of the damaged bytes.
func _untouched(files: Dictionary, damaged: String, from: int, to: int) -> Array[String]:
	var events: Array[String] = []
	for file: String in files:
		var bytes: PackedByteArray = files[file]
		var end := 0
		for line in bytes.get_string_from_utf8().split("\n"):
			var start := end
			end += line.to_utf8_buffer().size() + 1
			if file == damaged and from < end and to > start:
				continue
			for type in TYPES:
				if line.ends_with(_event_of(type)):
					events.append(_event_of(type))
	return events


func _other_shapes() -> bool:
	var files := _filled("shapes")
	for text: String in ["", "{}", "[]", "null", "5", '{"install":"i","next":1,"head":0,"end":2}']:
		var others := {}
		for file: String in files:
			others[file] = text.to_utf8_buffer()
		var path := folder.path_join("other")
		_fill(path, others)
		var storage := _open(path)
		var queue := _queue_in(storage)
		queue.add(PackedStringArray(TYPES.map(_event_of)))
		storage.finish()
		same(_send_all(queue, storage).size(), TYPES.size())
		same(_codes.has("storage_damaged"), true)
	return true


func _refused_writes() -> bool:
	# The storage is full from one of the types on, to the end of the run.
	for full_from in TYPES.size():
		var path := folder.path_join("full-%d" % full_from)
		var storage := _open(path)
		var queue := _queue_in(storage)
		var sent: Array[Array] = []
		for index in TYPES.size():
			storage.is_full = index >= full_from
			queue.add([_event_of(TYPES[index]), _event_of(TYPES[index] + " 2"), _event_of(TYPES[index] + " 3")])
			storage.finish()
			if index % 2 == 1:
				sent.append_array(_send_all(queue, storage))
		sent.append_array(_send_all(queue, storage))
		var next := _open(path)
		var next_queue := _queue_in(next)
		next_queue.add(PackedStringArray(TYPES.map(func(type: String) -> String: return _event_of("After " + type))))
		next.finish()
		sent.append_array(_send_all(next_queue, next))
		var numbers := {}
		var events := {}
		# An event that is sent again has the same number, and a number is never that of two events.
		for entry in sent:
			same([full_from, numbers.get_or_add(entry[0], entry[1])], [full_from, entry[1]])
			events[entry[1]] = true
		same([full_from, numbers.size(), events.size()], [full_from, TYPES.size() * 4, TYPES.size() * 4])
	return true


func _refused_while_taken() -> bool:
	var storage := _open(folder.path_join("taken"))
	var queue := _queue_in(storage)
	queue.add([_event_of("A")])
	# The write of A has begun. The next one fails, which is known only after the batch was taken.
	storage.is_full = true
	queue.add([_event_of("B")])
	var exchange := Accepts.new(null, "", null)
	var sender := Sender.new(queue, LoggedIn.new(exchange, storage, queue, Clock.new()), exchange)
	process_frame.connect(storage.poll)
	await sender.flush()
	process_frame.disconnect(storage.poll)
	same(exchange.bodies, ['[{"eventType":"A","seq":1}]', '[{"eventType":"B","seq":1}]'])
	same(exchange.installs.size(), 2)
	return true


func _copies() -> bool:
	for name: String in ["device", "session"]:
		var storage := _open(folder.path_join("copies"))
		storage.write(name, "kept")
		storage.apply({name: '{"broken'})
		same([storage.read(name), storage.read(name), _codes], ["kept", "kept", ["storage_damaged"]])
		storage.finish()
	return true


## What a run leaves that has sent one event, and has three batches that wait, the first of them sent before.
func _filled(name: String) -> Dictionary:
	var path := folder.path_join(name)
	var storage := _open(path)
	var queue := _queue_in(storage)
	queue.add([_event_of("Sent")])
	storage.finish()
	_send_all(queue, storage)
	queue.add(PackedStringArray(TYPES.map(_event_of)))
	storage.finish()
	queue.take()
	storage.finish()
	var files := {}
	for file in DirAccess.get_files_at(path):
		files[file] = FileAccess.get_file_as_bytes(path.path_join(file))
	return files


func _fill(path: String, files: Dictionary) -> void:
	DirAccess.make_dir_recursive_absolute(path)
	for file in DirAccess.get_files_at(path):
		DirAccess.remove_absolute(path.path_join(file))
	for file: String in files:
		FileAccess.open(path.path_join(file), FileAccess.WRITE).store_buffer(files[file])


func _open(path: String) -> FullStorage:
	var storage := FullStorage.new(path, "owner")
	_codes = []
	storage.failed.connect(func(error: Result) -> void: _codes.append(error.code))
	return storage


func _queue_in(storage: Storage) -> Queue:
	var queue := Queue.new(storage)
	queue.max_events = 2
	return queue


## Each as [installation and number, event].
func _send_all(queue: Queue, storage: Storage) -> Array[Array]:
	var sent: Array[Array] = []
	while not queue.is_empty():
		var batch := queue.take()
		for i in batch.events.size():
			if not batch.events[i].is_empty():
				sent.append(["%s %d" % [batch.install, batch.first + i], batch.events[i]])
		queue.settle(batch, batch.events.size(), 0, batch.events)
	storage.finish()
	return sent


static func _event_of(type: String) -> String:
	return '{"eventType":"%s"}' % type
