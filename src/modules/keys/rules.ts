import { type ApiError, blank, dayAfter, invalid, taken, textProblems } from '../../api/index.ts'
import { valuesByName } from '../../infra/grouping/index.ts'
import type { InstanceSettings } from '../../platform/settings/index.ts'
import {
  formatSshKey,
  type KeyType,
  md5Fingerprint,
  parseSshKey,
  type SshKey,
  sha256Fingerprint,
} from './format/ssh-key.ts'

/** Names of the types of keys in messages and policies. */
export const technologies = ['RSA', 'DSA', 'ECDSA', 'ED25519', 'ECDSA_SK', 'ED25519_SK'] as const
export type Technology = (typeof technologies)[number]

/** Which keys are accepted (contract 01, "Keys"). */
export type KeyPolicy = {
  /** The minimum size in bits by type; 0 for any size. */
  types: Readonly<Record<Technology, 'forbidden' | number>>
  /** SHA-256 fingerprints of keys whose private key is publicly known. */
  compromised: ReadonlySet<string>
}

type KeySettings = Pick<InstanceSettings, `${Lowercase<Technology>}_key_restriction` | 'max_ssh_key_lifetime'>

/** The policy that the settings of the instance say. OpenSSH no longer takes DSA keys, so they are forbidden. */
export function keyPolicy(settings: KeySettings): KeyPolicy {
  const least = (name: Exclude<Technology, 'DSA'>) => {
    const bits = settings[`${name.toLowerCase() as Lowercase<typeof name>}_key_restriction`]
    return bits < 0 ? 'forbidden' : bits
  }
  return {
    types: {
      RSA: least('RSA'),
      DSA: 'forbidden',
      ECDSA: least('ECDSA'),
      ED25519: least('ED25519'),
      ECDSA_SK: least('ECDSA_SK'),
      ED25519_SK: least('ED25519_SK'),
    },
    compromised: new Set(),
  }
}

const technologyOf: Record<KeyType, Technology> = {
  'ssh-rsa': 'RSA',
  'ssh-dss': 'DSA',
  'ecdsa-sha2-nistp256': 'ECDSA',
  'ecdsa-sha2-nistp384': 'ECDSA',
  'ecdsa-sha2-nistp521': 'ECDSA',
  'ssh-ed25519': 'ED25519',
  'sk-ecdsa-sha2-nistp256@openssh.com': 'ECDSA_SK',
  'sk-ssh-ed25519@openssh.com': 'ED25519_SK',
}

export type KeyField = 'key' | 'fingerprint_sha256' | 'title' | 'expires_at'

/** Why a field of a new key is invalid. */
export type KeyProblem = { field: KeyField; text: string }

/** A new key as requested. */
export type WantedKey = { title: string; key: string; expires_at?: string }

/** In characters. */
const longestKey = 5000
const longestTitle = 255

export const takenFingerprint: KeyProblem = { field: 'fingerprint_sha256', text: taken }
const compromisedText =
  'cannot be used because it belongs to a compromised private key. Stop using this key and generate a new one.'

const problemsIn = (field: KeyField, texts: readonly string[]): KeyProblem[] => texts.map((text) => ({ field, text }))

function forbiddenText({ types }: KeyPolicy): string {
  const allowed = technologies.filter((technology) => types[technology] !== 'forbidden')
  const last = allowed.length > 2 ? ', or ' : ' or '
  const list = allowed.length < 2 ? allowed.join() : `${allowed.slice(0, -1).join(', ')}${last}${allowed.at(-1)}`
  return `type is forbidden. Must be ${list}`
}

function policyProblems(key: SshKey, policy: KeyPolicy): KeyProblem[] {
  const least = policy.types[technologyOf[key.type]]
  const texts: string[] = []
  if (least === 'forbidden') texts.push(forbiddenText(policy))
  else if (key.bits < least) texts.push(`must be at least ${least} bits`)
  if (policy.compromised.has(sha256Fingerprint(key.blob))) texts.push(compromisedText)
  return problemsIn('key', texts)
}

/** Parses and validates a new key (contract 01, "Keys"). A text that is too long is not parsed. */
export function readKey(text: string, policy: KeyPolicy): { key: SshKey | null; problems: KeyProblem[] } {
  const given = text.trim()
  const wrong = textProblems(given, longestKey)
  if (wrong.length > 0) return { key: null, problems: problemsIn('key', wrong) }
  const key = parseSshKey(given)
  if (key) return { key, problems: policyProblems(key, policy) }
  const invalidKey = problemsIn('key', [forbiddenText(policy), 'is invalid'])
  return { key: null, problems: [...invalidKey, ...problemsIn('fingerprint_sha256', ['cannot be generated'])] }
}

/** Parses a key that the settings accept; null for any other text. */
export function acceptedKey(text: string, settings: KeySettings): SshKey | null {
  const { key, problems } = readKey(text, keyPolicy(settings))
  return problems.length === 0 ? key : null
}

const dayMs = 86_400_000

/**
 * Why the expiry of a key is invalid (contract 01, "Keys"; contract 20, x.user_keys_create).
 * @param expiresAt ISO text in UTC
 * @param lifetimeDays maximum lifetime of keys; null for none
 */
export function expiryProblems(expiresAt: string | undefined, lifetimeDays: number | null, moment: Date): KeyProblem[] {
  if (expiresAt !== undefined && Date.parse(expiresAt) <= moment.getTime()) {
    return [{ field: 'key', text: 'has expired' }]
  }
  if (lifetimeDays === null) return []
  if (expiresAt === undefined) return [{ field: 'expires_at', text: blank }]
  if (Date.parse(expiresAt) <= moment.getTime() + lifetimeDays * dayMs) return []
  return [{ field: 'expires_at', text: `must be before ${dayAfter(moment, lifetimeDays)}` }]
}

/** Why the title of a key is invalid (contract 01, "Keys"). */
export function titleProblems(title: string): KeyProblem[] {
  return problemsIn('title', textProblems(title, longestTitle))
}

/**
 * Parses and validates a new key (contract 01, "Keys").
 * @param settings those of the instance
 * @param isDeployKey deploy keys have no maximum lifetime
 * @returns the key, or null, and the problems of the request
 */
export function readNewKey(wanted: WantedKey, moment: Date, settings: KeySettings, { isDeployKey = false } = {}) {
  const { key, problems } = readKey(wanted.key, keyPolicy(settings))
  const lifetimeDays = isDeployKey ? null : settings.max_ssh_key_lifetime
  const others = [...expiryProblems(wanted.expires_at, lifetimeDays, moment), ...titleProblems(wanted.title)]
  const all = (isTaken: boolean) => [...problems, ...(isTaken ? [takenFingerprint] : []), ...others]
  return { key, problems: all }
}

/** The columns of a new key that follow from its text and the parameters. */
export function keyColumns(key: SshKey, { title, expires_at }: WantedKey, created_at: string) {
  return {
    title,
    key: formatSshKey(key),
    type: key.type,
    fingerprint_md5: md5Fingerprint(key.blob),
    fingerprint_sha256: sha256Fingerprint(key.blob),
    expires_at: expires_at ?? null,
    created_at,
  }
}

/**
 * The error of problems, form C: all texts of one field in one array.
 * @param prefix stands before the name of each field, as in `deploy_key.key`
 */
export function refusal(problems: readonly KeyProblem[], prefix = ''): ApiError {
  const nameOf = ({ field }: KeyProblem) => prefix + field
  return invalid(valuesByName(problems, nameOf, ({ text }) => text))
}
