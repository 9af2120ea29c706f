import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { GoogleSettings } from '../../core/events/receipts/store-settings.js';
import { ApiError } from '../../platform/errors.js';

export type PushTokens = {
  /** Throws unless Google signed the token for this subscription. */
  verify(token: string, push: NonNullable<GoogleSettings['push']>): Promise<void>;
};

const ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];
const TIMEOUT_MS = 5_000;

/** Checks the tokens of Pub/Sub pushes by the keys at an address of the settings. No redirect is followed. */
export function createPushTokens(keysUrl: string): PushTokens {
  const keys = createRemoteJWKSet(new URL(keysUrl), { timeoutDuration: TIMEOUT_MS });
  return {
    async verify(token, { audience, account }) {
      const options = { issuer: ISSUERS, audience, algorithms: ['RS256'] };
      const { payload } = await jwtVerify(token, keys, options).catch((error: unknown) => {
        throw isAboutToken(error)
          ? new ApiError('token_invalid')
          : new ApiError('unavailable', { cause: error });
      });
      if (payload.email !== account || payload.email_verified !== true) throw new ApiError('token_invalid');
    },
  };
}

/** Everything else means that the keys could not be fetched. */
function isAboutToken(error: unknown): boolean {
  const isOfJose = error instanceof errors.JOSEError;
  return isOfJose && error.code !== errors.JOSEError.code && !(error instanceof errors.JWKSTimeout);
}
