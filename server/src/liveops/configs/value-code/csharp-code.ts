import type { ValueEntry } from '../../../decide/document/parts/values.js';
import { boundedType, type ValueType } from '../../../decide/document/value-types.js';
import { identifiersOf, oneLine } from './identifiers.js';

/** Members of every object, the name of the class, and names that compilers make themselves. */
const RESERVED = new Set([
  'GameValues',
  'Equals',
  'Finalize',
  'GetHashCode',
  'GetType',
  'MemberwiseClone',
  'ReferenceEquals',
  'ToString',
]);

export function csharpCode(values: readonly ValueEntry[], head: string): string {
  const names = identifiersOf(
    values.map(({ key }) => key),
    RESERVED,
    pascalCase,
  );
  const members = values.map(({ key, type, defaultValue, description }) => {
    const [result, method, literal] = csharpValue(type, defaultValue);
    return [
      `    /// <summary>${escapeXml(oneLine(description)) || key}</summary>`,
      `    public ${result} ${names.get(key)} { get { return player.${method}("${key}", ${literal}); } }`,
    ].join('\n');
  });
  return `// ${head}
using Savepoint;

/// <summary>The typed values of the game: <c>new GameValues(savepoint.Player)</c>.</summary>
public sealed class GameValues
{
    private readonly Player player;

    public GameValues(Player player)
    {
        this.player = player;
    }
${members.map((member) => `\n${member}\n`).join('')}}
`;
}

type CsharpValue = readonly [type: string, method: 'Value' | 'ValueJson', literal: string];

function csharpValue(type: ValueType, value: unknown): CsharpValue {
  const { kind, minimum, maximum } = boundedType(type);
  switch (kind) {
    case 'boolean':
      return ['bool', 'Value', String(value)];
    case 'integer': {
      const isInt = (minimum ?? -Infinity) >= -(2 ** 31) && (maximum ?? Infinity) < 2 ** 31;
      return isInt ? ['int', 'Value', String(value)] : ['long', 'Value', `${value}L`];
    }
    case 'number':
      return ['double', 'Value', `${value}d`];
    case 'string':
      return ['string', 'Value', csharpText(String(value))];
    case 'json':
      return ['string', 'ValueJson', csharpText(JSON.stringify(value))];
  }
}

/** Everything but plain ASCII is escaped, so that the file means the same in every encoding. */
function csharpText(text: string): string {
  const escaped = text.replace(
    /[^ !#-[\]-~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

/** `jump_height` becomes `JumpHeight`. */
function pascalCase(key: string): string {
  return key
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
