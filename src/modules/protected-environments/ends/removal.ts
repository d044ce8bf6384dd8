import type { Tx } from '../../../infra/database/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import { countingIn, forMaintainers } from '../access/counting.ts'
import { entriesOf, entryRows } from '../rules/store.ts'

/**
 * Removes the entries of users and groups that have no access any more to a project or group; approval rules are for maintainers
 * from then on (contract 24, Protection).
 * @param ids protected environments of the project or group
 */
export async function removeUncounted(
  tx: Tx,
  owner: ProjectOrGroupRef,
  ids: readonly number[],
  today: string,
): Promise<void> {
  const entries = await entriesOf(tx, ids)
  const [deploy, approval] = [ids.flatMap((id) => entries(id).deploy), ids.flatMap((id) => entries(id).approval)]
  const counts = await countingIn(tx, owner, [...deploy, ...approval], today)
  const ended = deploy.filter((entry) => !counts(entry)).map(({ id }) => id)
  if (ended.length > 0) await entryRows.deploy.remove(tx, ended)
  for (const rule of approval) if (!counts(rule)) await entryRows.approval.update(tx, rule.id, forMaintainers)
}
