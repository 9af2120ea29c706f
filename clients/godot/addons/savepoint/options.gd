extends Node
## What a [Savepoint] is made with. Needed are [member base_url], and [member sign_url] or [member sign_login].

const Clock = preload("clock.gd")

## Address of the service, without a path of an endpoint. [codeblock]base_url = "https://players.example.com"[/codeblock]
@export var base_url := ""

## Address of the studio's signing endpoint, as [code]@savepoint/client/server[/code] makes it. The API secret must not ship in a game.
## [codeblock]sign_url = "https://studio.example.com/sign"[/codeblock]
@export var sign_url := ""

## Names the device; the same device is always the same player. Made and kept by the client if left out.
## [codeblock]device_id = account.id[/codeblock]
@export var device_id := ""

## Folder in which everything is kept. [codeblock]storage_folder = "user://players"[/codeblock]
@export var storage_folder := "user://savepoint"

## Names the device on which the storage is. If a backup is restored on another device, it is noticed at once, before any event is
## numbered. Leave it out where the platform has no such name. [codeblock]storage_identity = OS.get_unique_id()[/codeblock]
@export var storage_identity := ""

## Version of the game. The studio sees which builds lose events or send bad ones, and its players and revenue by build: it goes into
## the metadata of every event as [code]clientBuild[/code]. At most 64 characters.
## [codeblock]build = "1.4.2"[/codeblock]
@export var build := ""

## Device data that goes into the metadata of every event. [code]osName[/code] is the platform in the studio's numbers, those of
## lost events too. [codeblock]event_metadata = {"osName": OS.get_name()}[/codeblock]
@export var event_metadata := {}

## A batch is sent when it has this many events. [codeblock]batch_events = 100[/codeblock]
@export var batch_events := 50

## A batch is sent when it has this many bytes. [codeblock]batch_bytes = 30_000[/codeblock]
@export var batch_bytes := 60_000

## A batch is sent after this many seconds. [codeblock]batch_seconds = 10.0[/codeblock]
@export var batch_seconds := 5.0

## How much may wait to be sent. When it is full, the oldest [code]Ad_Impression[/code] events are dropped first, then the oldest
## others. [code]Purchase[/code] and [code]Refund[/code] are never dropped. [codeblock]max_stored_bytes = 8 * 1024 * 1024[/codeblock]
@export var max_stored_bytes := 2_097_152

## What reads return without a network before the first response, by name: [code]status[/code], [code]store[/code],
## [code]segments[/code], [code]predictions[/code]. Ship it with the game.
## [codeblock]fallback = {"store": load("res://store.json").data}[/codeblock]
@export var fallback := {}

## Gets a login signed, instead of [member sign_url]: takes the device's id and the time of the service (empty where it is not known),
## and returns the signed login as a dictionary, or null. It may wait.
## [codeblock]sign_login = func(device_id: String, timestamp: String): return await backend.sign(device_id, timestamp)[/codeblock]
var sign_login: Callable

## The clock of the device in seconds since 1970, for tests. [codeblock]device_clock = func() -> float: return 1.8e9[/codeblock]
var device_clock: Callable:
	set(clock):
		device_clock = clock
		_clock.device = clock

var _clock := Clock.new()
