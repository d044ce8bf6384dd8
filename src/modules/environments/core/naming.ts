import { blank, lengthProblems } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { hasEnvironmentCharacters } from '../../ci-config/index.ts'
import type { Tier } from '../tables.ts'

const longestName = 255
const longestSlug = 24
/** With `-` and six random characters it is as long as the longest slug. */
const longestStart = 17
const suffixLength = 6
const suffixAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

const wrongCharacters =
  "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'"

/** What is wrong with the name of an environment (contract 24, x.environments_create). */
export function nameProblems(name: string): string[] {
  return [
    ...(name.trim() === '' ? [blank] : []),
    ...lengthProblems(name, longestName),
    ...(hasEnvironmentCharacters(name) ? [] : [wrongCharacters]),
  ]
}

/** Words in names, of which the first that occurs decides (contract 24, Tier). */
const tierWords: readonly (readonly [Tier, RegExp])[] = [
  ['development', /dev|review|trunk/i],
  ['testing', /test|tst|int|acpt|accept|qa|qc|control|quality/i],
  ['staging', /stg|stag|modl|model|pre|demo|non/i],
  ['production', /prd|prod|live/i],
]

/** The tier that a name implies. */
export function tierOf(name: string): Tier {
  return tierWords.find(([, words]) => words.test(name))?.[0] ?? 'other'
}

function randomSuffix({ random }: Pick<Platform, 'random'>): string {
  const pick = () => suffixAlphabet[Math.floor(random() * suffixAlphabet.length)]
  return Array.from({ length: suffixLength }, pick).join('')
}

/**
 * The slug of a new environment (contract 24, Slug): the name in lower case with `-`, and a random end where that is not the
 * name itself.
 */
export function slugOfName(platform: Pick<Platform, 'random'>, name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const started = /^[a-z]/.test(plain) ? plain : `env-${plain}`
  const slug = started.replace(/-+/g, '-').slice(0, longestSlug).replace(/-$/, '')
  if (slug === name) return slug
  const start = slug.slice(0, longestStart).replace(/-$/, '')
  return `${start}-${randomSuffix(platform)}`
}
