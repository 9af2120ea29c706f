/** Reads the JSON key of a service account, as the Google Cloud console gives it. Undefined for anything else. */
export function readServiceAccount(text: string): { email: string; privateKey: string } | undefined {
  try {
    const { client_email: email, private_key: privateKey } = JSON.parse(text);
    return typeof email === 'string' && typeof privateKey === 'string' ? { email, privateKey } : undefined;
  } catch {
    return undefined;
  }
}
