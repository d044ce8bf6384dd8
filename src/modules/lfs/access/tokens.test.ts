import { expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { isLfsToken, issueLfsToken, openLfsToken } from './tokens.ts'

const grant = { keyId: 7, projectId: 9, operation: 'upload' } as const

function platformWith(key = Buffer.alloc(32, 1)) {
  const clock = manualClock({ start: '2026-01-01T00:00:00Z' })
  const secrets = { instanceKey: async () => key, sealer: () => Promise.reject(new Error('not used')) }
  return { clock, secrets }
}

test('a token is valid for two hours', async () => {
  const platform = platformWith()
  const text = await issueLfsToken(platform, grant)
  expect(isLfsToken(text)).toBe(true)
  expect(isLfsToken('glpat-x')).toBe(false)
  expect(await openLfsToken(platform, text)).toEqual(grant)
  platform.clock.advance(7_199_000)
  expect(await openLfsToken(platform, text)).toEqual(grant)
  platform.clock.advance(1000)
  expect(await openLfsToken(platform, text)).toBeNull()
})

test('a token of a certificate names it', async () => {
  const certificate = { authorityId: 3, keyId: 'ada', validBefore: 4_000_000_000 }
  const granted = { certificate, projectId: 9, operation: 'download' } as const
  const platform = platformWith()
  expect(await openLfsToken(platform, await issueLfsToken(platform, granted))).toEqual(granted)
})

test('a modified token, or one of another instance, is invalid', async () => {
  const platform = platformWith()
  const text = await issueLfsToken(platform, grant)
  const [body = '', signature = ''] = text.slice('glfs-'.length).split('.')
  const raised = Buffer.from(Buffer.from(body, 'base64url').toString().replace('9', '8')).toString('base64url')
  const swapped = `${signature.slice(0, 5)}${signature[5] === 'A' ? 'B' : 'A'}${signature.slice(6)}`
  const others = [
    `glfs-${raised}.${signature}`,
    `glfs-${body}.${swapped}`,
    `glfs-${body}.`,
    `glfs-.${signature}`,
    `glfs-${body}`,
    'glfs-',
    '',
    `${text}x`,
    await issueLfsToken(platformWith(Buffer.alloc(32, 2)), grant),
  ]
  for (const other of others) expect(await openLfsToken(platform, other), other).toBeNull()
})
