import { createPrivateKey } from 'node:crypto'
import { failure, parameterErrors } from '../../../api/index.ts'
import { checkLiteralHost, type OutboundPolicy } from '../../../infra/net/index.ts'
import { type Entry, fieldsOf } from '../catalogue/entry.ts'
import type { Field } from '../catalogue/fields.ts'
import type { FieldValue } from '../tables.ts'
import type { GivenFields } from './params.ts'

/** 400 for values that an integration cannot have. */
export const invalidSettings = () => failure(400, '400 Bad Request')

const isBlank = (value: FieldValue | undefined) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).type === 'private'
  } catch {
    return false
  }
}

function isServiceAccount(text: string): boolean {
  try {
    const { private_key: key } = JSON.parse(text) as { private_key?: unknown }
    return typeof key === 'string' && isPrivateKey(key)
  } catch {
    return false
  }
}

const isHostName = (text: string) => text.length <= 253 && /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(text)

const forms = { 'private key': isPrivateKey, 'service account': isServiceAccount, 'host name': isHostName } as const

/** Reads an address of http or https; null for any other text. */
export function readAddress(text: string): URL | null {
  // The parser would drop line ends and tabs, and trim blanks.
  const url = text.length > 2048 || /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  return url && ['http:', 'https:'].includes(url.protocol) ? url : null
}

function isAllowed(text: string, { below }: Field, policy: OutboundPolicy): boolean {
  const url = readAddress(text)
  if (!url || (below !== undefined && !url.hostname.endsWith(`.${below}`))) return false
  try {
    checkLiteralHost(url, policy)
    return true
  } catch {
    return false
  }
}

/** Whether a field may have a value. Names of hosts are resolved when they are used. */
function isValid(field: Field, value: NonNullable<FieldValue>, policy: OutboundPolicy): boolean {
  if (field.values && !field.values.includes(value as string)) return false
  if (typeof value !== 'string') return true
  if (field.address && !isAllowed(value, field, policy)) return false
  return field.form === undefined || forms[field.form](value)
}

/** @throws ApiError 400 for required fields that are absent (contract 25, `M(field)`) */
export function requireFields({ required }: Entry, given: GivenFields): void {
  const absent = Object.keys(required).filter((name) => given[name] === undefined)
  if (absent.length > 0) throw parameterErrors(absent.map((name) => ({ name, missing: true, text: 'is missing' })))
}

/**
 * Checks the fields of an integration as they would be stored.
 * @throws ApiError 400
 */
export function checkFields(slug: string, entry: Entry, values: GivenFields, policy: OutboundPolicy): void {
  for (const [name, field] of Object.entries(fieldsOf(entry))) {
    const value = values[name]
    if (isBlank(value)) {
      if (name in entry.required) throw invalidSettings()
    } else if (!isValid(field, value as NonNullable<FieldValue>, policy)) throw invalidSettings()
  }
  // With an account of its own, Jira is asked by name and password; with a token it is not.
  const isBasic = (values.jira_auth_type ?? 0) === 0
  if (slug === 'jira' && isBasic && isBlank(values.username)) throw invalidSettings()
}
