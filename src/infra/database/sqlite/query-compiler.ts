import { SqliteQueryCompiler, type ValueNode } from 'kysely'

/**
 * Writes booleans into the text of a query. As a parameter, one that decides whether a partial index applies makes SQLite
 * prepare the statement again at each run, which takes longer than most reads of a row.
 */
export class QueryCompiler extends SqliteQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    super.visitValue(typeof node.value === 'boolean' ? { ...node, immediate: true } : node)
  }
}
