import { type LegacyName, legacyNames, primaryCounts, secondaryCounts, statusTypes } from './fields.ts'

/** What is counted of one type, by the names of contract 15; absent: not counted on this kind of node. */
export type TypeCounts = Partial<
  Record<
    | 'count'
    | (typeof primaryCounts)[number]
    | (typeof secondaryCounts)[number]
    | 'synced_missing_on_primary_count'
    | 'checksum_mismatch_count'
    | 'retrying_verification_count',
    number
  >
>

export type Counts = Partial<Record<(typeof statusTypes)[number], TypeCounts>>

/** `100 × part ÷ total` with two decimals; `0.00%` without a part or a total (contract 15, Percentage). */
export function percentage(part: number | null | undefined, total: number | null | undefined): string {
  return `${part && total ? ((100 * part) / total).toFixed(2) : '0.00'}%`
}

/** Counts that only the older names show. */
const onlyLegacy: readonly string[] = [
  'synced_missing_on_primary_count',
  'checksum_mismatch_count',
  'retrying_verification_count',
]

const zero = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]))

const noneOf = {
  primary: { count: 0, ...zero(primaryCounts) },
  secondary: {
    count: 0,
    ...zero(secondaryCounts),
    ...zero(onlyLegacy),
  },
} as const

function percentagesOf(counts: TypeCounts): Record<string, string> {
  return {
    synced_in_percentage: percentage(counts.synced_count, counts.count),
    checksummed_in_percentage: percentage(counts.checksummed_count, counts.count),
    verified_in_percentage: percentage(counts.verified_count, counts.count),
  }
}

/**
 * The members of a status that are counted by type, with their percentages and older names.
 * @param side which counts the node has; the others are null, and all are null for a node that has never reported
 */
export function countMembers(counts: Counts, side: 'primary' | 'secondary' | 'unknown'): Record<string, unknown> {
  const of = (type: LegacyName['type']): TypeCounts => (side === 'unknown' ? {} : { ...noneOf[side], ...counts[type] })
  const members: Record<string, unknown> = {}
  for (const type of statusTypes) {
    const counted: Record<string, number> = of(type)
    for (const name of ['count', ...primaryCounts, ...secondaryCounts])
      members[`${type}_${name}`] = counted[name] ?? null
    const { synced_in_percentage: synced, verified_in_percentage: verified } = percentagesOf(counted)
    members[`${type}_synced_in_percentage`] = synced
    members[`${type}_verified_in_percentage`] = verified
  }
  for (const { name, type, suffix } of legacyNames) {
    const counted: Record<string, unknown> = { ...of(type), ...percentagesOf(of(type)) }
    members[name] = counted[suffix] ?? null
  }
  return { ...members, repositories_count: of('project_repositories').count ?? null }
}

const whole = (value: unknown) => (Number.isSafeInteger(value) ? Math.max(0, value as number) : 0)

/** The counts of a reported status, to be shown with other totals. */
export function countsOf(status: Record<string, unknown>): Counts {
  const counts: Counts = {}
  for (const type of statusTypes) {
    const special = legacyNames.filter((legacy) => legacy.type === type && onlyLegacy.includes(legacy.suffix))
    counts[type] = {
      ...Object.fromEntries(special.map(({ name, suffix }) => [suffix, whole(status[name])])),
      ...Object.fromEntries(['count', ...secondaryCounts].map((name) => [name, whole(status[`${type}_${name}`])])),
    }
  }
  return counts
}
