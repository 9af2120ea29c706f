import { Type } from 'typebox';
import { nullable, PersonEmail, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';
import { ratesToCsv } from './rate-file.js';

/** Requests and responses of the routes of exchange rates. */

const CurrencyCode = (description: string) =>
  Type.String({ minLength: 3, maxLength: 3, description: `${description}: an ISO 4217 code` });

const ReportingCurrency = nullable(
  CurrencyCode('What figures of money are shown in, beside the currencies they were paid in'),
);

const rate = {
  currency: CurrencyCode('The currency that players paid in'),
  from: Type.String({
    maxLength: 10,
    description: 'The first UTC day on which the rate holds, such as 2026-11-15; it holds until the next one',
  }),
  rate: Type.String({
    maxLength: 25,
    description: 'What one unit is worth in the reporting currency: a decimal above 0',
  }),
};

const RATES = [
  { currency: 'EUR', from: '2026-10-01', rate: '1.07' },
  { currency: 'EUR', from: '2026-11-01', rate: '1.09' },
  { currency: 'JPY', from: '2026-10-01', rate: '0.0066' },
];

const version = {
  version: Type.Integer({ minimum: 0, description: '0 before anything was set' }),
  currency: ReportingCurrency,
  author: nullable(Type.String()),
  authorEmail: PersonEmail,
  createdAt: nullable(Time('When the version was made')),
};
const VERSION = {
  version: 4,
  currency: 'USD',
  author: 'Ana',
  authorEmail: 'ana@studio.example',
  createdAt: '2026-11-01T09:00:00.000Z',
};

export const RatesResponse = successOf(
  'RatesResponse',
  Type.Object({
    ...version,
    rates: Type.Array(Type.Object(rate, { title: 'ExchangeRate' }), { description: 'By currency and day' }),
  }),
  { example: { ...VERSION, rates: RATES } },
);

export const RateVersionsResponse = listResponse(
  'RateVersionsResponse',
  'versions',
  Type.Object({ ...version, rateCount: Type.Integer() }, { title: 'RateVersion' }),
  { example: { ...VERSION, rateCount: RATES.length }, description: 'The newest first' },
);

export const BasedOn = Type.Integer({ minimum: 0, description: 'The version that you have seen' });

export const RatesBody = Type.Object(
  {
    basedOn: BasedOn,
    currency: ReportingCurrency,
    rates: Type.Array(Type.Object(rate, { title: 'NewExchangeRate' })),
  },
  {
    title: 'RatesRequest',
    description:
      'The whole table: a rate that is left out holds no longer. With `currency` null there are no rates, and figures are shown as they were paid. Older versions are kept.',
    examples: [{ basedOn: 3, currency: 'USD', rates: RATES }],
  },
);

export const RATE_FILE = {
  content: {
    'text/csv': {
      schema: Type.String({
        description: 'RFC 4180 in UTF-8 with the columns currency, from and rate',
        examples: [ratesToCsv(RATES)],
      }),
    },
  },
};
