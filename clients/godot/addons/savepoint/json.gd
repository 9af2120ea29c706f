extends RefCounted
## JSON, as far as the client needs it.
##
## Godot's own [JSON] writes texts with control characters in a way that no service reads, turns values that it does not know into
## text, and writes whole numbers that were read before with a fraction. It does read everything; all numbers as floats.

## Deeper than the service takes.
const MAX_DEPTH := 64

## What [method String.json_escape] leaves as it is, or writes as no JSON.
static var _control := RegEx.create_from_string("[\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f]")


## Null where the text is not JSON.
static func read(text: String) -> Variant:
	var json := JSON.new()
	return json.data if json.parse(text) == OK else null


## Why a value cannot be written; empty where it can.
static func problem_of(value: Variant, depth: int = 0) -> String:
	if depth > MAX_DEPTH:
		return "The value is nested too deeply, or contains itself."
	match typeof(value):
		TYPE_NIL, TYPE_BOOL, TYPE_INT, TYPE_STRING, TYPE_STRING_NAME:
			return ""
		TYPE_FLOAT:
			var number: float = value
			return "" if is_finite(number) else "A number is not finite."
		TYPE_DICTIONARY:
			return _problem_of_members(value, depth)
		TYPE_ARRAY, TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_INT64_ARRAY, TYPE_PACKED_FLOAT32_ARRAY, TYPE_PACKED_FLOAT64_ARRAY, \
		TYPE_PACKED_STRING_ARRAY:
			for item: Variant in Array(value):
				var problem := problem_of(item, depth + 1)
				if not problem.is_empty():
					return problem
			return ""
	return "A %s cannot be written as JSON." % type_string(typeof(value))


static func _problem_of_members(members: Dictionary, depth: int) -> String:
	for key: Variant in members:
		if not (key is String or key is StringName):
			return "The keys of an object must be strings."
		var problem := problem_of(members[key], depth + 1)
		if not problem.is_empty():
			return problem
	return ""


## Writes a value that has no problem. Members keep their order.
static func write(value: Variant) -> String:
	match typeof(value):
		TYPE_NIL:
			return "null"
		TYPE_BOOL:
			return "true" if value else "false"
		TYPE_INT:
			return str(value)
		TYPE_FLOAT:
			return _write_number(value)
		TYPE_STRING, TYPE_STRING_NAME:
			return _write_string(str(value))
		TYPE_DICTIONARY:
			var dictionary: Dictionary = value
			var members := PackedStringArray()
			for key: Variant in dictionary:
				members.append(_write_string(str(key)) + ":" + write(dictionary[key]))
			return "{" + ",".join(members) + "}"
	var items := PackedStringArray()
	for item: Variant in Array(value):
		items.append(write(item))
	return "[" + ",".join(items) + "]"


static func _write_number(value: float) -> String:
	# Whole numbers that a float has exactly.
	if value == floorf(value) and absf(value) < 1e15:
		return str(int(value))
	# 15 digits read better (0.99), but must not change the number.
	var short := JSON.stringify(value)
	return short if short.to_float() == value else JSON.stringify(value, "", false, true)


static func _write_string(value: String) -> String:
	if _control.search(value) == null:
		return '"' + value.json_escape() + '"'
	var text := ""
	var done := 0
	for found in _control.search_all(value):
		text += value.substr(done, found.get_start() - done).json_escape() + "\\u%04x" % found.get_string().unicode_at(0)
		done = found.get_end()
	return '"' + text + value.substr(done).json_escape() + '"'


## Null where the value is no object, or has no such member.
static func member(value: Variant, name: String) -> Variant:
	if value is Dictionary:
		var members: Dictionary = value
		return members.get(name)
	return null


## Empty where there is no such text.
static func text(value: Variant, name: String) -> String:
	var found: Variant = member(value, name)
	return found if found is String else ""


static func integer(value: Variant, name: String, otherwise: int = 0) -> int:
	var found: Variant = member(value, name)
	if found is int or found is float:
		return int(found)
	return otherwise


## Empty where there is no such object.
static func object(value: Variant, name: String) -> Dictionary:
	var found: Variant = member(value, name)
	return found if found is Dictionary else {}


## Empty where there is no such array.
static func items_of(value: Variant, name: String) -> Array:
	var found: Variant = member(value, name)
	return found if found is Array else []
