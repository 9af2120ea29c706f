// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** Characters, as code points. */
export const MAX_DEVICE_ID_LENGTH = 256;

/** Whether a text has only characters that a device id may have. */
export function isDeviceIdText(text: string): boolean {
  return !CONTROL_CHARACTERS.test(text) && text.isWellFormed();
}
