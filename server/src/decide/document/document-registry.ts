import type { TObject } from 'typebox';
import { Compile } from 'typebox/schema';
import type { DocumentPart, ListPart } from './document-part.js';

/** The parts of a document and the schema of the whole. Refuses parts that contradict each other or the schema. */
export class DocumentRegistry {
  readonly schema: TObject;
  /** In the order of the document. */
  readonly parts: readonly DocumentPart[];
  readonly lists: readonly ListPart[];
  readonly validator: ReturnType<typeof Compile<TObject>>;

  constructor(schema: TObject, parts: readonly DocumentPart[]) {
    this.schema = schema;
    this.parts = parts;
    this.lists = parts.filter((part) => part.kind === 'list');
    const problem = duplicateOf(this) ?? missingPart(schema, new Set(parts.map(({ path }) => path)));
    if (problem !== undefined) throw new Error(problem);
    this.validator = Compile(schema);
  }
}

function duplicateOf({ parts, lists }: Pick<DocumentRegistry, 'parts' | 'lists'>): string | undefined {
  const twice = (values: readonly string[]) => values.find((value, index) => values.indexOf(value) !== index);
  const path = twice(parts.map((part) => part.path));
  if (path !== undefined) return `there are two parts ${path}`;
  const name = twice(lists.map((part) => part.name)) ?? twice(lists.map((part) => part.noun.toLowerCase()));
  return name === undefined ? undefined : `there are two parts that are called ${name}`;
}

/** Every member of the schema is a part, or an object of parts. Otherwise no difference would show its changes. */
function missingPart(schema: TObject, paths: ReadonlySet<string>): string | undefined {
  const unseen = new Set(paths);
  const visit = ({ properties }: TObject, above: string): string | undefined => {
    for (const [member, value] of Object.entries(properties)) {
      const path = `${above}${member}`;
      if (unseen.delete(path)) continue;
      const isAbove = [...paths].some((each) => each.startsWith(`${path}/`));
      const problem = isAbove ? visit(value as TObject, `${path}/`) : `no part is defined for ${path}`;
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  const problem = visit(schema, '');
  const [extra] = unseen;
  return problem ?? (extra === undefined ? undefined : `the document has no member ${extra}`);
}
