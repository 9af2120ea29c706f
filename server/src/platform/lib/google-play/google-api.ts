import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { boundedFetch, type OutgoingResponse } from '../bounded-fetch.js';
import { isObject, parseObject } from '../is-object.js';
import { type GooglePurchase, readPurchase, readVoidedPage, type VoidedPage } from './google-responses.js';

/** A service account, with the app that it asks about. */
export type GoogleAccount = Readonly<{
  gameId: number;
  email: string;
  privateKey: KeyObject;
  packageName: string;
}>;

/** Google cannot be asked now. The message is for operators: it names neither keys nor purchases. */
export class GoogleUnavailableError extends Error {
  override readonly name = 'GoogleUnavailableError';
}

export type GoogleApi = {
  /** Undefined if Google knows no such purchase. */
  findPurchase(account: GoogleAccount, purchaseToken: string): Promise<GooglePurchase | undefined>;
  /** False if Google refuses this purchase. */
  acknowledge(account: GoogleAccount, purchase: AcknowledgedPurchase): Promise<boolean>;
  listVoided(account: GoogleAccount, list: VoidedList): Promise<VoidedPage>;
};

type AcknowledgedPurchase = Readonly<{ productId: string; purchaseToken: string }>;
/** Google goes by the page alone where there is one. */
type VoidedList = Readonly<{ fromMs: number; toMs: number; page: string | null; pageSize: number }>;

type AccessToken = Readonly<{ text: string; endsAtMs: number }>;
type Options = Readonly<{ tokenUrl: string; apiUrl: string; now: () => number }>;

const SCOPE = 'https://www.googleapis.com/auth/androidpublisher';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_SECONDS = 3_600;
/** A token is not used in its last minute: it could end on its way. */
const MARGIN_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** A page of 500 voided purchases has about 200 KB. */
const MAX_BYTES = 2_000_000;
/** They are about one purchase, which Google does not know, or not any more. Anything else may pass. */
const FINAL = [400, 404, 409, 410];

/** Calls the Play Developer API, at the addresses of the settings only. Access tokens are kept until they end. */
export function createGoogleApi({ tokenUrl, apiUrl, now }: Options): GoogleApi {
  const tokens = new Map<number, { key: KeyObject; token: Promise<AccessToken> }>();

  const newToken = async ({ email, privateKey }: GoogleAccount): Promise<AccessToken> => {
    const seconds = Math.floor(now() / 1_000);
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(email)
      .setAudience(tokenUrl)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + ASSERTION_SECONDS)
      .sign(privateKey);
    const response = await call(tokenUrl, 'POST', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
    });
    const said = parseObject(response.text);
    const { access_token: text, expires_in: lifetime } = said ?? {};
    if (response.status !== 200 || typeof text !== 'string' || typeof lifetime !== 'number')
      throw new GoogleUnavailableError(`Google gave no access token: ${explain(response)}`);
    return { text, endsAtMs: now() + lifetime * 1_000 };
  };

  /** Calls at the same time wait for one token. */
  const tokenOf = async (account: GoogleAccount): Promise<string> => {
    const { gameId, privateKey } = account;
    const known = tokens.get(gameId);
    const current = known?.key.equals(privateKey) ? await known.token.catch(() => undefined) : undefined;
    if (current !== undefined && now() < current.endsAtMs - MARGIN_MS) return current.text;
    if (tokens.get(gameId) !== known) return tokenOf(account);
    const token = newToken(account);
    tokens.set(gameId, { key: privateKey, token });
    return (await token).text;
  };

  const ask = async (account: GoogleAccount, method: 'GET' | 'POST', path: string) => {
    const authorization = `Bearer ${await tokenOf(account)}`;
    const url = `${apiUrl.replace(/\/+$/, '')}/androidpublisher/v3/applications/${encodeURIComponent(account.packageName)}/purchases/${path}`;
    const isPost = method === 'POST';
    const response = await call(url, method, {
      headers: { authorization, ...(isPost ? { 'content-type': 'application/json' } : {}) },
      ...(isPost ? { body: '{}' } : {}),
    });
    // A key that was taken away ends its tokens early.
    if (response.status === 401) tokens.delete(account.gameId);
    return response;
  };

  return {
    async findPurchase(account, purchaseToken) {
      const response = await ask(account, 'GET', `productsv2/tokens/${encodeURIComponent(purchaseToken)}`);
      if (FINAL.includes(response.status)) return undefined;
      return readPurchase(bodyOf(response));
    },
    async acknowledge(account, { productId, purchaseToken }) {
      const path = `products/${encodeURIComponent(productId)}/tokens/${encodeURIComponent(purchaseToken)}:acknowledge`;
      const response = await ask(account, 'POST', path);
      if (FINAL.includes(response.status)) return false;
      if (response.status < 200 || response.status > 299) throw refusal(response);
      return true;
    },
    async listVoided(account, { fromMs, toMs, page, pageSize }) {
      const query = new URLSearchParams({
        startTime: String(fromMs),
        endTime: String(toMs),
        maxResults: String(pageSize),
        ...(page === null ? {} : { token: page }),
      });
      return readVoidedPage(bodyOf(await ask(account, 'GET', `voidedpurchases?${query}`)));
    },
  };
}

/** The private key of an account, as the file that Google gives has it. Undefined for anything else. */
export function readAccountKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
}

type Sent = { headers: Record<string, string>; body?: string };

async function call(url: string, method: 'GET' | 'POST', sent: Sent): Promise<OutgoingResponse> {
  try {
    return await boundedFetch(url, { method, ...sent, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new GoogleUnavailableError(`${new URL(url).origin} cannot be reached: ${reason}`);
  }
}

function bodyOf(response: OutgoingResponse): Record<string, unknown> {
  const body = response.status === 200 ? parseObject(response.text) : undefined;
  if (body === undefined) throw refusal(response);
  return body;
}

function refusal(response: OutgoingResponse): GoogleUnavailableError {
  return new GoogleUnavailableError(`Google refused: ${explain(response)}`);
}

const MAX_REASON = 200;

/** What Google says is wrong, as both of its forms of errors have it. */
function explain({ status, text }: OutgoingResponse): string {
  const { error, error_description: description } = parseObject(text) ?? {};
  const reason = isObject(error) ? error.message : (description ?? error);
  return typeof reason === 'string' ? `${status}, ${reason.slice(0, MAX_REASON)}` : `status ${status}`;
}
