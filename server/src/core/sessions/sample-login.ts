export type KeyPair = Readonly<{ keyId: string; secret: string }>;

/** One login that can be pasted into a shell as it is. */
export function sampleLogin(api: string, { keyId, secret }: KeyPair): string {
  return [
    `TS=$(date -u +%Y-%m-%dT%H:%M:%SZ)`,
    `SIG=$(printf '%s' "${keyId}|my-device|$TS" | openssl dgst -sha256 -hmac ${secret} -binary | openssl base64 -A)`,
    `curl -s ${api}/auth/login -H 'Content-Type: application/json' \\`,
    `  -d '{"apiKey":"${keyId}","deviceId":"my-device","timestamp":"'"$TS"'","signature":"'"$SIG"'"}'`,
  ].join('\n');
}
