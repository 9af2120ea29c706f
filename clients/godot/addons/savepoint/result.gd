class_name SavepointResult
extends RefCounted
## The outcome of a call: a [member value], or a [member code] that says what went wrong.
##
## GDScript has no exceptions, so ask [method is_ok] first:
## [codeblock]
## var store := await savepoint.store()
## if store.is_ok():
##     for sku: Dictionary in store.value.activeSkus:
##         add_row(sku.name, sku.offerPrice, sku.currency)
## else:
##     push_warning(store.code, " ", store.message)
## [/codeblock]

## The result of the call; null where it failed. [codeblock]var is_payer: bool = status.value.isPayer.value[/codeblock]
var value: Variant

## What went wrong; empty where nothing did. Codes are permanent, messages are not. Codes of the client itself:
## [code]network_failed[/code], [code]response_invalid[/code], [code]sign_failed[/code], [code]logged_out[/code],
## [code]closed[/code], [code]event_unserializable[/code], [code]event_too_large[/code], [code]storage_full[/code],
## [code]storage_failed[/code]. All others are those of the service.
## [codeblock]if result.code == "logged_out": await savepoint.login()[/codeblock]
var code: String

## A sentence for people. [codeblock]push_warning(result.message)[/codeblock]
var message: String

## HTTP status, where there was a response, else 0. [codeblock]var is_outage := result.status == 0 or result.status >= 500[/codeblock]
var status := 0

## How long the service asked to wait; 0 where it did not. [codeblock]var seconds := maxf(1.0, result.retry_after_seconds)[/codeblock]
var retry_after_seconds := 0.0

## Quote it when you ask for help; empty where the service did not respond.
## [codeblock]push_warning(result.message, " ", result.request_id)[/codeblock]
var request_id := ""


func _init(brought: Variant = null, error_code: String = "", error_message: String = "") -> void:
	value = brought
	code = error_code
	message = error_message


## Whether it worked. [codeblock]if not (await savepoint.login()).is_ok(): show_offline()[/codeblock]
func is_ok() -> bool:
	return code.is_empty()
