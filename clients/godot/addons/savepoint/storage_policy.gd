extends RefCounted
## What is dropped when the storage is full: the oldest ads, then the oldest others, never purchases and refunds.

const Batch = preload("batch.gd")


## Makes room for [param needed] bytes in batches that were never sent, oldest first. The rest is renumbered so that all dropped
## numbers are one range, before the first batch: the service limits the number of gaps. A batch may be left empty.
## Returns what was dropped.
static func make_room(batches: Array[Batch], needed: float) -> PackedStringArray:
	var gone: Array[Dictionary] = []
	for batch in batches:
		# The numbers of damaged events are gone already.
		var damaged := {}
		for index in batch.events.size():
			if batch.events[index].is_empty():
				damaged[index] = true
		gone.append(damaged)
	var dropped := PackedStringArray()
	var bytes := 0
	for is_only_ads: bool in [true, false]:
		for at in batches.size():
			for index in batches[at].events.size():
				if bytes >= needed:
					break
				var text := batches[at].events[index]
				if gone[at].has(index) or _is_purchase(text) or (is_only_ads and not _is_of_type(text, "Ad_Impression")):
					continue
				gone[at][index] = true
				dropped.append(text)
				bytes += Batch.bytes_of(text)
	_renumber(batches, gone)
	return dropped


static func _renumber(batches: Array[Batch], gone: Array[Dictionary]) -> void:
	var shift := 0
	for at in range(batches.size() - 1, -1, -1):
		var batch := batches[at]
		if at + 1 < batches.size() and batches[at + 1].install != batch.install:
			shift = 0
		shift += gone[at].size()
		if shift == 0:
			continue
		batch.first += shift
		var left := PackedStringArray()
		for index in batch.events.size():
			if not gone[at].has(index):
				left.append(batch.events[index])
		batch.set_events(left)


static func _is_purchase(text: String) -> bool:
	return _is_of_type(text, "Purchase") or _is_of_type(text, "Refund")


static func _is_of_type(text: String, event_type: String) -> bool:
	return text.begins_with('{"eventType":"%s"' % event_type)
