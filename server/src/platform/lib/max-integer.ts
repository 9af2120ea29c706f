/** The largest `integer` of PostgreSQL, such as a version of a document or a model. */
export const MAX_INTEGER = 2_147_483_647;
