import { Option } from 'commander';
import { ROLES } from '../admin-api/roles.js';

/** The role of a person or a token in a studio. */
export function roleOption(): Option {
  const description =
    'viewer reads; editor also changes and publishes; owner also decides on members, keys, tokens and retention';
  return new Option('--role <role>', description).choices([...ROLES]).makeOptionMandatory();
}
