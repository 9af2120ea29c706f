extends RefCounted
## What has to survive the end of the process, under separate names for each service and device.
##
## It is written on a thread, where there are any: a frame must not wait for a disk. A folder that fails must not stop the game: what
## could not be written stays in memory, and is written with the next change. One process at a time.

signal failed(error: Result)
signal _progressed

const Disk = preload("disk.gd")
const Json = preload("json.gd")
const Result = preload("result.gd")

const NO_TASK := -1

var _folder: String
var _prefix: String
var _is_open := false
## Changes that may not be on the disk yet.
var _unwritten: Dictionary[String, String] = {}
## The work of the thread, and whether it succeeded.
var _writing: Dictionary[String, String] = {}
var _outcome: Array[bool] = [false]
var _task := NO_TASK
## Changes are counted: made, given to the thread, finished, and reported.
var _made := 0
var _given := 0
var _done := 0
var _told := 0


func _init(folder: String, owner: String) -> void:
	_folder = folder
	_prefix = owner.sha256_text().left(12) + "-"


## What is kept under a name; null where there is nothing, or the file is damaged.
func read(name: String) -> Variant:
	var key := _prefix + name
	if _unwritten.has(key):
		return Json.read(_unwritten[key])
	if not _open():
		failed.emit(Result.new(null, "storage_failed", "The storage could not be read."))
		return null
	return Json.read(Disk.read(_folder, key))


func write(name: String, value: Variant) -> void:
	apply({name: Json.write(value)})


## Keeps all of these changes or none of them, also when the process is killed in the middle. Each is JSON; an empty text removes
## the name. Returns at once: see [method written].
func apply(changes: Dictionary[String, String]) -> void:
	for name in changes:
		_unwritten[_prefix + name] = changes[name]
	_made += 1
	if _task == NO_TASK:
		_begin()


## Ends when everything is written that was applied so far, or could not be.
func written() -> void:
	var wanted := _made
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
	_given = _made
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
	if _given < _made:
		_begin()


func _end(is_written: bool) -> void:
	_done = _given
	if not is_written:
		failed.emit(Result.new(null, "storage_failed", "The storage could not be written; memory is used."))
		return
	for key in _writing:
		if _unwritten[key] == _writing[key]:
			_unwritten.erase(key)
