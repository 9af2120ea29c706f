extends RefCounted
## Sends a refresh until there is a response.
##
## A refresh without a response may have happened, and the service takes the same token again for a short time only. So it is sent
## again: at once if it fails, and while it is slow. All tries get the same successor, so the first response is as good as any. The
## other tries are ended then, as one that arrives too late would end the session.

## The result is known. Ends the tries that are still open.
signal _ended

const Exchange = preload("exchange.gd")
const Json = preload("json.gd")
const Reply = preload("reply.gd")

## After this long without a response a refresh is sent again. The tries before it stay open.
const SLOW_MS := 8_000
## No further try joins them later than this: the service takes a refresh token again for 30 s, and a try may arrive late.
const LAST_TRY_MS := 20_000
const RETRY_SECONDS := 3.0
const NEVER := -1

var _exchange: Exchange
var _body: String
var _last_try_at := Time.get_ticks_msec() + LAST_TRY_MS
## When the next try is due, by the clock of the engine.
var _next_at := NEVER
var _sent := 0
var _open := 0
var _reply: Reply


func _init(exchange: Exchange, refresh_token: String) -> void:
	_exchange = exchange
	_body = Json.write({"refreshToken": refresh_token})


## The first response that grants a session or refuses the token, else what the last try brought.
func send() -> Reply:
	_send()
	# Without a network a try may have ended already.
	if _reply == null:
		await _ended
	return _reply


## Sends the next try, if it is due. Is called with every frame.
func poll() -> void:
	if _next_at != NEVER and Time.get_ticks_msec() >= _next_at:
		_send()


## Sends no further try.
func stop() -> void:
	_last_try_at = 0
	_next_at = NEVER


## When to try again after a response. A part is random, so that clients that failed together do not come back together.
static func retry_ms(reply: Reply) -> int:
	var asked := reply.to_error().retry_after_seconds
	return ceili(((asked if asked > 0.0 else RETRY_SECONDS) + randf()) * 1000.0)


func _send() -> void:
	_sent += 1
	_open += 1
	_send_in(SLOW_MS)
	var reply := await _exchange.post("/auth/refresh", _body, {}, _ended)
	_open -= 1
	if _reply != null:
		return
	if reply.is_grant() or reply.is_refusal():
		_end(reply)
	elif _sent == 1 and reply.status == 0:
		_send()
	elif _open > 0:
		_send_in(retry_ms(reply))
	else:
		_end(reply)


func _send_in(ms: int) -> void:
	var at := Time.get_ticks_msec() + ms
	_next_at = at if at < _last_try_at else NEVER


func _end(reply: Reply) -> void:
	_reply = reply
	_next_at = NEVER
	_ended.emit()
