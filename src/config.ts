import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

/** A setting is invalid. The message names the setting. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigError'
  }
}

/** The configuration of a server. It does not change while the server runs. */
export type Config = {
  /** Address of the HTTP server. */
  listen: { host: string; port: number }
  /** URL under which clients reach the server, without a trailing slash; undefined: the address that it listens on. */
  url: string | undefined
  /** Folder for the data of the server. */
  data: string
  /** `sqlite:<path>` or `postgres://…`. */
  databaseUrl: string
  /** Location of the object store: `file://<folder>` or `s3://<bucket>/<prefix>?endpoint=…`. */
  objectsUrl: string
  /** Folders of the git repositories by storage name; one is named `default`. */
  storages: Record<string, string>
  /** Address for git over SSH; undefined: not served. */
  sshListen: { host: string; port: number } | undefined
  /** Whether images can be pushed and pulled. */
  registryEnabled: boolean
  /** Address of a second listener for the container registry only; undefined: only the HTTP server serves it. */
  registryListen: { host: string; port: number } | undefined
  /** URL under which clients reach the container registry; undefined: that of the server. */
  registryUrl: string | undefined
  /** Claim `iss` of the tokens of the registry (contract 02 R3). */
  registryIssuer: string
  /** The private RSA key that signs these tokens, as PEM; undefined: generated and stored in the database. */
  registryKey: string | undefined
  /** How long images that nothing refers to are retained. */
  registryGcGraceMs: number
  /** How long an unfinished upload of an image is retained without a request. */
  registryUploadTtlMs: number
  /** Whether clients are redirected to the object store for the contents of images, where it offers addresses. */
  registryRedirect: boolean
  /** Whether the deprecated address for deleting a tag is served (contract 1.10b). */
  registryLegacyTagDelete: boolean
  /** Token of the user root; undefined: generated at the first start. */
  rootToken: string | undefined
  /** Password of the user root; undefined: generated at the first start. */
  rootPassword: string | undefined
  /** The instance key as text; undefined: generated and stored in `data`. */
  secretKey: string | undefined
  /** Addresses or networks of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: string[]
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Version that the API reports. */
  version: string
}

type Source = { value: string; from: string }
type Read = (name: string) => Source | undefined

function address(read: Read, name: string): Config['listen'] | undefined {
  const source = read(name)
  if (!source) return undefined
  const parts = /^(?:(\[[^\]]+\]|[^:]*):)?(\d{1,5})$/.exec(source.value)
  const port = Number(parts?.[2])
  if (!parts || port > 65_535) throw new ConfigError(`${source.from} must be host:port, not '${source.value}'`)
  return { host: (parts[1] || '127.0.0.1').replace(/^\[|\]$/g, ''), port }
}

function url(read: Read, name: string, protocols: readonly string[]): string | undefined {
  const source = read(name)
  if (!source) return undefined
  const parsed = URL.parse(source.value)
  if (!parsed || !protocols.includes(parsed.protocol)) {
    throw new ConfigError(
      `${source.from} must be an address beginning with ${protocols.join(' or ')}//, not '${mask(source.value)}'`,
    )
  }
  return source.value.replace(/\/+$/, '')
}

function storages(read: Read, data: string): Record<string, string> {
  const source = read('FENNEC_STORAGES')
  if (!source) return { default: join(data, 'repositories') }
  const entries = source.value.split(',').map((entry) => {
    const [, name, path] = /^\s*([A-Za-z0-9_-]+)=(.+?)\s*$/.exec(entry) ?? []
    if (!name || !path || !isAbsolute(path)) {
      throw new ConfigError(`${source.from} must be a list like default=/path,fast=/path2, not '${source.value}'`)
    }
    return [name, path] as const
  })
  const found = Object.fromEntries(entries)
  if (!found.default) throw new ConfigError(`${source.from} must have a storage called default`)
  if (Object.keys(found).length < entries.length) throw new ConfigError(`${source.from} names a storage twice`)
  return found
}

function secret(read: Read, name: string, minimumLength: number): string | undefined {
  const source = read(name)
  if (source && source.value.length < minimumLength) {
    throw new ConfigError(`${source.from} must have at least ${minimumLength} characters`)
  }
  return source?.value
}

function flag(read: Read, name: string, fallback: boolean): boolean {
  const source = read(name)
  if (!source) return fallback
  const known: Record<string, boolean> = { true: true, on: true, false: false, off: false }
  const value = Object.hasOwn(known, source.value) ? known[source.value] : undefined
  if (value === undefined) throw new ConfigError(`${source.from} must be true or false, not '${source.value}'`)
  return value
}

/** The smallest RSA key that signs tokens. */
const smallestKeyBits = 2048

/** Reads the file of a private RSA key. */
function rsaKey(read: Read, name: string): string | undefined {
  const source = read(name)
  if (!source) return undefined
  let key: KeyObject
  try {
    key = createPrivateKey(readFileSync(source.value))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`${source.from}: cannot read a private key from ${source.value} (${code})`)
  }
  const bits = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0
  if (bits >= smallestKeyBits) return key.export({ type: 'pkcs8', format: 'pem' }).toString()
  throw new ConfigError(
    `${source.from}: the key in ${source.value} must be an RSA key of ${smallestKeyBits} bits or more`,
  )
}

const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration such as `24h`, in milliseconds. */
function duration(read: Read, name: string, fallbackMs: number): number {
  const source = read(name)
  if (!source) return fallbackMs
  const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(source.value) ?? []
  if (number === '')
    throw new ConfigError(`${source.from} must be a duration like 90s, 30m, 24h or 7d, not '${source.value}'`)
  return Number(number) * (units[unit] ?? 0)
}

const dayMs = 86_400_000

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

function logLevel(read: Read): Config['logLevel'] {
  const source = read('FENNEC_LOG_LEVEL')
  const level = logLevels.find((known) => known === (source?.value ?? 'info'))
  if (!level) throw new ConfigError(`${source?.from} must be one of ${logLevels.join(', ')}, not '${source?.value}'`)
  return level
}

/** Names of all settings. An unknown `FENNEC_` variable is an error, so that a misspelt one is noticed. */
const settingNames = [
  'FENNEC_LISTEN',
  'FENNEC_URL',
  'FENNEC_DATA',
  'FENNEC_DATABASE_URL',
  'FENNEC_OBJECTS_URL',
  'FENNEC_STORAGES',
  'FENNEC_SSH_LISTEN',
  'FENNEC_REGISTRY',
  'FENNEC_REGISTRY_LISTEN',
  'FENNEC_REGISTRY_URL',
  'FENNEC_REGISTRY_ISSUER',
  'FENNEC_REGISTRY_KEY',
  'FENNEC_REGISTRY_GC_GRACE',
  'FENNEC_REGISTRY_UPLOAD_TTL',
  'FENNEC_REGISTRY_REDIRECT',
  'FENNEC_REGISTRY_LEGACY_TAG_DELETE',
  'FENNEC_ROOT_TOKEN',
  'FENNEC_ROOT_PASSWORD',
  'FENNEC_SECRET_KEY',
  'FENNEC_TRUSTED_PROXIES',
  'FENNEC_LOG_LEVEL',
  'FENNEC_VERSION',
  'FENNEC_CONFIG',
] as const

type Environment = Record<string, string | undefined>

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

function reader(environment: Environment): Read {
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

/**
 * Reads the configuration: the environment over the optional file that `FENNEC_CONFIG` names (one JSON object with the same
 * names) over the defaults.
 * @throws ConfigError that names the setting
 */
export function readConfig(environment: Environment): Config {
  const read = reader(environment)
  const data = resolve(read('FENNEC_DATA')?.value ?? './data')
  return {
    listen: address(read, 'FENNEC_LISTEN') ?? { host: '127.0.0.1', port: 8080 },
    url: url(read, 'FENNEC_URL', ['http:', 'https:']),
    data,
    databaseUrl:
      url(read, 'FENNEC_DATABASE_URL', ['postgres:', 'postgresql:', 'sqlite:']) ?? `sqlite:${join(data, 'fennec.db')}`,
    objectsUrl: url(read, 'FENNEC_OBJECTS_URL', ['file:', 's3:']) ?? `file://${join(data, 'objects')}`,
    storages: storages(read, data),
    sshListen: address(read, 'FENNEC_SSH_LISTEN'),
    registryEnabled: flag(read, 'FENNEC_REGISTRY', true),
    registryListen: address(read, 'FENNEC_REGISTRY_LISTEN'),
    registryUrl: url(read, 'FENNEC_REGISTRY_URL', ['http:', 'https:']),
    registryIssuer: read('FENNEC_REGISTRY_ISSUER')?.value ?? 'fennec-issuer',
    registryKey: rsaKey(read, 'FENNEC_REGISTRY_KEY'),
    registryGcGraceMs: duration(read, 'FENNEC_REGISTRY_GC_GRACE', dayMs),
    registryUploadTtlMs: duration(read, 'FENNEC_REGISTRY_UPLOAD_TTL', dayMs),
    registryRedirect: flag(read, 'FENNEC_REGISTRY_REDIRECT', false),
    registryLegacyTagDelete: flag(read, 'FENNEC_REGISTRY_LEGACY_TAG_DELETE', true),
    rootToken: secret(read, 'FENNEC_ROOT_TOKEN', 20),
    rootPassword: secret(read, 'FENNEC_ROOT_PASSWORD', 8),
    secretKey: secret(read, 'FENNEC_SECRET_KEY', 32),
    trustedProxies: (read('FENNEC_TRUSTED_PROXIES')?.value ?? '').split(',').filter((entry) => entry !== ''),
    logLevel: logLevel(read),
    version: read('FENNEC_VERSION')?.value ?? '17.7.0-ee',
  }
}

/** A configuration whose data are all in `folder`, for a temporary server. */
export function memoryConfig(base: Config, folder: string): Config {
  return {
    ...base,
    data: folder,
    databaseUrl: `sqlite:${join(folder, 'fennec.db')}`,
    objectsUrl: `file://${join(folder, 'objects')}`,
    storages: { default: join(folder, 'repositories') },
  }
}

/** The folder for temporary folders. */
export const temporaryFolder = tmpdir()

/** Masks the password of a URL. */
function mask(text: string): string {
  return text.replace(/(:\/\/[^:/@]+:)[^@]+@/g, '$1[masked]@')
}

/** Masks what does not belong to the location of the objects as well, such as an access key in a parameter. */
function maskLocation(text: string): string {
  return mask(text).replace(/([?&](?!(?:endpoint|region|path-style)=)[^=&]*=)[^&]*/g, '$1[masked]')
}

/** The configuration with secrets masked, for output. */
export function printableConfig(config: Config): Record<string, unknown> {
  const hidden = (value: string | undefined) => (value === undefined ? undefined : '[masked]')
  return {
    ...config,
    databaseUrl: mask(config.databaseUrl),
    objectsUrl: maskLocation(config.objectsUrl),
    rootToken: hidden(config.rootToken),
    rootPassword: hidden(config.rootPassword),
    secretKey: hidden(config.secretKey),
    registryKey: hidden(config.registryKey),
  }
}
