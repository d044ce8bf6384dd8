import { readFileSync } from 'node:fs'
import { type DefaultedName, type Setting, type SettingName, settings } from './settings.ts'

/** A setting is invalid. The message names the setting. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigError'
  }
}

/** What was written for a setting, and where. */
export type Source = { value: string; from: string }

/**
 * The text of a setting by its name, and where it was written; undefined when it is not set and has no default.
 * One that has a default is never undefined.
 */
export type Read = <Name extends SettingName>(name: Name) => Name extends DefaultedName ? Source : Source | undefined

export type Environment = Record<string, string | undefined>

function settingsFile(path: string): Record<string, string> {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ConfigError(`FENNEC_CONFIG: cannot read ${path} (${(error as Error).message})`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ConfigError(`FENNEC_CONFIG: ${path} must hold one JSON object`)
  }
  for (const [name, value] of Object.entries(parsed)) {
    if (typeof value !== 'string') throw new ConfigError(`${name} in ${path} must be a string`)
  }
  return parsed as Record<string, string>
}

/** An unknown `FENNEC_` variable is an error, so that a misspelt one is noticed. @throws ConfigError */
function checkNames(names: readonly string[], from: string): void {
  const unknown = names.find(
    (name) => name.startsWith('FENNEC_') && !name.startsWith('FENNEC_TEST_') && !Object.hasOwn(settings, name),
  )
  if (unknown) throw new ConfigError(`${unknown}${from} is not a setting of this release`)
}

/** Reads settings from the environment, over the file that `FENNEC_CONFIG` names, over the defaults. @throws ConfigError */
export function reader(environment: Environment): Read {
  const path = environment.FENNEC_CONFIG
  const file = path ? settingsFile(path) : {}
  checkNames(Object.keys(environment), '')
  checkNames(Object.keys(file), ` in ${path}`)
  const find = (name: SettingName): Source | undefined => {
    const set = environment[name]
    if (set !== undefined && set !== '') return { value: set, from: name }
    const written = file[name]
    if (written !== undefined && written !== '') return { value: written, from: `${name} in ${path}` }
    const setting: Setting = settings[name]
    return setting.default === undefined ? undefined : { value: setting.default, from: name }
  }
  return find as Read
}
