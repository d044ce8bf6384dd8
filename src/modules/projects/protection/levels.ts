import { role } from '../../access/index.ts'

/** The levels that a protection rule can require, by name (contracts 02 R2 and 23, ProtectionRule). */
export const protectionLevels = { maintainer: role.maintainer, owner: role.owner, admin: role.administrator } as const
export type ProtectionLevel = keyof typeof protectionLevels

/** All names of levels, the lowest first. */
export const protectionLevelNames = Object.keys(protectionLevels) as ProtectionLevel[]

/** What protection rules restrict. */
export type ProtectedAction = 'push' | 'delete'

/** The levels that a rule requires: 40, 50 or 60; null: none. */
export type ProtectionLevels = { push_level: number | null; delete_level: number | null }

/** The levels as a request names them; empty: none. */
export type GivenLevels = {
  minimum_access_level_for_push?: ProtectionLevel | '' | null | undefined
  minimum_access_level_for_delete?: ProtectionLevel | '' | null | undefined
}

/** The level of a name; null for none. */
export const protectionLevelOf = (name: ProtectionLevel | '' | null | undefined): number | null =>
  name ? protectionLevels[name] : null

/** The name of a level; null for none. */
export const protectionLevelName = (level: number | null): ProtectionLevel | null =>
  protectionLevelNames.find((name) => protectionLevels[name] === level) ?? null

/** The level that an action requires by the rules that match a name: the highest one counts. 0 without a rule. */
export function levelRequired(matching: readonly ProtectionLevels[], action: ProtectedAction): number {
  const column = action === 'push' ? 'push_level' : 'delete_level'
  return Math.max(0, ...matching.map((rule) => rule[column] ?? 0))
}
