export { SavepointError } from '../errors.js';
export type { RejectedEvent } from '../options.js';
export type { SignedLogin } from '../wire.js';
export {
  type AgeGroup,
  createServerClient,
  type SentEvents,
  type ServerClient,
  type ServerClientOptions,
  type ServerEvent,
} from './server-client.js';
export {
  type ExpressHandler,
  expressSigner,
  type FastifyHandler,
  fastifySigner,
  fetchSigner,
  type SignerOptions,
} from './sign-handlers.js';
export { type SignOptions, signLogin } from './sign-login.js';
export { createPlayerVerifier, type VerifiedPlayer, type VerifierOptions } from './verify-player.js';
