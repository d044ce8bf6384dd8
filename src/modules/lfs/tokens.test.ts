import { expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { createLfsTokens } from './tokens.ts'

const grant = { keyId: 7, projectId: 9, operation: 'upload' } as const

function tokens(key = Buffer.alloc(32, 1)) {
  const clock = manualClock({ start: '2026-01-01T00:00:00Z' })
  return { clock, ...createLfsTokens({ clock, instanceKey: async () => key }) }
}

test('a token grants what it was made for, for two hours', async () => {
  const { clock, issue, open, isToken } = tokens()
  const text = await issue(grant)
  expect(isToken(text)).toBe(true)
  expect(isToken('glpat-x')).toBe(false)
  expect(await open(text)).toEqual(grant)
  clock.advance(7_199_000)
  expect(await open(text)).toEqual(grant)
  clock.advance(1000)
  expect(await open(text)).toBeNull()
})

test('a token that was changed, or made elsewhere, grants nothing', async () => {
  const { issue, open } = tokens()
  const text = await issue(grant)
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
    await tokens(Buffer.alloc(32, 2)).issue(grant),
  ]
  for (const other of others) expect(await open(other), other).toBeNull()
})
