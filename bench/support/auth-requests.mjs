import { rawRequest } from './raw-connection.mjs';
import { loginBody } from './service.mjs';

export const JSON_HEADERS = { 'content-type': 'application/json' };

export const loginRequest = (deviceId, key) =>
  rawRequest('POST', '/auth/login', JSON_HEADERS, loginBody(deviceId, key));

export const refreshRequest = (refreshToken) =>
  rawRequest('POST', '/auth/refresh', JSON_HEADERS, JSON.stringify({ refreshToken }));

/** From the chunks of a response. */
export const refreshTokenIn = (response) => /"refreshToken":"([^"]+)"/.exec(Buffer.concat(response))[1];
