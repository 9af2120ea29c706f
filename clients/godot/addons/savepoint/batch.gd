extends RefCounted
## What is sent in one request, unchanged however often it is tried. Its events are numbered from [member first] on,
## within the installation under whose name it is sent.

const Json = preload("json.gd")
const Records = preload("records.gd")

## [code]"seq":1234567890,[/code] and the comma between events.
const NUMBER_BYTES := 24

var install: String
var first: int
## Each as JSON, without its number. An event that was damaged is empty, so that those after it keep their numbers.
var events := PackedStringArray()
var bytes := 0
## How often it was sent. Nothing is added to a batch that was sent.
var tries := 0
## The run of the game that made it. Only that run adds events to it.
var run: String
var place: int
## The events as they are kept, because a batch is rewritten for each of them.
var _records := PackedStringArray()

## Installation, number and event.
static var _entry := RegEx.create_from_string("(?s)^(\\w+) (\\d+) (\\{.*)$")


## What an event takes in a request.
static func bytes_of(text: String) -> int:
	return text.to_utf8_buffer().size() + NUMBER_BYTES


## The body of the request.
func body() -> String:
	var parts := PackedStringArray()
	for i in events.size():
		if not events[i].is_empty():
			parts.append('%s,"seq":%d}' % [events[i].left(-1), first + i])
	return "[" + ",".join(parts) + "]"


## The number after its last event.
func end_number() -> int:
	return first + events.size()


## The events without those that were damaged: what a request holds.
func sound() -> PackedStringArray:
	return PackedStringArray(Array(events).filter(func(text: String) -> bool: return not text.is_empty()))


func add(text: String) -> void:
	_records.append("" if text.is_empty() else Records.write("%s %d %s" % [install, end_number(), text]))
	events.append(text)
	bytes += 0 if text.is_empty() else bytes_of(text)


## Also after a change of [member install] or [member first], which stand in the record of each event.
func set_events(left: PackedStringArray) -> void:
	events = PackedStringArray()
	_records = PackedStringArray()
	bytes = 0
	for text in left:
		add(text)


## The batch as it is stored. Each event stands in a record of its own with its number, so it can be sent without the others.
func to_text() -> String:
	return Records.write(Json.write({"tries": tries, "run": run, "end": end_number()})) + "".join(_records)


## Takes what is sound. False where no event is.
func restore(records: Records, at: int) -> bool:
	# Without its head, it may have been sent, and by any run.
	tries = 1
	place = at
	var end := -1
	for record in records.sound:
		var entry := _entry.search(record)
		if entry == null:
			var head: Variant = Json.read(record)
			tries = Json.integer(head, "tries", 1)
			run = Json.text(head, "run")
			end = Json.integer(head, "end", -1)
			continue
		var number := entry.get_string(2).to_int()
		if events.is_empty():
			install = entry.get_string(1)
			first = number
		while end_number() < number:
			add("")
		add(entry.get_string(3))
	records.is_damaged = records.is_damaged or end_number() != end
	return not events.is_empty()
