extends Control
## A game in one button: tracks levels, and shows what is on offer.

const SavepointNode = preload("res://addons/savepoint/savepoint.gd")

var _level := 0

@onready var _savepoint: SavepointNode = $Savepoint
@onready var _level_label: Label = $Rows/Level
@onready var _store_label: Label = $Rows/Store


func _ready() -> void:
	var play: Button = $Rows/Play
	play.pressed.connect(_complete_level)
	_savepoint.rejected.connect(_on_rejected)
	_savepoint.store_changed.connect(_show_store)
	var store := await _savepoint.store()
	if not store.is_ok():
		_store_label.text = "No store: %s" % store.message


func _complete_level() -> void:
	_level += 1
	_level_label.text = "Level %d completed" % _level
	_savepoint.track("Level_Complete", {"level": _level, "stars": randi_range(1, 3)})


func _show_store(store: Dictionary) -> void:
	var rows := PackedStringArray()
	for sku: Dictionary in store["activeSkus"]:
		rows.append("%s: %.2f %s" % [sku["name"], sku["offerPrice"], sku["currency"]])
	_store_label.text = "\n".join(rows)


func _on_rejected(event_type: String, code: String, message: String, _event: Dictionary) -> void:
	push_warning("%s was not taken (%s): %s" % [event_type, code, message])
