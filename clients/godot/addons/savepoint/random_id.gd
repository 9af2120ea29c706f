extends RefCounted
## Makes unique names.

const LETTERS := "0123456789abcdefghijklmnopqrstuv"

static var _crypto := Crypto.new()


## 130 random bits in 26 letters and digits.
static func make() -> String:
	var id := ""
	for byte in _crypto.generate_random_bytes(26):
		id += LETTERS[byte & 31]
	return id
