import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { EMPTY_SHA256, type S3Request, signRequest } from '../../../../src/platform/lib/s3/sign-request.js';

/** The examples of "Signature Calculations for the Authorization Header" in the API reference of Amazon S3. */
const CREDENTIALS = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const AT = new Date('2013-05-24T00:00:00Z');
const request = {
  method: 'GET',
  host: 'examplebucket.s3.amazonaws.com',
  path: '/',
  payloadSha256: EMPTY_SHA256,
};

const EXAMPLES: [string, S3Request, string][] = [
  [
    'GET of an object',
    { ...request, path: '/test.txt', headers: { range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT of an object',
    {
      ...request,
      method: 'PUT',
      path: '/test$file.text',
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      payloadSha256: createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'GET with a query without a value',
    { ...request, query: { lifecycle: '' } },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'GET of a list',
    { ...request, query: { prefix: 'J', 'max-keys': '2' } },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
];

describe('Signature Version 4', () => {
  it.each(EXAMPLES)('signs the %s as Amazon does', (_, given, signature) => {
    const { headers } = signRequest(given, CREDENTIALS, AT);
    expect(headers.authorization).toMatch(new RegExp(`Signature=${signature}$`));
    expect(headers.authorization).toContain(
      'Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    );
  });

  it('sends the path and the query as they were signed', () => {
    const { path } = signRequest(
      { ...request, path: "/a b/c(d)*'!", query: { b: 'x/y', a: ' ' } },
      CREDENTIALS,
      AT,
    );
    expect(path).toBe('/a%20b/c%28d%29%2A%27%21?a=%20&b=x%2Fy');
  });
});
