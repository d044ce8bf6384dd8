import { RunLater } from '../../infra/jobs/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type Chain, chainsOf, directActors, type FeatureActors } from './actors.ts'
import { definitionOf, type definitions } from './definitions.ts'
import { isOpen } from './gates.ts'
import { gatesNamed } from './store.ts'

/** The flags that the server evaluates. */
export type FeatureName = (typeof definitions)[number]['name']

/**
 * Reads a feature once, to ask for many actors whether it is on (contract 05, Evaluation): for one of those that a question names.
 * What the actors lie in is read only when targets are set.
 */
export async function readFeature(
  { database, random }: Platform,
  name: FeatureName,
): Promise<(about: FeatureActors) => Promise<boolean>> {
  const gates = await gatesNamed(database.read, name)
  if (!gates) return async () => definitionOf(name)?.default_enabled ?? false
  const chance = random()
  return async (about) => {
    const chains: readonly Chain[] = gates.actors.length > 0 ? await chainsOf(database.read, about) : []
    return isOpen(name, gates, { actors: directActors(about), chains }, chance)
  }
}

/** Whether a feature is on for all, or for one of some actors (contract 05, Evaluation). */
export async function isFeatureOn(platform: Platform, name: FeatureName, about: FeatureActors = {}): Promise<boolean> {
  return (await readFeature(platform, name))(about)
}

/** When a job runs again whose worker is switched off. */
const pausedMs = 60_000

/**
 * For the start of a job that can be switched off.
 * @throws RunLater while the feature is off; the attempt does not count
 */
export async function requireWorker(platform: Platform, name: FeatureName, about?: FeatureActors): Promise<void> {
  if (!(await isFeatureOn(platform, name, about))) throw new RunLater(pausedMs)
}
