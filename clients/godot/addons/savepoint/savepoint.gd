class_name Savepoint
extends "options.gd"
## A player's connection to the service. Make one for the whole game, as an autoload.
##
## It logs in when it first needs to, refreshes the session before it ends, and logs in again when it was ended. [method track]
## stores events on the device and sends them in batches, each exactly once, however often the network fails. It works while the
## tree is paused. Set its properties before it is ready, in the inspector, or in a script of your own:
## [codeblock]
## extends Savepoint
##
## func _init() -> void:
##     base_url = "https://players.example.com"
##     sign_url = "https://studio.example.com/sign"
##     storage_identity = OS.get_unique_id()
##     build = ProjectSettings.get_setting("application/config/version")
## [/codeblock]
## and then, where the autoload is named [code]Players[/code]:
## [codeblock]
## Players.track("Level_Complete", {"level": 12, "stars": 3})
## var store := await Players.store()
## [/codeblock]

## An event was not taken, and will not be sent again. Codes are those of the service, or [code]event_unserializable[/code],
## [code]event_too_large[/code], [code]storage_full[/code], [code]closed[/code]. [param event] is empty where it cannot be written.
## [codeblock]Players.rejected.connect(func(type, code, message, _event): push_warning(type, " ", code, " ", message))[/codeblock]
signal rejected(event_type: String, code: String, message: String, event: Dictionary)
## Something failed that the client handles itself, for a log.
## [codeblock]Players.failed.connect(func(error: SavepointResult): print(error.code, " ", error.message))[/codeblock]
signal failed(error: Result)
## The player's flags differ from those of the response before. [codeblock]Players.status_changed.connect(_show_banner)[/codeblock]
signal status_changed(status: Dictionary)
## What is on offer differs from what was on offer in the response before. [codeblock]Players.store_changed.connect(_render)[/codeblock]
signal store_changed(store: Dictionary)
signal _started

const Responses = preload("responses.gd")
const Batch = preload("batch.gd")
const Exchange = preload("exchange.gd")
const Json = preload("json.gd")
const Queue = preload("queue.gd")
const RandomId = preload("random_id.gd")
const Result = preload("result.gd")
const Sender = preload("sender.gd")
const Session = preload("session.gd")
const Sessions = preload("sessions.gd")
const Storage = preload("storage.gd")

const MAX_EVENT_BYTES := 32_768

var _storage: Storage
var _queue: Queue
var _sessions: Sessions
var _sender: Sender
var _responses: Responses
var _is_asked_for_values := false
var _unsaved := PackedStringArray()
var _is_started := false
var _is_closed := false


# Not _ready() and _process(): a script that extends this one may have its own.
func _notification(what: int) -> void:
	match what:
		NOTIFICATION_READY:
			_start()
		NOTIFICATION_PROCESS:
			_store()
			_storage.poll()
			_sessions.poll()
			_sender.poll()
		NOTIFICATION_APPLICATION_PAUSED:
			_finish()
			flush()
		NOTIFICATION_WM_CLOSE_REQUEST, NOTIFICATION_EXIT_TREE:
			_finish()


## Records an event. Never fails and never waits: the event is stored in the background and sent with the next batch, also after a
## restart. If the event is rejected, [signal rejected] reports it. Payloads may have texts, numbers, booleans, null, arrays and
## dictionaries with texts as keys. Returns the event's id.
## [codeblock]
## Players.track("Purchase", {"transactionId": "GPA.3372", "skuId": "gems_80", "price": 0.99, "currency": "USD"})
## [/codeblock]
func track(event_type: String, payload: Dictionary = {}, metadata: Dictionary = {}) -> String:
	var event_id := RandomId.make()
	# Also here: after an update, the build that sends an event is not the one in which it happened.
	var build_metadata := {} if build.is_empty() else {"clientBuild": build}
	var all_metadata := build_metadata.merged(event_metadata, true).merged(metadata, true)
	var problem := Json.problem_of([payload, all_metadata])
	if not problem.is_empty():
		rejected.emit(event_type, "event_unserializable", problem, {})
		return event_id
	# The type comes first: the beginning of the text decides whether the event may be dropped.
	var text := Json.write({
		"eventType": event_type,
		"timestamp": Clock.format(_clock.device_ms()),
		"payload": payload,
		"metadata": all_metadata,
		"eventId": event_id,
	})
	if _is_closed:
		_reject(text, "closed", "The client was closed.")
	elif Batch.bytes_of(text) > MAX_EVENT_BYTES:
		_reject(text, "event_too_large", "The event takes over 32 KiB.")
	else:
		_unsaved.append(text)
	return event_id


## Ends when every event tracked so far is in the storage, and so survives the end of the process.
## [codeblock]await Players.saved()[/codeblock]
func saved() -> void:
	if (await _problem()) == null:
		_store()
		await _storage.written()


## Sends what waits now, rather than with the next batch. Ends when all is sent, or when it cannot be: then it is tried again later.
## When the app is paused, the client does this.
## [codeblock]
## await Players.flush()
## var status := await Players.status() # knows of the purchase
## [/codeblock]
func flush() -> void:
	if (await _problem()) == null:
		_store()
		await _sender.flush()


## Logs in, unless a session is there already. A game need not call it: every call that needs a session logs in. It brings a player back who was
## logged out, and returns who the player is: [code]userId[/code], [code]deviceId[/code], [code]gameId[/code], [code]tenantId[/code].
## [codeblock]var user_id: String = (await Players.login()).value.userId[/codeblock]
func login() -> Result:
	var problem := await _problem()
	if problem != null:
		return problem
	var result := await _sessions.login()
	if not result.is_ok():
		return result
	_sender.retry_now()
	var session: Session = result.value
	return Result.new({
		"userId": session.user_id,
		"deviceId": session.device_id,
		"gameId": session.game_id,
		"tenantId": session.tenant_id,
	})


## Ends the session on the service; with [param all_devices] every session of the player. Events that wait stay, and are sent after the
## next [method login]. Offline it fails with [code]network_failed[/code], and nothing has changed then.
## [codeblock]await Players.logout(true)[/codeblock]
func logout(all_devices: bool = false) -> Result:
	var problem := await _problem()
	return problem if problem != null else await _sessions.logout(all_devices)


## Erases the player: everything that the service stores about the player goes, on all devices, and nothing brings it back. Events that wait are
## dropped. The client is logged out then, and the next [method login] is a new player. Offline it fails with [code]network_failed[/code], and nothing
## has changed then. Ask the player twice before you call it.
## [codeblock]var is_gone := (await Players.delete_account()).is_ok()[/codeblock]
func delete_account() -> Result:
	var problem := await _problem()
	if problem != null:
		return problem
	var result := await _sessions.delete_account()
	if result.is_ok():
		_unsaved = PackedStringArray()
		_queue.clear()
		_responses.forget()
		await _storage.written()
	return result


## Records a purchase with the receipt of the store, which the service checks: product, price and currency are those of the receipt. Call it again with
## the same receipt when a player restores purchases. Returns the event's id, as [method track] does.
## [codeblock]
## Players.purchase("gems_80", {"store": "apple", "signedTransaction": jws_representation})
## Players.purchase("gems_80", {"store": "google", "purchaseData": original_json, "signature": signature})
## [/codeblock]
func purchase(sku: String, receipt: Dictionary, promo_id: String = "") -> String:
	var payload := {"skuId": sku, "receipt": receipt}
	if not promo_id.is_empty():
		payload["promoId"] = promo_id
	return track("Purchase", payload)


## Everything that is stored about the player, for a player who asks for it. The service gives it once an hour ([code]rate_limited[/code]
## otherwise), and it is never kept. [codeblock]var document: Dictionary = (await Players.export_data()).value[/codeblock]
func export_data() -> Result:
	var problem := await _problem()
	return problem if problem != null else await _responses.send(HTTPClient.METHOD_GET, "/v1/player/export")


## A code with which the player can ask for erasure without the game: [code]code[/code], [code]expiresAt[/code] and the [code]url[/code] of the page. Show
## it where the player finds it before the game is removed. It stays the same, and holds for 90 days after it was last shown. Fails with
## [code]erasure_page_off[/code] if the studio has no page for it.
## [codeblock]var shown: Dictionary = (await Players.erasure_code()).value[/codeblock]
func erasure_code() -> Result:
	var problem := await _problem()
	if problem != null:
		return problem
	var result := await _responses.send(HTTPClient.METHOD_POST, "/v1/player/erasure_code")
	if not result.is_ok():
		return result
	var shown: Dictionary = result.value
	var url := base_url.rstrip("/") + Json.text(shown, "page")
	return Result.new({"code": shown.get("code"), "expiresAt": shown.get("expiresAt"), "url": url})


## Who the player is to the studio: flags by name. Offline this and the other reads return the last good response, or a fallback. They fail
## only if there is neither, or if the service refuses. [codeblock]var is_payer: bool = (await Players.status()).value.isPayer.value[/codeblock]
func status() -> Result:
	return await _read("status")


## What is on offer to the player. [codeblock]for sku: Dictionary in (await Players.store()).value.activeSkus: add_row(sku)[/codeblock]
func store() -> Result:
	return await _read("store")


## The segments that the player is in. [codeblock]var segments: Array = (await Players.segments()).value.segments[/codeblock]
func segments() -> Result:
	return await _read("segments")


## What the service expects of the player.
## [codeblock]var churn: Dictionary = (await Players.predictions()).value.predictions.get("churn", {})[/codeblock]
func predictions() -> Result:
	return await _read("predictions")


## The game's typed values. Wait for it once, while the game loads: from then on [method value] has them. [codeblock]await Players.values()[/codeblock]
func values() -> Result:
	return await _read("values")


## A typed value of the game, at once: as the service last said, also offline and after a restart. The default until then, and where the game
## has no value of this key and type. [codeblock]var jump_height: int = Players.value("jump_height", 3)[/codeblock]
func value(key: String, default_value: Variant) -> Variant:
	if _responses == null or not _responses.has_values():
		_ask_for_values()
	return default_value if _responses == null else _responses.value_of(key, default_value)


## The experiments that responses to the player depend on, each with the player's variant. To show or log them: what the game does follows from
## values, flags and store. [codeblock]var variant: String = (await Players.experiments()).value.get("first_offer", "")[/codeblock]
func experiments() -> Result:
	var result := await _read("values")
	if not result.is_ok():
		return result
	var variants := {}
	for arm: Variant in Json.items_of(result.value, "experiments"):
		variants[Json.text(arm, "experimentId")] = Json.text(arm, "variantId")
	return Result.new(variants)


## Sends what it can and stops. What could not be sent stays in the storage for the next start. [codeblock]await Players.close()[/codeblock]
func close() -> void:
	await flush()
	_is_closed = true
	if _sender != null:
		_sender.stop()
		_sessions.stop()
	_finish()


func _start() -> void:
	# A paused game still has to send.
	process_mode = PROCESS_MODE_ALWAYS
	if base_url.is_empty():
		push_error("Savepoint: give the address of the service as base_url. Nothing is sent without it.")
	elif sign_url.is_empty() and not sign_login.is_valid():
		push_error("Savepoint: give the address of your signing endpoint as sign_url, or a function as sign_login. Nothing is sent without it.")
	else:
		_build(base_url.rstrip("/"))
	_is_closed = _sender == null
	_is_started = _sender != null
	set_process(_is_started)
	_started.emit()
	if _is_started and not _queue.is_empty():
		_sender.wake(true)


func _build(url: String) -> void:
	_storage = Storage.new(storage_folder, url + "|" + device_id)
	_storage.failed.connect(failed.emit)
	var exchange := Exchange.new(self, url, _clock)

	_queue = Queue.new(_storage)
	_queue.max_events = batch_events
	_queue.max_bytes = batch_bytes
	_queue.max_stored_bytes = max_stored_bytes
	_queue.identity = storage_identity
	_queue.dropped.connect(_on_dropped)

	_sessions = Sessions.new(exchange, _storage, _queue, _clock)
	_sessions.sign_url = sign_url
	_sessions.sign_login = sign_login
	_sessions.device_id = device_id

	_sender = Sender.new(_queue, _sessions, exchange)
	_sender.interval_ms = batch_seconds * 1000.0
	_sender.build = build
	_sender.rejected.connect(_reject)
	_sender.failed.connect(failed.emit)

	_responses = Responses.new(exchange, _sessions, _storage, _clock)
	_responses.fallback = fallback
	_responses.changed.connect(_on_changed)
	_responses.failed.connect(failed.emit)
	_sessions.granted.connect(_responses.keep_grant)


## Gives the storage what was tracked.
func _store() -> void:
	if _unsaved.is_empty() or not _is_started:
		return
	var events := _unsaved
	_unsaved = PackedStringArray()
	_sender.wake(_queue.add(events))


## The process may be about to end.
func _finish() -> void:
	_store()
	if _storage != null:
		_storage.finish()


## Why nothing can be done; null where it can.
func _problem() -> Result:
	if not _is_started and not _is_closed:
		await _started
	return Result.new(null, "closed", "The client was closed, or never started. Make a new one.") if _is_closed else null


## Once: a game may ask for values in each frame. What goes wrong is told by [signal failed].
func _ask_for_values() -> void:
	if _is_asked_for_values:
		return
	_is_asked_for_values = true
	await _read("values")


func _read(what: String) -> Result:
	var problem := await _problem()
	return problem if problem != null else await _responses.ask(what)


func _reject(text: String, code: String, message: String) -> void:
	var event: Dictionary = Json.read(text)
	rejected.emit(str(event.get("eventType")), code, message, event)


func _on_dropped(events: PackedStringArray) -> void:
	for text in events:
		_reject(text, "storage_full", "Dropped: the storage was full.")


func _on_changed(what: String, response: Dictionary) -> void:
	if what == "status":
		status_changed.emit(response)
	elif what == "store":
		store_changed.emit(response)
