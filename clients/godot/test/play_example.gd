extends SceneTree
## Plays the example against a service: [code]-- <baseUrl> <signUrl> <folder> <deviceId>[/code]. Prints what it shows.

const Client = preload("res://addons/savepoint/savepoint.gd")
const Main = preload("res://example/main.tscn")


func _initialize() -> void:
	Engine.max_fps = 200
	_play.call_deferred()


func _play() -> void:
	var args := OS.get_cmdline_user_args()
	var main: Control = Main.instantiate()
	var client: Client = main.get_node("Savepoint")
	client.base_url = args[0]
	client.sign_url = args[1]
	client.storage_folder = args[2]
	client.device_id = args[3]
	root.add_child(main)
	var store: Label = main.get_node("Rows/Store")
	while store.text.is_empty():
		await process_frame
	var play: Button = main.get_node("Rows/Play")
	play.pressed.emit()
	play.pressed.emit()
	await client.close()
	var level: Label = main.get_node("Rows/Level")
	print(level.text)
	print(store.text)
	quit()
