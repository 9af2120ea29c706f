/** Rules that refer to others: an order in which each comes after those it refers to, and the circles that have none. */

export type RuleNode = Readonly<{ id: string; needs: readonly string[] }>;
export type RuleOrder = Readonly<{
  order: readonly string[];
  /** Each as the way round: `['a', 'b', 'a']`. */
  circles: readonly (readonly string[])[];
}>;

export function orderRules(nodes: readonly RuleNode[]): RuleOrder {
  const needs = new Map(nodes.map((node) => [node.id, node.needs]));
  const order: string[] = [];
  const circles: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];

  const visit = (id: string): void => {
    const met = way.indexOf(id);
    if (met >= 0) circles.push([...way.slice(met), id]);
    if (met >= 0 || done.has(id) || !needs.has(id)) return;
    way.push(id);
    for (const need of needs.get(id) ?? []) visit(need);
    way.pop();
    done.add(id);
    order.push(id);
  };
  for (const { id } of nodes) visit(id);
  return { order, circles };
}
