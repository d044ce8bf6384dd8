import type { Platform } from '../../platform/index.ts'
import { definitionOf, type definitions } from './definitions.ts'
import { isOpen } from './gates.ts'
import { gatesNamed } from './store.ts'

/** The flags that the server evaluates. */
export type FeatureName = (typeof definitions)[number]['name']

/**
 * Whether a feature is on (contract 05, Evaluation).
 * @param actor such as `User:7`, `Group:3` or `Project:5`
 */
export async function isFeatureOn(
  { database, random }: Platform,
  name: FeatureName,
  actor: string | null = null,
): Promise<boolean> {
  const gates = await gatesNamed(database.read, name)
  return gates ? isOpen(name, gates, actor, random()) : (definitionOf(name)?.default_enabled ?? false)
}
