import type { ValueEntry } from '../../../decide/document/parts/values.js';
import { csharpCode } from './csharp-code.js';
import { gdscriptCode } from './gdscript-code.js';
import { typescriptCode } from './typescript-code.js';

/** Accessors of a game's typed values, as source code for the game: a misspelt key or a wrong type does not compile. */

const LANGUAGES = { ts: typescriptCode, csharp: csharpCode, gdscript: gdscriptCode };

export type CodeLanguage = keyof typeof LANGUAGES;
export const CODE_LANGUAGES = Object.keys(LANGUAGES) as CodeLanguage[];

/** `source`: what the values are of, such as `version 7 of my-studio/my-game`. Values for servers only are left out. */
export function valueCode(language: CodeLanguage, values: readonly ValueEntry[], source: string): string {
  const forClients = values.filter(({ visibleTo }) => visibleTo === 'clients');
  return LANGUAGES[language](
    forClients,
    `Written by \`savepoint config types\` from ${source}. Do not edit.`,
  );
}
