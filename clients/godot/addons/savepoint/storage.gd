extends RefCounted
## What has to survive the end of the process, under separate names for each service and device.
##
## It is written on a thread, where there are any: a frame must not wait for a disk. A folder that fails must not stop the game: what
## could not be written stays in memory, and is written with the next change. One process at a time.

signal failed(error: Result)
signal _progressed

const Disk = preload("disk.gd")
const Json = preload("json.gd")
const Records = preload("records.gd")
const Result = preload("result.gd")

const NO_TASK := -1
## Kept twice, because nothing can replace them.
const TWICE: Array[String] = ["queue", "session", "device"]


## What was found under a name.
class Found:
	## Null where there is none, or no copy of it is sound.
	var value: Variant
	var is_damaged := false


var _folder: String
var _prefix: String
var _is_open := false
## Changes that may not be on the disk yet.
var _unwritten: Dictionary[String, String] = {}
## The work of the thread, and whether it succeeded.
var _writing: Dictionary[String, String] = {}
var _outcome: Array[bool] = [false]
var _task := NO_TASK
## Changes are counted: made, on the disk, given to the thread, finished, and reported.
var made := 0
var on_disk := 0
## Whether the last write failed.
var is_refusing := false
var _given := 0
var _done := 0
var _told := 0


func _init(folder: String, owner: String) -> void:
	_folder = folder
	_prefix = owner.sha256_text().left(12) + "-"


## The value kept under a name; null where there is none, or no copy of it is sound.
func read(name: String) -> Variant:
	return find(name).value


## As [method read]. Damage is reported once, because the value is then kept anew or removed.
func find(name: String) -> Found:
	var found := Found.new()
	var copies: Array[Variant] = []
	for copy in _names_of(name):
		copies.append(read_bytes(copy))
	var json := ""
	for bytes: Variant in copies:
		# Copies are written together. Where they differ, one of them is damaged or old.
		found.is_damaged = found.is_damaged or bytes != copies[0]
		var sound := PackedStringArray() if bytes == null else Records.new(bytes).sound
		if json.is_empty() and not sound.is_empty():
			json = sound[0]
	found.is_damaged = found.is_damaged or (copies[0] != null and json.is_empty())
	if found.is_damaged:
		report_damage(name)
		var changes: Dictionary[String, String] = {}
		put(changes, name, json)
		apply(changes)
	found.value = Json.read(json)
	return found


## What is kept under a name; null where there is nothing.
func read_bytes(name: String) -> Variant:
	var key := _prefix + name
	if _unwritten.has(key):
		return null if _unwritten[key].is_empty() else _unwritten[key].to_utf8_buffer()
	if not _open():
		failed.emit(Result.new(null, "storage_failed", "The storage could not be read."))
		return null
	return Disk.read(_folder, key)


func write(name: String, value: Variant) -> void:
	var changes: Dictionary[String, String] = {}
	put(changes, name, Json.write(value))
	apply(changes)


func remove(name: String) -> void:
	var changes: Dictionary[String, String] = {}
	put(changes, name, "")
	apply(changes)


## Adds a value, as JSON, to changes that are to be applied. An empty text removes it.
static func put(changes: Dictionary[String, String], name: String, json: String) -> void:
	for copy in _names_of(name):
		changes[copy] = "" if json.is_empty() else Records.write(json)


func report_damage(name: String) -> void:
	failed.emit(Result.new(null, "storage_damaged", "Stored data is damaged, and was left out: %s." % name))


## Keeps all of these changes or none of them, also when the process is killed in the middle. Each is a text of records; an empty text
## removes the name. Returns at once: see [method written].
func apply(changes: Dictionary[String, String]) -> void:
	for name in changes:
		_unwritten[_prefix + name] = changes[name]
	made += 1
	if _task == NO_TASK:
		_begin()


## Ends when everything is written that was applied so far, or could not be.
func written() -> void:
	var wanted := made
	while _done < wanted:
		await _progressed


## Waits for the disk: the process may be about to end.
func finish() -> void:
	while _task != NO_TASK:
		_collect()


## Is called with every frame.
func poll() -> void:
	if _task != NO_TASK and WorkerThreadPool.is_task_completed(_task):
		_collect()
	if _told < _done:
		_told = _done
		# A waiting caller may free the node that has called this function.
		_progressed.emit.call_deferred()


func _open() -> bool:
	_is_open = _is_open or Disk.open(_folder)
	return _is_open


func _begin() -> void:
	_given = made
	_writing = _unwritten.duplicate()
	if not _open():
		_end(false)
	elif OS.has_feature("threads"):
		_task = WorkerThreadPool.add_task(_write.bind(_folder, _writing, _outcome))
	else:
		_end(Disk.write_all(_folder, _writing))


## On the thread. Static, so that nothing it uses is freed while it runs.
static func _write(folder: String, changes: Dictionary[String, String], outcome: Array[bool]) -> void:
	outcome[0] = Disk.write_all(folder, changes)


func _collect() -> void:
	WorkerThreadPool.wait_for_task_completion(_task)
	_task = NO_TASK
	_end(_outcome[0])
	if _given < made:
		_begin()


func _end(is_written: bool) -> void:
	_done = _given
	is_refusing = not is_written
	if is_refusing:
		failed.emit(Result.new(null, "storage_failed", "The storage could not be written; memory is used."))
		return
	on_disk = _given
	for key in _writing:
		if _unwritten[key] == _writing[key]:
			_unwritten.erase(key)


static func _names_of(name: String) -> PackedStringArray:
	return [name, name + "-copy"] if name in TWICE else [name]
