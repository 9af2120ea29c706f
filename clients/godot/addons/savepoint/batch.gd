extends RefCounted
## What is sent in one request, unchanged however often it is tried. Its events are numbered from [member first] without gaps,
## within the installation under whose name it is sent.

const Json = preload("json.gd")

## [code]"seq":1234567890,[/code] and the comma between events.
const NUMBER_BYTES := 24

var install: String
var first: int
## Each as JSON, without its number.
var events := PackedStringArray()
var bytes := 0
## How often it was sent. Nothing is added to a batch that was sent.
var tries := 0
## The run of the game that made it. Only that run adds events to it.
var run: String
var place: int
## The events as they are kept, because a batch is rewritten for each of them.
var _kept := PackedStringArray()


## What an event takes in a request.
static func bytes_of(text: String) -> int:
	return text.to_utf8_buffer().size() + NUMBER_BYTES


## The body of the request.
func body() -> String:
	var parts := PackedStringArray()
	for i in events.size():
		parts.append('%s,"seq":%d}' % [events[i].left(-1), first + i])
	return "[" + ",".join(parts) + "]"


func add(text: String) -> void:
	events.append(text)
	_kept.append(Json.write(text))
	bytes += bytes_of(text)


func set_events(left: PackedStringArray) -> void:
	events = PackedStringArray()
	_kept = PackedStringArray()
	bytes = 0
	for text in left:
		add(text)


func to_json() -> String:
	var members := Json.write({"install": install, "first": first, "tries": tries, "run": run})
	return '%s,"events":[%s]}' % [members.left(-1), ",".join(_kept)]


## False where the text is no batch: a damaged file must not stop the queue.
func restore(kept: Variant, at: int) -> bool:
	install = Json.text(kept, "install")
	first = Json.integer(kept, "first")
	for text: Variant in Json.items_of(kept, "events"):
		if text is String:
			add(text)
	tries = Json.integer(kept, "tries")
	run = Json.text(kept, "run")
	place = at
	return not install.is_empty()
