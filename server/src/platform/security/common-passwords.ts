/**
 * The commonest passwords of published leaks: those of zxcvbn-ts, about 49,000, in small letters. Loaded when a password is
 * chosen for the first time, which is rare.
 */
let loading: Promise<ReadonlySet<string>> | undefined;

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}

/** Whether a password is a common one, or a common one with digits and signs before or after that make up less than half of it. */
export async function isCommonPassword(password: string): Promise<boolean> {
  loading ??= load();
  const common = await loading;
  const lower = password.toLowerCase();
  const core = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return common.has(lower) || (core.length >= password.length / 2 && common.has(core));
}
