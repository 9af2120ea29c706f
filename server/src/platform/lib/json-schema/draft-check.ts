import { Ajv2020 } from 'ajv/dist/2020.js';
import { canonicalJson } from '../canonical-json.js';

export const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

let draft: Ajv2020 | undefined;

/**
 * Why a schema is not valid by the schema of the draft itself, or undefined. That schema looks at each part once, so the time grows
 * with the size of the text.
 */
export function checkAgainstDraft(schema: unknown): string | undefined {
  draft ??= createDraft();
  return draft.validate(DRAFT, schema) ? undefined : draft.errorsText(draft.errors, { dataVar: '#' });
}

function createDraft(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  // The original compares each item with each other one.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (unique: boolean, items: unknown[]) =>
      !unique || new Set(items.map(canonicalJson)).size === items.length,
  });
  return ajv;
}
