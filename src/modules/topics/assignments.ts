import { now, type Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { addMissingTopics, foldedName, topicsNamed } from './store.ts'

/** The ids of the topics with these names, each once, in this order. Topics that do not exist are created. */
export async function topicIds(
  { clock }: Pick<Platform, 'clock'>,
  tx: Tx,
  names: readonly string[],
): Promise<number[]> {
  const at = now(clock)
  const known = new Set((await topicsNamed(tx, names)).map((topic) => topic.folded_name))
  const missing = names.filter((name) => !known.has(foldedName(name)))
  await addMissingTopics(
    tx,
    missing.map((name) => ({ name, folded_name: foldedName(name), title: name, created_at: at, updated_at: at })),
  )
  const ids = new Map((await topicsNamed(tx, names)).map((topic) => [topic.folded_name, topic.id]))
  return [...new Set(names.flatMap((name) => ids.get(foldedName(name)) ?? []))]
}
