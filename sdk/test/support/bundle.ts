import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * The client as a game ships it: one minified file, a module or a script that sets `savepointClient`. Fails where it needs anything
 * that browsers do not have.
 */
export async function bundleClient(format: 'es' | 'iife' = 'es'): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../../src/index.ts', import.meta.url)),
    platform: 'browser',
    onLog(_level, { message }) {
      throw new Error(message);
    },
  });
  const { output } = await bundle.generate({ format, name: 'savepointClient', minify: true });
  await bundle.close();
  return output[0].code;
}
