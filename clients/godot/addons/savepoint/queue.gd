extends RefCounted
## The queue of events. An event is numbered in the change that stores it.
##
## A copy of the storage (a backup restored on a second phone) would use the same numbers for other events, and the service would
## take those for duplicates. So a copy has to start a new installation ([code]install[/code]). A copy is noticed by the device it is on
## ([code]identity[/code]), by the session that both copies try to refresh ([method start_install]), or by numbers that were taken
## before they were ever sent ([method settle]). The last happens only while both copies are in use. Two batches may be lost then,
## because a network that delivers a request twice looks the same, and such a request must not count twice. Batches from before the start
## keep their names: both copies have them, and they count once.
##
## Which numbers were given is not known for certain where the state is damaged or older than the batches beside it. Then a new installation
## is started, too. So it is for events that the storage has refused ([method _detach]): the next run does not know their numbers.

## Events that were dropped because the storage was full.
signal dropped(events: PackedStringArray)

const Batch = preload("batch.gd")
const QueueState = preload("queue_state.gd")
const RandomId = preload("random_id.gd")
const Records = preload("records.gd")
const Storage = preload("storage.gd")
const StoragePolicy = preload("storage_policy.gd")

## The service takes 256 gaps an installation; after this many a new one is started.
const MAX_GAPS := 200
## One such batch may have been delivered twice by the network; two in a row are another copy's numbers.
const MAX_SUSPICIONS := 2

var max_events := 50
var max_bytes := 60_000
var max_stored_bytes := 2_097_152
## Names the device; empty where that is not known.
var identity := ""

var _storage: Storage
var _run := RandomId.make()
## Null until the storage was read.
var _state: QueueState
## By their place, oldest first.
var _batches: Array[Batch] = []
var _changes: Dictionary[String, String] = {}
## The installation on the disk and its next number: what the next run would go on with.
var _stored_install: String
var _stored_next := 1
## What these two become, by the number of the change that is not known to be on the disk yet: [number, installation, next number].
var _pending: Array[Array] = []


func _init(storage: Storage) -> void:
	_storage = storage


## Numbers and stores events. Says whether a batch is full.
func add(events: PackedStringArray) -> bool:
	_load()
	var is_full := _append(events)
	var gone := _drop_some() if _state.bytes > max_stored_bytes else PackedStringArray()
	_commit()
	if not gone.is_empty():
		dropped.emit(gone)
	return is_full


## The oldest batch, marked as sent: nothing changes it any more. Null where nothing waits.
func take() -> Batch:
	_load()
	if _storage.is_refusing:
		_detach()
	if _batches.is_empty():
		return null
	var batch := _batches[0]
	batch.tries += 1
	_keep(batch)
	_commit()
	return batch


## Whether no later run can give the numbers of this batch to other events.
func is_safe(batch: Batch) -> bool:
	while not _pending.is_empty() and _pending[0][0] <= _storage.on_disk:
		var stored: Array = _pending.pop_front()
		_stored_install = stored[1]
		_stored_next = stored[2]
	return batch.install != _stored_install or batch.end_number() <= _stored_next


## Ends when all of this is on the disk. A batch must be on the disk before it is sent: a later run must not give its numbers to other events.
func written() -> void:
	await _storage.written()


## Undoes [method take]: the service has not processed the batch.
func release(batch: Batch) -> void:
	if not _batches.has(batch):
		return
	batch.tries -= 1
	_keep(batch)
	_commit()


## Forgets a batch that the service has responded to. Good events are those that it did not reject.
func settle(batch: Batch, accepted: int, duplicates: int, good: PackedStringArray) -> void:
	# All events were forgotten meanwhile.
	if not _batches.has(batch):
		return
	_forget(batch)
	# Only a batch that was sent once, and by this run, shows whose numbers were taken.
	var is_ours := batch.tries == 1 and batch.run == _run
	if not is_ours or duplicates == 0:
		if accepted > 0:
			_state.suspicions = 0
	elif accepted > 0:
		# A copy has used these numbers. The service takes a request as a whole or not at all: where some of its events were accepted,
		# the others are no second delivery of this request. A copy sends in order, too, so it had the first numbers.
		batch.set_events(good.slice(0, duplicates))
		batch.tries = 0
		_batches.push_front(batch)
		_state.head = batch.place
		_state.bytes += batch.bytes
		_rename(batch.place)
	else:
		_state.suspicions += 1
		if _state.suspicions >= MAX_SUSPICIONS:
			_rename(_state.end)
	_commit()


## The storage may be a copy: starts a new installation, once for each session that was refused.
func start_install(refused_session: String) -> void:
	_load()
	if _state.refused == refused_session:
		return
	_state.refused = refused_session
	_rename(_state.end if _state.unchecked_from < 0 else _state.unchecked_from)
	_commit()


## The storage is no copy, as far as the client can know.
func trust() -> void:
	_load()
	_state.unchecked_from = -1
	_commit()


## Forgets all events, and starts a new installation: the player of these is gone.
func clear() -> void:
	_load()
	for batch: Batch in _batches.duplicate():
		_forget(batch)
	_rename(_state.end)
	_commit()


func is_empty() -> bool:
	_load()
	return _batches.is_empty()


func _load() -> void:
	if _state != null:
		return
	_state = QueueState.new()
	var found := _storage.find("queue")
	var is_kept := _state.restore(found.value)
	if not is_kept:
		_state.install = RandomId.make()
	_stored_install = _state.install
	_stored_next = _state.next
	for place in range(_state.head, _state.end):
		_load_batch(place)
	# Batches that the state does not know, because a change was interrupted.
	while _load_batch(_state.end):
		_state.end += 1
	_state.bytes = 0
	var is_old := false
	for batch in _batches:
		_state.bytes += batch.bytes
		is_old = is_old or (batch.install == _state.install and batch.end_number() > _state.next)
	if is_kept and _state.unchecked_from < 0:
		_state.unchecked_from = _state.end
	var is_elsewhere := not identity.is_empty() and not _state.identity.is_empty() and identity != _state.identity
	if found.is_damaged or is_old or is_elsewhere:
		_rename(_state.end)
	if not identity.is_empty():
		_state.identity = identity


## Says whether there is such a batch.
func _load_batch(place: int) -> bool:
	var bytes: Variant = _storage.read_bytes(_name_of(place))
	if bytes == null:
		return false
	var records := Records.new(bytes)
	var batch := Batch.new()
	var is_left := batch.restore(records, place)
	if is_left:
		_batches.append(batch)
	if records.is_damaged:
		# Only the sound part is stored from now on, so the damage is reported once.
		_storage.report_damage(_name_of(place))
		_changes[_name_of(place)] = batch.to_text() if is_left else ""
	return is_left


func _commit() -> void:
	Storage.put(_changes, "queue", _state.to_json())
	_storage.apply(_changes)
	_changes.clear()
	_pending.append([_storage.made, _state.install, _state.next])


## Moves events that the storage has refused to a new installation, before they are sent: the next run would give their numbers to other
## events.
func _detach() -> void:
	var refused := PackedStringArray()
	for batch: Batch in _batches.duplicate():
		if is_safe(batch):
			continue
		var count := maxi(0, _stored_next - batch.first)
		refused.append_array(batch.events.slice(count))
		_state.bytes -= batch.bytes
		batch.set_events(batch.events.slice(0, count))
		_state.bytes += batch.bytes
		if count > 0:
			_keep(batch)
		else:
			_forget(batch)
	if not refused.is_empty():
		_rename(_state.end)
		_append(refused)


func _append(events: PackedStringArray) -> bool:
	var tail: Batch = null if _batches.is_empty() else _batches[-1]
	if tail != null and (tail.place != _state.end - 1 or tail.run != _run or tail.tries > 0 or tail.install != _state.install):
		tail = null
	var changed_from := _state.end if tail == null else tail.place
	var is_full := false
	for text in events:
		var bytes := Batch.bytes_of(text)
		if tail == null or tail.events.size() >= max_events or tail.bytes + bytes > max_bytes:
			tail = _new_batch()
		tail.add(text)
		_state.next += 1
		_state.bytes += bytes
		is_full = is_full or tail.events.size() >= max_events or tail.bytes + bytes > max_bytes
	for batch in _batches:
		if batch.place >= changed_from:
			_keep(batch)
	return is_full


func _new_batch() -> Batch:
	var batch := Batch.new()
	batch.install = _state.install
	batch.first = _state.next
	batch.run = _run
	batch.place = _state.end
	_state.end += 1
	_batches.append(batch)
	return batch


## Starts an installation. Batches from a place on move to it. Batches that were sent stay, and so do those before them: a number that
## is missing in between would look like a lost event.
func _rename(from: int) -> void:
	_state.install = RandomId.make()
	_state.next = 1
	_state.gaps = 0
	_state.suspicions = 0
	_state.unchecked_from = -1
	var moving: Array[Batch] = []
	for batch in _batches:
		if batch.place < from:
			continue
		if batch.tries > 0:
			moving.clear()
		else:
			moving.append(batch)
	for batch in moving:
		batch.install = _state.install
		batch.first = _state.next
		batch.set_events(batch.sound())
		_state.next += batch.events.size()
		_keep(batch)


func _drop_some() -> PackedStringArray:
	var needed := _state.bytes - max_stored_bytes * 0.9
	var unsent: Array[Batch] = []
	for batch in _batches:
		if batch.tries == 0:
			unsent.append(batch)
			_state.bytes -= batch.bytes
	var gone := StoragePolicy.make_room(unsent, needed)
	for batch in unsent:
		_state.bytes += batch.bytes
		if batch.events.is_empty():
			_forget(batch)
		else:
			_keep(batch)
	if not gone.is_empty():
		_state.gaps += 1
		if _state.gaps > MAX_GAPS:
			_rename(_state.end)
	return gone


func _keep(batch: Batch) -> void:
	_changes[_name_of(batch.place)] = batch.to_text()


func _forget(batch: Batch) -> void:
	_batches.erase(batch)
	_changes[_name_of(batch.place)] = ""
	_state.bytes -= batch.bytes
	_state.head = _state.end if _batches.is_empty() else _batches[0].place


static func _name_of(place: int) -> String:
	return "batch-%d" % place
