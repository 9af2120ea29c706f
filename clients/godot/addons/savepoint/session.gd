extends RefCounted
## Who is logged in, and the tokens that prove it.

const Json = preload("json.gd")

var user_id: String
var device_id: String
var game_id: String
var tenant_id: String
var access_token: String
var refresh_token: String
## By the clock of the device.
var obtained_at := 0
var lifetime_ms := 0
## The player was logged out, and nothing else is known.
var is_logged_out := false


## The headers that say who asks.
func headers() -> Dictionary[String, String]:
	return {
		"Authorization": "Bearer " + access_token,
		"X-Tenant-ID": tenant_id,
		"X-Game-Id": game_id,
		"X-Player-Id": user_id,
	}


func to_value() -> Dictionary:
	return {
		"userId": user_id,
		"deviceId": device_id,
		"gameId": game_id,
		"tenantId": tenant_id,
		"accessToken": access_token,
		"refreshToken": refresh_token,
		"obtainedAt": obtained_at,
		"lifetimeMs": lifetime_ms,
		"isLoggedOut": is_logged_out,
	}


## From what was kept, or from the response of login and refresh. False where it is neither.
func restore(kept: Variant) -> bool:
	user_id = Json.text(kept, "userId")
	device_id = Json.text(kept, "deviceId")
	game_id = Json.text(kept, "gameId")
	tenant_id = Json.text(kept, "tenantId")
	access_token = Json.text(kept, "accessToken")
	refresh_token = Json.text(kept, "refreshToken")
	obtained_at = Json.integer(kept, "obtainedAt")
	lifetime_ms = Json.integer(kept, "lifetimeMs")
	is_logged_out = Json.member(kept, "isLoggedOut") == true
	return is_logged_out or not access_token.is_empty()
