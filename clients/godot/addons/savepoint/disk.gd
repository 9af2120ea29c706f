extends RefCounted
## The files of a folder, each moved into place as a whole: a reader finds the old text or the new one.
##
## Functions only, because they run on a thread.

const Json = preload("json.gd")

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
	var journal: Variant = Json.read(read(folder, JOURNAL))
	if not journal is Dictionary:
		return true
	var changes: Dictionary = journal
	for key: String in changes:
		if not _write(folder, key, str(changes[key])):
			return false
	return _write(folder, JOURNAL, "")


## Empty where there is no such text.
static func read(folder: String, key: String) -> String:
	var path := _path_of(folder, key)
	return FileAccess.get_file_as_string(path) if FileAccess.file_exists(path) else ""


## Writes all of these texts or none of them, also when the process is killed in the middle. An empty text removes the file.
static func write_all(folder: String, changes: Dictionary[String, String]) -> bool:
	var needs_journal := changes.size() > 1
	if needs_journal and not _write(folder, JOURNAL, Json.write(changes)):
		return false
	for key in changes:
		if not _write(folder, key, changes[key]):
			return false
	return not needs_journal or _write(folder, JOURNAL, "")


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
