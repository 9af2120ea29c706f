/** A login to paste into a shell: it signs the time at which it is pasted. */
export function sampleLogin(playerUrl: string, apiKey: string, apiSecret: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `KEY=${quoted(apiKey)}; SECRET=${quoted(apiSecret)}; TS=$(date -u +%Y-%m-%dT%H:%M:%SZ)`,
    'SIG=$(printf \'%s\' "$KEY|my-device|$TS" | openssl dgst -sha256 -hmac "$SECRET" -binary | openssl base64 -A)',
    `curl -s ${playerUrl}/auth/login -H 'Content-Type: application/json' \\`,
    `  -d '{"apiKey":"'"$KEY"'","deviceId":"my-device","timestamp":"'"$TS"'","signature":"'"$SIG"'"}'`,
  ].join('\n');
}
