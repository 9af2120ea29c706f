import type { Attribute, AttributePath, AttributeValueDefinition } from './attribute.js';
import type { AttributeReader } from './player-attributes.js';

const NAME = /^[a-z]\w*$/i;

/** The attributes that rules may name, found by their names. Refuses definitions that contradict each other. */
export class AttributeRegistry {
  readonly attributes: readonly Attribute[];
  readonly #byName: ReadonlyMap<string, Attribute>;

  constructor(attributes: readonly Attribute[]) {
    this.attributes = attributes;
    this.#byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));
    const problem = problemOf(attributes);
    if (problem !== undefined) throw new Error(problem);
  }

  find(name: string): Attribute | undefined {
    return this.#byName.get(name);
  }

  /** The value at a path that rules may read. */
  valueAt({ name, field }: AttributePath): AttributeValueDefinition {
    const attribute = this.#byName.get(name);
    const value = field === null ? attribute?.value : attribute?.fields.find((each) => each.name === field);
    if (value == null) throw new Error(`there is no attribute ${name}${field === null ? '' : `.${field}`}`);
    return value;
  }

  /** How to read the value at a path. Asked when a rule is compiled, not when it is evaluated. */
  readerOf(path: AttributePath): AttributeReader {
    return this.valueAt(path).readerOf(path.key ?? '');
  }
}

/** The name of the CEL object type whose fields an attribute has: `Counts` for `map<string, Counts>`. */
export function objectTypeOf({ type }: Attribute): string {
  return /^map<string, (.+)>$/.exec(type)?.[1] ?? type;
}

function problemOf(attributes: readonly Attribute[]): string | undefined {
  const seen = new Set<string>();
  const fieldsByType = new Map<string, string>();
  for (const attribute of attributes) {
    const { name, fields, value } = attribute;
    if (!NAME.test(name)) return `"${name}" cannot be the name of an attribute`;
    if (seen.has(name)) return `there are two attributes ${name}`;
    seen.add(name);
    if ((value === null) !== fields.length > 0) return `${name} must have fields, or be a value itself`;
    if (fields.length === 0) continue;
    const wrong = fields.find((field) => !field.name.split('.').every((part) => NAME.test(part)));
    if (wrong !== undefined) return `"${wrong.name}" cannot be the name of a field of ${name}`;
    const type = objectTypeOf(attribute);
    const written = fields.map((field) => `${field.name}: ${field.type}`).join(', ');
    if ((fieldsByType.get(type) ?? written) !== written) {
      return `${name} has other fields than another attribute of type ${type}`;
    }
    fieldsByType.set(type, written);
  }
  return undefined;
}
