extends SceneTree
## What the checks have in common. They print [code]ok[/code] or [code]FAILED[/code] and a name a line. Their argument is an empty folder.

var folder := OS.get_cmdline_user_args()[0]
var _problems := PackedStringArray()


func _initialize() -> void:
	# Without a screen nothing else holds a frame back.
	Engine.max_fps = 200
	_run.call_deferred()


func _run() -> void:
	@warning_ignore("redundant_await")
	await check_all()
	quit()


## Calls [method check] for each.
func check_all() -> void:
	pass


## A check that stops in the middle, at an error of the script, does not return true.
func check(name: String, work: Callable) -> void:
	_problems.clear()
	if await work.call() != true:
		_problems.append("it stopped at an error")
	print("ok " + name if _problems.is_empty() else "FAILED %s: %s" % [name, "; ".join(_problems)])


func same(actual: Variant, expected: Variant) -> void:
	if typeof(actual) != typeof(expected) or actual != expected:
		_problems.append("expected %s, got %s" % [expected, actual])


## All that is kept in a folder.
func texts_in(path: String) -> String:
	var texts := PackedStringArray()
	for file in DirAccess.get_files_at(path):
		texts.append(FileAccess.get_file_as_string(path.path_join(file)))
	return "\n".join(texts)
