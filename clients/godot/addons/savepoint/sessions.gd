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
const Reply = preload("reply.gd")
const Result = preload("result.gd")
const Session = preload("session.gd")
const Storage = preload("storage.gd")

## A session older than this is refreshed at the start: a copy of the storage on another device is noticed by it.
const TRUSTED_MS := 300_000
## Refresh this long before the end, or after four fifths of a short life.
const MARGIN_MS := 60_000
## What a refresh may take, and its second try: the service takes a refresh token again within 30 s of its use.
const FIRST_TRY_SECONDS := 8.0
const SECOND_TRY_SECONDS := 20.0
## A refresh that failed is retried this often and this many times: over the 30 s in which the service takes its token again.
const RETRY_SECONDS := 3.0
const MAX_RETRIES := 10
const GRACE_SECONDS := 30.0
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
	var result := await _renew_once(null)
	# Ahead of its end the token still works: a refresh that fails now is tried again with the next request.
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
	# Or it would bring the session back.
	while _is_renewing:
		await _renewed
	_current = null
	var ended := Session.new()
	ended.is_logged_out = true
	_storage.write("session", ended.to_value())
	await _storage.written()
	return Result.new()


## Retries a refresh that failed, if it is due. Is called with every frame.
func poll() -> void:
	if _retry_at == NEVER or Time.get_ticks_msec() < _retry_at:
		return
	_retry_at = NEVER
	_renew_once(_retry_refused, false, _retries_left)


## Ends retries that no call waits for.
func stop() -> void:
	_is_stopped = true
	_retry_at = NEVER


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
	var reply := await _refresh(session)
	if reply.status != 401:
		var result := _accept(reply)
		var seconds := result.retry_after_seconds if result.retry_after_seconds > 0.0 else RETRY_SECONDS
		if not result.is_ok() and retries > 0 and not _is_stopped and seconds < GRACE_SECONDS:
			# A part is random, so that clients that failed together do not come back together.
			_retry_at = Time.get_ticks_msec() + ceili((seconds + randf()) * 1000.0)
			_retry_refused = refused
			_retries_left = retries - 1
		return result
	# The last characters are enough to tell sessions apart.
	_queue.start_install(session.refresh_token.right(8))
	return await _sign_in()


## A refresh without a response may have happened, and the service takes the same token again for a short time only. So it is sent
## again at once, and then every few seconds whether or not a call waits for it.
func _refresh(session: Session) -> Reply:
	_retry_at = NEVER
	var body := Json.write({"refreshToken": session.refresh_token})
	var reply := await _exchange.post("/auth/refresh", body, {}, FIRST_TRY_SECONDS)
	if reply.status == 0:
		reply = await _exchange.post("/auth/refresh", body, {}, SECOND_TRY_SECONDS)
	return reply


func _kept() -> Session:
	if _current != null:
		return _current
	var session := Session.new()
	return session if session.restore(_storage.read("session")) else null


func _is_due(session: Session) -> bool:
	var age := _clock.device_ms() - session.obtained_at
	var margin := minf(MARGIN_MS, session.lifetime_ms / 5.0)
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
	if reply.status != 200:
		return reply.to_error()
	var session := Session.new()
	session.restore(reply.body)
	if session.access_token.is_empty():
		var invalid := Result.new(null, "response_invalid", "The response is not one of the service.")
		invalid.status = reply.status
		return invalid
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
