// Floor: operations that requests need, each alone on one core. Prints one JSON line: operations a second of each.
import { createHmac, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { eventsJson } from '../support/event-bodies.mjs';

const MS = Number(process.env.FLOOR_SECONDS ?? '1') * 250;

const batch = eventsJson('floor', 1, 50);
const login = 'dev-key|a-device-of-usual-length|2026-11-15T12:00:00Z';
const secret = randomBytes(32);
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
// As long as the header and the claims of an access token.
const claims = Buffer.from(randomBytes(210).toString('base64url'));
const signature = sign('sha256', claims, { key: privateKey, dsaEncoding: 'ieee-p1363' });

const OPERATIONS = {
  'JSON.parse of 50 events': () => JSON.parse(batch),
  'HMAC-SHA256 of a login': () => createHmac('sha256', secret).update(login).digest(),
  'ES256 sign': () => sign('sha256', claims, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  'ES256 verify': () => verify('sha256', claims, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature),
};

function perSecond(operation) {
  for (let n = 0; n < 50; n++) operation();
  const begun = performance.now();
  let done = 0;
  let elapsed = 0;
  while (elapsed < MS) {
    for (let n = 0; n < 20; n++) operation();
    done += 20;
    elapsed = performance.now() - begun;
  }
  return (done * 1000) / elapsed;
}

const rates = Object.entries(OPERATIONS).map(([name, operation]) => [name, perSecond(operation)]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(rates))}\n`);
