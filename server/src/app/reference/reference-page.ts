import { escapeHtml } from '../../platform/lib/escape-html.js';
import { type ApiDocument, type Content, firstExample, type Operation } from './api-document.js';
import { markdown } from './markdown.js';
import { ADMIN, PLAYER, requestSample } from './request-sample.js';
import { memberHtml, schemaHtml } from './schema-html.js';

export type Api = 'player' | 'admin';

type Listed = { method: string; path: string; operation: Operation; id: string };

/** One page with everything that an OpenAPI document says, for requests to `url`. It needs no script but to filter and to copy. */
export function referencePage(api: Api, document: ApiDocument, url: string): string {
  const groups = groupsOf(document);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${escapeHtml(document.info.title)}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="reference.css">
    <script src="reference.js" defer></script>
  </head>
  <body>
    <nav aria-label="Operations">
      <p class="apis">${apiLink('player', 'Player API', api)} ${apiLink('admin', 'Admin API', api)}</p>
      <label>Filter <input type="search" id="filter" placeholder="a path, a name, an error code"></label>
      ${groups.map(navigationHtml).join('')}
    </nav>
    <main>
      <h1>${escapeHtml(document.info.title)}</h1>
      <p class="facts">Version ${escapeHtml(document.info.version)}, at <code>${escapeHtml(url)}</code>. The same as a document:
        <a href="../openapi/${api}.json">${api}.json</a> (OpenAPI).</p>
      ${markdown(document.info.description ?? '')}
      ${groups.map((group) => groupHtml(group, url, api)).join('')}
      <h2 id="schemas">Schemas</h2>
      ${Object.entries(document.components?.schemas ?? {})
        .map(namedSchemaHtml)
        .join('')}
    </main>
  </body>
</html>
`;
}

function apiLink(api: Api, title: string, current: Api): string {
  const mark = api === current ? ' aria-current="page"' : '';
  return `<a href="?api=${api}"${mark}>${title}</a>`;
}

type Group = { name: string; description: string; operations: Listed[] };

function groupsOf({ tags = [], paths }: ApiDocument): Group[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { method, path, operation, id: operation.operationId ?? `${method}-${path}` };
    }),
  );
  const groups = tags.map(({ name, description = '' }) => ({
    name,
    description,
    operations: all.filter(({ operation }) => operation.tags?.[0] === name),
  }));
  return groups.filter(({ operations }) => operations.length > 0);
}

function navigationHtml({ name, operations }: Group): string {
  const items = operations.map(
    ({ id, method, path, operation }) =>
      `<li><a href="#${id}" title="${escapeHtml(path)}">${methodHtml(method)} ${escapeHtml(operation.summary ?? path)}</a></li>`,
  );
  return `<section><h2>${escapeHtml(name)}</h2><ul>${items.join('')}</ul></section>`;
}

function groupHtml({ name, description, operations }: Group, url: string, api: Api): string {
  return `<h2>${escapeHtml(name)}</h2>${markdown(description)}${operations.map((listed) => operationHtml(listed, url, api)).join('')}`;
}

function operationHtml({ id, method, path, operation }: Listed, url: string, api: Api): string {
  const sample = requestSample(url, method, path, operation, api === 'player' ? PLAYER : ADMIN);
  return `<article id="${id}">
  <h3>${escapeHtml(operation.summary ?? path)}</h3>
  <p class="address">${methodHtml(method)} <code>${escapeHtml(path)}</code></p>
  ${markdown(operation.description ?? '')}
  ${parametersHtml(operation)}
  ${bodyHtml('Body', operation.requestBody?.content)}
  <h4>Request</h4>
  <pre class="sample"><code>${escapeHtml(sample)}</code></pre>
  <h4>Responses</h4>
  ${Object.entries(operation.responses ?? {})
    .map(
      ([status, { description = '', content }]) =>
        `<section class="response"><h5>${escapeHtml(status)}</h5>${markdown(description)}${bodyHtml(undefined, content)}</section>`,
    )
    .join('')}
</article>`;
}

function methodHtml(method: string): string {
  return `<span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span>`;
}

function parametersHtml({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((parameter) => {
    const where = `in ${parameter.in}`;
    const html = memberHtml(
      parameter.name,
      parameter.schema ?? {},
      parameter.required === true,
      parameter.description,
    );
    return `<li>${html} <span class="limits">${where}</span></li>`;
  });
  return `<h4>Parameters</h4><ul class="members">${rows.join('')}</ul>`;
}

function bodyHtml(title: string | undefined, content: Content = {}): string {
  return Object.entries(content)
    .map(([type, media]) => {
      const example = firstExample(media);
      const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
      const parts = [
        title === undefined ? '' : `<h4>${title}</h4>`,
        `<p class="limits">${escapeHtml(type)}</p>`,
        media.schema === undefined ? '' : schemaHtml(media.schema),
        example === undefined
          ? ''
          : `<details><summary>example</summary><pre><code>${escapeHtml(text)}</code></pre></details>`,
      ];
      return parts.join('');
    })
    .join('');
}

function namedSchemaHtml([name, schema]: [string, Parameters<typeof schemaHtml>[0]]): string {
  return `<article id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${markdown(schema.description ?? '')}${schemaHtml(schema)}</article>`;
}
