extends RefCounted
## Requests the player's data, keeps the last good responses, and returns those while there are no newer ones.

## A response differs from the one before.
signal changed(name: String, response: Dictionary)
## A request failed, and an older response was returned.
signal failed(error: Result)
signal _responded(name: String, result: Result)

const Clock = preload("clock.gd")
const Exchange = preload("exchange.gd")
const Json = preload("json.gd")
const Reply = preload("reply.gd")
const Result = preload("result.gd")
const Session = preload("session.gd")
const Sessions = preload("sessions.gd")
const Storage = preload("storage.gd")

## How long a response may be shown offline, unless the response says it.
const STALE_MS := 86_400_000
const PATHS: Dictionary[String, String] = {
	"status": "/v1/player/status",
	"store": "/v1/player/store_configs",
	"segments": "/v1/player/segments",
	"predictions": "/v1/player/predictions",
	"values": "/v1/player/values",
}
## What the service says beside an average that it gives in place of a model's value.
const AVERAGE := {"percentile": null, "band": null, "state": "degraded"}

static var _stale_if_error := RegEx.create_from_string("stale-if-error=(\\d{1,9})")

## What reads return before the first response, by name.
var fallback := {}

var _exchange: Exchange
var _sessions: Sessions
var _storage: Storage
var _clock: Clock
var _asking: Dictionary[String, bool] = {}
var _told: Dictionary[String, String] = {}
var _values := {}
var _experiments := []


func _init(exchange: Exchange, sessions: Sessions, storage: Storage, clock: Clock) -> void:
	_exchange = exchange
	_sessions = sessions
	_storage = storage
	_clock = clock


## One request at a time for each name, however many callers wait for it.
func ask(name: String) -> Result:
	if _asking.has(name):
		while true:
			var responded: Array = await _responded
			if responded[0] == name:
				return responded[1]
	_asking[name] = true
	var result := await _ask(name)
	_asking.erase(name)
	_responded.emit(name, result)
	return result


## Keeps what a login or refresh has brought.
func keep_grant(grant: Variant) -> void:
	var config := Json.object(grant, "playerConfig")
	for pair: Array in [["status", "playerStatus"], ["store", "storeConfig"]]:
		var value := Json.object(config, pair[1])
		if value.is_empty():
			continue
		_keep(pair[0], value, "", STALE_MS)
		_tell(pair[0], value)
	if Json.member(config, "values") is Dictionary:
		var values := {
			"playerId": Json.text(grant, "userId"),
			"asOf": Clock.format(_clock.service_ms()),
			"values": config["values"],
			# A grant has none: those that were last told stay.
			"experiments": _known_experiments(Json.text(grant, "userId")),
		}
		_keep("values", values, "", STALE_MS)
		_tell("values", values)


## Whether the typed values are known: of a response, or of an earlier run.
func has_values() -> bool:
	return _told.has("values")


## The typed value of a key as the service last said, or the default where there is none of the same type. All numbers of JSON are floats.
func value_of(key: String, default_value: Variant) -> Variant:
	var value: Variant = _values.get(key) if has_values() else null
	if value is float and default_value is int:
		var number: float = value
		return int(number) if number == floorf(number) else default_value
	return value if typeof(value) == typeof(default_value) else default_value


## Sends a request whose response is never kept.
func send(method: HTTPClient.Method, path: String) -> Result:
	var result := await _fetch(method, path, {})
	if not result.is_ok():
		return result
	var reply: Reply = result.value
	return Result.new(reply.body) if reply.status == 200 and reply.body is Dictionary else reply.to_error()


## Forgets all responses: they were about a player who is gone.
func forget() -> void:
	_told.clear()
	_experiments = []
	for name in PATHS:
		_storage.remove("player-" + name)


func _ask(name: String) -> Result:
	var kept: Variant = _storage.read("player-" + name)
	var headers: Dictionary[String, String] = {}
	if not Json.text(kept, "etag").is_empty():
		headers["If-None-Match"] = Json.text(kept, "etag")
	var result := await _fetch(HTTPClient.METHOD_GET, PATHS[name], headers)
	if result.is_ok():
		var reply: Reply = result.value
		var value: Variant = null
		if reply.status == 304:
			value = Json.member(kept, "value")
		elif reply.status == 200:
			value = reply.body
		if value is Dictionary:
			_keep(name, value, reply.header("etag"), _stale_ms(reply))
			return Result.new(_tell(name, value))
		result = reply.to_error()
	var is_temporary := result.status in [0, 200, 401, 408, 429] or result.status >= 500
	# A refusal is not an outage.
	if not is_temporary or result.code == "logged_out":
		return result
	failed.emit(result)
	return _offline(name, kept, result)


## Those that were last told, or after a restart those that an earlier run has kept of the same player.
func _known_experiments(player_id: String) -> Array:
	if has_values():
		return _experiments
	var kept := Json.object(_storage.read("player-values"), "value")
	return Json.items_of(kept, "experiments") if Json.text(kept, "playerId") == player_id else []


## The response of the service, of any status, with one retry after a 401.
func _fetch(method: HTTPClient.Method, path: String, headers: Dictionary[String, String]) -> Result:
	var current := await _sessions.current()
	if not current.is_ok():
		return current
	var session: Session = current.value
	var reply := await _fetch_as(session, method, path, headers)
	if reply.status == 401:
		var renewed := await _sessions.renew(session)
		if not renewed.is_ok():
			return renewed
		session = renewed.value
		reply = await _fetch_as(session, method, path, headers)
	return Result.new(reply)


func _fetch_as(session: Session, method: HTTPClient.Method, path: String, headers: Dictionary[String, String]) -> Reply:
	var all := session.headers()
	all.merge(headers)
	return await _exchange.post(path, "", all) if method == HTTPClient.METHOD_POST else await _exchange.fetch(path, all)


func _offline(name: String, kept: Variant, error: Result) -> Result:
	var value: Variant = Json.member(kept, "value")
	if value is Dictionary and (name != "store" or _clock.device_ms() < Json.integer(kept, "staleAt")):
		return Result.new(_tell(name, value))
	for other: Variant in [_untargeted(value) if name == "store" else null, fallback.get(name), value]:
		if other is Dictionary:
			var response: Dictionary = other
			return Result.new(_tell(name, response.duplicate(true)))
	return error


func _keep(name: String, value: Dictionary, etag: String, stale_ms: int) -> void:
	_storage.write("player-" + name, {"value": value, "etag": etag, "staleAt": _clock.device_ms() + stale_ms})


func _tell(name: String, value: Dictionary) -> Dictionary:
	var response := _current(value)
	if name == "values":
		_values = Json.object(response, "values")
		_experiments = Json.items_of(response, "experiments")
	# Without the instant (asOf), which differs in every response.
	var text := Json.write(response.merged({"asOf": 0}, true))
	if _told.get(name) != text:
		_told[name] = text
		changed.emit(name, response)
	return response


static func _stale_ms(reply: Reply) -> int:
	var found := _stale_if_error.search(reply.header("cache-control"))
	return STALE_MS if found == null else int(found.get_string(1)) * 1000


## The studio's store without targeting, for offline play.
static func _untargeted(store: Variant) -> Variant:
	var config := Json.object(store, "fallbackConfig")
	if config.is_empty():
		return null
	return {
		"activeSkus": config.get("activeSkus"),
		"lastUpdatedTimestamp": config.get("lastUpdatedTimestamp"),
		"userSpecificPromoId": null,
		"fallbackConfig": config,
	}


## Flags and predictions that have expired have their default value.
func _current(value: Dictionary) -> Dictionary:
	if value.has("isPayer"):
		return _expire(value, {})
	if value.get("predictions") is Dictionary:
		return value.merged({"predictions": _expire(value["predictions"], AVERAGE)}, true)
	return value


func _expire(members: Dictionary, rest: Dictionary) -> Dictionary:
	var now := _clock.service_ms()
	var current := {}
	for name: Variant in members:
		current[name] = members[name]
		var end := Clock.parse(Json.text(members[name], "expiredAt"))
		if end >= 0 and end <= now:
			var member: Dictionary = members[name]
			current[name] = member.merged({"value": member.get("defaultValue")}, true).merged(rest, true)
	return current
