extends RefCounted
## The files of a folder, each moved into place as a whole: a reader finds the old text or the new one.
##
## Functions only, because they run on a thread.

const Json = preload("json.gd")
const Records = preload("records.gd")

## Changes that are being applied; after a crash the next start applies them again.
const JOURNAL := "journal"


## Makes the folder if it is not there, and finishes what a kill has interrupted. False where that fails.
static func open(folder: String) -> bool:
	DirAccess.make_dir_recursive_absolute(folder)
	if not DirAccess.dir_exists_absolute(folder):
		return false
	for file in DirAccess.get_files_at(folder):
		if file.ends_with(".new"):
			_finish(folder.path_join(file))
	return _apply_journal(folder)


## The bytes of a text; null where there is none.
static func read(folder: String, key: String) -> Variant:
	var path := _path_of(folder, key)
	return FileAccess.get_file_as_bytes(path) if FileAccess.file_exists(path) else null


## Writes all of these texts or none of them, also when the process is killed in the middle. An empty text removes the file.
static func write_all(folder: String, changes: Dictionary[String, String]) -> bool:
	# A journal may be left that could not be applied.
	if not _apply_journal(folder):
		return false
	if changes.size() < 2:
		return _write_each(folder, changes)
	if not _write(folder, JOURNAL, Records.write(Json.write(changes))):
		return false
	# The changes count from here on, whatever fails: the journal is applied before the next ones.
	_apply_journal(folder)
	return true


## A damaged journal counts for nothing: its changes were never reported as written. The queue notices if a part of them was applied.
static func _apply_journal(folder: String) -> bool:
	var bytes: Variant = read(folder, JOURNAL)
	if bytes == null:
		return true
	var records := Records.new(bytes)
	if not records.sound.is_empty():
		var changes: Variant = Json.read(records.sound[0])
		if changes is Dictionary and not _write_each(folder, changes):
			return false
	return _write(folder, JOURNAL, "")


static func _write_each(folder: String, changes: Dictionary) -> bool:
	for key: String in changes:
		if not _write(folder, key, str(changes[key])):
			return false
	return true


static func _write(folder: String, key: String, text: String) -> bool:
	var path := _path_of(folder, key)
	if text.is_empty():
		return not FileAccess.file_exists(path) or DirAccess.remove_absolute(path) == OK
	var file := FileAccess.open(path + ".new", FileAccess.WRITE)
	if file == null:
		return false
	file.store_string(text)
	file.flush()
	var is_written := file.get_error() == OK
	file.close()
	return is_written and DirAccess.rename_absolute(path + ".new", path) == OK


## Where files cannot be replaced in one step the old one is removed first: then the new one is all there is.
static func _finish(path: String) -> void:
	var target := path.trim_suffix(".new")
	if FileAccess.file_exists(target):
		DirAccess.remove_absolute(path)
	else:
		DirAccess.rename_absolute(path, target)


static func _path_of(folder: String, key: String) -> String:
	return folder.path_join(key + ".json")
