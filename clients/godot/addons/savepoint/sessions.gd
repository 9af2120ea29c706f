extends RefCounted
## One session, and one login or refresh at a time however many wait for it.
##
## [codeblock]
## none ──login──► live ──refresh before its end, or after a 401──► live
##                  │ └──refresh refused: ended, or copied──► login ──► live
##                  └──logout──► logged out ──login()──► live
## [/codeblock]

## A login or refresh succeeded; the body may hold status and store.
signal granted(body: Variant)
signal _renewed(result: Result)

const Clock = preload("clock.gd")
const Exchange = preload("exchange.gd")
const Json = preload("json.gd")
const Queue = preload("queue.gd")
const RandomId = preload("random_id.gd")
const RefreshTries = preload("refresh_tries.gd")
const Reply = preload("reply.gd")
const Result = preload("result.gd")
const Session = preload("session.gd")
const Storage = preload("storage.gd")

## A session older than this is refreshed at the start: a copy of the storage on another device is noticed by it.
const TRUSTED_MS := 300_000
## Refresh this long before the end, or after four fifths of a short life.
const MARGIN_MS := 60_000
## A refresh that failed is retried this many times, every few seconds: over the 30 s in which the service takes its token again.
const MAX_RETRIES := 10
const GRACE_MS := 30_000
## No retry is due.
const NEVER := -1

var sign_url := ""
## Instead of [member sign_url].
var sign_login: Callable
## Made and kept where it is empty.
var device_id := ""

var _exchange: Exchange
var _storage: Storage
var _queue: Queue
var _clock: Clock
var _current: Session
var _is_renewing := false
var _tries: RefreshTries
var _is_starting := true
var _is_stopped := false
## When the retry is due, by the clock of the engine.
var _retry_at := NEVER
var _retry_refused: Session
var _retries_left := 0


func _init(exchange: Exchange, storage: Storage, queue: Queue, clock: Clock) -> void:
	_exchange = exchange
	_storage = storage
	_queue = queue
	_clock = clock


## A session whose token should be valid; logs in or refreshes if needed.
func current() -> Result:
	if _current != null and not _is_due(_current):
		return Result.new(_current)
	# Well ahead of the end no call waits, as the token still works. A refresh that fails is tried again with the next request.
	if _current != null and not _is_due(_current, 0.5):
		var session := _current
		_renew_once(null)
		return Result.new(session)
	var result := await _renew_once(null)
	if not result.is_ok() and _current != null and _clock.device_ms() - _current.obtained_at <= _current.lifetime_ms:
		return Result.new(_current)
	return result


## Another session than the one that was refused with a 401.
func renew(refused: Session) -> Result:
	if _current != null and _current.access_token != refused.access_token:
		return Result.new(_current)
	return await _renew_once(refused)


## Logs in where the player was logged out.
func login() -> Result:
	if _current != null and not _is_due(_current):
		return Result.new(_current)
	# The running attempt may be one that must not log in.
	while _is_renewing:
		await _renewed
	return await _renew_once(null, true)


func logout(is_everywhere: bool) -> Result:
	var kept := _kept()
	if kept != null and not kept.is_logged_out:
		var result := await _renew_once(null)
		if not result.is_ok():
			return result
		_retry_at = NEVER
		var session: Session = result.value
		var body := {"refreshToken": session.refresh_token, "allDevices": is_everywhere}
		var reply := await _exchange.post("/auth/logout", Json.write(body), {"Authorization": "Bearer " + session.access_token})
		# A 401: the session had ended anyway.
		if reply.status != 200 and reply.status != 401:
			return reply.to_error()
	return await _forget()


## Has the player erased, also one who was logged out.
func delete_account() -> Result:
	var result := await login()
	if not result.is_ok():
		return result
	_retry_at = NEVER
	var session: Session = result.value
	var reply := await _exchange.remove("/v1/player", session.headers())
	# The session has ended, maybe by a deletion whose response was lost. Then the new player of the device is deleted, who has done nothing.
	if reply.status == 401:
		result = await renew(session)
		if not result.is_ok():
			return result
		session = result.value
		reply = await _exchange.remove("/v1/player", session.headers())
	return await _forget() if reply.status == 202 else reply.to_error()


func _forget() -> Result:
	# Or it would bring the session back.
	while _is_renewing:
		await _renewed
	_current = null
	var ended := Session.new()
	ended.is_logged_out = true
	_storage.write("session", ended.to_value())
	await _storage.written()
	return Result.new()


## Sends the next try of a refresh and retries one that failed, if it is due. Is called with every frame.
func poll() -> void:
	if _tries != null:
		_tries.poll()
	if _retry_at == NEVER or Time.get_ticks_msec() < _retry_at:
		return
	_retry_at = NEVER
	_renew_once(_retry_refused, false, _retries_left)


## Ends retries that no call waits for.
func stop() -> void:
	_is_stopped = true
	_retry_at = NEVER
	if _tries != null:
		_tries.stop()


func _renew_once(refused: Session, is_login := false, retries := MAX_RETRIES) -> Result:
	if _is_renewing:
		return await _renewed
	_is_renewing = true
	var result := await _refresh_or_log_in(refused, is_login, retries)
	if result.is_ok():
		_current = result.value
		_is_starting = false
	_is_renewing = false
	_renewed.emit(result)
	return result


func _refresh_or_log_in(refused: Session, is_login: bool, retries: int) -> Result:
	var session := _kept()
	if session == null or (session.is_logged_out and is_login):
		return await _sign_in()
	if session.is_logged_out:
		return Result.new(null, "logged_out", "The player was logged out. Call login() to log in again.")
	var is_refused := refused != null and session.access_token == refused.access_token
	if not is_refused and not _is_due(session):
		return Result.new(session)
	_retry_at = NEVER
	_tries = RefreshTries.new(_exchange, session.refresh_token)
	var reply := await _tries.send()
	_tries = null
	if not reply.is_refusal():
		var result := _accept(reply)
		var ms := RefreshTries.retry_ms(reply)
		# Tried again whether or not a call waits for it.
		if not result.is_ok() and retries > 0 and not _is_stopped and ms < GRACE_MS:
			_retry_at = Time.get_ticks_msec() + ms
			_retry_refused = refused
			_retries_left = retries - 1
		return result
	# The last characters are enough to tell sessions apart.
	_queue.start_install(session.refresh_token.right(8))
	return await _sign_in()


func _kept() -> Session:
	if _current != null:
		return _current
	var session := Session.new()
	return session if session.restore(_storage.read("session")) else null


func _is_due(session: Session, margins := 1.0) -> bool:
	var age := _clock.device_ms() - session.obtained_at
	var margin := minf(MARGIN_MS, session.lifetime_ms / 5.0) * margins
	# A negative age: the clock was put back, so the age is unknown.
	return age < 0 or age > session.lifetime_ms - margin or (_is_starting and age > TRUSTED_MS)


func _sign_in(is_first: bool = true) -> Result:
	var signed := await _sign()
	if not signed.is_ok():
		return signed
	var reply := await _exchange.post("/auth/login", Json.write(signed.value))
	var server_ms := _time_of_refusal(reply) if is_first else -1
	if server_ms < 0:
		return _accept(reply)
	_clock.learn(server_ms)
	return await _sign_in(false)


func _sign() -> Result:
	var device := _device_id()
	var timestamp := Clock.format_seconds(_clock.service_ms()) if _clock.is_known else ""
	var signed: Variant
	if sign_login.is_valid():
		signed = await sign_login.call(device, timestamp)
	else:
		var asked := {"deviceId": device}
		if not timestamp.is_empty():
			asked["timestamp"] = timestamp
		var reply := await _exchange.post_to(sign_url, Json.write(asked))
		if reply.status < 200 or reply.status > 299:
			var what := "did not respond" if reply.status == 0 else "responded with %d" % reply.status
			return Result.new(null, "sign_failed", "The login could not be signed: the signing endpoint %s." % what)
		signed = reply.body
	if Json.text(signed, "signature").is_empty():
		return Result.new(null, "sign_failed", "The signing endpoint returned no signed login.")
	return Result.new({
		"apiKey": Json.text(signed, "apiKey"),
		"deviceId": Json.text(signed, "deviceId"),
		"timestamp": Json.text(signed, "timestamp"),
		"signature": Json.text(signed, "signature"),
	})


func _device_id() -> String:
	if not device_id.is_empty():
		return device_id
	var kept: Variant = _storage.read("device")
	if kept is String:
		return kept
	var made := RandomId.make()
	_storage.write("device", made)
	return made


func _accept(reply: Reply) -> Result:
	if not reply.is_grant():
		return reply.to_error()
	var session := Session.new()
	session.restore(reply.body)
	session.obtained_at = _clock.device_ms()
	session.lifetime_ms = Json.integer(reply.body, "expiresIn") * 1000
	_storage.write("session", session.to_value())
	# Of two copies only one gets this far with the session they share.
	_queue.trust()
	granted.emit(reply.body)
	return Result.new(session)


## Time of the service, where it refused a login because of its timestamp; else -1. Without serverTime the Date header is used.
static func _time_of_refusal(reply: Reply) -> int:
	if reply.status != 400:
		return -1
	var details := reply.error_details()
	var is_window := Json.text(details, "code") == "timestamp_out_of_window" or Json.text(details, "message").contains("time window")
	if not is_window:
		return -1
	var server_ms := Clock.parse(Json.text(details, "serverTime"))
	return server_ms if server_ms >= 0 else Clock.parse(reply.header("date"))
