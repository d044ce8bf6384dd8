import { readFileSync } from 'node:fs'

/** A setting is invalid. The message names the setting. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigError'
  }
}

type Source = { value: string; from: string }

/** A setting by its name, and where it was written; undefined when it is not set. */
export type Read = (name: string) => Source | undefined

/** Names of all settings. An unknown `FENNEC_` variable is an error, so that a misspelt one is noticed. */
const settingNames = [
  'FENNEC_LISTEN',
  'FENNEC_WORKERS',
  'FENNEC_URL',
  'FENNEC_DATA',
  'FENNEC_DATABASE_URL',
  'FENNEC_OBJECTS_URL',
  'FENNEC_STORAGES',
  'FENNEC_SSH_LISTEN',
  'FENNEC_GIT_MEMORY_MIB',
  'FENNEC_PUSH_UNPACK_SECONDS',
  'FENNEC_PUSH_UNPACKED_MIB',
  'FENNEC_REGISTRY',
  'FENNEC_REGISTRY_LISTEN',
  'FENNEC_REGISTRY_URL',
  'FENNEC_REGISTRY_ISSUER',
  'FENNEC_REGISTRY_KEY',
  'FENNEC_REGISTRY_GC_GRACE',
  'FENNEC_REGISTRY_UPLOAD_TTL',
  'FENNEC_REGISTRY_REDIRECT',
  'FENNEC_REGISTRY_LEGACY_TAG_DELETE',
  'FENNEC_UPLOADS_REDIRECT',
  'FENNEC_CI_SCHEDULE_WORKER_CRON',
  'FENNEC_CI_SCHEDULE_SOURCE_LABEL',
  'FENNEC_CI_SCHEDULE_PLAY_PER_MINUTE',
  'FENNEC_SERVICE_ACCOUNTS_ROTATE_REVOKES',
  'FENNEC_SERVICE_ACCOUNTS_LIMIT',
  'FENNEC_DOMAINS_VERIFICATION',
  'FENNEC_DOMAINS_STATIC_TXT',
  'FENNEC_SMTP_URL',
  'FENNEC_MAIL_FROM',
  'FENNEC_GEO_NODE_NAME',
  'FENNEC_GEO_ROLE',
  'FENNEC_GEO_PRIMARY_URL',
  'FENNEC_GEO_ACCESS_KEY',
  'FENNEC_GEO_SECRET_ACCESS_KEY',
  'FENNEC_GEO_POLL_SECONDS',
  'FENNEC_GEO_STATUS_SECONDS',
  'FENNEC_GEO_RETRY_BASE_SECONDS',
  'FENNEC_GEO_RECONCILE_SECONDS',
  'FENNEC_TIER',
  'FENNEC_OFFERING',
  'FENNEC_FIPS',
  'FENNEC_WEBHOOK_TIMEOUT',
  'FENNEC_ROOT_TOKEN',
  'FENNEC_ROOT_PASSWORD',
  'FENNEC_SECRET_KEY',
  'FENNEC_TRUSTED_PROXIES',
  'FENNEC_METRICS_ALLOW',
  'FENNEC_METRICS_TOKEN',
  'FENNEC_LOG_LEVEL',
  'FENNEC_VERSION',
  'FENNEC_CONFIG',
] as const

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

function checkNames(names: readonly string[], from: string): void {
  const known: readonly string[] = settingNames
  const unknown = names.find(
    (name) => name.startsWith('FENNEC_') && !name.startsWith('FENNEC_TEST_') && !known.includes(name),
  )
  if (unknown) throw new ConfigError(`${unknown}${from} is not a setting of this release`)
}

/** Reads settings from the environment, over the file that `FENNEC_CONFIG` names. @throws ConfigError */
export function reader(environment: Environment): Read {
  const path = environment.FENNEC_CONFIG
  const file = path ? settingsFile(path) : {}
  checkNames(Object.keys(environment), '')
  checkNames(Object.keys(file), ` in ${path}`)
  return (name) => {
    const set = environment[name]
    if (set !== undefined && set !== '') return { value: set, from: name }
    const written = file[name]
    return written === undefined || written === '' ? undefined : { value: written, from: `${name} in ${path}` }
  }
}
