extends RefCounted
## Sends batches one at a time, oldest first.
##
## [codeblock]
## idle ──wake──► waiting for more ──full, or the interval──► sending ──nothing left──► idle
##                                                               │ ▲
##                          429, 503, 5xx, 408, 401, no reply ───┘ └── back-off, Retry-After
## [/codeblock]

## The service did not take an event, given as JSON.
signal rejected(event: String, code: String, message: String)
## A request failed that will be sent again.
signal failed(error: Result)
signal _sent

const Batch = preload("batch.gd")
const Exchange = preload("exchange.gd")
const Json = preload("json.gd")
const Queue = preload("queue.gd")
const Reply = preload("reply.gd")
const Result = preload("result.gd")
const Session = preload("session.gd")
const Sessions = preload("sessions.gd")

const FIRST_RETRY_MS := 1_000.0
const MAX_RETRY_MS := 300_000.0
## An instant that never comes.
const NEVER := -1

var interval_ms := 5_000.0
## Version of the game; empty where it is not told.
var build := ""

var _queue: Queue
var _sessions: Sessions
var _exchange: Exchange
## When the next batch is due, by a clock that is never set.
var _due_at := NEVER
## The earliest time for the next request: the service asked to wait.
var _not_before := 0
var _is_sending := false
var _is_asked_again := false
var _is_stopped := false
var _failures := 0


func _init(queue: Queue, sessions: Sessions, exchange: Exchange) -> void:
	_queue = queue
	_sessions = sessions
	_exchange = exchange


## Something waits: sends it soon, or with the next frame where a batch is full.
func wake(is_full: bool) -> void:
	if is_full and _failures == 0:
		_schedule(0)
	elif _due_at == NEVER:
		_schedule(interval_ms)


## Sends what is due. Is called with every frame.
func poll() -> void:
	if _due_at == NEVER or Time.get_ticks_msec() < _due_at:
		return
	_due_at = NEVER
	flush()


## Sends all that waits, unless the service asked to wait. Ends when it is sent or has failed.
func flush() -> void:
	if _is_sending:
		_is_asked_again = true
		await _sent
		return
	_is_sending = true
	var is_more := true
	while is_more:
		_is_asked_again = false
		var failure := await _drain()
		if failure != null:
			_fail(failure)
		is_more = _is_asked_again and _failures == 0 and not _is_stopped
	_is_sending = false
	_sent.emit()


## The player has logged in.
func retry_now() -> void:
	if _failures > 0:
		_schedule(0)
	_failures = 0


func stop() -> void:
	_is_stopped = true
	_due_at = NEVER


func _schedule(ms: float) -> void:
	if not _is_stopped:
		_due_at = Time.get_ticks_msec() + ceili(ms)


## Returns what it failed with, or null.
func _drain() -> Result:
	var is_refused := false
	while not _is_stopped:
		if _queue.is_empty():
			_failures = 0
			return null
		if _must_wait():
			return null
		# First: without a session the storage may turn out to be a copy, and only batches that were never sent can move to a new installation.
		var current := await _sessions.current()
		if not current.is_ok():
			return current
		var session: Session = current.value
		var batch := _queue.take()
		if batch == null:
			return null
		await _queue.written()
		# The disk has refused the batch: when it is taken again, it gets another installation.
		if not _queue.is_safe(batch):
			_queue.release(batch)
			continue
		var reply := await _post(session, batch)
		if reply.status == 401 and not is_refused:
			is_refused = true
			_queue.release(batch)
			var renewed := await _sessions.renew(session)
			if not renewed.is_ok():
				return renewed
		elif _settle(batch, reply):
			is_refused = false
		else:
			return reply.to_error()
	return null


func _must_wait() -> bool:
	var wait_ms := _not_before - Time.get_ticks_msec()
	if wait_ms > 0:
		_schedule(wait_ms)
	return wait_ms > 0


func _post(session: Session, batch: Batch) -> Reply:
	var headers := session.headers()
	headers["X-Install-Id"] = batch.install
	if not build.is_empty():
		headers["X-Client-Build"] = build
	return await _exchange.post("/v1/events", batch.body(), headers)


func _fail(error: Result) -> void:
	failed.emit(error)
	_failures += 1
	# Nothing more can be sent until the player logs in, which wakes the sender.
	if error.code == "logged_out":
		return
	var ceiling := minf(MAX_RETRY_MS, FIRST_RETRY_MS * pow(2, mini(_failures - 1, 20)))
	var asked_ms := error.retry_after_seconds * 1000.0
	_not_before = Time.get_ticks_msec() + ceili(asked_ms)
	# Half of the wait is random, so that clients do not all come back at once after an outage.
	_schedule(maxf(asked_ms, ceiling / 2) + randf() * ceiling / 2)


## Says whether the batch is finished. Otherwise it has to be sent again.
func _settle(batch: Batch, reply: Reply) -> bool:
	if reply.status >= 200 and reply.status < 300:
		# A page of a captive portal is no acknowledgement.
		if not reply.is_empty and not reply.body is Dictionary:
			return false
		_done(batch, reply.body, Json.items_of(reply.body, "rejected"))
		return true
	if reply.status < 400 or reply.status >= 500 or reply.status in [401, 408, 429]:
		return false
	var details := reply.error_details()
	var code := Json.text(details, "code")
	# Not an error of the service but of a proxy in between.
	if code.is_empty():
		return false
	var rejections := Json.items_of(details, "rejected")
	if rejections.is_empty():
		for index in batch.sound().size():
			rejections.append({"index": index, "code": code, "message": Json.text(details, "message")})
	_done(batch, null, rejections)
	return true


func _done(batch: Batch, counts: Variant, rejections: Array) -> void:
	_failures = 0
	var events := batch.sound()
	var bad: Dictionary[int, Dictionary] = {}
	for rejection: Variant in rejections:
		var index := Json.integer(rejection, "index", -1)
		if index >= 0 and index < events.size():
			bad[index] = rejection
	var good := PackedStringArray()
	for index in events.size():
		if not bad.has(index):
			good.append(events[index])
	_queue.settle(batch, Json.integer(counts, "accepted"), Json.integer(counts, "duplicates"), good)
	for index in bad:
		rejected.emit(events[index], Json.text(bad[index], "code"), Json.text(bad[index], "message"))
