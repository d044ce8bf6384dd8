import { type Param, t } from '../../api/index.ts'
import type { Setting } from './setting.ts'

type Weights = Record<string, number>
type GivenWeights = Record<string, unknown>

const name = 'repository_storages_weighted'
const largestWeight = 100

/** Accepts any object; the rules of the setting report wrong members (contract 10). */
const param: Param<GivenWeights, false> = {
  schema: {
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0, maximum: largestWeight },
    description: 'How often each storage is chosen for a new repository, 0 to 100; replaces the whole map',
  },
  required: false,
  nullable: false,
  absent: ['is missing'],
  emptyIsAbsent: true,
  read(value, path, problems) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as GivenWeights
    problems.push({ name: path, missing: false, text: 'is invalid' })
    return undefined
  },
}

function isBlank(value: unknown): boolean {
  return value === null || value === ''
}

function weightOf(value: unknown): number | undefined {
  return isBlank(value) ? 0 : t.integer().read(value, name, [])
}

function problemOf(storage: string, value: unknown): string[] {
  const weight = weightOf(value)
  if (weight === undefined) return [`value for '${storage}' must be an integer`]
  if (weight < 0 || weight > largestWeight) return [`value for '${storage}' must be between 0 and ${largestWeight}`]
  return []
}

/**
 * The weights by which the storage of a new repository is chosen (contract 10, x.storage_settings). The value has an entry
 * for every configured storage and for no other.
 * @param storages names of the configured storages, at least one
 */
export function storageWeights(storages: readonly string[]): Setting<Weights, GivenWeights> {
  const initial = storages.includes('default') ? 'default' : storages[0]
  const complete = (weightIn: (storage: string) => number | undefined): Weights =>
    Object.fromEntries(storages.map((storage) => [storage, weightIn(storage) ?? 0]))
  return {
    default: complete((storage) => (storage === initial ? largestWeight : 0)),
    param,
    check(given) {
      const unknown = Object.keys(given).filter((storage) => !storages.includes(storage))
      return [
        ...(unknown.length > 0 ? [`can't include: ${unknown.join(', ')}`] : []),
        ...Object.entries(given).flatMap(([storage, value]) => problemOf(storage, value)),
      ]
    },
    combine: (given) => complete((storage) => (Object.hasOwn(given, storage) ? weightOf(given[storage]) : 0)),
    restore: (stored) => complete((storage) => (Object.hasOwn(stored, storage) ? stored[storage] : 0)),
  }
}
