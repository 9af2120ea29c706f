import type { Schema } from './schema-html.js';

/** What the reference page reads of an OpenAPI document. */
export type ApiDocument = Record<string, unknown> & {
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};

export type Operation = {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  /** An empty list: without credentials. */
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses?: Record<string, { description?: string; content?: Content }>;
  'x-codeSamples'?: { source: string }[];
};

export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

export type Content = Record<string, MediaType>;

type MediaType = { schema?: Schema; examples?: Record<string, { value: unknown }> };

/** Undefined where the document has none. */
export function firstExample(media: MediaType | undefined): unknown {
  return Object.values(media?.examples ?? {})[0]?.value ?? media?.schema?.examples?.[0];
}
