extends RefCounted
## The clock of the device, and that of the service as far as it is known. In milliseconds since 1970.

const MONTHS := ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

static var _rfc3339 := RegEx.create_from_string(
	"^(\\d{4})-(\\d\\d)-(\\d\\d)[Tt ](\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d+))?(?:[Zz]|([+-])(\\d\\d):(\\d\\d))$")
static var _http_date := RegEx.create_from_string("^[A-Z][a-z]{2}, (\\d\\d) ([A-Z][a-z]{2}) (\\d{4}) (\\d\\d):(\\d\\d):(\\d\\d) GMT$")

## Gives the seconds since 1970; for tests. The system's clock where it is not set.
var device: Callable
## Whether the service has told its time.
var is_known := false
var _offset_ms := 0


func device_ms() -> int:
	var seconds: float = device.call() if device.is_valid() else Time.get_unix_time_from_system()
	return floori(seconds * 1000.0)


func service_ms() -> int:
	return device_ms() + _offset_ms


func learn(server_ms: int) -> void:
	is_known = true
	_offset_ms = server_ms - device_ms()


## As events have it: with milliseconds.
static func format(ms: int) -> String:
	return "%s.%03dZ" % [Time.get_datetime_string_from_unix_time(_seconds(ms)), posmod(ms, 1000)]


## As logins have it: in whole seconds.
static func format_seconds(ms: int) -> String:
	return Time.get_datetime_string_from_unix_time(_seconds(ms)) + "Z"


## -1 where the text is no instant. Takes RFC 3339 and the form of HTTP headers.
static func parse(text: String) -> int:
	var found := _rfc3339.search(text)
	if found != null:
		var seconds := _unix(found.get_string(1), int(found.get_string(2)), found.get_string(3), found.strings.slice(4, 7))
		var offset := int(found.get_string(9)) * 3600 + int(found.get_string(10)) * 60
		if found.get_string(8) == "-":
			offset = -offset
		return -1 if seconds < 0 else (seconds - offset) * 1000 + int((found.get_string(7) + "000").left(3))
	found = _http_date.search(text)
	if found == null:
		return -1
	var unix := _unix(found.get_string(3), MONTHS.find(found.get_string(2)) + 1, found.get_string(1), found.strings.slice(4, 7))
	return -1 if unix < 0 else unix * 1000


## Uses the first of the month, because the engine reports a 31st of February as an error.
static func _unix(year: String, month: int, day: String, time: PackedStringArray) -> int:
	if month < 1 or month > 12:
		return -1
	var first := Time.get_unix_time_from_datetime_dict({"year": int(year), "month": month, "day": 1})
	return first + (int(day) - 1) * 86400 + int(time[0]) * 3600 + int(time[1]) * 60 + int(time[2])


static func _seconds(ms: int) -> int:
	return floori(ms / 1000.0)
