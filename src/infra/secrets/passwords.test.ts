import { describe, expect, test } from 'vitest'
import { decoyVerify, hashPassword, PasswordQueueFull, verifyPassword } from './index.ts'

const cheap = { n: 16, r: 1, p: 1 }

describe('passwords', () => {
  test('a hash matches its own password and no other', async () => {
    const encoded = await hashPassword('correct horse', cheap)
    expect(encoded).toMatch(/^scrypt\$16\$1\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(await verifyPassword('correct horse', encoded)).toBe(true)
    expect(await verifyPassword('correct horse ', encoded)).toBe(false)
    expect(await verifyPassword('', encoded)).toBe(false)
  })

  test('the same password has a different hash each time', async () => {
    expect(await hashPassword('same', cheap)).not.toBe(await hashPassword('same', cheap))
  })

  test('the default cost is N = 2^15, r = 8', async () => {
    const encoded = await hashPassword('default')
    expect(encoded).toMatch(/^scrypt\$32768\$8\$1\$/)
    expect(await verifyPassword('default', encoded)).toBe(true)
  })

  test.each([
    ['absent', null],
    ['empty', ''],
    ['another scheme', '$2b$10$abcdefghijklmnopqrstuv'],
    ['no hash', 'scrypt$16$1$1$AAAAAAAAAAAAAAAAAAAAAA$'],
    ['a hash of nothing', 'scrypt$16$1$1$AAAAAAAAAAAAAAAAAAAAAA$AAAA'],
    ['N that is no power of two', `scrypt$17$1$1$${'A'.repeat(22)}$${'A'.repeat(43)}`],
    ['N of zero', `scrypt$0$1$1$${'A'.repeat(22)}$${'A'.repeat(43)}`],
    ['more memory than the machine should give', `scrypt$4194304$64$1$${'A'.repeat(22)}$${'A'.repeat(43)}`],
  ])('an unusable stored hash answers false: %s', async (_name, encoded) => {
    expect(await verifyPassword('anything', encoded, cheap)).toBe(false)
  })

  test('a password longer than 4,096 bytes cannot be hashed and never matches', async () => {
    const encoded = await hashPassword('x'.repeat(4096), cheap)
    await expect(hashPassword('x'.repeat(4097), cheap)).rejects.toThrow(RangeError)
    expect(await verifyPassword('x'.repeat(4097), encoded, cheap)).toBe(false)
  })

  test('the decoy never matches', async () => {
    expect(await decoyVerify('anything', cheap)).toBe(false)
  })
})

test('at most 200 callers wait for a hash', async () => {
  const waiting = Array.from({ length: 202 }, () => hashPassword('a password', cheap))
  await expect(hashPassword('a password', cheap)).rejects.toThrow(PasswordQueueFull)
  await Promise.all(waiting)
  expect(await hashPassword('a password', cheap)).toMatch(/^scrypt/)
})
