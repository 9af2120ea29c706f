import { saveFile } from '../lib/save-file.js';
import { type OperationId, type RequestOf, send } from './client.js';

/** Saves a response as a file. Fetched, not linked: a link could not name the studio. */
export async function download<Id extends OperationId>(
  id: Id,
  request: RequestOf<Id>,
  { studio, fileName }: { studio: string; fileName: string },
): Promise<void> {
  const response = await send(id, request, { studio });
  // Numbers that are not complete: the name of the file is where a person sees it.
  const name = response.headers.has('x-summing') ? fileName.replace(/(?=\.\w+$)/, '-partial') : fileName;
  saveFile(await response.blob(), name);
}
