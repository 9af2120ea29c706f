import type { ValueEntry } from '../../../decide/document/parts/values.js';
import { boundedType, type ValueType } from '../../../decide/document/value-types.js';
import { identifiersOf, oneLine } from './identifiers.js';

/** Words of the language, and members of every object. */
const RESERVED = new Set(
  `and as assert await break breakpoint class class_name const continue elif else enum extends false for func if in is match namespace not
  null or pass preload print return self signal static super trait true var void when while yield PI TAU INF NAN int float bool String
  Array Dictionary client call callv connect disconnect emit_signal free get get_class get_script has_method has_signal init_ref is_class
  notification property_list_changed reference script_changed set set_script to_string tr unreference`.split(
    /\s+/,
  ),
);

export function gdscriptCode(values: readonly ValueEntry[], head: string): string {
  const names = identifiersOf(
    values.map(({ key }) => key),
    RESERVED,
  );
  const members = values.map(({ key, type, defaultValue, description }) => {
    return [
      `## ${oneLine(description) || key}`,
      `static var ${names.get(key)}: ${gdscriptType(type, defaultValue)}:`,
      '\tget:',
      `\t\treturn client.value("${key}", ${gdscriptLiteral(type, defaultValue)})`,
    ].join('\n');
  });
  // Static: only then does the engine refuse a script that names a member which is not there.
  return `# ${head}
class_name GameValues
extends RefCounted
## The typed values of the game. Say once [code]GameValues.client = Players[/code].

static var client: Node

${members.join('\n\n')}
`;
}

function gdscriptType(type: ValueType, value: unknown): string {
  switch (boundedType(type).kind) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'string':
      return 'String';
    case 'json':
      if (Array.isArray(value)) return 'Array';
      return typeof value === 'object' && value !== null ? 'Dictionary' : 'Variant';
  }
}

/** JSON is nearly GDScript: only that a number with a fraction of zero would be a whole one. */
function gdscriptLiteral(type: ValueType, value: unknown): string {
  const text = JSON.stringify(value);
  return boundedType(type).kind === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text;
}
