extends RefCounted
## A text whose damage stays where it is. Each record has a checksum and stands between a start and an end, so whichever byte is
## changed, the records before and after it are still found.

## ASCII's own separator of records, as in RFC 7464. JSON has neither of the two characters.
const START := 0x1e
const END := 0x0a
## The checksum and a space.
const PREFIX_BYTES := 9

## The records that are sound, in their order.
var sound := PackedStringArray()
## Whether there was anything else between them.
var is_damaged := false


static func write(record: String) -> String:
	return "%s%s %s\n" % [char(START), _checksum(record.to_utf8_buffer()), record]


## Reads bytes rather than text, because damaged bytes may be no text.
func _init(bytes: PackedByteArray) -> void:
	is_damaged = bytes.is_empty() or bytes[-1] != END
	var at := 0
	while at < bytes.size():
		var ends := [bytes.find(START, at), bytes.find(END, at), bytes.size()].filter(func(end: int) -> bool: return end >= 0)
		var end: int = ends.min()
		if end > at:
			_add(bytes.slice(at, end))
		at = end + 1


func _add(part: PackedByteArray) -> void:
	var record := part.slice(PREFIX_BYTES)
	if not record.is_empty() and part.slice(0, PREFIX_BYTES) == (_checksum(record) + " ").to_utf8_buffer():
		sound.append(record.get_string_from_utf8())
	else:
		is_damaged = true


## The beginning of SHA-256: the engine computes it, and it is the same in every version.
static func _checksum(record: PackedByteArray) -> String:
	var context := HashingContext.new()
	context.start(HashingContext.HASH_SHA256)
	context.update(record)
	return context.finish().hex_encode().left(PREFIX_BYTES - 1)
