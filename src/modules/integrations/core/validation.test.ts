/** Which values fields of integrations may have. */
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { delivers, type Entry } from '../catalogue/entry.ts'
import { address, flag, oneOf, privateKey, serviceAccount, text } from '../catalogue/fields.ts'
import { checkFields, readAddress, requireFields } from './validation.ts'

const policy = { allowLocal: false }
const { privateKey: key, publicKey } = generateKeyPairSync('ed25519')
const pem = key.export({ type: 'pkcs8', format: 'pem' }) as string
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string

const entry: Entry = delivers('Trial', {
  required: { name: text },
  optional: {
    url: address,
    below: { ...address, below: 'example.net' },
    mode: oneOf('a', 'b'),
    level: oneOf(1, 2),
    on: flag,
    host: { type: 'text', form: 'host name' },
    key: privateKey,
    account: serviceAccount,
  },
})

const isAccepted = (values: object, slug = 'trial') => {
  try {
    checkFields(slug, entry, { name: 'n', ...values } as never, policy)
    return true
  } catch (error) {
    expect(error).toMatchObject({ status: 400, body: { message: '400 Bad Request' } })
    return false
  }
}

test.each<[string, object, boolean]>([
  ['no optional field', {}, true],
  ['blank optional fields', { url: ' ', mode: '', host: null }, true],
  ['a blank required field', { name: ' ' }, false],
  ['an absent required field', { name: null }, false],
  ['an address', { url: 'https://ci.example.com/a' }, true],
  ['an address of http', { url: 'http://ci.example.com' }, true],
  ['an address of another kind', { url: 'ftp://ci.example.com' }, false],
  ['an address with a blank', { url: 'https://ci.example.com/a b' }, false],
  ['an address of this machine', { url: 'http://127.0.0.1/' }, false],
  ['no address', { url: 'ci' }, false],
  ['an address below a domain', { below: 'https://one.example.net' }, true],
  ['the domain itself', { below: 'https://example.net' }, false],
  ['an address below another domain', { below: 'https://one.example.org' }, false],
  ['one of the values', { mode: 'b', level: 2 }, true],
  ['another value', { mode: 'c' }, false],
  ['another number', { level: 3 }, false],
  ['a flag', { on: false }, true],
  ['a host name', { host: 'ci-1.example.com' }, true],
  ['a host name without a dot', { host: 'localhost' }, false],
  ['a host name of 253 characters', { host: `${'a'.repeat(251)}.b` }, true],
  ['a host name of 254 characters', { host: `${'a'.repeat(252)}.b` }, false],
  ['a private key', { key: pem }, true],
  ['a public key', { key: publicPem }, false],
  ['no key', { key: 'key' }, false],
  ['a service account', { account: JSON.stringify({ private_key: pem }) }, true],
  ['a service account with a public key', { account: JSON.stringify({ private_key: publicPem }) }, false],
  ['a service account without a key', { account: '{}' }, false],
  ['no service account', { account: pem }, false],
])('%s', (_, values, expected) => {
  expect(isAccepted(values)).toBe(expected)
})

test.each<[object, boolean]>([
  [{}, false],
  [{ jira_auth_type: 0 }, false],
  [{ jira_auth_type: 0, username: 'u' }, true],
  [{ username: ' ' }, false],
  [{ jira_auth_type: 1 }, true],
])('Jira with %j', (values, expected) => {
  expect(isAccepted(values, 'jira')).toBe(expected)
  expect(isAccepted(values)).toBe(true)
})

test('addresses have at most 2048 characters', () => {
  const longest = `https://example.com/${'a'.repeat(2028)}`
  expect(longest).toHaveLength(2048)
  expect(readAddress(longest)?.hostname).toBe('example.com')
  expect(readAddress(`${longest}a`)).toBeNull()
  expect(readAddress('https://example.com/\u0007')).toBeNull()
})

test('required fields are asked for by name', () => {
  expect(() => requireFields(entry, { name: 'n' })).not.toThrow()
  expect(() => requireFields(entry, {})).toThrow(expect.objectContaining({ status: 400 }))
})
