extends RefCounted
## The batches [member head] to [member end] − 1 wait, apart from those that were emptied.

const Json = preload("json.gd")

var install: String
## The number of the next event.
var next := 1
var head := 0
var end := 0
var bytes := 0
## How often events of this installation were dropped, each time leaving a gap in its numbers.
var gaps := 0
## Batches in a row whose numbers were all taken, though they were never sent before.
var suspicions := 0
## From this batch on, events were tracked while it was not known whether the storage is a copy. -1: there are none.
var unchecked_from := -1
## The session that was refused last.
var refused: String
## Of the device, where it is known.
var identity: String


func to_json() -> String:
	return Json.write({
		"install": install,
		"next": next,
		"head": head,
		"end": end,
		"bytes": bytes,
		"gaps": gaps,
		"suspicions": suspicions,
		"uncheckedFrom": unchecked_from,
		"refused": refused,
		"identity": identity,
	})


## False where there is none, or it is damaged: then a new installation is started.
func restore(kept: Variant) -> bool:
	install = Json.text(kept, "install")
	next = Json.integer(kept, "next", 1)
	head = Json.integer(kept, "head")
	end = Json.integer(kept, "end")
	bytes = Json.integer(kept, "bytes")
	gaps = Json.integer(kept, "gaps")
	suspicions = Json.integer(kept, "suspicions")
	unchecked_from = Json.integer(kept, "uncheckedFrom", -1)
	refused = Json.text(kept, "refused")
	identity = Json.text(kept, "identity")
	return not install.is_empty()
