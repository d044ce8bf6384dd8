import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { parseCron } from '../infra/cron/index.ts'
import { isNetwork } from '../infra/net/index.ts'
import type { DefaultedName, SettingName } from './settings.ts'
import { ConfigError, type Read, type Source } from './source.ts'

/** A host and a port, such as `0.0.0.0:80`. */
export function addressOf({ value, from }: Source): { host: string; port: number } {
  const parts = /^(?:(\[[^\]]+\]|[^:]*):)?(\d{1,5})$/.exec(value)
  const port = Number(parts?.[2])
  if (!parts || port > 65_535) throw new ConfigError(`${from} must be host:port, not '${value}'`)
  return { host: (parts[1] || '127.0.0.1').replace(/^\[|\]$/g, ''), port }
}

/** The same, where it may be missing. */
export function address(read: Read, name: SettingName): { host: string; port: number } | undefined {
  const source = read(name)
  return source && addressOf(source)
}

/** A list of addresses and networks, such as `127.0.0.1,10.0.0.0/8`. */
export function networks(read: Read, name: SettingName): string[] {
  const source = read(name)
  if (!source) return []
  const entries = source.value.split(',').map((entry) => entry.trim())
  const wrong = entries.find((entry) => !isNetwork(entry))
  if (wrong === undefined) return entries
  throw new ConfigError(
    `${source.from} must be a list like 127.0.0.1,10.0.0.0/8; '${wrong}' is neither an address nor a network`,
  )
}

/** A URL with one of these protocols, without a slash at its end. */
export function url(read: Read, name: SettingName, protocols: readonly string[]): string | undefined {
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

/** Whether a path is another one or below it. */
const isWithin = (path: string, above: string) =>
  `${resolve(path)}/`.startsWith(`${resolve(above).replace(/\/$/, '')}/`)

/** The folders of storages by name (contract 10, Storage shard). */
export function storages(read: Read, data: string): Record<string, string> {
  const source = read('FENNEC_STORAGES')
  if (!source) return { default: join(data, 'repositories') }
  const entries = source.value.split(',').map((entry) => {
    const [, name, path] = /^\s*([A-Za-z0-9_-]{1,100})=(.+?)\s*$/.exec(entry) ?? []
    if (!name || !path || !isAbsolute(path)) {
      throw new ConfigError(`${source.from} must be a list like default=/path,fast=/path2, not '${source.value}'`)
    }
    return [name, path] as const
  })
  const found = Object.fromEntries(entries)
  if (!found.default) throw new ConfigError(`${source.from} must have a storage called default`)
  if (Object.keys(found).length < entries.length) throw new ConfigError(`${source.from} names a storage twice`)
  for (const [name, path] of entries) {
    const inside = entries.find(([other, above]) => other !== name && isWithin(path, above))
    if (inside) throw new ConfigError(`${source.from}: the folder of ${name} must not be in that of ${inside[0]}`)
  }
  return found
}

/** An address of mail, `a@b.test` or `Name <a@b.test>`. */
export function mailAddress(read: Read, name: SettingName): string | undefined {
  const source = read(name)
  if (!source || /^([^<>\r\n]*<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/.test(source.value)) return source?.value
  throw new ConfigError(`${source.from} must be an address like 'Fennec <fennec@example.com>', not '${source.value}'`)
}

/** A secret that is not too short. */
export function secret(read: Read, name: SettingName, minimumLength: number): string | undefined {
  const source = read(name)
  if (source && source.value.length < minimumLength) {
    throw new ConfigError(`${source.from} must have at least ${minimumLength} characters`)
  }
  return source?.value
}

/** `true`, `on`, `false` or `off`. */
export function flag(read: Read, name: DefaultedName): boolean {
  const source = read(name)
  const known: Record<string, boolean> = { true: true, on: true, false: false, off: false }
  const value = Object.hasOwn(known, source.value) ? known[source.value] : undefined
  if (value === undefined) throw new ConfigError(`${source.from} must be true or false, not '${source.value}'`)
  return value
}

/** The smallest RSA key that signs tokens. */
const smallestKeyBits = 2048

/** Reads the file of a private RSA key, as PEM. */
export function rsaKey(read: Read, name: SettingName): string | undefined {
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
export function duration(read: Read, name: DefaultedName): number {
  const source = read(name)
  const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(source.value) ?? []
  if (number === '')
    throw new ConfigError(`${source.from} must be a duration like 90s, 30m, 24h or 7d, not '${source.value}'`)
  return Number(number) * (units[unit] ?? 0)
}

/** One of these words. */
export function wordOf<Word extends string>(source: Source, words: readonly Word[]): Word {
  const word = words.find((known) => known === source.value)
  if (!word) throw new ConfigError(`${source.from} must be one of ${words.join(', ')}, not '${source.value}'`)
  return word
}

/** A whole number from 0. */
export function count(read: Read, name: DefaultedName): number {
  const source = read(name)
  if (!/^\d{1,9}$/.test(source.value)) {
    throw new ConfigError(`${source.from} must be a whole number from 0, not '${source.value}'`)
  }
  return Number(source.value)
}

/** A number of seconds above 0, which may have three decimals; returned in milliseconds. */
export function seconds(read: Read, name: DefaultedName): number {
  const source = read(name)
  const isNumber = /^\d{1,7}(?:\.\d{1,3})?$/.test(source.value)
  if (!isNumber || Number(source.value) === 0) {
    throw new ConfigError(`${source.from} must be a number of seconds above 0, not '${source.value}'`)
  }
  return Math.round(Number(source.value) * 1000)
}

/** A cron expression, as text. */
export function cron(read: Read, name: DefaultedName): string {
  const source = read(name)
  if (parseCron(source.value)) return source.value
  throw new ConfigError(`${source.from} must be a cron expression like '*/5 * * * *', not '${source.value}'`)
}

/** A JSON object whose values are lists of texts. */
export function textLists(read: Read, name: SettingName): Record<string, string[]> {
  const source = read(name)
  if (!source) return {}
  const isList = (value: unknown) => Array.isArray(value) && value.every((text) => typeof text === 'string')
  try {
    const parsed: unknown = JSON.parse(source.value)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    if (isObject && Object.values(parsed).every(isList)) return parsed as Record<string, string[]>
  } catch {
    // Reported below.
  }
  throw new ConfigError(`${source.from} must be a JSON object with lists of texts`)
}

/** Masks the password of a URL. */
export function mask(text: string): string {
  return text.replace(/(:\/\/[^:/@]+:)[^@]+@/g, '$1[masked]@')
}
