/** What all nodes of the installation share: ids of the secret key, of the folders and of the SSH host keys. */
import { type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
/** What all nodes share, by name. */
export const instanceFacts = table('instance_facts', {
  name: t.text().primaryKey(),
  value: t.text(),
})
export type InstanceFactsTable = TableOf<typeof instanceFacts>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof instanceFacts> {}
}
