extends RefCounted
## A response of the service, parsed.

const Clock = preload("clock.gd")
const Json = preload("json.gd")
const Result = preload("result.gd")

## HTTP status; 0 where there was no response.
var status := 0
## The body, out of its [code]data[/code] wrapper if it had one; null where there is none or it is not JSON.
var body: Variant
## Whether there was no body at all.
var is_empty := true
var _headers: Dictionary[String, String] = {}


func _init(http_status: int = 0, headers := PackedStringArray(), text: String = "") -> void:
	status = http_status
	for line in headers:
		_headers[line.get_slice(":", 0).strip_edges().to_lower()] = line.substr(line.find(":") + 1).strip_edges()
	is_empty = text.is_empty()
	body = _unwrap(Json.read(text))


## A header by its name in lower case; empty where there is none.
func header(name: String) -> String:
	return _headers.get(name, "")


## The members of an error, which comes in two forms: [code]error[/code] is the sentence, or holds code and sentence.
func error_details() -> Dictionary:
	var error: Variant = Json.member(body, "error")
	if error is String:
		var members: Dictionary = body
		members = members.duplicate()
		members["message"] = error
		return members
	return Json.object(body, "error")


## Whether it brings a session.
func is_grant() -> bool:
	return status == 200 and not Json.text(body, "accessToken").is_empty()


## Whether the service refuses a token. A 401 without an error of the service is from a proxy in between.
func is_refusal() -> bool:
	return status == 401 and not error_details().is_empty()


## A response that is no success, as an error.
func to_error() -> Result:
	if status == 0:
		return Result.new(null, "network_failed", "The service did not respond.")
	var details := error_details()
	var result := Result.new(null, Json.text(details, "code"), Json.text(details, "message"))
	if result.code.is_empty():
		result.code = "response_invalid" if details.is_empty() else "http_%d" % status
	if result.message.is_empty():
		result.message = "The response (%d) is not one of the service." % status
	result.status = status
	result.retry_after_seconds = _retry_after()
	result.request_id = header("x-request-id")
	return result


## RFC 9110: seconds, or a date.
func _retry_after() -> float:
	var text := header("retry-after")
	if text.is_valid_float():
		return maxf(0.0, text.to_float())
	var at := Clock.parse(text)
	return 0.0 if at < 0 else maxf(0.0, at / 1000.0 - Time.get_unix_time_from_system())


## Success comes in two forms: as it is, or as [code]data[/code] beside [code]status[/code].
static func _unwrap(value: Variant) -> Variant:
	if Json.text(value, "status") != "success":
		return value
	var members: Dictionary = value
	return members.get("data", value)
