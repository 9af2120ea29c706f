import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

const BUNDLE_PLACE = /(file:[^()]*?\/dist\/programs\/[^()/:]+\.js):(\d+):(\d+)/;

/**
 * From now on stack traces of this process or thread name the lines of the sources, not those of the bundle. Node's
 * `--enable-source-maps` does the same, but reads the map of each bundle at the start, which takes 10 MB of memory in each process.
 * Here a map is read when a stack trace needs it first.
 */
export function mapStackTraces(): void {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (bundle: string): SourceMap | undefined => {
    if (!maps.has(bundle)) maps.set(bundle, readMap(bundle));
    return maps.get(bundle);
  };
  const toSource = (text: string, bundle: string, line: string, column: string): string => {
    const found = mapOf(bundle)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found === undefined || !('originalSource' in found)) return text;
    const source = new URL(found.originalSource, bundle).href;
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  };
  Error.prepareStackTrace = (error, calls) => {
    const lines = calls.map((call) => `\n    at ${String(call).replace(BUNDLE_PLACE, toSource)}`);
    return `${Error.prototype.toString.call(error)}${lines.join('')}`;
  };
}

/** A missing or broken map must not hide the error whose stack trace is made. */
function readMap(bundle: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${bundle}.map`), 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
}
