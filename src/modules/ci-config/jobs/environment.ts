import { type ConfigEnvironment, environmentActions } from '../types.ts'
import { duration, hash, type Read, text, word } from './values.ts'

/** The kinds of environments that a configuration may name (contract 24, Tier). */
export const deploymentTiers = ['production', 'staging', 'testing', 'development', 'other'] as const

/** A duration, or `never`. What refers to variables is checked when it is known. */
const autoStopIn: Read<string> = (value, place, problems) => {
  const isOpen = typeof value === 'string' && (value === 'never' || value.includes('$'))
  if (isOpen) return value
  return duration(value, place, problems) === undefined ? undefined : String(value)
}

const members = {
  name: text,
  url: text,
  action: word(environmentActions),
  on_stop: text,
  auto_stop_in: autoStopIn,
  deployment_tier: word(deploymentTiers),
  kubernetes: (value: unknown) => value,
} satisfies Record<string, Read<unknown>>

const nothing = { url: null, action: 'start', onStop: null, autoStopIn: null, tier: null } as const

/** `environment`: a name, or a hash with it (contract 24, Environments in CI). */
export const environment: Read<ConfigEnvironment> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return { ...nothing, name: value }
  const read = hash(value, place, problems, members)
  if (read && !read.name) problems.add(`${place} name`, "can't be blank")
  if (!read?.name) return undefined
  const { name, url = null, action = 'start', on_stop, auto_stop_in, deployment_tier } = read
  return { name, url, action, onStop: on_stop ?? null, autoStopIn: auto_stop_in ?? null, tier: deployment_tier ?? null }
}
