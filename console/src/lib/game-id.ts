/** The limits of the service for games. It checks them again, and says what is wrong. */
const MAX_ID_LENGTH = 63;
export const MAX_NAME_LENGTH = 100;

export function isGameId(text: string): boolean {
  return text.length <= MAX_ID_LENGTH && /^[a-z0-9][a-z0-9-]*$/.test(text);
}

/** A proposal for the id of a game: `Émile's Rocket` becomes `emile-s-rocket`. Empty where the name has no Latin letter or digit. */
export function idFromName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_ID_LENGTH)
    .replace(/-$/, '');
}
