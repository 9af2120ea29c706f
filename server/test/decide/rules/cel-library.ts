import { Environment } from '@marcbachmann/cel-js';
import type { AttributePath } from '../../../src/decide/attributes/attribute.js';
import { ATTRIBUTE_REGISTRY, ATTRIBUTES } from '../../../src/decide/attributes/attributes.js';
import type { PlayerAttributes } from '../../../src/decide/attributes/player-attributes.js';
import type { CompiledRule } from '../../../src/decide/rules/rules.js';

/** What the CEL library itself makes of a rule, to hold the compiled one against. */
export function evaluateByLibrary(cel: string, rule: CompiledRule, attributes: PlayerAttributes): unknown {
  // The library has no function that sees the player's segments.
  return LIBRARY.evaluate(
    cel.replaceAll(/segment\(("\w+")\)/g, '$1 in segments'),
    contextOf(rule, attributes),
  );
}

/** An object of one of our types: its fields. */
class Fields {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
}
class Counts extends Fields {}
class WindowCounts extends Fields {}
class Amounts extends Fields {}
const isOfType = (type: string, name: string) => type === name || type === `map<string, ${name}>`;
const OBJECT_TYPES = { Counts, WindowCounts, Amounts };

/** The library with nothing of ours but the names and types of the attributes. */
const LIBRARY = new Environment();
for (const [name, ctor] of Object.entries(OBJECT_TYPES)) {
  const fields = ATTRIBUTES.find(({ type }) => isOfType(type, name))?.fields ?? [];
  LIBRARY.registerType(name, {
    ctor,
    fields: Object.fromEntries(fields.map((field) => [field.name, field.type])),
  });
}
// Predictions have nested types, which the random rules do not ask for.
for (const { name, type } of ATTRIBUTES) if (type !== 'Predictions') LIBRARY.registerVariable(name, type);

/** The attributes a rule reads as the library takes them: an int is a BigInt, an object has its fields. */
function contextOf(rule: CompiledRule, attributes: PlayerAttributes): Record<string, unknown> {
  const context: Record<string, unknown> = { segments: new Map() };
  for (const path of rule.reads) {
    const { type = '', key } = ATTRIBUTES.find(({ name }) => name === path.name) ?? {};
    const value = libraryValue(path, attributes);
    const ctor = Object.entries(OBJECT_TYPES).find(([name]) => isOfType(type, name))?.[1];
    const merged = (known: unknown) =>
      path.field === null || ctor === undefined
        ? value
        : new ctor({ ...(known as object | undefined), [path.field]: value });
    if (key === null) context[path.name] = merged(context[path.name]);
    else {
      const map = (context[path.name] ?? new Map()) as Map<string, unknown>;
      // A key that is there counts as a member.
      if (key !== 'segmentId' || value === true) map.set(path.key ?? '', merged(map.get(path.key ?? '')));
      context[path.name] = map;
    }
  }
  return context;
}

function libraryValue(path: AttributePath, attributes: PlayerAttributes): unknown {
  const value = ATTRIBUTE_REGISTRY.readerOf(path)(attributes);
  return typeof value === 'number' && path.name !== 'spend' ? BigInt(value) : value;
}
